// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures of streams (driver API, "Stream Management"). The numbers of modes and states and the
// layout of edges are those of the runtime API.
#include "driver/bodies.h"
#include "driver/functions.h"
#include "driver/streams/capture_table.h"

namespace heddle::driver {

namespace {

auto plain(CUstreamCaptureMode mode) { return static_cast<cudaStreamCaptureMode>(mode); }
auto plain(CUstreamCaptureStatus *status) {
  return reinterpret_cast<cudaStreamCaptureStatus *>(status);
}
auto plain(const CUgraphEdgeData *edges) {
  return reinterpret_cast<const cudaGraphEdgeData *>(edges);
}

} // namespace

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return cudaStreamBeginCapture(stream, plain(mode));
}

/// Of CUDA 10.0, when there was one mode.
CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                     const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                     size_t count, CUstreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(stream, graph, dependencies, plain(edges), count,
                                       plain(mode));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || static_cast<unsigned>(*mode) > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  const cudaStreamCaptureMode before = captureMode();
  captureMode() = plain(*mode);
  *mode = static_cast<CUstreamCaptureMode>(before);
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  return cudaStreamEndCapture(stream, graph);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return cudaStreamIsCapturing(stream, plain(status));
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edges, size_t *count) {
  unsigned long long number = 0;
  CUresult error =
      cudaStreamGetCaptureInfo_v3(stream, plain(status), &number, graph, dependencies,
                                  reinterpret_cast<const cudaGraphEdgeData **>(edges), count);
  if (error == CUDA_SUCCESS && id && *status == CU_STREAM_CAPTURE_STATUS_ACTIVE)
    *id = number;
  return error;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *edges, size_t count,
                                              unsigned flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, plain(edges), count, flags);
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, size_t count,
                                           unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}

} // namespace heddle::driver
