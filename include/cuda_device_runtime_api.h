// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device runtime (CUDA guide, "CUDA Dynamic Parallelism"): what device code may call of the
// runtime. What host code has, too, is declared in cuda_runtime_api.h (__cudart_builtin__); here is
// what only device code has. Included by cuda_runtime.h.
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "cuda_runtime_api.h"

/// A grid that is launched when the launching grid and all else that it has launched are over.
#define cudaStreamTailLaunch ((cudaStream_t)0x3)
/// A grid that is launched at once and that no other waits for but the launching grid's end.
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
/// Of graphs that kernels of graphs launch (cudaGraphLaunch): in the place of the running graph
/// when that is over, beside it, beside the graph that launched it. No streams for kernels.
#define cudaStreamGraphTailLaunch ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)

#if defined(__cplusplus) && defined(__CUDA__) && defined(__clang__)

// What `kernel<<<grid, block, shared, stream>>>(...)` becomes: memory for the arguments, each at
// its natural alignment, and the launch. The second pair keeps the launch with the memory.
extern "C" __device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
extern "C" __device__ cudaError_t cudaLaunchDevice(void *kernel, void *parameterBuffer,
                                                   dim3 gridDimension, dim3 blockDimension,
                                                   unsigned int sharedMemSize, cudaStream_t stream);
extern "C" __device__ void *cudaGetParameterBufferV2(void *kernel, dim3 gridDimension,
                                                     dim3 blockDimension,
                                                     unsigned int sharedMemSize);
extern "C" __device__ cudaError_t cudaLaunchDeviceV2(void *parameterBuffer, cudaStream_t stream);

// The value by which a conditional node of the running graph chooses.
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle,
                                                   unsigned int value);

// The executable graph that the kernel is a node of, if that was instantiated for launches by the
// device; else null.
extern "C" __device__ cudaGraphExec_t cudaGetCurrentGraphExec(void);

// Changes of kernel nodes that were made for it (cudaLaunchAttributeDeviceUpdatableKernelNode), for
// this run of their graph, if they have not begun, and later ones.
extern "C" __device__ cudaError_t cudaGraphKernelNodeSetEnabled(cudaGraphDeviceNode_t node,
                                                                bool enable);
extern "C" __device__ cudaError_t cudaGraphKernelNodeSetGridDim(cudaGraphDeviceNode_t node,
                                                                dim3 gridDim);
extern "C" __device__ cudaError_t cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node,
                                                              size_t offset, const void *value,
                                                              size_t size);
extern "C" __device__ cudaError_t
cudaGraphKernelNodeUpdatesApply(const cudaGraphKernelNodeUpdate *updates, size_t updateCount);
template <typename T>
static __device__ __forceinline__ cudaError_t
cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, size_t offset, const T &value) {
  return cudaGraphKernelNodeSetParam(node, offset, &value, sizeof(T));
}

#endif
#endif
