// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beginning and ending captures, and what can be asked of them (capture.cpp).
#include "driver/functions.h"
#include "driver/streams/capture_table.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::driver {

namespace {

/// Graphs keep the layout of the runtime API, which is the same.
auto plain(const CUgraphEdgeData *edges) {
  return reinterpret_cast<const cudaGraphEdgeData *>(edges);
}

/// Whether every stream of the capture has come back to the first one.
bool isJoined(const Capture &capture) {
  std::unordered_set<const Node *> before;
  std::vector<const Node *> next;
  auto add = [&](const std::vector<Edge> &edges) {
    for (const Edge &edge : edges)
      if (before.insert(edge.node).second)
        next.push_back(edge.node);
  };
  add(capture.origin->captured);
  while (!next.empty()) {
    const Node *node = next.back();
    next.pop_back();
    add(node->before);
  }
  auto isBefore = [&](const Edge &edge) { return before.contains(edge.node); };
  return std::ranges::all_of(capture.left, isBefore) &&
         std::ranges::all_of(capture.streams, [&](const Stream *stream) {
           return std::ranges::all_of(stream->captured, isBefore);
         });
}

bool isMode(CUstreamCaptureMode mode) {
  return static_cast<unsigned>(mode) <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

CUresult begin(CUstream handle, Graph *graph, std::span<const Edge> behind,
               CUstreamCaptureMode mode) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!isMode(mode))
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard guard(captureTable().mutex);
  if (isLegacy(*stream))
    return breakImplicit(*stream->device) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                          : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_unique<Capture>();
  capture->isOwn = graph == nullptr;
  if (!graph)
    if (CUresult error = createGraph(graph))
      return error;
  graph->isCaptured = true;
  capture->graph = graph;
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = captureTable().nextId++;
  join(*capture, *stream, behind);
  captureTable().all.push_back(std::move(capture));
  captureCount.fetch_add(1, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

/// The error of a call for a capture in a stream that has none.
CUresult notCaptured(const Stream &stream) {
  return isLegacy(stream) && breakImplicit(*stream.device) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                                           : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult end(Stream &stream, CUgraph *out) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = stream.capture;
  if (!capture)
    return notCaptured(stream);
  if (capture->origin != &stream) {
    capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult error = CUDA_SUCCESS;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id())
    error = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  else if (capture->isInvalid)
    error = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!isJoined(*capture))
    error = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  const bool isOwn = capture->isOwn;
  Graph *graph = finish(*capture, error != CUDA_SUCCESS);
  if (out)
    *out = handleOf(graph);
  else if (graph && isOwn)
    destroyGraph(graph); // nobody can name it
  return error;
}

/// The status of a stream. Error: CUDA_ERROR_STREAM_CAPTURE_IMPLICIT for the legacy one while a stream
/// that it waits for is captured; that invalidates nothing.
CUresult statusOf(const Stream &stream, CUstreamCaptureStatus &status) {
  status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (const Capture *capture = stream.capture)
    status =
        capture->isInvalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (!isLegacy(stream))
    return CUDA_SUCCESS;
  for (auto &capture : captureTable().all)
    for (const Stream *other : capture->streams)
      if (other->device == stream.device && !(other->flags & CU_STREAM_NON_BLOCKING))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return CUDA_SUCCESS;
}

struct CaptureInfo {
  CUstreamCaptureStatus *status;
  cuuint64_t *id;
  CUgraph *graph;
  const CUgraphNode **nodes;
  const CUgraphEdgeData **data;
  size_t *count;
};

CUresult tell(CUstream handle, const CaptureInfo &info) {
  if (!info.status)
    return CUDA_ERROR_INVALID_VALUE;
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard guard(captureTable().mutex);
  if (CUresult error = statusOf(*stream, *info.status))
    return error;
  if (*info.status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS;
  const bool hasData =
      std::ranges::any_of(stream->captured, [](const Edge &edge) { return edge.data.type != 0; });
  if (info.nodes && !info.data && hasData)
    return CUDA_ERROR_LOSSY_QUERY;
  stream->toldNodes.clear();
  stream->toldData.clear();
  for (const Edge &edge : stream->captured) {
    stream->toldNodes.push_back(handleOf(edge.node));
    stream->toldData.push_back(edge.data);
  }
  if (info.id)
    *info.id = stream->capture->id;
  if (info.graph)
    *info.graph = handleOf(stream->capture->graph);
  if (info.nodes)
    *info.nodes = stream->toldNodes.data();
  if (info.data)
    *info.data = reinterpret_cast<const CUgraphEdgeData *>(stream->toldData.data());
  if (info.count)
    *info.count = stream->toldNodes.size();
  return CUDA_SUCCESS;
}

CUresult updateDependencies(Stream &stream, const CUgraphNode *nodes, const CUgraphEdgeData *data,
                            size_t count, unsigned flags) {
  std::lock_guard guard(captureTable().mutex);
  if (!stream.capture)
    return notCaptured(stream);
  if (stream.capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Edge> edges;
  if (CUresult error = readEdges(*stream.capture->graph, nodes, plain(data), count, edges))
    return error;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    stream.captured.clear();
  addEdges(stream.captured, edges);
  return CUDA_SUCCESS;
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// Driver API, "Stream Management".

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return begin(stream, nullptr, {}, mode);
}

/// Of CUDA 10.0, when there was one mode.
CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle,
                                     const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                     size_t count, CUstreamCaptureMode mode) {
  Graph *graph = graphOf(handle);
  std::vector<Edge> behind;
  if (!graph || !isMode(mode))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = readEdges(*graph, dependencies, plain(edges), count, behind))
    return error;
  if (graph->isCaptured)
    return CUDA_ERROR_ILLEGAL_STATE;
  return begin(stream, graph, behind, mode);
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || !isMode(*mode))
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, captureMode());
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  Stream *stream = streamOf(handle);
  return stream ? end(*stream, graph) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return tell(stream, {status, nullptr, nullptr, nullptr, nullptr, nullptr});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edges, size_t *count) {
  return tell(stream, {status, id, graph, dependencies, edges, count});
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                                   CUgraph *graph, const CUgraphNode **dependencies,
                                   size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo_v2(stream, status, id, nullptr, nullptr, nullptr);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *dependencies,
                                              const CUgraphEdgeData *edges, size_t count,
                                              unsigned flags) {
  Stream *stream = streamOf(handle);
  return stream ? updateDependencies(*stream, dependencies, edges, count, flags)
                : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies, size_t count,
                                           unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}

} // namespace heddle::driver
