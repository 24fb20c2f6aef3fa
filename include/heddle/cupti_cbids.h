// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUPTI's numbers of functions. Functions that are not here have the number 0 in callbacks and
// records.
#ifndef HEDDLE_CUPTI_CBIDS_H
#define HEDDLE_CUPTI_CBIDS_H

// (function, version in the name of its number, number)
#define HEDDLE_CUPTI_RUNTIME_CBIDS(CBID)                                                           \
  CBID(cudaGetDeviceCount, v3020, 3)                                                               \
  CBID(cudaGetDeviceProperties, v3020, 4)                                                          \
  CBID(cudaGetLastError, v3020, 10)                                                                \
  CBID(cudaPeekAtLastError, v3020, 11)                                                             \
  CBID(cudaLaunch, v3020, 13)                                                                      \
  CBID(cudaFuncSetCacheConfig, v3020, 14)                                                          \
  CBID(cudaFuncGetAttributes, v3020, 15)                                                           \
  CBID(cudaSetDevice, v3020, 16)                                                                   \
  CBID(cudaGetDevice, v3020, 17)                                                                   \
  CBID(cudaSetDeviceFlags, v3020, 19)                                                              \
  CBID(cudaMalloc, v3020, 20)                                                                      \
  CBID(cudaMallocPitch, v3020, 21)                                                                 \
  CBID(cudaFree, v3020, 22)                                                                        \
  CBID(cudaMallocArray, v3020, 23)                                                                 \
  CBID(cudaFreeArray, v3020, 24)                                                                   \
  CBID(cudaMallocHost, v3020, 25)                                                                  \
  CBID(cudaFreeHost, v3020, 26)                                                                    \
  CBID(cudaHostAlloc, v3020, 27)                                                                   \
  CBID(cudaHostGetDevicePointer, v3020, 28)                                                        \
  CBID(cudaMemGetInfo, v3020, 30)                                                                  \
  CBID(cudaMemcpy, v3020, 31)                                                                      \
  CBID(cudaMemcpy2D, v3020, 32)                                                                    \
  CBID(cudaMemcpyToSymbol, v3020, 39)                                                              \
  CBID(cudaMemcpyFromSymbol, v3020, 40)                                                            \
  CBID(cudaMemcpyAsync, v3020, 41)                                                                 \
  CBID(cudaMemcpy2DAsync, v3020, 44)                                                               \
  CBID(cudaMemset, v3020, 49)                                                                      \
  CBID(cudaMemset2D, v3020, 50)                                                                    \
  CBID(cudaMemsetAsync, v3020, 51)                                                                 \
  CBID(cudaStreamCreate, v3020, 129)                                                               \
  CBID(cudaStreamDestroy, v3020, 130)                                                              \
  CBID(cudaStreamSynchronize, v3020, 131)                                                          \
  CBID(cudaStreamQuery, v3020, 132)                                                                \
  CBID(cudaEventCreate, v3020, 133)                                                                \
  CBID(cudaEventCreateWithFlags, v3020, 134)                                                       \
  CBID(cudaEventRecord, v3020, 135)                                                                \
  CBID(cudaEventDestroy, v3020, 136)                                                               \
  CBID(cudaEventSynchronize, v3020, 137)                                                           \
  CBID(cudaEventQuery, v3020, 138)                                                                 \
  CBID(cudaEventElapsedTime, v3020, 139)                                                           \
  CBID(cudaDeviceReset, v3020, 164)                                                                \
  CBID(cudaDeviceSynchronize, v3020, 165)                                                          \
  CBID(cudaLaunchKernel, v7000, 211)

#define HEDDLE_CUPTI_DRIVER_CBIDS(CBID)                                                            \
  CBID(cuInit, , 1)                                                                                \
  CBID(cuMemAlloc_v2, , 243)                                                                       \
  CBID(cuMemFree_v2, , 245)                                                                        \
  CBID(cuMemcpyHtoD_v2, , 276)                                                                     \
  CBID(cuMemcpyDtoH_v2, , 278)                                                                     \
  CBID(cuLaunchKernel, , 307)

typedef enum {
  CUPTI_RUNTIME_TRACE_CBID_INVALID = 0,
#define HEDDLE_CBID(NAME, VERSION, NUMBER) CUPTI_RUNTIME_TRACE_CBID_##NAME##_##VERSION = NUMBER,
  HEDDLE_CUPTI_RUNTIME_CBIDS(HEDDLE_CBID)
#undef HEDDLE_CBID
  CUPTI_RUNTIME_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_runtime_api_trace_cbid;

typedef enum {
  CUPTI_DRIVER_TRACE_CBID_INVALID = 0,
#define HEDDLE_CBID(NAME, VERSION, NUMBER) CUPTI_DRIVER_TRACE_CBID_##NAME = NUMBER,
  HEDDLE_CUPTI_DRIVER_CBIDS(HEDDLE_CBID)
#undef HEDDLE_CBID
  CUPTI_DRIVER_TRACE_CBID_FORCE_INT = 0x7fffffff
} CUpti_driver_api_trace_cbid;

#endif
