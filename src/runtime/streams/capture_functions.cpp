// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beginning and ending captures, and what can be asked of them (capture.cpp).
#include "runtime/streams/capture_table.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::runtime {

namespace {

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

cudaError_t begin(cudaStream_t handle, Graph *graph, std::span<const Edge> behind,
                  cudaStreamCaptureMode mode) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed)
    return cudaErrorInvalidValue;
  if (isLegacy(*stream))
    return cudaErrorStreamCaptureUnsupported;
  std::lock_guard guard(captureTable().mutex);
  if (stream->capture)
    return cudaErrorIllegalState;
  auto capture = std::make_unique<Capture>();
  capture->isOwn = graph == nullptr;
  if (!graph)
    if (cudaError_t error = createGraph(graph))
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
  return cudaSuccess;
}

cudaError_t end(Stream &stream, cudaGraph_t *out) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = stream.capture;
  if (!capture)
    return cudaErrorIllegalState;
  if (capture->origin != &stream) {
    capture->isInvalid = true;
    return cudaErrorStreamCaptureUnmatched;
  }
  cudaError_t error = cudaSuccess;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
      capture->thread != std::this_thread::get_id())
    error = cudaErrorStreamCaptureWrongThread;
  else if (capture->isInvalid)
    error = cudaErrorStreamCaptureInvalidated;
  else if (!isJoined(*capture))
    error = cudaErrorStreamCaptureUnjoined;
  const bool isOwn = capture->isOwn;
  Graph *graph = finish(*capture, error != cudaSuccess);
  if (out)
    *out = handleOf(graph);
  else if (graph && isOwn)
    destroyGraph(graph); // nobody can name it
  return error;
}

/// The status of a stream. Error: cudaErrorStreamCaptureImplicit for the legacy one while a stream
/// that it waits for is captured; that invalidates nothing.
cudaError_t statusOf(const Stream &stream, cudaStreamCaptureStatus &status) {
  status = cudaStreamCaptureStatusNone;
  if (const Capture *capture = stream.capture)
    status =
        capture->isInvalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (!isLegacy(stream))
    return cudaSuccess;
  for (auto &capture : captureTable().all)
    for (const Stream *other : capture->streams)
      if (other->device == stream.device && !(other->flags & cudaStreamNonBlocking))
        return cudaErrorStreamCaptureImplicit;
  return cudaSuccess;
}

struct CaptureInfo {
  cudaStreamCaptureStatus *status;
  unsigned long long *id;
  cudaGraph_t *graph;
  const cudaGraphNode_t **nodes;
  const cudaGraphEdgeData **data;
  size_t *count;
};

cudaError_t tell(cudaStream_t handle, const CaptureInfo &info) {
  if (!info.status)
    return cudaErrorInvalidValue;
  Stream *stream = streamOf(handle);
  if (!stream)
    return cudaErrorInvalidResourceHandle;
  std::lock_guard guard(captureTable().mutex);
  if (cudaError_t error = statusOf(*stream, *info.status))
    return error;
  if (*info.status != cudaStreamCaptureStatusActive)
    return cudaSuccess;
  const bool hasData =
      std::ranges::any_of(stream->captured, [](const Edge &edge) { return edge.data.type != 0; });
  if (info.nodes && !info.data && hasData)
    return cudaErrorLossyQuery;
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
    *info.data = stream->toldData.data();
  if (info.count)
    *info.count = stream->toldNodes.size();
  return cudaSuccess;
}

cudaError_t updateDependencies(Stream &stream, const cudaGraphNode_t *nodes,
                               const cudaGraphEdgeData *data, size_t count, unsigned flags) {
  std::lock_guard guard(captureTable().mutex);
  if (!stream.capture)
    return cudaErrorIllegalState;
  if (stream.capture->isInvalid)
    return cudaErrorStreamCaptureInvalidated;
  if (flags > cudaStreamSetCaptureDependencies)
    return cudaErrorInvalidValue;
  std::vector<Edge> edges;
  if (cudaError_t error = readEdges(*stream.capture->graph, nodes, data, count, edges))
    return error;
  if (flags == cudaStreamSetCaptureDependencies)
    stream.captured.clear();
  addEdges(stream.captured, edges);
  return cudaSuccess;
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return enter([&] { return begin(stream, nullptr, {}, mode); });
}

HEDDLE_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t handle,
                                                     const cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *data, size_t count,
                                                     cudaStreamCaptureMode mode) {
  return enter([&]() -> cudaError_t {
    Graph *graph = graphOf(handle);
    std::vector<Edge> behind;
    if (!graph || graph->isCaptured)
      return cudaErrorInvalidValue;
    if (cudaError_t error = readEdges(*graph, dependencies, data, count, behind))
      return error;
    return begin(stream, graph, behind, mode);
  });
}

HEDDLE_API cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *out) {
  return enter([&]() -> cudaError_t {
    Stream *stream = streamOf(handle);
    return stream ? end(*stream, out) : cudaErrorInvalidResourceHandle;
  });
}

HEDDLE_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status) {
  return enter([&] { return tell(stream, {status, nullptr, nullptr, nullptr, nullptr, nullptr}); });
}

HEDDLE_API cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                   cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **nodes, size_t *count) {
  return enter([&] { return tell(stream, {status, id, graph, nodes, nullptr, count}); });
}

HEDDLE_API cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                                   cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **nodes,
                                                   const cudaGraphEdgeData **data, size_t *count) {
  return enter([&] { return tell(stream, {status, id, graph, nodes, data, count}); });
}

HEDDLE_API cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t handle,
                                                              cudaGraphNode_t *dependencies,
                                                              const cudaGraphEdgeData *data,
                                                              size_t count, unsigned int flags) {
  return enter([&] {
    Stream *stream = streamOf(handle);
    return stream ? updateDependencies(*stream, dependencies, data, count, flags)
                  : cudaErrorInvalidResourceHandle;
  });
}

HEDDLE_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                           cudaGraphNode_t *dependencies,
                                                           size_t count, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}

HEDDLE_API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return enter([&]() -> cudaError_t {
    if (!mode)
      return cudaErrorInvalidValue;
    std::swap(*mode, captureMode());
    return cudaSuccess;
  });
}
