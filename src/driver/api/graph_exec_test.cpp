// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs, nodes of any kind and user objects, by the driver API.
#include "driver/api/work_test.h"

#include <cstdio>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

void CUDA_CB addOne(void *data) { ++*static_cast<int *>(data); }
void CUDA_CB addTen(void *data) { *static_cast<int *>(data) += 10; }

CUgraph makeGraph(CUhostFn function, int *value, CUgraphNode *node) {
  CUgraph graph = nullptr;
  const CUDA_HOST_NODE_PARAMS params = {function, value};
  EXPECT_OK(cu.cuGraphCreate(&graph, 0));
  EXPECT_OK(cu.cuGraphAddHostNode(node, graph, nullptr, 0, &params));
  return graph;
}

TEST(Executables, areMadeInManyWays) {
  NewContext context;
  NewStream stream;
  int value = 0;
  CUgraphNode node, problem = nullptr;
  CUgraph graph = makeGraph(addOne, &value, &node);
  CUgraphExec execs[4];
  char log[16] = "unchanged";
  CUDA_GRAPH_INSTANTIATE_PARAMS params = {};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  params.hUploadStream = stream;
  EXPECT_OK(cu.cuGraphInstantiate(&execs[0], graph, &problem, log, sizeof log));
  EXPECT_STREQ(log, "");
  EXPECT_OK(cu.cuGraphInstantiate_v2(&execs[1], graph, nullptr, nullptr, 0));
  EXPECT_OK(cu.cuGraphInstantiateWithFlags(&execs[2], graph,
                                           CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  EXPECT_OK(cu.cuGraphInstantiateWithParams(&execs[3], graph, &params));
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
  cuuint64_t flags = 0;
  EXPECT_OK(cu.cuGraphExecGetFlags(execs[2], &flags));
  EXPECT_EQ(flags, cuuint64_t(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecGetFlags(execs[2], nullptr));
  for (CUgraphExec exec : execs) {
    EXPECT_OK(cu.cuGraphUpload(exec, stream));
    EXPECT_OK(cu.cuGraphLaunch(exec, stream));
    EXPECT_OK(cu.cuGraphExecDestroy(exec)); // under way
  }
  EXPECT_OK(cu.cuStreamSynchronize(stream));
  EXPECT_EQ(value, 4);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphLaunch(execs[0], stream));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphUpload(execs[0], stream));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecDestroy(execs[0]));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphInstantiateWithFlags(&execs[0], graph, 1 << 10));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphInstantiateWithParams(&execs[0], graph, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphInstantiate_v2(nullptr, graph, &problem, log, 1));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Executables, areUpdated) {
  NewContext context;
  int value = 0;
  CUgraphNode node, problem;
  CUgraph one = makeGraph(addOne, &value, &node), ten = makeGraph(addTen, &value, &node), both;
  CUgraphExec exec;
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, one, 0));
  CUgraphExecUpdateResultInfo info = {};
  CUgraphExecUpdateResult result;
  EXPECT_OK(cu.cuGraphExecUpdate_v2(exec, ten, &info));
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ(value, 10);
  EXPECT_OK(cu.cuGraphExecUpdate(exec, one, &problem, &result)); // of CUDA 10.2
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
  EXPECT_OK(cu.cuGraphExecUpdate(exec, one, nullptr, &result));
  ASSERT_OK(cu.cuGraphClone(&both, one));
  EXPECT_OK(cu.cuGraphAddEmptyNode(&node, both, nullptr, 0));
  EXPECT_ERROR(GRAPH_EXEC_UPDATE_FAILURE, cu.cuGraphExecUpdate(exec, both, &problem, &result));
  EXPECT_EQ(result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  for (CUgraph graph : {one, ten, both})
    EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Executables, runInStreamsOfEachContext) {
  NewContext outer;
  int value = 0;
  CUgraphNode node;
  CUgraph graph = makeGraph(addOne, &value, &node);
  CUgraphExec exec;
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  {
    NewContext inner;
    NewStream stream;
    EXPECT_OK(cu.cuGraphLaunch(exec, stream));
    EXPECT_OK(cu.cuStreamSynchronize(stream));
    EXPECT_EQ(value, 1);
  }
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Executables, endWithTheirContexts) {
  start();
  CUcontext context;
  int value = 0;
  CUgraphNode node;
  CUgraphExec exec, other;
  ASSERT_OK(cu.cuCtxCreate_v2(&context, 0, 0));
  CUgraph graph = makeGraph(addOne, &value, &node);
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cu.cuCtxDestroy_v2(context));
  EXPECT_EQ(value, 1);
  {
    NewContext next;
    const CUDA_HOST_NODE_PARAMS params = {addTen, &value};
    EXPECT_ERROR(CONTEXT_IS_DESTROYED, cu.cuGraphLaunch(exec, nullptr));
    EXPECT_ERROR(CONTEXT_IS_DESTROYED, cu.cuGraphExecHostNodeSetParams(exec, node, &params));
    EXPECT_ERROR(CONTEXT_IS_DESTROYED, cu.cuGraphInstantiateWithFlags(&other, graph, 0));
  }
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(Executables, endWithTheirContextsMemory) {
  start();
  CUcontext context;
  CUgraph graph;
  CUgraphNode alloc;
  CUgraphExec exec;
  CUDA_MEM_ALLOC_NODE_PARAMS params = {};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  params.bytesize = 1 << 16;
  ASSERT_OK(cu.cuCtxCreate_v2(&context, 0, 0));
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  ASSERT_OK(cu.cuGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
  std::thread([&] { EXPECT_OK(cu.cuCtxDestroy_v2(context)); }).join(); // stays current here
  EXPECT_ERROR(CONTEXT_IS_DESTROYED, cu.cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
  EXPECT_OK(cu.cuCtxPopCurrent_v2(&context));
}

TEST(AnyNodes, areAddedAndChanged) {
  NewContext context;
  Words words;
  CUgraph graph;
  CUgraphNode nodes[5];
  int value = 0;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  CUgraphNodeParams fill = {}, copy = {}, host = {}, batch = {}, empty = {};
  fill.type = CU_GRAPH_NODE_TYPE_MEMSET;
  fill.memset = {words.at(), 0, 9, 4, 2, 1, context.handle};
  copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copy.memcpy.copyCtx = context.handle;
  CUDA_MEMCPY3D &box = copy.memcpy.copyParams;
  box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  box.srcDevice = words.at(), box.dstDevice = words.at(32);
  box.WidthInBytes = 8, box.Height = box.Depth = 1;
  host.type = CU_GRAPH_NODE_TYPE_HOST;
  host.host = {addOne, &value};
  CUstreamBatchMemOpParams op = {};
  op.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op.writeValue.address = words.at(64);
  op.writeValue.value = 1;
  batch.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  batch.memOp = {context.handle, 1, &op, 0};
  empty.type = CU_GRAPH_NODE_TYPE_EMPTY;
  ASSERT_OK(cu.cuGraphAddNode(&nodes[0], graph, nullptr, 0, &fill));
  ASSERT_OK(cu.cuGraphAddNode_v2(&nodes[1], graph, nodes, nullptr, 1, &copy));
  ASSERT_OK(cu.cuGraphAddNode_v2(&nodes[2], graph, nodes, nullptr, 2, &host));
  ASSERT_OK(cu.cuGraphAddNode(&nodes[3], graph, nodes, 3, &batch));
  ASSERT_OK(cu.cuGraphAddNode(&nodes[4], graph, nodes, 4, &empty));
  CUgraphExec exec;
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  auto run = [&] {
    EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
    EXPECT_OK(cu.cuStreamSynchronize(nullptr));
  };
  run();
  EXPECT_EQ(words.read(36), 9u);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(words.read(64), 1u);
  fill.memset.value = 10;
  box.dstDevice = words.at(96);
  host.host.fn = addTen;
  op.writeValue.value = 2;
  EXPECT_OK(cu.cuGraphExecNodeSetParams(exec, nodes[0], &fill));
  EXPECT_OK(cu.cuGraphExecNodeSetParams(exec, nodes[1], &copy));
  EXPECT_OK(cu.cuGraphExecNodeSetParams(exec, nodes[2], &host));
  EXPECT_OK(cu.cuGraphExecNodeSetParams(exec, nodes[3], &batch));
  run();
  EXPECT_EQ(words.read(96), 10u);
  EXPECT_EQ(value, 11);
  EXPECT_EQ(words.read(64), 2u);
  CUDA_HOST_NODE_PARAMS told;
  EXPECT_OK(cu.cuGraphNodeSetParams(nodes[2], &host));
  EXPECT_OK(cu.cuGraphNodeSetParams(nodes[3], &batch));
  EXPECT_OK(cu.cuGraphHostNodeGetParams(nodes[2], &told));
  EXPECT_EQ(told.fn, host.host.fn);
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeSetParams(nodes[2], &fill)); // of another type
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphNodeSetParams(nodes[2], nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecNodeSetParams(exec, nodes[2], &batch));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddNode(nodes, graph, nullptr, 0, nullptr));
  fill.reserved2 = 1;
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddNode(nodes, graph, nullptr, 0, &fill));
  copy.memcpy.copyCtx = reinterpret_cast<CUcontext>(64);
  EXPECT_ERROR(INVALID_CONTEXT, cu.cuGraphAddNode(nodes, graph, nullptr, 0, &copy));
  CUgraphNodeParams kernel = {}, child = {};
  kernel.type = CU_GRAPH_NODE_TYPE_KERNEL;
  EXPECT_ERROR(INVALID_HANDLE, cu.cuGraphAddNode(nodes, graph, nullptr, 0, &kernel));
  child.type = CU_GRAPH_NODE_TYPE_GRAPH;
  child.graph = {graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE};
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuGraphAddNode(nodes, graph, nullptr, 0, &child));
  EXPECT_ERROR(NOT_SUPPORTED, cu.cuGraphExecNodeSetParams(exec, nodes[0], &child));
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(AnyNodes, chooseByConditions) {
  NewContext context;
  Words words;
  CUgraph graph;
  CUgraphNode node, inside;
  CUgraphConditionalHandle handle;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphConditionalHandleCreate(nullptr, graph, nullptr, 1, 0));
  EXPECT_ERROR(INVALID_CONTEXT,
               cu.cuGraphConditionalHandleCreate(&handle, graph, reinterpret_cast<CUcontext>(64), 1,
                                                 CU_GRAPH_COND_ASSIGN_DEFAULT));
  ASSERT_OK(cu.cuGraphConditionalHandleCreate(&handle, graph, context.handle, 1,
                                              CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams params = {};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_IF;
  params.conditional.size = 1;
  params.conditional.ctx = context.handle;
  ASSERT_OK(cu.cuGraphAddNode(&node, graph, nullptr, 0, &params));
  CUgraph body = params.conditional.phGraph_out[0];
  const CUDA_MEMSET_NODE_PARAMS fill = {words.at(), 0, 4, 4, 1, 1};
  ASSERT_OK(cu.cuGraphAddMemsetNode(&inside, body, nullptr, 0, &fill, context.handle));
  CUgraphExec exec;
  ASSERT_OK(cu.cuGraphInstantiateWithFlags(&exec, graph, 0));
  EXPECT_OK(cu.cuGraphLaunch(exec, nullptr));
  EXPECT_OK(cu.cuStreamSynchronize(nullptr));
  EXPECT_EQ(words.read(), 4u);
  EXPECT_OK(cu.cuGraphExecDestroy(exec));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(KernelNodes, wantKernels) {
  NewContext context;
  CUgraph graph;
  CUgraphNode node, empty;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  ASSERT_OK(cu.cuGraphAddEmptyNode(&empty, graph, nullptr, 0));
  CUDA_KERNEL_NODE_PARAMS params = {};
  CUDA_KERNEL_NODE_PARAMS_v1 old = {};
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, nullptr));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &params));
  EXPECT_ERROR(INVALID_HANDLE, cu.cuGraphAddKernelNode(&node, graph, nullptr, 0, &old));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphKernelNodeGetParams_v2(empty, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphKernelNodeGetParams(empty, nullptr));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphKernelNodeSetParams_v2(empty, &params));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphKernelNodeSetParams(empty, &old));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphExecKernelNodeSetParams(nullptr, empty, &old));
  CUkernelNodeAttrValue value;
  EXPECT_ERROR(INVALID_VALUE,
               cu.cuGraphKernelNodeGetAttribute(empty, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

TEST(UserObjects, liveAsLongAsTheyAreHeld) {
  NewContext context;
  int destroyed = 0;
  CUuserObject object = nullptr;
  CUgraph graph;
  ASSERT_OK(cu.cuGraphCreate(&graph, 0));
  constexpr unsigned NoSync = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  EXPECT_ERROR(INVALID_VALUE, cu.cuUserObjectCreate(&object, &destroyed, addOne, 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuUserObjectCreate(&object, &destroyed, nullptr, 1, NoSync));
  ASSERT_OK(cu.cuUserObjectCreate(&object, &destroyed, addOne, 1, NoSync));
  EXPECT_OK(cu.cuUserObjectRetain(object, 2));
  EXPECT_OK(cu.cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  EXPECT_OK(cu.cuGraphRetainUserObject(graph, object, 1, 0));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphRetainUserObject(graph, object, 1, 2));
  EXPECT_OK(cu.cuGraphReleaseUserObject(graph, object, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphReleaseUserObject(graph, nullptr, 1));
  EXPECT_OK(cu.cuUserObjectRelease(object, 2));
  EXPECT_EQ(destroyed, 0);
  EXPECT_OK(cu.cuGraphDestroy(graph)); // has the last one
  EXPECT_EQ(destroyed, 1);
  EXPECT_ERROR(INVALID_VALUE, cu.cuUserObjectRelease(object, 1));
  EXPECT_ERROR(INVALID_VALUE, cu.cuUserObjectRetain(object, 1));
}

TEST(Graphs, arePrinted) {
  NewContext context;
  int value = 0;
  CUgraphNode node;
  CUgraph graph = makeGraph(addOne, &value, &node);
  const std::string path = testing::TempDir() + "graph_" + std::to_string(getpid()) + ".dot";
  EXPECT_OK(cu.cuGraphDebugDotPrint(graph, path.c_str(), CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE));
  FILE *file = std::fopen(path.c_str(), "r");
  ASSERT_TRUE(file);
  char text[1024] = {};
  EXPECT_GT(std::fread(text, 1, sizeof text - 1, file), 0u);
  EXPECT_NE(std::string(text).find("digraph"), std::string::npos);
  std::fclose(file);
  unlink(path.c_str());
  EXPECT_ERROR(INVALID_VALUE, cu.cuGraphDebugDotPrint(graph, nullptr, 0));
  EXPECT_ERROR(OPERATING_SYSTEM, cu.cuGraphDebugDotPrint(graph, "/no/such/folder/graph.dot", 0));
  EXPECT_OK(cu.cuGraphDestroy(graph));
}

} // namespace
