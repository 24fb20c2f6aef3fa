// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beginning and ending captures, and what can be asked of them (capture.cpp).
#include "driver/streams/capture_table.h"

#include <algorithm>
#include <unordered_set>

namespace heddle::driver {

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

CUresult begin(cudaStream_t handle, Graph *graph, std::span<const Edge> behind,
               cudaStreamCaptureMode mode) {
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (static_cast<unsigned>(mode) > cudaStreamCaptureModeRelaxed)
    return CUDA_ERROR_INVALID_VALUE;
  if (isLegacy(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  std::lock_guard guard(captureTable().mutex);
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

CUresult end(Stream &stream, cudaGraph_t *out) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = stream.capture;
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != &stream) {
    capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  CUresult error = CUDA_SUCCESS;
  if (capture->mode != cudaStreamCaptureModeRelaxed &&
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
CUresult statusOf(const Stream &stream, cudaStreamCaptureStatus &status) {
  status = cudaStreamCaptureStatusNone;
  if (const Capture *capture = stream.capture)
    status =
        capture->isInvalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  if (!isLegacy(stream))
    return CUDA_SUCCESS;
  for (auto &capture : captureTable().all)
    for (const Stream *other : capture->streams)
      if (other->device == stream.device && !(other->flags & cudaStreamNonBlocking))
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return CUDA_SUCCESS;
}

struct CaptureInfo {
  cudaStreamCaptureStatus *status;
  unsigned long long *id;
  cudaGraph_t *graph;
  const cudaGraphNode_t **nodes;
  const cudaGraphEdgeData **data;
  size_t *count;
};

CUresult tell(cudaStream_t handle, const CaptureInfo &info) {
  if (!info.status)
    return CUDA_ERROR_INVALID_VALUE;
  Stream *stream = streamOf(handle);
  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  std::lock_guard guard(captureTable().mutex);
  if (CUresult error = statusOf(*stream, *info.status))
    return error;
  if (*info.status != cudaStreamCaptureStatusActive)
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
    *info.data = stream->toldData.data();
  if (info.count)
    *info.count = stream->toldNodes.size();
  return CUDA_SUCCESS;
}

CUresult updateDependencies(Stream &stream, const cudaGraphNode_t *nodes,
                            const cudaGraphEdgeData *data, size_t count, unsigned flags) {
  std::lock_guard guard(captureTable().mutex);
  if (!stream.capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (stream.capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (flags > cudaStreamSetCaptureDependencies)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Edge> edges;
  if (CUresult error = readEdges(*stream.capture->graph, nodes, data, count, edges))
    return error;
  if (flags == cudaStreamSetCaptureDependencies)
    stream.captured.clear();
  addEdges(stream.captured, edges);
  return CUDA_SUCCESS;
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return enter([&] { return begin(stream, nullptr, {}, mode); });
}

CUresult heddle::driver::cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t handle,
                                                       const cudaGraphNode_t *dependencies,
                                                       const cudaGraphEdgeData *data, size_t count,
                                                       cudaStreamCaptureMode mode) {
  return enter([&]() -> CUresult {
    Graph *graph = graphOf(handle);
    std::vector<Edge> behind;
    if (!graph || graph->isCaptured)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult error = readEdges(*graph, dependencies, data, count, behind))
      return error;
    return begin(stream, graph, behind, mode);
  });
}

CUresult heddle::driver::cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *out) {
  return enter([&]() -> CUresult {
    Stream *stream = streamOf(handle);
    return stream ? end(*stream, out) : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult heddle::driver::cudaStreamIsCapturing(cudaStream_t stream,
                                               cudaStreamCaptureStatus *status) {
  return enter([&] { return tell(stream, {status, nullptr, nullptr, nullptr, nullptr, nullptr}); });
}

CUresult heddle::driver::cudaStreamGetCaptureInfo_v2(cudaStream_t stream,
                                                     cudaStreamCaptureStatus *status,
                                                     unsigned long long *id, cudaGraph_t *graph,
                                                     const cudaGraphNode_t **nodes, size_t *count) {
  return enter([&] { return tell(stream, {status, id, graph, nodes, nullptr, count}); });
}

CUresult heddle::driver::cudaStreamGetCaptureInfo_v3(cudaStream_t stream,
                                                     cudaStreamCaptureStatus *status,
                                                     unsigned long long *id, cudaGraph_t *graph,
                                                     const cudaGraphNode_t **nodes,
                                                     const cudaGraphEdgeData **data,
                                                     size_t *count) {
  return enter([&] { return tell(stream, {status, id, graph, nodes, data, count}); });
}

CUresult heddle::driver::cudaStreamUpdateCaptureDependencies_v2(cudaStream_t handle,
                                                                cudaGraphNode_t *dependencies,
                                                                const cudaGraphEdgeData *data,
                                                                size_t count, unsigned int flags) {
  return enter([&] {
    Stream *stream = streamOf(handle);
    return stream ? updateDependencies(*stream, dependencies, data, count, flags)
                  : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult heddle::driver::cudaStreamUpdateCaptureDependencies(cudaStream_t stream,
                                                             cudaGraphNode_t *dependencies,
                                                             size_t count, unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}

CUresult heddle::driver::cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  return enter([&]() -> CUresult {
    if (!mode)
      return CUDA_ERROR_INVALID_VALUE;
    std::swap(*mode, captureMode());
    return CUDA_SUCCESS;
  });
}
