// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of all kinds but kernels (tests/run/graph_*.cu), copies and fills (copy_nodes_test.cpp):
// their parameters, before and after an executable graph was made. Which error is given where:
// tests/runtime/graph_probe.cu.
#include "runtime/graphs/nodes_test.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace {

void count(void *n) { ++*static_cast<int *>(n); }
void countTen(void *n) { *static_cast<int *>(n) += 10; }

TEST_F(Nodes, hostFunctions) {
  int n = 0;
  cudaHostNodeParams p = {count, &n}, told;
  ASSERT_OK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &p));
  EXPECT_OK(cudaGraphHostNodeGetParams(node, &told));
  EXPECT_EQ(told.fn, p.fn);
  EXPECT_EQ(told.userData, &n);
  instantiate();
  p.fn = countTen;
  EXPECT_OK(cudaGraphHostNodeSetParams(node, &p)) << "the executable graph keeps what it has";
  runOnce(executable);
  EXPECT_EQ(n, 1);
  EXPECT_OK(cudaGraphExecHostNodeSetParams(executable, node, &p));
  runOnce(executable);
  EXPECT_EQ(n, 11);
  cudaGraphNodeParams generic = {};
  generic.type = cudaGraphNodeTypeHost;
  generic.host = {count, &n};
  EXPECT_OK(cudaGraphExecNodeSetParams(executable, node, &generic));
  EXPECT_OK(cudaGraphNodeSetParams(node, &generic));
  runOnce(executable);
  EXPECT_EQ(n, 12);
  generic.type = cudaGraphNodeTypeEmpty;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphExecNodeSetParams(executable, node, &generic));
}

TEST_F(Nodes, events) {
  cudaEvent_t first, second, got;
  ASSERT_OK(cudaEventCreate(&first));
  ASSERT_OK(cudaEventCreate(&second));
  cudaGraphNode_t wait;
  ASSERT_OK(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, second));
  ASSERT_OK(cudaGraphAddEventRecordNode(&node, graph, &wait, 1, first));
  EXPECT_OK(cudaGraphEventRecordNodeGetEvent(node, &got));
  EXPECT_EQ(got, first);
  instantiate();
  EXPECT_OK(cudaEventRecord(second, nullptr));
  runOnce(executable);
  float ms = -1;
  EXPECT_OK(cudaEventElapsedTime(&ms, second, first)) << "the launch has recorded it";
  EXPECT_GE(ms, 0);
  EXPECT_OK(cudaGraphEventRecordNodeSetEvent(node, second));
  EXPECT_OK(cudaGraphEventWaitNodeSetEvent(wait, first));
  EXPECT_OK(cudaGraphEventWaitNodeGetEvent(wait, &got));
  EXPECT_EQ(got, first);
  EXPECT_OK(cudaGraphExecEventRecordNodeSetEvent(executable, node, second));
  EXPECT_OK(cudaGraphExecEventWaitNodeSetEvent(executable, wait, first));
  runOnce(executable);
  EXPECT_OK(cudaEventElapsedTime(&ms, first, second));
  EXPECT_GE(ms, 0);
  EXPECT_OK(cudaEventDestroy(first));
  EXPECT_OK(cudaEventDestroy(second));
}

TEST_F(Nodes, edgesAreListed) {
  cudaGraphNode_t a, b, c, got[4];
  cudaGraphEdgeData data[4];
  size_t n = 4;
  ASSERT_OK(cudaGraphAddEmptyNode(&a, graph, nullptr, 0));
  ASSERT_OK(cudaGraphAddEmptyNode(&b, graph, nullptr, 0));
  cudaGraphNode_t both[] = {b, a};
  ASSERT_OK(cudaGraphAddEmptyNode(&c, graph, both, 2));
  EXPECT_OK(cudaGraphNodeGetDependencies(c, got, &n));
  EXPECT_EQ(n, 2u);
  EXPECT_EQ(got[0], b);
  EXPECT_EQ(got[1], a);
  EXPECT_EQ(got[2], nullptr);
  n = 4;
  EXPECT_OK(cudaGraphNodeGetDependencies_v2(c, got, data, &n));
  EXPECT_EQ(data[0].type, cudaGraphDependencyTypeDefault);
  EXPECT_OK(cudaGraphNodeGetDependentNodes(a, nullptr, &n));
  EXPECT_EQ(n, 1u);
  EXPECT_OK(cudaGraphNodeGetDependentNodes_v2(a, got, data, &n));
  EXPECT_EQ(got[0], c);
  data[0] = {};
  EXPECT_OK(cudaGraphRemoveDependencies_v2(graph, &a, &c, data, 1));
  EXPECT_OK(cudaGraphAddDependencies_v2(graph, &c, &a, data, 1));
  EXPECT_OK(cudaGraphAddDependencies(graph, &a, &b, 1));
  cudaGraphNode_t from[4], to[4];
  n = 4;
  EXPECT_OK(cudaGraphGetEdges(graph, from, to, &n));
  EXPECT_EQ(n, 3u); // b to c, c to a, a to b
  n = 4;
  EXPECT_OK(cudaGraphGetEdges_v2(graph, from, to, data, &n));
  EXPECT_EQ(data[2].from_port, 0);
  EXPECT_OK(cudaGraphGetRootNodes(graph, nullptr, &n));
  EXPECT_EQ(n, 0u);
  cudaGraphExec_t none;
  cudaGraphInstantiateParams p = {};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&none, graph, &p));
  EXPECT_EQ(p.result_out, cudaGraphInstantiateInvalidStructure) << "a circle";
  EXPECT_OK(cudaGraphRemoveDependencies(graph, &b, &c, 1));
  cudaGraphNodeParams empty = {};
  empty.type = cudaGraphNodeTypeEmpty;
  data[0] = {};
  ASSERT_OK(cudaGraphAddNode_v2(&node, graph, &b, data, 1, &empty));
  EXPECT_OK(cudaGraphGetRootNodes(graph, got, &(n = 4)));
  EXPECT_EQ(n, 1u);
  EXPECT_EQ(got[0], c);
}

TEST_F(Nodes, childGraphs) {
  int n = 0;
  cudaHostNodeParams one = {count, &n}, ten = {countTen, &n};
  cudaGraph_t child, changed, inside;
  cudaGraphNode_t leaf;
  ASSERT_OK(cudaGraphCreate(&child, 0));
  ASSERT_OK(cudaGraphCreate(&changed, 0));
  ASSERT_OK(cudaGraphAddHostNode(&leaf, child, nullptr, 0, &one));
  ASSERT_OK(cudaGraphAddHostNode(&leaf, changed, nullptr, 0, &ten));
  ASSERT_OK(cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child));
  EXPECT_OK(cudaGraphDestroy(child));
  cudaGraphNode_t second;
  ASSERT_OK(cudaGraphAddHostNode(&second, graph, &node, 1, &one));
  instantiate();
  runOnce(executable);
  EXPECT_EQ(n, 2);
  EXPECT_OK(cudaGraphExecChildGraphNodeSetParams(executable, node, changed));
  runOnce(executable);
  EXPECT_EQ(n, 13);
  EXPECT_OK(cudaGraphChildGraphNodeGetGraph(node, &inside));
  size_t size = 1;
  EXPECT_OK(cudaGraphGetNodes(inside, &leaf, &size));
  EXPECT_OK(cudaGraphExecHostNodeSetParams(executable, leaf, &one)) << "a node inside of a node";
  runOnce(executable);
  EXPECT_EQ(n, 15);
  ASSERT_OK(cudaGraphAddEmptyNode(&leaf, changed, nullptr, 0));
  EXPECT_CUDA(cudaErrorGraphExecUpdateFailure,
              cudaGraphExecChildGraphNodeSetParams(executable, node, changed));
  EXPECT_OK(cudaGraphDestroy(changed));
}

TEST_F(Nodes, memoryIsTakenAndGiven) {
  cudaMemAllocNodeParams p = {}, told;
  cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.bytesize = 100;
  p.accessDescs = &access;
  p.accessDescCount = 1;
  ASSERT_OK(cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p));
  EXPECT_OK(cudaGraphMemAllocNodeGetParams(node, &told));
  EXPECT_EQ(told.dptr, p.dptr);
  EXPECT_EQ(told.accessDescs[0].location.id, 1);
  cudaGraphNode_t fill;
  cudaMemsetParams set = {p.dptr, 0, 5, 1, 100, 1};
  ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph, &node, 1, &set));
  instantiate();
  runOnce(executable);
  EXPECT_EQ(read(p.dptr, 100), Bytes(100, 5));
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphLaunch(executable, stream)); // not freed
  EXPECT_OK(cudaFreeAsync(p.dptr, stream));
  EXPECT_OK(cudaGraphLaunch(executable, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaFree(p.dptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p.dptr));
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST_F(Nodes, memoryOutlivesItsGraph) {
  cudaGraph_t maker;
  cudaGraphExec_t once;
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  p.bytesize = 64;
  ASSERT_OK(cudaGraphCreate(&maker, 0));
  ASSERT_OK(cudaGraphAddMemAllocNode(&node, maker, nullptr, 0, &p));
  ASSERT_OK(cudaGraphInstantiate(&once, maker, 0));
  runOnce(once);
  EXPECT_OK(cudaGraphExecDestroy(once));
  EXPECT_OK(cudaGraphDestroy(maker));
  EXPECT_OK(cudaMemset(p.dptr, 3, 64));
  EXPECT_EQ(read(p.dptr, 64), Bytes(64, 3));
  ASSERT_OK(cudaGraphAddMemFreeNode(&node, graph, nullptr, 0, p.dptr));
  void *freed;
  EXPECT_OK(cudaGraphMemFreeNodeGetParams(node, &freed));
  EXPECT_EQ(freed, p.dptr);
  instantiate();
  runOnce(executable);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p.dptr)); // another graph has freed it
}

size_t freeMemory() {
  size_t free = 0, total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  return free;
}

/// Two graphs that each allocate more than half of the device, and free it.
TEST_F(Nodes, memoryCountsFromTheFirstLaunch) {
  const size_t before = freeMemory(), bytes = before / 5 * 3;
  cudaGraph_t second;
  cudaGraphExec_t executables[2];
  ASSERT_OK(cudaGraphCreate(&second, 0));
  int i = 0;
  for (cudaGraph_t one : {graph, second}) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location = {cudaMemLocationTypeDevice, 0};
    p.bytesize = before * 2;
    EXPECT_CUDA(cudaErrorMemoryAllocation, cudaGraphAddMemAllocNode(&node, one, nullptr, 0, &p));
    p.bytesize = bytes;
    ASSERT_OK(cudaGraphAddMemAllocNode(&node, one, nullptr, 0, &p));
    cudaGraphNode_t fill, gives;
    cudaMemsetParams set = {p.dptr, 0, 5, 1, 100, 1};
    ASSERT_OK(cudaGraphAddMemsetNode(&fill, one, &node, 1, &set));
    ASSERT_OK(cudaGraphAddMemFreeNode(&gives, one, &fill, 1, p.dptr));
    ASSERT_OK(cudaGraphInstantiate(&executables[i++], one, 0));
  }
  EXPECT_EQ(freeMemory(), before);
  runOnce(executables[0]);
  EXPECT_LT(freeMemory(), before - bytes + 4096);
  runOnce(executables[0]);
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaGraphLaunch(executables[1], stream));
  EXPECT_OK(cudaStreamDestroy(stream));
  ASSERT_OK(cudaDeviceGraphMemTrim(0));
  EXPECT_EQ(freeMemory(), before);
  runOnce(executables[1]);
  for (cudaGraphExec_t one : executables)
    EXPECT_OK(cudaGraphExecDestroy(one));
  EXPECT_OK(cudaGraphDestroy(second));
  EXPECT_EQ(freeMemory(), before);
}

/// What is changed or destroyed while a launch is under way changes nothing for that launch.
TEST_F(Nodes, launchesKeepWhatTheyHad) {
  struct Gate {
    std::atomic<bool> open{false};
    int n = 0;
  } gate;
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  cudaHostNodeParams p = {count, &gate.n};
  ASSERT_OK(cudaGraphAddHostNode(&node, graph, nullptr, 0, &p));
  instantiate();
  ASSERT_OK(cudaLaunchHostFunc(
      stream,
      [](void *g) {
        while (!static_cast<Gate *>(g)->open)
          ;
      },
      &gate));
  ASSERT_OK(cudaGraphLaunch(executable, stream));
  p.fn = countTen;
  EXPECT_OK(cudaGraphExecHostNodeSetParams(executable, node, &p));
  EXPECT_OK(cudaGraphLaunch(executable, stream));
  EXPECT_OK(cudaGraphExecDestroy(executable));
  executable = nullptr;
  gate.open = true;
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(gate.n, 11);
  EXPECT_OK(cudaStreamDestroy(stream));
}

TEST_F(Nodes, userObjectsGoWithTheLastLaunch) {
  int destroyed = 0;
  cudaUserObject_t object;
  ASSERT_OK(cudaUserObjectCreate(&object, &destroyed, count, 1, cudaUserObjectNoDestructorSync));
  ASSERT_OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  instantiate();
  ASSERT_OK(cudaGraphReleaseUserObject(graph, object, 1));
  EXPECT_OK(cudaGraphLaunch(executable, nullptr));
  EXPECT_EQ(destroyed, 0);
  EXPECT_OK(cudaGraphExecDestroy(executable));
  executable = nullptr;
  EXPECT_OK(cudaDeviceSynchronize());
  EXPECT_EQ(destroyed, 1);
}

std::string printed(cudaGraph_t graph, unsigned flags) {
  const std::string path = testing::TempDir() + "/graph_" + std::to_string(getpid()) + ".dot";
  EXPECT_OK(cudaGraphDebugDotPrint(graph, path.c_str(), flags));
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

TEST_F(Nodes, arePrinted) {
  cudaGraphNode_t fill, inner;
  cudaGraph_t child;
  cudaMemsetParams p = {buffer.get(), 0, 5, 4, 10, 1};
  ASSERT_OK(cudaGraphCreate(&child, 0));
  ASSERT_OK(cudaGraphAddEmptyNode(&inner, child, nullptr, 0));
  ASSERT_OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &p));
  ASSERT_OK(cudaGraphAddChildGraphNode(&node, graph, &fill, 1, child));
  const std::string brief = printed(graph, 0),
                    verbose = printed(graph, cudaGraphDebugDotFlagsVerbose);
  auto count = [](const std::string &text, const std::string &what) {
    size_t n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++n;
    return n;
  };
  EXPECT_EQ(count(brief, "digraph"), 1u);
  EXPECT_EQ(count(brief, "label=\"MEMSET"), 1u);
  EXPECT_EQ(count(brief, "label=\"EMPTY"), 1u);
  EXPECT_EQ(count(brief, "subgraph"), 1u);
  EXPECT_EQ(count(brief, " -> "), 1u);
  EXPECT_EQ(count(brief, "value 5"), 0u);
  EXPECT_EQ(count(verbose, "value 5"), 1u);
  EXPECT_EQ(count(printed(graph, cudaGraphDebugDotFlagsMemsetNodeParams), "40 x 1 x 1 bytes"), 1u);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaGraphDebugDotPrint(graph, nullptr, 0));
  EXPECT_CUDA(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(graph, "/no/such/folder/graph", 0));
  EXPECT_OK(cudaGraphDestroy(child));
}

} // namespace
