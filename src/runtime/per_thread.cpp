// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --default-stream per-thread: the twins of the functions that use a stream
// (include/heddle/per_thread_names.h). A twin is the function itself, called with the null stream
// meaning the calling thread's own.
#include "runtime/thread.h"

#include "driver/state.h"

using namespace heddle::runtime;
using heddle::driver::thread;

namespace {

class PerThreadDefault {
public:
  PerThreadDefault() { thread().perThreadDefault = true; }
  ~PerThreadDefault() { thread().perThreadDefault = before_; }

private:
  bool before_ = thread().perThreadDefault;
};

} // namespace

// HEDDLE_TWIN(name, suffix, parameters, arguments)
#define HEDDLE_TWIN(name, suffix, parameters, arguments)                                           \
  HEDDLE_API cudaError_t name##_##suffix parameters {                                              \
    PerThreadDefault scope;                                                                        \
    return name arguments;                                                                         \
  }

// clang-format off
HEDDLE_TWIN(cudaMemcpy, ptds, (void *dst, const void *src, size_t count, cudaMemcpyKind kind), (dst, src, count, kind))
HEDDLE_TWIN(cudaMemcpyToSymbol, ptds, (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind), (symbol, src, count, offset, kind))
HEDDLE_TWIN(cudaMemcpyFromSymbol, ptds, (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind), (dst, symbol, count, offset, kind))
HEDDLE_TWIN(cudaMemcpy2D, ptds, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind), (dst, dpitch, src, spitch, width, height, kind))
HEDDLE_TWIN(cudaMemcpyToArray, ptds, (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, cudaMemcpyKind kind), (dst, wOffset, hOffset, src, count, kind))
HEDDLE_TWIN(cudaMemcpy2DToArray, ptds, (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind), (dst, wOffset, hOffset, src, spitch, width, height, kind))
HEDDLE_TWIN(cudaMemcpyFromArray, ptds, (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, cudaMemcpyKind kind), (dst, src, wOffset, hOffset, count, kind))
HEDDLE_TWIN(cudaMemcpy2DFromArray, ptds, (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind), (dst, dpitch, src, wOffset, hOffset, width, height, kind))
HEDDLE_TWIN(cudaMemcpyArrayToArray, ptds, (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t count, cudaMemcpyKind kind), (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind))
HEDDLE_TWIN(cudaMemcpy2DArrayToArray, ptds, (cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height, cudaMemcpyKind kind), (dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind))
HEDDLE_TWIN(cudaMemcpy3D, ptds, (const cudaMemcpy3DParms *p), (p))
HEDDLE_TWIN(cudaMemcpy3DPeer, ptds, (const cudaMemcpy3DPeerParms *p), (p))
HEDDLE_TWIN(cudaMemset, ptds, (void *devPtr, int value, size_t count), (devPtr, value, count))
HEDDLE_TWIN(cudaMemset2D, ptds, (void *devPtr, size_t pitch, int value, size_t width, size_t height), (devPtr, pitch, value, width, height))
HEDDLE_TWIN(cudaMemset3D, ptds, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent), (pitchedDevPtr, value, extent))
HEDDLE_TWIN(cudaMemcpyBatchAsync, ptsz, (void **dsts, void **srcs, size_t *sizes, size_t count, cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, size_t *failIdx, cudaStream_t stream), (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, stream))
HEDDLE_TWIN(cudaMemcpy3DBatchAsync, ptsz, (size_t numOps, cudaMemcpy3DBatchOp *opList, size_t *failIdx, unsigned long long flags, cudaStream_t stream), (numOps, opList, failIdx, flags, stream))
HEDDLE_TWIN(cudaMemcpyAsync, ptsz, (void *dst, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream), (dst, src, count, kind, stream))
HEDDLE_TWIN(cudaMemcpyToSymbolAsync, ptsz, (const void *symbol, const void *src, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream), (symbol, src, count, offset, kind, stream))
HEDDLE_TWIN(cudaMemcpyFromSymbolAsync, ptsz, (void *dst, const void *symbol, size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream), (dst, symbol, count, offset, kind, stream))
HEDDLE_TWIN(cudaMemcpy2DAsync, ptsz, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream), (dst, dpitch, src, spitch, width, height, kind, stream))
HEDDLE_TWIN(cudaMemcpyToArrayAsync, ptsz, (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, cudaMemcpyKind kind, cudaStream_t stream), (dst, wOffset, hOffset, src, count, kind, stream))
HEDDLE_TWIN(cudaMemcpy2DToArrayAsync, ptsz, (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream), (dst, wOffset, hOffset, src, spitch, width, height, kind, stream))
HEDDLE_TWIN(cudaMemcpyFromArrayAsync, ptsz, (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, cudaMemcpyKind kind, cudaStream_t stream), (dst, src, wOffset, hOffset, count, kind, stream))
HEDDLE_TWIN(cudaMemcpy2DFromArrayAsync, ptsz, (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream), (dst, dpitch, src, wOffset, hOffset, width, height, kind, stream))
HEDDLE_TWIN(cudaMemcpy3DAsync, ptsz, (const cudaMemcpy3DParms *p, cudaStream_t stream), (p, stream))
HEDDLE_TWIN(cudaMemcpy3DPeerAsync, ptsz, (const cudaMemcpy3DPeerParms *p, cudaStream_t stream), (p, stream))
HEDDLE_TWIN(cudaMemsetAsync, ptsz, (void *devPtr, int value, size_t count, cudaStream_t stream), (devPtr, value, count, stream))
HEDDLE_TWIN(cudaMemset2DAsync, ptsz, (void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream), (devPtr, pitch, value, width, height, stream))
HEDDLE_TWIN(cudaMemset3DAsync, ptsz, (cudaPitchedPtr pitchedDevPtr, int value, cudaExtent extent, cudaStream_t stream), (pitchedDevPtr, value, extent, stream))
HEDDLE_TWIN(cudaStreamGetPriority, ptsz, (cudaStream_t stream, int *priority), (stream, priority))
HEDDLE_TWIN(cudaStreamGetFlags, ptsz, (cudaStream_t stream, unsigned int *flags), (stream, flags))
HEDDLE_TWIN(cudaStreamGetId, ptsz, (cudaStream_t stream, unsigned long long *streamId), (stream, streamId))
HEDDLE_TWIN(cudaStreamGetDevice, ptsz, (cudaStream_t stream, int *device), (stream, device))
HEDDLE_TWIN(cudaStreamCopyAttributes, ptsz, (cudaStream_t dst, cudaStream_t src), (dst, src))
HEDDLE_TWIN(cudaStreamGetAttribute, ptsz, (cudaStream_t stream, cudaLaunchAttributeID attr, cudaLaunchAttributeValue *value), (stream, attr, value))
HEDDLE_TWIN(cudaStreamSetAttribute, ptsz, (cudaStream_t stream, cudaLaunchAttributeID attr, const cudaLaunchAttributeValue *value), (stream, attr, value))
HEDDLE_TWIN(cudaStreamWaitEvent, ptsz, (cudaStream_t stream, cudaEvent_t event, unsigned int flags), (stream, event, flags))
HEDDLE_TWIN(cudaStreamAddCallback, ptsz, (cudaStream_t stream, cudaStreamCallback_t callback, void *userData, unsigned int flags), (stream, callback, userData, flags))
HEDDLE_TWIN(cudaStreamAttachMemAsync, ptsz, (cudaStream_t stream, void *devPtr, size_t length, unsigned int flags), (stream, devPtr, length, flags))
HEDDLE_TWIN(cudaStreamSynchronize, ptsz, (cudaStream_t stream), (stream))
HEDDLE_TWIN(cudaStreamQuery, ptsz, (cudaStream_t stream), (stream))
HEDDLE_TWIN(cudaStreamIsCapturing, ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *status), (stream, status))
HEDDLE_TWIN(cudaStreamGetCaptureInfo_v2, ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out, cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, size_t *numDependencies_out), (stream, captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out))
HEDDLE_TWIN(cudaStreamGetCaptureInfo_v3, ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *captureStatus_out, unsigned long long *id_out, cudaGraph_t *graph_out, const cudaGraphNode_t **dependencies_out, const cudaGraphEdgeData **edgeData_out, size_t *numDependencies_out), (stream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out))
HEDDLE_TWIN(cudaEventRecord, ptsz, (cudaEvent_t event, cudaStream_t stream), (event, stream))
HEDDLE_TWIN(cudaEventRecordWithFlags, ptsz, (cudaEvent_t event, cudaStream_t stream, unsigned int flags), (event, stream, flags))
HEDDLE_TWIN(cudaLaunchKernel, ptsz, (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream), (func, gridDim, blockDim, args, sharedMem, stream))
HEDDLE_TWIN(cudaLaunchKernelExC, ptsz, (const cudaLaunchConfig_t *config, const void *func, void **args), (config, func, args))
HEDDLE_TWIN(cudaLaunchHostFunc, ptsz, (cudaStream_t stream, cudaHostFn_t fn, void *userData), (stream, fn, userData))
HEDDLE_TWIN(cudaLaunchCooperativeKernel, ptsz, (const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem, cudaStream_t stream), (func, gridDim, blockDim, args, sharedMem, stream))
HEDDLE_TWIN(cudaMemPrefetchAsync, ptsz, (const void *devPtr, size_t count, int dstDevice, cudaStream_t stream), (devPtr, count, dstDevice, stream))
HEDDLE_TWIN(cudaMemPrefetchAsync_v2, ptsz, (const void *devPtr, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream), (devPtr, count, location, flags, stream))
HEDDLE_TWIN(cudaSignalExternalSemaphoresAsync_v2, ptsz, (const cudaExternalSemaphore_t *semaphores, const cudaExternalSemaphoreSignalParams *params, unsigned int count, cudaStream_t stream), (semaphores, params, count, stream))
HEDDLE_TWIN(cudaWaitExternalSemaphoresAsync_v2, ptsz, (const cudaExternalSemaphore_t *semaphores, const cudaExternalSemaphoreWaitParams *params, unsigned int count, cudaStream_t stream), (semaphores, params, count, stream))
HEDDLE_TWIN(cudaMallocAsync, ptsz, (void **devPtr, size_t size, cudaStream_t stream), (devPtr, size, stream))
HEDDLE_TWIN(cudaFreeAsync, ptsz, (void *devPtr, cudaStream_t stream), (devPtr, stream))
HEDDLE_TWIN(cudaMallocFromPoolAsync, ptsz, (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream), (ptr, size, memPool, stream))

HEDDLE_TWIN(cudaStreamBeginCapture, ptsz, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode))
HEDDLE_TWIN(cudaStreamBeginCaptureToGraph, ptsz, (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData, size_t numDependencies, cudaStreamCaptureMode mode), (stream, graph, dependencies, dependencyData, numDependencies, mode))
HEDDLE_TWIN(cudaStreamEndCapture, ptsz, (cudaStream_t stream, cudaGraph_t *graph), (stream, graph))
HEDDLE_TWIN(cudaStreamUpdateCaptureDependencies, ptsz, (cudaStream_t stream, cudaGraphNode_t *dependencies, size_t numDependencies, unsigned int flags), (stream, dependencies, numDependencies, flags))
HEDDLE_TWIN(cudaStreamUpdateCaptureDependencies_v2, ptsz, (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData, size_t numDependencies, unsigned int flags), (stream, dependencies, dependencyData, numDependencies, flags))
HEDDLE_TWIN(cudaGraphInstantiateWithParams, ptsz, (cudaGraphExec_t *graphExec, cudaGraph_t graph, cudaGraphInstantiateParams *params), (graphExec, graph, params))
HEDDLE_TWIN(cudaGraphLaunch, ptsz, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
HEDDLE_TWIN(cudaGraphUpload, ptsz, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
HEDDLE_TWIN(cudaGetDriverEntryPoint, ptsz, (const char *symbol, void **funcPtr, unsigned long long flags, cudaDriverEntryPointQueryResult *status), (symbol, funcPtr, flags, status))
HEDDLE_TWIN(cudaGetDriverEntryPointByVersion, ptsz, (const char *symbol, void **funcPtr, unsigned int cudaVersion, unsigned long long flags, cudaDriverEntryPointQueryResult *status), (symbol, funcPtr, cudaVersion, flags, status))

// cudaStreamGetCaptureInfo of CUDA 11, under its own name.
#undef cudaStreamGetCaptureInfo
HEDDLE_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id) {
  return cudaStreamGetCaptureInfo_v2(stream, status, id);
}
HEDDLE_TWIN(cudaStreamGetCaptureInfo, ptsz, (cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id), (stream, status, id))

// The functions of CUDA 10, whose structures are smaller: they are only passed on.
#undef cudaSignalExternalSemaphoresAsync
#undef cudaWaitExternalSemaphoresAsync
extern "C" cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores, const void *params, unsigned int count, cudaStream_t stream);
extern "C" cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t *semaphores, const void *params, unsigned int count, cudaStream_t stream);
HEDDLE_TWIN(cudaSignalExternalSemaphoresAsync, ptsz, (const cudaExternalSemaphore_t *semaphores, const void *params, unsigned int count, cudaStream_t stream), (semaphores, params, count, stream))
HEDDLE_TWIN(cudaWaitExternalSemaphoresAsync, ptsz, (const cudaExternalSemaphore_t *semaphores, const void *params, unsigned int count, cudaStream_t stream), (semaphores, params, count, stream))
