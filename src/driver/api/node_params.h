// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of nodes as the driver API has them and as nodes/ takes them, and the context that a
// call about a node runs in.
#pragma once

#include "driver/modules/host_names.h"

#include "driver/device/context.h"
#include "driver/graphs/graph.h"

#include "heddle/driver_graph_types.h"

#include <utility>

namespace heddle::driver {

/// Runs `body()` with the context as the thread's current one.
template <typename F> CUresult inside(Context &context, F &&body) {
  ThreadState &t = thread();
  Context *before = std::exchange(t.current, &context);
  CUresult error = body();
  t.current = before;
  return error;
}

/// Runs `body()` in the context of a handle; null is the current one.
template <typename F> CUresult inContext(CUcontext handle, F &&body) {
  if (!handle)
    return thread().current ? body() : CUDA_ERROR_INVALID_CONTEXT;
  Context *context = findContext(handle);
  return context ? inside(*context, body) : CUDA_ERROR_INVALID_CONTEXT;
}

/// Runs the body of a function that needs no current context. Where there is none, or one that is
/// destroyed, it is lent one, for what it makes to note.
template <typename F> CUresult anywhere(F &&body) {
  if (thread().current && isLive(*thread().current))
    return body();
  for (auto &device : state().devices)
    if (device->isActive)
      return inside(*device, body);
  return inside(*state().devices.front(), body);
}

/// Runs `body()` in the context of a node, so that what it does stays there.
template <typename F> CUresult inContextOf(CUgraphNode handle, F &&body) {
  const Node *node = nodeOf(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  Context *context = node->operation->device;
  if (!context)
    return anywhere(body);
  return isLive(*context) ? inside(*context, body) : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

/// Layouts that both APIs have (tests/headers/driver_runtime.cpp).
inline auto plain(const CUgraphEdgeData *edges) {
  return reinterpret_cast<const cudaGraphEdgeData *>(edges);
}
inline auto plain(CUgraphEdgeData *edges) { return reinterpret_cast<cudaGraphEdgeData *>(edges); }
inline auto plain(const CUDA_MEMSET_NODE_PARAMS *params) {
  return reinterpret_cast<const cudaMemsetParams *>(params);
}
inline auto plain(const CUDA_HOST_NODE_PARAMS *params) {
  return reinterpret_cast<const cudaHostNodeParams *>(params);
}
inline auto plain(const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return reinterpret_cast<const cudaExternalSemaphoreSignalNodeParams *>(params);
}
inline auto plain(const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return reinterpret_cast<const cudaExternalSemaphoreWaitNodeParams *>(params);
}

/// A kernel's handles, as cudaGetFuncBySymbol and cudaGetKernel give them: its stub.
inline void *stubOf(CUfunction function, CUkernel kernel) {
  return function ? reinterpret_cast<void *>(function) : reinterpret_cast<void *>(kernel);
}
inline CUfunction functionOf(void *stub) {
  CUfunction kernel = hostNames.kernelOf(stub);
  return kernel ? kernel : reinterpret_cast<CUfunction>(stub);
}

/// A kernel's launch, in each version of the structure.
template <typename Params> cudaKernelNodeParams launchOf(const Params &p, CUkernel kernel) {
  return {stubOf(p.func, kernel),
          dim3(p.gridDimX, p.gridDimY, p.gridDimZ),
          dim3(p.blockDimX, p.blockDimY, p.blockDimZ),
          p.sharedMemBytes,
          p.kernelParams,
          p.extra};
}
template <typename Params> void tellLaunch(const cudaKernelNodeParams &launch, Params &p) {
  p = {};
  p.func = functionOf(launch.func);
  p.gridDimX = launch.gridDim.x, p.gridDimY = launch.gridDim.y, p.gridDimZ = launch.gridDim.z;
  p.blockDimX = launch.blockDim.x, p.blockDimY = launch.blockDim.y, p.blockDimZ = launch.blockDim.z;
  p.sharedMemBytes = launch.sharedMemBytes;
  p.kernelParams = launch.kernelParams;
  p.extra = launch.extra;
}

/// A copy: positions in bytes become the array's elements where an array takes part, and the types
/// of memory become a kind. Error: CUDA_ERROR_INVALID_VALUE.
CUresult readCopy(const CUDA_MEMCPY3D *, cudaMemcpy3DParms &);
void tellCopy(const cudaMemcpy3DParms &, CUDA_MEMCPY3D &);

} // namespace heddle::driver
