// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUTIL's names of the SDKs for CUDA 3 and 4 (helper_string.h).
#pragma once

#include <cutil.h>
#include <helper_cuda.h>

#define cutilSafeCallNoSync(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define cutilSafeCall(call) CUDA_SAFE_CALL(call)
#define cutilSafeThreadSync() CUDA_SAFE_CALL(cudaDeviceSynchronize())
#define cutilDeviceSynchronize() cudaDeviceSynchronize()
#define cutilThreadSynchronize() cudaDeviceSynchronize()
#define cutilDeviceReset() cudaDeviceReset()
#define cutilThreadExit() cudaDeviceReset()
#define cufftSafeCall(call) CUFFT_SAFE_CALL(call)
#define cutilCheckError(call) CUT_SAFE_CALL(call)
#define cutilCheckMsg(message) heddleCutCheck(cudaGetLastError(), message, __FILE__, __LINE__)
#define cutilCheckMsgAndSync(message) CUT_CHECK_ERROR(message)
#define cutilSafeMalloc(mallocCall) CUT_SAFE_MALLOC(mallocCall)
#define cutilCondition(val) CUT_CONDITION(val)
#define cutilExit(argc, argv) heddleCutExit(argc, (char **)(argv))

inline int cutGetMaxGflopsDeviceId() { return gpuGetMaxGflopsDeviceId(); }
inline int cutilDeviceInit(int argc, char **argv) {
  heddleCutInit(argc, argv);
  int device = 0;
  cudaGetDevice(&device);
  return device;
}
inline int cutilChooseCudaDevice(int argc, char **argv) {
  if (checkCmdLineFlag(argc, const_cast<const char **>(argv), "device"))
    return cutilDeviceInit(argc, argv);
  int device = gpuGetMaxGflopsDeviceId();
  CUDA_SAFE_CALL(cudaSetDevice(device));
  return device;
}
inline bool cutilCudaCapabilities(int major, int minor) { return checkCudaCapabilities(major, minor); }
