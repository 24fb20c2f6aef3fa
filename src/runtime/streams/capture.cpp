// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures of streams (runtime API, "Stream Management"). The numbers of modes and states and the
// layout of edges are the driver's.
#include "runtime/driver.h"

using namespace heddle::runtime;

namespace {

auto asDriver(cudaStreamCaptureMode mode) { return static_cast<CUstreamCaptureMode>(mode); }
auto asDriver(cudaStreamCaptureStatus *status) {
  return reinterpret_cast<CUstreamCaptureStatus *>(status);
}
auto asDriver(const cudaGraphEdgeData *edges) {
  return reinterpret_cast<const CUgraphEdgeData *>(edges);
}

} // namespace

HEDDLE_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return translate([&] { return ask<&Cu::cuStreamBeginCapture_v2>(stream, asDriver(mode)); });
}

HEDDLE_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                     const cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *edges, size_t count,
                                                     cudaStreamCaptureMode mode) {
  return translate([&] {
    return ask<&Cu::cuStreamBeginCaptureToGraph>(stream, graph, dependencies, asDriver(edges),
                                                 count, asDriver(mode));
  });
}

/// An H200's runtime takes any number. What is no mode forbids what a thread's own captures do.
HEDDLE_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return translate([&]() -> CUresult {
    if (!mode)
      return CUDA_ERROR_INVALID_VALUE;
    const bool isMode = static_cast<unsigned>(*mode) <= cudaStreamCaptureModeRelaxed;
    CUstreamCaptureMode exchanged = isMode ? asDriver(*mode) : CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    CUresult error = ask<&Cu::cuThreadExchangeStreamCaptureMode>(&exchanged);
    if (error == CUDA_SUCCESS)
      *mode = static_cast<cudaStreamCaptureMode>(exchanged);
    return error;
  });
}

HEDDLE_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return translate([&] { return ask<&Cu::cuStreamEndCapture>(stream, graph); });
}

HEDDLE_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return translate([&] { return ask<&Cu::cuStreamIsCapturing>(stream, asDriver(status)); });
}

HEDDLE_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                                   cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **nodes,
                                                   const cudaGraphEdgeData **edges, size_t *count) {
  return translate([&] {
    return ask<&Cu::cuStreamGetCaptureInfo_v3>(
        stream, asDriver(status), reinterpret_cast<cuuint64_t *>(id), graph, nodes,
        reinterpret_cast<const CUgraphEdgeData **>(edges), count);
  });
}

HEDDLE_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                   cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **nodes, size_t *count) {
  return named([&] {
    return cudaStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, nullptr, count);
  });
}

HEDDLE_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream,
                                                              cudaGraphNode_t *dependencies,
                                                              const cudaGraphEdgeData *edges,
                                                              size_t count, unsigned flags) {
  return translate([&] {
    return ask<&Cu::cuStreamUpdateCaptureDependencies_v2>(stream, dependencies, asDriver(edges),
                                                          count, flags);
  });
}

HEDDLE_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                           cudaGraphNode_t *dependencies,
                                                           size_t count, unsigned flags) {
  return named([&] {
    return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
  });
}
