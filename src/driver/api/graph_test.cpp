// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs by the driver API: their structure, what is in their nodes, how they run. Kernels of nodes
// are in tests/run.
#include "driver/api/graph_test.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <vector>

namespace {

CUgraphNode addEmpty(CUgraph graph, std::vector<CUgraphNode> behind = {}) {
  CUgraphNode node = nullptr;
  EXPECT_OK(cu.cuGraphAddEmptyNode(&node, graph, behind.data(), behind.size()));
  return node;
}

void CUDA_CB addOne(void *data) { ++*static_cast<int *>(data); }
void CUDA_CB addTen(void *data) { *static_cast<int *>(data) += 10; }

TEST(Graphs, needNoContext) {
  start();
  NewGraph graph;
  CUgraphNode node = addEmpty(graph);
  CUcontext current = nullptr;
  int calls = 0;
  CUDA_HOST_NODE_PARAMS host = {addOne, &calls};
  EXPECT_OK(cu.cuGraphAddHostNode(&node, graph, &node, 1, &host));
  EXPECT_OK(cu.cuCtxGetCurrent(&current));
  EXPECT_EQ(current, nullptr);
  CUgraphExec exec;
  const CUDA_MEMSET_NODE_PARAMS fill = fillOf(0, 0, 1);
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuGraphAddMemsetNode(&node, graph, nullptr, 0, &fill, nullptr));
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
}

/// Loses the current context: a copy of its finds no memory.
void loseContext() {
  NewGraph graph;
  CUdeviceptr words;
  CUgraphNode node;
  ASSERT_OK(cu.cuMemAlloc_v2(&words, 64)); // ends with the context
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const CUDA_MEMCPY3D copy = copyOf(words, reinterpret_cast<CUdeviceptr>(page), 64);
  ASSERT_OK(cu.cuGraphAddMemcpyNode(&node, graph, nullptr, 0, &copy, nullptr));
  CUgraphExec exec;
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  munmap(page, 4096);
  EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
  EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuCtxSynchronize());
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
}

TEST(Graphs, tellThatTheContextIsLost) {
  NewContext context;
  CUgraph graph, other;
  CUgraphNode node;
  size_t count = 0;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  loseContext();
  EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuGraphCreate(&other, 0));
  EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  EXPECT_ERROR(ILLEGAL_ADDRESS, cu.cuGraphGetNodes(graph, nullptr, &count));
  {
    NewContext whole;
    EXPECT_OK(cu.cuGraphGetNodes(graph, nullptr, &count));
  }
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Graphs, haveEdges) {
  NewContext context;
  NewGraph graph;
  CUgraphNode a = addEmpty(graph), b = addEmpty(graph), c = addEmpty(graph, {a, b});
  CUgraph none = nullptr;
  size_t count = 0;
  CUgraphNode nodes[4], to[4];
  CUgraphEdgeData edges[4];
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphCreate(nullptr, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphCreate(&none, 1));
  EXPECT_OK(cu.cuGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, 3u);
  count = 4;
  EXPECT_OK(cu.cuGraphGetRootNodes(graph, nodes, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(nodes[1], b);
  count = 4;
  EXPECT_OK(cu.cuGraphGetEdges(graph, nodes, to, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(to[0], c);
  count = 4;
  EXPECT_OK(cu.cuGraphGetEdges_v2(graph, nodes, to, edges, &count));
  EXPECT_EQ(edges[1].type, CU_GRAPH_DEPENDENCY_TYPE_DEFAULT);
  EXPECT_OK(cu.cuGraphAddDependencies(graph, &a, &b, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddDependencies_v2(graph, &a, &b, nullptr, 1)); // is there
  count = 4;
  EXPECT_OK(cu.cuGraphNodeGetDependentNodes_v2(a, nodes, edges, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_OK(cu.cuGraphNodeGetDependentNodes(c, nullptr, &count));
  EXPECT_EQ(count, 0u);
  EXPECT_OK(cu.cuGraphRemoveDependencies(graph, &a, &b, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphRemoveDependencies_v2(graph, &a, &b, nullptr, 1));
  count = 4;
  EXPECT_OK(cu.cuGraphNodeGetDependencies(c, nodes, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(nodes[0], a);
  EXPECT_OK(cu.cuGraphDestroyNode(a));
  count = 4;
  EXPECT_OK(cu.cuGraphNodeGetDependencies_v2(c, nodes, edges, &count));
  EXPECT_EQ(count, 1u);
  CUgraphNodeType type;
  EXPECT_OK(cu.cuGraphNodeGetType(c, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_EMPTY);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeGetType(a, &type));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphDestroyNode(a));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddEmptyNode(&a, graph, &Wrong, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphGetNodes(WrongGraph, nullptr, &count));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphGetRootNodes(graph, nullptr, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphDestroy(WrongGraph));
}

TEST(Graphs, haveClones) {
  NewContext context;
  NewGraph graph;
  CUgraphNode node = addEmpty(graph), found = nullptr;
  CUgraph clone = nullptr;
  ASSERT_OK(cu.cuGraphClone(&clone, graph));
  EXPECT_OK(cu.cuGraphNodeFindInClone(&found, node, clone));
  EXPECT_NE(found, node);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeFindInClone(&found, Wrong, clone));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphClone(nullptr, graph));
  EXPECT_OK(cu.cuGraphDestroy(clone));
}

TEST(Graphs, callTheHost) {
  NewContext context;
  NewGraph graph;
  int value = 0;
  CUDA_HOST_NODE_PARAMS params = {addOne, &value}, told = {}, none = {};
  CUgraphNode node;
  ASSERT_OK(cu.cuGraphAddHostNode(&node, graph, nullptr, 0, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddHostNode(&node, graph, nullptr, 0, &none));
  NewExec exec(graph);
  exec.run();
  EXPECT_EQ(value, 1);
  EXPECT_OK(cu.cuGraphHostNodeGetParams(node, &told));
  EXPECT_EQ(told.userData, &value);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphHostNodeGetParams(node, nullptr));
  params.fn = addTen;
  EXPECT_OK(cu.cuGraphExecHostNodeSetParams(exec, node, &params));
  exec.run();
  EXPECT_EQ(value, 11);
  EXPECT_OK(cu.cuGraphHostNodeSetParams(node, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphHostNodeSetParams(node, nullptr));
  EXPECT_OK(cu.cuGraphHostNodeGetParams(node, &told));
  EXPECT_EQ(told.fn, params.fn);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecHostNodeSetParams(WrongExec, node, &params));
}

TEST(Graphs, holdGraphs) {
  NewContext context;
  NewGraph graph, child, other;
  int value = 0;
  CUDA_HOST_NODE_PARAMS one = {addOne, &value}, ten = {addTen, &value};
  CUgraphNode node, inside;
  CUgraph copy = nullptr;
  ASSERT_OK(cu.cuGraphAddHostNode(&inside, child, nullptr, 0, &one));
  ASSERT_OK(cu.cuGraphAddHostNode(&inside, other, nullptr, 0, &ten));
  ASSERT_OK(cu.cuGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddChildGraphNode(&node, graph, nullptr, 0, graph));
  EXPECT_OK(cu.cuGraphChildGraphNodeGetGraph(node, &copy));
  EXPECT_NE(copy, child.handle);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphChildGraphNodeGetGraph(node, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphDestroy(copy)); // the node's
  NewExec exec(graph);
  exec.run();
  EXPECT_EQ(value, 1);
  EXPECT_OK(cu.cuGraphExecChildGraphNodeSetParams(exec, node, other));
  exec.run();
  EXPECT_EQ(value, 11);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecChildGraphNodeSetParams(exec, node, WrongGraph));
}

TEST(Graphs, recordAndWait) {
  NewContext context;
  NewGraph graph;
  NewStream stream;
  NewEvent first, second;
  CUgraphNode record, wait;
  CUevent told = nullptr;
  ASSERT_OK(cu.cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, first));
  ASSERT_OK(cu.cuGraphAddEventRecordNode(&record, graph, &wait, 1, second));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddEventRecordNode(&record, graph, nullptr, 0, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, nullptr));
  EXPECT_OK(cu.cuGraphEventWaitNodeGetEvent(wait, &told));
  EXPECT_EQ(told, first.handle);
  EXPECT_OK(cu.cuGraphEventRecordNodeGetEvent(record, &told));
  EXPECT_EQ(told, second.handle);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphEventRecordNodeGetEvent(wait, &told));
  NewExec exec(graph);
  Gate gate(stream);
  EXPECT_OK(cu.cuEventRecord(first, stream));
  NewStream runs;
  EXPECT_OK(cu.cuGraphLaunch(exec, runs));
  EXPECT_ERROR(NOT_READY, cu.cuEventQuery(second));
  gate.open();
  EXPECT_OK(cu.cuEventSynchronize(second));
  NewEvent third;
  EXPECT_OK(cu.cuGraphExecEventRecordNodeSetEvent(exec, record, third));
  EXPECT_OK(cu.cuGraphExecEventWaitNodeSetEvent(exec, wait, second));
  EXPECT_OK(cu.cuGraphLaunch(exec, runs));
  EXPECT_OK(cu.cuEventSynchronize(third));
  EXPECT_OK(cu.cuGraphEventRecordNodeSetEvent(record, first));
  EXPECT_OK(cu.cuGraphEventWaitNodeSetEvent(wait, third));
  EXPECT_OK(cu.cuGraphEventWaitNodeGetEvent(wait, &told));
  EXPECT_EQ(told, third.handle);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphEventWaitNodeSetEvent(record, first));
  EXPECT_OK(cu.cuStreamSynchronize(runs));
}

TEST(Graphs, operateOnWords) {
  NewContext context;
  NewGraph graph;
  Words words;
  CUgraphNode node;
  CUstreamBatchMemOpParams op = {};
  op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op.writeValue.address = words.at();
  op.writeValue.value = 5;
  CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context.handle, 1, &op, 0}, told = {};
  ASSERT_OK(cu.cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  CUgraphNodeType type;
  EXPECT_OK(cu.cuGraphNodeGetType(node, &type));
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  NewExec exec(graph);
  exec.run();
  EXPECT_EQ(words.read(), 5u);
  EXPECT_OK(cu.cuGraphBatchMemOpNodeGetParams(node, &told));
  ASSERT_EQ(told.count, 1u);
  EXPECT_EQ(told.ctx, context.handle);
  EXPECT_EQ(told.paramArray[0].writeValue.value, 5u);
  op.writeValue.value = 6;
  EXPECT_OK(cu.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
  exec.run();
  EXPECT_EQ(words.read(), 6u);
  EXPECT_OK(cu.cuGraphBatchMemOpNodeSetParams(node, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphBatchMemOpNodeSetParams(node, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphBatchMemOpNodeGetParams(node, nullptr));
  CUstreamBatchMemOpParams other = {};
  other.operation = CU_STREAM_MEM_OP_BARRIER;
  params.paramArray = &other;
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
  params.ctx = reinterpret_cast<CUcontext>(64);
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, nullptr));
}

TEST(Graphs, signalSemaphoresThatThereAre) {
  NewContext context;
  NewGraph graph;
  CUgraphNode node = addEmpty(graph), made;
  CUexternalSemaphore semaphore = reinterpret_cast<CUexternalSemaphore>(64);
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {};
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {};
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = {&semaphore, &signal, 1};
  CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = {&semaphore, &wait, 1};
  EXPECT_ERROR(INVALID_HANDLE,
               cu.cuGraphAddExternalSemaphoresSignalNode(&made, graph, nullptr, 0, &signals));
  EXPECT_ERROR(INVALID_HANDLE,
               cu.cuGraphAddExternalSemaphoresWaitNode(&made, graph, nullptr, 0, &waits));
  signals.numExtSems = waits.numExtSems = 0;
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExternalSemaphoresSignalNodeSetParams(node, &signals));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExternalSemaphoresWaitNodeSetParams(node, &waits));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExternalSemaphoresSignalNodeGetParams(node, &signals));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExternalSemaphoresWaitNodeGetParams(node, &waits));
  NewExec exec(graph);
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, &signals));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, &waits));
}

TEST(Graphs, signalSemaphores) {
  NewContext context;
  NewGraph graph;
  const int descriptor = eventfd(0, EFD_NONBLOCK | EFD_SEMAPHORE);
  ASSERT_GE(descriptor, 0);
  cudaExternalSemaphoreHandleDesc description = {};
  description.type = cudaExternalSemaphoreHandleTypeOpaqueFd;
  description.handle.fd = descriptor;
  cudaExternalSemaphore_t imported;
  ASSERT_EQ(cudaImportExternalSemaphore(&imported, &description), cudaSuccess);
  auto semaphore = reinterpret_cast<CUexternalSemaphore>(imported);
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal = {};
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait = {};
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = {&semaphore, &signal, 1}, toldSignals = {};
  CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = {&semaphore, &wait, 1}, toldWaits = {};
  CUgraphNode signalNode, waitNode;
  ASSERT_OK(cu.cuGraphAddExternalSemaphoresSignalNode(&signalNode, graph, nullptr, 0, &signals));
  ASSERT_OK(cu.cuGraphAddExternalSemaphoresWaitNode(&waitNode, graph, &signalNode, 1, &waits));
  EXPECT_OK(cu.cuGraphExternalSemaphoresSignalNodeGetParams(signalNode, &toldSignals));
  EXPECT_OK(cu.cuGraphExternalSemaphoresWaitNodeGetParams(waitNode, &toldWaits));
  EXPECT_EQ(toldSignals.extSemArray[0], semaphore);
  EXPECT_EQ(toldWaits.numExtSems, 1u);
  NewExec exec(graph);
  exec.run();
  EXPECT_OK(cu.cuGraphExecExternalSemaphoresSignalNodeSetParams(exec, signalNode, &signals));
  EXPECT_OK(cu.cuGraphExecExternalSemaphoresWaitNodeSetParams(exec, waitNode, &waits));
  exec.run();
  EXPECT_OK(cu.cuGraphExternalSemaphoresSignalNodeSetParams(signalNode, &signals));
  EXPECT_OK(cu.cuGraphExternalSemaphoresWaitNodeSetParams(waitNode, &waits));
  EXPECT_EQ(cudaDestroyExternalSemaphore(imported), cudaSuccess);
}

TEST(Graphs, allocate) {
  NewContext context;
  NewGraph graph;
  CUgraphNode alloc, fill, release;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {}, told = {};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = 1 << 20;
  ASSERT_OK(cu.cuGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
  EXPECT_NE(params.dptr, 0u);
  EXPECT_OK(cu.cuGraphMemAllocNodeGetParams(alloc, &told));
  EXPECT_EQ(told.dptr, params.dptr);
  EXPECT_EQ(told.bytesize, params.bytesize);
  const CUDA_MEMSET_NODE_PARAMS set = fillOf(params.dptr, 3, 1024);
  ASSERT_OK(cu.cuGraphAddMemsetNode(&fill, graph, &alloc, 1, &set, context.handle));
  ASSERT_OK(cu.cuGraphAddMemFreeNode(&release, graph, &fill, 1, params.dptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddMemFreeNode(&release, graph, &fill, 1, params.dptr));
  CUdeviceptr freed = 0;
  EXPECT_OK(cu.cuGraphMemFreeNodeGetParams(release, &freed));
  EXPECT_EQ(freed, params.dptr);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemFreeNodeGetParams(alloc, &freed));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphMemAllocNodeGetParams(alloc, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddMemAllocNode(&alloc, graph, nullptr, 0, nullptr));
  cuuint64_t bytes = 0;
  {
    NewExec exec(graph);
    exec.run();
    EXPECT_OK(cu.cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &bytes));
    EXPECT_GE(bytes, params.bytesize);
  }
  EXPECT_OK(cu.cuDeviceGraphMemTrim(0));
  bytes = 0;
  EXPECT_OK(cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &bytes));
  bytes = 1;
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH, &bytes));
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, nullptr));
  EXPECT_ERROR(INVALID_DEVICE, cu.cuDeviceGraphMemTrim(7));
}

} // namespace
