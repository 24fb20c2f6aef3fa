// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C++ half of the runtime API (CUDA Runtime API, "C++ API Routines"): typed wrappers of the C
// functions. A symbol or a kernel is passed by reference; its address in the host program is the
// handle that the runtime knows it by. Included by cuda_runtime.h.
#ifndef HEDDLE_RUNTIME_TEMPLATES_H
#define HEDDLE_RUNTIME_TEMPLATES_H

#include "../cuda_runtime_api.h"

// Memory

template <class T> static inline __cudart_builtin__ cudaError_t cudaMalloc(T **p, size_t size) {
  return ::cudaMalloc((void **)(void *)p, size);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **p, size_t size,
                                            unsigned flags = cudaMemAttachGlobal) {
  return ::cudaMallocManaged((void **)(void *)p, size, flags);
}
static inline cudaError_t cudaMallocHost(void **p, size_t size, unsigned flags) {
  return ::cudaHostAlloc(p, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **p, size_t size, unsigned flags = 0) {
  return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **p, size_t size, unsigned flags) {
  return ::cudaHostAlloc((void **)(void *)p, size, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned flags) {
  return ::cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **p, size_t *pitch, size_t width, size_t height) {
  return ::cudaMallocPitch((void **)(void *)p, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaStream_t stream) {
  return ::cudaMallocAsync((void **)(void *)p, size, stream);
}
static inline cudaError_t cudaMallocAsync(void **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync(p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **p, size_t size, cudaMemPool_t pool,
                                          cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **p, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
  return ::cudaMallocFromPoolAsync((void **)(void *)p, size, pool, stream);
}
#if HEDDLE_CUDA_VERSION < 13
/// As CUDA 13 has them.
static inline cudaError_t cudaMemPrefetchAsync(const void *p, size_t size, cudaMemLocation location,
                                               unsigned flags, cudaStream_t stream = nullptr) {
  return ::cudaMemPrefetchAsync_v2(p, size, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *p, size_t size, cudaMemoryAdvise advice,
                                        cudaMemLocation location) {
  return ::cudaMemAdvise_v2(p, size, advice, location);
}
#else
/// Batches of typed pointers, each with one setting for all.
template <class T, class U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, cudaMemcpyAttributes *attributes,
                                               size_t *starts, size_t number, cudaStream_t stream) {
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count,
                                attributes, starts, number, stream);
}
template <class T, class U>
static inline cudaError_t cudaMemcpyBatchAsync(T *const *dsts, U *const *srcs, const size_t *sizes,
                                               size_t count, cudaMemcpyAttributes attributes,
                                               cudaStream_t stream) {
  size_t start = 0;
  return ::cudaMemcpyBatchAsync((void *const *)dsts, (const void *const *)srcs, sizes, count,
                                &attributes, &start, 1, stream);
}
#define HEDDLE_PREFETCH_BATCH(name)                                                                \
  template <class T>                                                                               \
  static inline cudaError_t name(T **pointers, size_t *sizes, size_t count,                        \
                                 cudaMemLocation *locations, size_t *starts, size_t number,        \
                                 unsigned long long flags, cudaStream_t stream) {                  \
    return ::name((void **)pointers, sizes, count, locations, starts, number, flags, stream);      \
  }                                                                                                \
  template <class T>                                                                               \
  static inline cudaError_t name(T **pointers, size_t *sizes, size_t count,                        \
                                 cudaMemLocation location, unsigned long long flags,               \
                                 cudaStream_t stream) {                                            \
    size_t start = 0;                                                                              \
    return ::name((void **)pointers, sizes, count, &location, &start, 1, flags, stream);           \
  }
HEDDLE_PREFETCH_BATCH(cudaMemPrefetchBatchAsync)
HEDDLE_PREFETCH_BATCH(cudaMemDiscardAndPrefetchBatchAsync)
#undef HEDDLE_PREFETCH_BATCH
#endif
template <class T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *p, size_t length = 0,
                                                   unsigned flags = cudaMemAttachSingle) {
  return ::cudaStreamAttachMemAsync(stream, (void *)p, length, flags);
}

#if HEDDLE_CUDA_VERSION < 13
// Graphs, as CUDA 13 has them: with data of edges.

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           const cudaGraphEdgeData *dependencyData,
                                           size_t numDependencies, cudaGraphNodeParams *params) {
  return ::cudaGraphAddNode_v2(node, graph, dependencies, dependencyData, numDependencies, params);
}
static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edgeData,
                                                   size_t numDependencies) {
  return ::cudaGraphAddDependencies_v2(graph, from, to, edgeData, numDependencies);
}
static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      const cudaGraphEdgeData *edgeData,
                                                      size_t numDependencies) {
  return ::cudaGraphRemoveDependencies_v2(graph, from, to, edgeData, numDependencies);
}
static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, cudaGraphEdgeData *edgeData,
                                            size_t *numEdges) {
  return ::cudaGraphGetEdges_v2(graph, from, to, edgeData, numEdges);
}
static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node,
                                                       cudaGraphNode_t *dependencies,
                                                       cudaGraphEdgeData *edgeData,
                                                       size_t *numDependencies) {
  return ::cudaGraphNodeGetDependencies_v2(node, dependencies, edgeData, numDependencies);
}
static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node,
                                                         cudaGraphNode_t *dependentNodes,
                                                         cudaGraphEdgeData *edgeData,
                                                         size_t *numDependentNodes) {
  return ::cudaGraphNodeGetDependentNodes_v2(node, dependentNodes, edgeData, numDependentNodes);
}
#endif

// Symbols

template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                                             size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return ::cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset = 0,
                        cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
  return ::cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                                               size_t offset = 0,
                                               cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return ::cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}
template <class T>
static inline cudaError_t
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset = 0,
                          cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
  return ::cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **p, const T &symbol) {
  return ::cudaGetSymbolAddress(p, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
  return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

// Kernels

template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                           size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block, void **args,
                                                      size_t shared = 0, cudaStream_t stream = 0) {
  return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class T>
static inline __cudart_builtin__ cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                                                   T *kernel) {
  return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, cudaFuncAttribute attribute, int value) {
  return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, cudaFuncCache config) {
  return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, cudaSharedMemConfig config) {
  return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class T> static inline cudaError_t cudaFuncGetName(const char **name, T *kernel) {
  return ::cudaFuncGetName(name, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, T *kernel) {
  return ::cudaGetFuncBySymbol(function, (const void *)kernel);
}
template <class T> static inline cudaError_t cudaGetKernel(cudaKernel_t *handle, T *kernel) {
  return ::cudaGetKernel(handle, (const void *)kernel);
}

#if __cplusplus >= 201103L
/// The arguments are converted to the kernel's parameter types first, as in a call.
template <class... Params, class... Args>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(Params...), Args &&...args) {
  return [&](Params... params) {
    void *pointers[sizeof...(params) + 1] = {(void *)&params...};
    return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
  }(static_cast<Args &&>(args)...);
}
template <class... Args>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config, cudaKernel_t kernel,
                                             Args &&...args) {
  void *pointers[sizeof...(args) + 1] = {(void *)&args...};
  return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
}
#endif

// Occupancy

template <class T>
static inline __cudart_builtin__ cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel, int blockSize, size_t shared) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, (const void *)kernel, blockSize, shared, cudaOccupancyDefault);
}
template <class T>
static inline __cudart_builtin__ cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, T kernel, int blockSize, size_t shared, unsigned flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)kernel,
                                                                  blockSize, shared, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, T *kernel,
                                                                    int blocks, int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(bytes, (const void *)kernel, blocks,
                                                     blockSize);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, T *kernel,
                                                               const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, T *kernel,
                                                         const cudaLaunchConfig_t *config) {
  return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}

/// The block size, in whole warps and at most `limit` (0: no limit), that keeps most threads on a
/// multiprocessor, the largest such; and the grid that fills the device with it.
/// `sharedFor(blockSize)` gives a block's dynamic shared memory.
template <class SharedFor, class T>
static inline __cudart_builtin__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *minGridSize, int *blockSize, T kernel,
                                                        SharedFor sharedFor, int limit = 0,
                                                        unsigned flags = 0) {
  if (!minGridSize || !blockSize || !kernel)
    return cudaErrorInvalidValue;
  int device = 0, perProcessor = 0, processors = 0, warp = 0, maxBlock = 0;
  cudaError_t error = ::cudaGetDevice(&device);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&perProcessor, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (error == cudaSuccess)
    error = ::cudaDeviceGetAttribute(&maxBlock, cudaDevAttrMaxThreadsPerBlock, device);
  cudaFuncAttributes attributes;
  if (error == cudaSuccess)
    error = ::cudaFuncGetAttributes(&attributes, (const void *)kernel);
  if (error != cudaSuccess)
    return error;
  if (attributes.maxThreadsPerBlock < maxBlock)
    maxBlock = attributes.maxThreadsPerBlock;
  if (limit > 0 && limit < maxBlock)
    maxBlock = limit;

  int bestThreads = 0;
  *minGridSize = *blockSize = 0;
  // The first candidate may be a broken warp, when the limit is; the others are whole warps.
  for (int rounded = (maxBlock + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
    int size = rounded < maxBlock ? rounded : maxBlock, blocks = 0;
    error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void *)kernel, size, (size_t)sharedFor(size), flags);
    if (error != cudaSuccess)
      return error;
    if (blocks * size > bestThreads) {
      bestThreads = blocks * size;
      *blockSize = size;
      *minGridSize = blocks * processors;
    }
    if (bestThreads == perProcessor)
      break;
  }
  return cudaSuccess;
}
template <class SharedFor, class T>
static inline __cudart_builtin__ cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, T kernel, SharedFor sharedFor, int limit = 0) {
  return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, kernel, sharedFor, limit, cudaOccupancyDefault);
}
struct __heddle_same_shared {
  size_t bytes;
  __cudart_builtin__ size_t operator()(int) const { return bytes; }
};
template <class T>
static inline __cudart_builtin__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, T kernel,
                                            size_t shared = 0, int limit = 0, unsigned flags = 0) {
  __heddle_same_shared same = {shared};
  return ::cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, kernel,
                                                                   same, limit, flags);
}
template <class T>
static inline __cudart_builtin__ cudaError_t cudaOccupancyMaxPotentialBlockSize(
    int *minGridSize, int *blockSize, T kernel, size_t shared = 0, int limit = 0) {
  return ::cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, kernel, shared,
                                                       limit, cudaOccupancyDefault);
}

// Events and graphs

static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned flags) {
  return ::cudaEventCreateWithFlags(event, flags);
}
/// CUDA 11's form; the log is no longer written.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *, char *, size_t) {
  return ::cudaGraphInstantiate(exec, graph, 0);
}
/// CUDA 11's form.
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *errorNode,
                                              cudaGraphExecUpdateResult *result) {
  cudaGraphExecUpdateResultInfo info;
  cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
  if (errorNode)
    *errorNode = info.errorNode;
  if (result)
    *result = info.result;
  return error;
}

#endif
