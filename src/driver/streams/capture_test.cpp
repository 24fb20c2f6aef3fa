// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures of streams, by the driver API.
#include "driver/api/work_test.h"

namespace {

constexpr auto Global = CU_STREAM_CAPTURE_MODE_GLOBAL;

size_t nodesOf(CUgraph graph) {
  size_t count = 0;
  EXPECT_OK(cu.cuGraphGetNodes(graph, nullptr, &count));
  return count;
}

TEST(Captures, makeGraphs) {
  NewContext context;
  NewStream stream, other;
  NewEvent event, back;
  Words words;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_OK(cu.cuStreamBeginCapture_v2(stream, Global));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(stream, words.at(), 1, 0));
  EXPECT_OK(cu.cuEventRecord(event, stream));
  EXPECT_OK(cu.cuStreamWaitEvent(other, event, 0));
  EXPECT_OK(cu.cuStreamWaitValue32_v2(other, words.at(), 1, CU_STREAM_WAIT_VALUE_EQ));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(other, words.at(4), 2, 0));
  EXPECT_OK(cu.cuEventRecord(back, other));
  EXPECT_OK(cu.cuStreamWaitEvent(stream, back, 0));
  EXPECT_OK(cu.cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(nodesOf(graph), 3u);
  EXPECT_EQ(words.read(), 0u);
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cu.cuGraphLaunch(exec, stream));
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(words.read(4), 2u);
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Captures, tellWhatTheyAreAt) {
  NewContext context;
  NewStream stream;
  Words words;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  EXPECT_OK(cu.cuStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamIsCapturing(stream, nullptr));
  ASSERT_OK(cu.cuStreamBeginCapture(stream)); // of CUDA 10.0
  EXPECT_ERROR(ILLEGAL_STATE, cu.cuStreamBeginCapture_v2(stream, Global));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(stream, words.at(), 1, 0));
  cuuint64_t id = 0, same = 0;
  CUgraph graph = nullptr, ended = nullptr;
  const CUgraphNode *nodes = nullptr;
  const CUgraphEdgeData *edges = nullptr;
  size_t count = 0;
  EXPECT_OK(cu.cuStreamGetCaptureInfo(stream, &status, &id));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_NE(id, 0u);
  EXPECT_OK(cu.cuStreamGetCaptureInfo_v2(stream, &status, &same, &graph, &nodes, &count));
  EXPECT_EQ(same, id);
  ASSERT_EQ(count, 1u);
  EXPECT_OK(cu.cuStreamGetCaptureInfo_v3(stream, &status, nullptr, &graph, &nodes, &edges, &count));
  CUgraphNode node = nodes[0];
  EXPECT_EQ(edges[0].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  EXPECT_ERROR(INVALID_VALUE, cu.cuStreamGetCaptureInfo(stream, nullptr, &id));
  EXPECT_OK(
      cu.cuStreamUpdateCaptureDependencies(stream, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  EXPECT_OK(cu.cuStreamGetCaptureInfo_v2(stream, &status, &same, &graph, &nodes, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_OK(cu.cuStreamUpdateCaptureDependencies_v2(stream, &node, nullptr, 1,
                                                    CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuStreamUpdateCaptureDependencies_v2(stream, &node, nullptr, 1, 2));
  EXPECT_OK(cu.cuStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, graph);
  EXPECT_ERROR(ILLEGAL_STATE, cu.cuStreamEndCapture(stream, &ended));
  EXPECT_ERROR(ILLEGAL_STATE, cu.cuStreamUpdateCaptureDependencies(stream, nullptr, 0, 0));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Captures, goIntoGraphs) {
  NewContext context;
  NewStream stream;
  Words words;
  CUgraph graph = nullptr, ended = nullptr;
  CUgraphNode first;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  ASSERT_OK(cu.cuGraphAddEmptyNode(&first, graph, nullptr, 0));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuStreamBeginCaptureToGraph(stream, nullptr, &first, nullptr, 1, Global));
  ASSERT_OK(cu.cuStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, Global));
  EXPECT_OK(cu.cuStreamWriteValue32_v2(stream, words.at(), 1, 0));
  EXPECT_OK(cu.cuStreamEndCapture(stream, &ended));
  EXPECT_EQ(ended, graph);
  EXPECT_EQ(nodesOf(graph), 2u);
  size_t count = 0;
  EXPECT_OK(cu.cuGraphNodeGetDependentNodes(first, nullptr, &count));
  EXPECT_EQ(count, 1u);
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Captures, forbidWaits) {
  NewContext context;
  NewStream stream;
  CUgraph graph = nullptr;
  CUstreamCaptureStatus status;
  auto nothing = [](CUstream, CUresult, void *) {};
  EXPECT_ERROR(STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamBeginCapture_v2(nullptr, Global));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuStreamBeginCapture_v2(stream, static_cast<CUstreamCaptureMode>(7)));
  ASSERT_OK(cu.cuStreamBeginCapture_v2(stream, Global));
  EXPECT_ERROR(STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamAddCallback(stream, nothing, nullptr, 0));
  EXPECT_OK(cu.cuStreamIsCapturing(stream, &status));
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  EXPECT_ERROR(STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(stream, &graph));
  ASSERT_OK(cu.cuStreamBeginCapture_v2(stream, Global));
  EXPECT_ERROR(STREAM_CAPTURE_UNSUPPORTED, cu.cuStreamSynchronize(stream));
  EXPECT_ERROR(STREAM_CAPTURE_INVALIDATED, cu.cuStreamEndCapture(stream, &graph));
}

TEST(Captures, haveAModeForEachThread) {
  start();
  EXPECT_ERROR(INVALID_VALUE, cu.cuThreadExchangeStreamCaptureMode(nullptr));
  auto mode = static_cast<CUstreamCaptureMode>(3);
  EXPECT_ERROR(INVALID_VALUE, cu.cuThreadExchangeStreamCaptureMode(&mode));
  mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  EXPECT_OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, Global);
  EXPECT_OK(cu.cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

} // namespace
