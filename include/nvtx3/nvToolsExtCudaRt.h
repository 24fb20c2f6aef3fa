// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVTX: names of the runtime API's objects. Valid in C and C++.
#ifndef HEDDLE_NVTX3_NV_TOOLS_EXT_CUDA_RT_H
#define HEDDLE_NVTX3_NV_TOOLS_EXT_CUDA_RT_H
#define NVTOOLSEXT_CUDART_V3

#include "../driver_types.h"
#include "nvToolsExt.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define NVTX_RESOURCE_CLASS_CUDART 5
typedef enum nvtxResourceCUDARTType_t {
  NVTX_RESOURCE_TYPE_CUDART_DEVICE = NVTX_RESOURCE_MAKE_TYPE(CUDART, 0),
  NVTX_RESOURCE_TYPE_CUDART_STREAM = NVTX_RESOURCE_MAKE_TYPE(CUDART, 1),
  NVTX_RESOURCE_TYPE_CUDART_EVENT = NVTX_RESOURCE_MAKE_TYPE(CUDART, 2)
} nvtxResourceCUDARTType_t;

#define HEDDLE_NVTX_NAME(Name, T, kind)                                                            \
  NVTX_DECLSPEC void NVTX_API nvtxName##Name##A(T object, const char *name) {                      \
    HEDDLE_NVTX_TELL(nameObject, kind, (uint64_t)(uintptr_t)object, name, NULL);                   \
  }                                                                                                \
  NVTX_DECLSPEC void NVTX_API nvtxName##Name##W(T object, const wchar_t *name) {                   \
    HEDDLE_NVTX_TELL(nameObject, kind, (uint64_t)(uintptr_t)object, NULL, name);                   \
  }
HEDDLE_NVTX_NAME(CudaDevice, int, HEDDLE_NVTX_CUDA_DEVICE)
HEDDLE_NVTX_NAME(CudaStream, cudaStream_t, HEDDLE_NVTX_CUDA_STREAM)
HEDDLE_NVTX_NAME(CudaEvent, cudaEvent_t, HEDDLE_NVTX_CUDA_EVENT)
#undef HEDDLE_NVTX_NAME

#if defined(__cplusplus)
}
#endif

#define nvtxNameCudaDevice HEDDLE_NVTX_LETTER(nvtxNameCudaDevice)
#define nvtxNameCudaStream HEDDLE_NVTX_LETTER(nvtxNameCudaStream)
#define nvtxNameCudaEvent HEDDLE_NVTX_LETTER(nvtxNameCudaEvent)

#endif
