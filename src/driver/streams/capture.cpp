// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream capture (CUDA guide, "Creating a Graph Using Stream Capture").
//
// A captured stream keeps the nodes that its next operation depends on (Stream::captured). An
// operation adds a node after these, which replaces them. A recorded event keeps a copy of them; a
// stream that waits for the event adds them to its own, and joins the capture if it was not part of
// it. So the graph has the edges that the streams would have obeyed. A capture ends in the stream
// that it began in, and every stream of it must have been joined there: all nodes that it depends
// on precede those of the first stream.
//
// What is not allowed meanwhile is refused, and most of it invalidates the capture: nothing more
// can be added, and cudaStreamEndCapture says so. tests/runtime/capture_probe.cu asks for each
// case, and capture_probe.expected has an H200's answers.
//
// One mutex guards all captures; without any, a call of a stream reads one counter.
#include "driver/rooms.h"
#include "driver/streams/capture_table.h"

#include <algorithm>
#include <thread>
#include <unordered_set>

namespace heddle::driver {

std::atomic<unsigned> captureCount{0};

CaptureTable &captureTable() { return rooms().captures.get(); }

CUstreamCaptureMode &captureMode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool isLegacy(const Stream &stream) { return &stream == stream.device->legacy; }

void join(Capture &capture, Stream &stream, std::span<const Edge> behind) {
  stream.capture = &capture;
  stream.captured.assign(behind.begin(), behind.end());
  capture.streams.push_back(&stream);
}

void addEdges(std::vector<Edge> &edges, std::span<const Edge> more) {
  for (const Edge &edge : more)
    if (std::ranges::find(edges, edge.node, &Edge::node) == edges.end())
      edges.push_back(edge);
}

bool breakImplicit(const Context &device) {
  bool found = false;
  for (auto &capture : captureTable().all)
    for (const Stream *stream : capture->streams)
      if (stream->device == &device && !(stream->flags & cudaStreamNonBlocking))
        found = capture->isInvalid = true;
  return found;
}

Graph *finish(Capture &capture, bool failed) {
  for (Stream *stream : capture.streams) {
    stream->capture = nullptr;
    stream->captured.clear();
  }
  Graph *graph = capture.graph;
  graph->isCaptured = false;
  if (failed) {
    graph->isBroken = true;
    if (capture.isOwn)
      destroyGraph(graph);
    graph = nullptr;
  }
  std::erase_if(captureTable().all, [&](auto &other) { return other.get() == &capture; });
  captureCount.fetch_sub(1, std::memory_order_relaxed);
  return graph;
}

namespace {

// All of these want the mutex held.

Capture *findCapture(unsigned long long id) {
  auto found = std::ranges::find(captureTable().all, id, [](auto &capture) { return capture->id; });
  return found == captureTable().all.end() ? nullptr : found->get();
}

bool forbidsUnsafe(const Capture &capture) {
  if (capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
      captureMode() == CU_STREAM_CAPTURE_MODE_RELAXED)
    return false;
  if (capture.thread == std::this_thread::get_id())
    return true;
  return capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         captureMode() == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

/// Kernels whose end was to be waited for are waited for as `early` says, if that says anything.
void startEarly(std::vector<Edge> &edges, const cudaGraphEdgeData &early) {
  for (Edge &edge : edges)
    if (edge.node->operation->type() == cudaGraphNodeTypeKernel && early.type && !edge.data.type)
      edge.data = early;
}

CUresult breakUnsafe() {
  CUresult error = CUDA_SUCCESS;
  for (auto &capture : captureTable().all)
    if (forbidsUnsafe(*capture)) {
      capture->isInvalid = true;
      error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return error;
}

} // namespace

CUresult lookForCapture(Stream &stream, bool &isCaptured) {
  std::lock_guard guard(captureTable().mutex);
  isCaptured = stream.capture != nullptr;
  if (isCaptured)
    return stream.capture->isInvalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
  return isLegacy(stream) && breakImplicit(*stream.device) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                                           : CUDA_SUCCESS;
}

CUresult addCaptured(Stream &stream, std::unique_ptr<Operation> operation,
                     const cudaGraphEdgeData &early) {
  std::lock_guard guard(captureTable().mutex);
  if (!stream.capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  std::vector<Edge> edges = stream.captured;
  if (operation->type() == cudaGraphNodeTypeKernel)
    startEarly(edges, early);
  else
    for (Edge &edge : edges) // only kernels begin before the end of others
      edge.data = {};
  Node *node = addNode(*stream.capture->graph, std::move(operation), edges);
  if (!node)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stream.captured.assign(1, {node, {}});
  return CUDA_SUCCESS;
}

CUresult mayWorkIn(Stream &stream) {
  if (!anyCaptures())
    return CUDA_SUCCESS;
  std::lock_guard guard(captureTable().mutex);
  if (stream.capture) {
    stream.capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return isLegacy(stream) && breakImplicit(*stream.device) ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT
                                                           : CUDA_SUCCESS;
}

CUresult mayWaitFor(Stream &stream) {
  CUresult error = mayWorkIn(stream);
  return error ? error : mayBeUnsafe();
}

CUresult mayWaitFor(Context &device) {
  if (!anyCaptures())
    return CUDA_SUCCESS;
  std::lock_guard guard(captureTable().mutex);
  CUresult error = CUDA_SUCCESS;
  for (auto &capture : captureTable().all)
    if (capture->origin->device == &device) {
      capture->isInvalid = true;
      error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  return error;
}

CUresult mayBeUnsafe() {
  if (!anyCaptures())
    return CUDA_SUCCESS;
  std::lock_guard guard(captureTable().mutex);
  return breakUnsafe();
}

bool breakCapture(Stream &stream) {
  if (!anyCaptures())
    return false;
  std::lock_guard guard(captureTable().mutex);
  return stream.capture && (stream.capture->isInvalid = true);
}

std::shared_ptr<CapturedRecord> recordCaptured(Stream &stream, const cudaGraphEdgeData &early) {
  std::lock_guard guard(captureTable().mutex);
  auto record = std::make_shared<CapturedRecord>();
  if (stream.capture)
    *record = {stream.capture->id, stream.captured};
  startEarly(record->behind, early);
  return record;
}

CUresult waitForCaptured(Stream &stream, const CapturedRecord &record) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = findCapture(record.capture);
  if (stream.capture && stream.capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!capture) {
    if (stream.capture)
      stream.capture->isInvalid = true;
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream.capture && stream.capture != capture) {
    capture->isInvalid = stream.capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (isLegacy(stream)) {
    capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream.capture)
    addEdges(stream.captured, record.behind);
  else
    join(*capture, stream, record.behind);
  return CUDA_SUCCESS;
}

CUresult errorOfCaptured(const CapturedRecord &record, bool breaks) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = findCapture(record.capture);
  if (!capture)
    return CUDA_ERROR_INVALID_VALUE;
  capture->isInvalid |= breaks;
  return CUDA_ERROR_CAPTURED_EVENT;
}

void leaveCapture(Stream &stream) {
  std::lock_guard guard(captureTable().mutex);
  Capture *capture = stream.capture;
  if (!capture)
    return;
  if (capture->origin == &stream) {
    finish(*capture, true);
    return;
  }
  std::erase(capture->streams, &stream);
  addEdges(capture->left, stream.captured); // all is well if they have come back to the first one
}

} // namespace heddle::driver
