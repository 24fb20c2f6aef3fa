// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files about graphs have in common.
#pragma once

#include "runtime/driver.h"

namespace heddle::runtime {

/// As translate(), with a current context where the driver needs none. Nodes note it, and a lost one
/// tells its error.
template <class Body> cudaError_t translateInContext(Body &&body) {
  return translate([&] {
    CUdevice device;
    const CUresult error = cu().cuCtxGetDevice(&device);
    return wantsContext(error) ? error : body();
  });
}

/// For what the driver wants told, in translateInContext().
inline CUcontext currentContext() {
  CUcontext context = nullptr;
  cu().cuCtxGetCurrent(&context);
  return context;
}

// Both APIs have the same layouts (tests/headers/driver_runtime.cpp).

inline auto asDriver(const cudaGraphEdgeData *edges) {
  return reinterpret_cast<const CUgraphEdgeData *>(edges);
}
inline auto asDriver(cudaGraphEdgeData *edges) {
  return reinterpret_cast<CUgraphEdgeData *>(edges);
}
inline auto asDriver(const cudaHostNodeParams *params) {
  return reinterpret_cast<const CUDA_HOST_NODE_PARAMS *>(params);
}
inline auto asDriver(cudaHostNodeParams *params) {
  return reinterpret_cast<CUDA_HOST_NODE_PARAMS *>(params);
}
inline auto asDriver(const cudaExternalSemaphoreSignalNodeParams *params) {
  return reinterpret_cast<const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *>(params);
}
inline auto asDriver(cudaExternalSemaphoreSignalNodeParams *params) {
  return reinterpret_cast<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *>(params);
}
inline auto asDriver(const cudaExternalSemaphoreWaitNodeParams *params) {
  return reinterpret_cast<const CUDA_EXT_SEM_WAIT_NODE_PARAMS *>(params);
}
inline auto asDriver(cudaExternalSemaphoreWaitNodeParams *params) {
  return reinterpret_cast<CUDA_EXT_SEM_WAIT_NODE_PARAMS *>(params);
}
inline auto asDriver(cudaMemAllocNodeParams *params) {
  return reinterpret_cast<CUDA_MEM_ALLOC_NODE_PARAMS *>(params);
}

/// A kernel's launch as a node has it. Errors: CUDA_ERROR_INVALID_VALUE for null,
/// CUDA_ERROR_INVALID_HANDLE for what is no kernel, or why the device code cannot be used.
CUresult readKernelNode(const cudaKernelNodeParams *, CUDA_KERNEL_NODE_PARAMS &);

} // namespace heddle::runtime
