// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "copy_calls.h"
#include "memory_calls.h"

/// The parameters of nodes.
struct NodeParams {
  CUdeviceptr p = w.memory;
  int n = 1;
  float x = 0;
  void *arguments[4] = {&p, &n, &x};
  CUDA_KERNEL_NODE_PARAMS kernel = zeros<CUDA_KERNEL_NODE_PARAMS>();
  CUDA_KERNEL_NODE_PARAMS_v1 oldKernel = zeros<CUDA_KERNEL_NODE_PARAMS_v1>();
  CUDA_MEMCPY3D copy = boxCopy<CUDA_MEMCPY3D>();
  CUDA_MEMSET_NODE_PARAMS fill = zeros<CUDA_MEMSET_NODE_PARAMS>();
  CUDA_HOST_NODE_PARAMS host = zeros<CUDA_HOST_NODE_PARAMS>();
  CUDA_MEM_ALLOC_NODE_PARAMS alloc = zeros<CUDA_MEM_ALLOC_NODE_PARAMS>();
  CUstreamBatchMemOpParams operations[4] = {};
  CUDA_BATCH_MEM_OP_NODE_PARAMS batch = zeros<CUDA_BATCH_MEM_OP_NODE_PARAMS>();
  NodeParams() {
    kernel.func = w.add, kernel.kernelParams = arguments;
    kernel.gridDimX = kernel.gridDimY = kernel.gridDimZ = 1;
    kernel.blockDimX = kernel.blockDimY = kernel.blockDimZ = 1;
    oldKernel.func = w.add, oldKernel.kernelParams = arguments;
    oldKernel.gridDimX = oldKernel.gridDimY = oldKernel.gridDimZ = 1;
    oldKernel.blockDimX = oldKernel.blockDimY = oldKernel.blockDimZ = 1;
    fill.dst = w.memory, fill.elementSize = 4, fill.width = 16, fill.height = 1;
    host.fn = [](void *) {};
    alloc.poolProps = poolProperties();
    alloc.bytesize = 4096;
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = w.memory;
    batch.ctx = w.context, batch.count = 1, batch.paramArray = operations;
  }
};

inline void graphNodes() {
  makeWorld();
  makeDestroyedOnes();
  NodeParams params;
  CUgraph graph = nullptr, child = nullptr, other = nullptr, found = nullptr;
  CUgraphNode empty = nullptr, kernel = nullptr, copy = nullptr, fill = nullptr, host = nullptr,
              node = nullptr;
  CUgraphNode record = nullptr, wait = nullptr, alloc = nullptr, batch = nullptr, sub = nullptr,
              stray = nullptr;
  CUevent event = nullptr;
  CUdeviceptr p = 0;
  VARY(cuGraphCreate, &graph, 0);
  CU(cuGraphCreate)(&child, 0);
  CU(cuGraphCreate)(&other, 0);
  CU(cuGraphAddEmptyNode)(&stray, other, nullptr, 0);
  VARY(cuGraphAddEmptyNode, &empty, graph, nullptr, 0);
  CUgraphNode *one = padded(empty);
  NodeParams got; // they may point to what is the node's until it changes
  VARY(cuGraphAddEmptyNode, &node, graph, one, 1);
  CALL("of another graph", cuGraphAddEmptyNode, &node, graph, &stray, 1);
  CUgraphNode twice[] = {empty, empty};
  CALL("twice", cuGraphAddEmptyNode, &node, graph, twice, 2);
  VARY(cuGraphAddKernelNode, &node, graph, one, 1, &params.oldKernel);
  VARY(cuGraphAddKernelNode_v2, &kernel, graph, one, 1, &params.kernel);
  auto addKernel = [&](auto &s) {
    return CU(cuGraphAddKernelNode_v2)(&node, graph, nullptr, 0, &s);
  };
  fields("cuGraphAddKernelNode_v2", params.kernel, addKernel,
         {SET(func, nullptr), SET(gridDimX, 0), SET(gridDimY, 65536), SET(blockDimX, 0),
          SET(blockDimX, 1025), SET(sharedMemBytes, 49153), SET(kernelParams, nullptr)});
  VARY(cuGraphKernelNodeGetParams, kernel, &got.oldKernel);
  VARY(cuGraphKernelNodeGetParams_v2, kernel, &got.kernel);
  VARY(cuGraphKernelNodeSetParams, kernel, &params.oldKernel);
  VARY(cuGraphKernelNodeSetParams_v2, kernel, &params.kernel);
  CALL("of an empty node", cuGraphKernelNodeGetParams_v2, empty, &got.kernel);
  auto attribute = zeros<CUkernelNodeAttrValue>();
  VARY(cuGraphKernelNodeGetAttribute, kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute);
  VARY(cuGraphKernelNodeSetAttribute, kernel, CU_LAUNCH_ATTRIBUTE_PRIORITY, &attribute);
  for (int id = 0; id < 20; ++id) {
    std::memset(static_cast<void *>(&attribute), 0, sizeof attribute);
    const auto a = static_cast<CUkernelNodeAttrID>(id);
    CALL("attribute=" + std::to_string(id), cuGraphKernelNodeGetAttribute, kernel, a, &attribute);
    CALL("attribute=" + std::to_string(id), cuGraphKernelNodeSetAttribute, kernel, a, &attribute);
  }
  VARY(cuGraphKernelNodeCopyAttributes, kernel, kernel);
  VARY(cuGraphAddMemcpyNode, &copy, graph, one, 1, &params.copy, w.context);
  boxCopies("cuGraphAddMemcpyNode", params.copy, nullptr, [&](auto &s) {
    return CU(cuGraphAddMemcpyNode)(&node, graph, nullptr, 0, &s, w.context);
  });
  VARY(cuGraphMemcpyNodeGetParams, copy, &got.copy);
  VARY(cuGraphMemcpyNodeSetParams, copy, &params.copy);
  VARY(cuGraphAddMemsetNode, &fill, graph, one, 1, &params.fill, w.context);
  fields("cuGraphAddMemsetNode", params.fill,
         [&](auto &s) { return CU(cuGraphAddMemsetNode)(&node, graph, nullptr, 0, &s, w.context); },
         {SET(dst, 0), SET(dst, 8), SET(elementSize, 0), SET(elementSize, 1), SET(elementSize, 3),
          SET(elementSize, 8), SET(width, 0), SET(width, 100000), SET(height, 0), SET(height, 2),
          SET(pitch, 4), SET(pitch, 64)});
  VARY(cuGraphMemsetNodeGetParams, fill, &got.fill);
  VARY(cuGraphMemsetNodeSetParams, fill, &params.fill);
  VARY(cuGraphAddHostNode, &host, graph, one, 1, &params.host);
  fields("cuGraphAddHostNode", params.host,
         [&](auto &s) { return CU(cuGraphAddHostNode)(&node, graph, nullptr, 0, &s); },
         {SET(fn, nullptr)});
  VARY(cuGraphHostNodeGetParams, host, &got.host);
  VARY(cuGraphHostNodeSetParams, host, &params.host);
  VARY(cuGraphAddChildGraphNode, &sub, graph, one, 1, child);
  CALL("of itself", cuGraphAddChildGraphNode, &node, graph, nullptr, 0, graph);
  VARY(cuGraphChildGraphNodeGetGraph, sub, &found);
  value("is another", found != child);
  CALL("of a node", cuGraphDestroy, found);
  VARY(cuGraphAddEventRecordNode, &record, graph, one, 1, w.event);
  VARY(cuGraphEventRecordNodeGetEvent, record, &event);
  VARY(cuGraphEventRecordNodeSetEvent, record, w.event);
  VARY(cuGraphAddEventWaitNode, &wait, graph, one, 1, w.event);
  VARY(cuGraphEventWaitNodeGetEvent, wait, &event);
  VARY(cuGraphEventWaitNodeSetEvent, wait, w.event);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = zeros<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>();
  CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = zeros<CUDA_EXT_SEM_WAIT_NODE_PARAMS>();
  VARY(cuGraphAddExternalSemaphoresSignalNode, &node, graph, one, 1, &signals);
  VARY(cuGraphExternalSemaphoresSignalNodeGetParams, empty, &signals);
  VARY(cuGraphExternalSemaphoresSignalNodeSetParams, empty, &signals);
  VARY(cuGraphAddExternalSemaphoresWaitNode, &node, graph, one, 1, &waits);
  VARY(cuGraphExternalSemaphoresWaitNodeGetParams, empty, &waits);
  VARY(cuGraphExternalSemaphoresWaitNodeSetParams, empty, &waits);
  VARY(cuGraphAddBatchMemOpNode, &batch, graph, one, 1, &params.batch);
  fields(
      "cuGraphAddBatchMemOpNode", params.batch,
      [&](auto &s) { return CU(cuGraphAddBatchMemOpNode)(&node, graph, nullptr, 0, &s); },
      {SET(ctx, nullptr), SET(count, 0), SET(count, 257), SET(paramArray, nullptr), SET(flags, 1)});
  VARY(cuGraphBatchMemOpNodeGetParams, batch, &got.batch);
  VARY(cuGraphBatchMemOpNodeSetParams, batch, &params.batch);
  VARY(cuGraphAddMemAllocNode, &alloc, graph, one, 1, &params.alloc);
  fields("cuGraphAddMemAllocNode", params.alloc,
         [&](auto &s) { return CU(cuGraphAddMemAllocNode)(&node, graph, nullptr, 0, &s); },
         {SET(bytesize, 0), SET(poolProps.allocType, 0), SET(poolProps.handleTypes, 1),
          SET(poolProps.location.type, 0), SET(poolProps.location.id, 1000),
          SET(poolProps.maxSize, 1)});
  VARY(cuGraphMemAllocNodeGetParams, alloc, &got.alloc);
  VARY(cuGraphAddMemFreeNode, &node, graph, padded(alloc), 1, params.alloc.dptr);
  CALL("again", cuGraphAddMemFreeNode, &node, graph, &alloc, 1, params.alloc.dptr);
  CALL("not of a graph", cuGraphAddMemFreeNode, &node, graph, nullptr, 0, w.memory);
  VARY(cuGraphMemFreeNodeGetParams, node, &p);
  CALL("of a graph with memory", cuGraphClone, &found, graph);
  CALL("with memory", cuGraphAddChildGraphNode, &node, other, nullptr, 0, graph);
  cuuint64_t number = 0;
  VARY(cuDeviceGetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &number);
  VARY(cuDeviceSetGraphMemAttribute, 0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &number);
  for (int a = 0; a < 5; ++a) {
    CALL("attribute=" + std::to_string(a), cuDeviceGetGraphMemAttribute, 0,
         static_cast<CUgraphMem_attribute>(a), &number);
    number = 0;
    CALL("0, attribute=" + std::to_string(a), cuDeviceSetGraphMemAttribute, 0,
         static_cast<CUgraphMem_attribute>(a), &number);
    number = 9;
    CALL("9, attribute=" + std::to_string(a), cuDeviceSetGraphMemAttribute, 0,
         static_cast<CUgraphMem_attribute>(a), &number);
  }
  VARY(cuDeviceGraphMemTrim, 0);
  // The same through the general functions.
  for (int type = 0; type < 16; ++type) {
    auto general = zeros<CUgraphNodeParams>();
    general.type = static_cast<CUgraphNodeType>(type);
    CALL("zeros, type=" + std::to_string(type), cuGraphAddNode, &node, graph, nullptr, 0, &general);
    CALL("zeros, type=" + std::to_string(type), cuGraphNodeSetParams, empty, &general);
  }
  auto general = zeros<CUgraphNodeParams>();
  general.type = CU_GRAPH_NODE_TYPE_HOST;
  general.host.fn = params.host.fn;
  VARY(cuGraphAddNode, &node, graph, one, 1, &general);
  CUgraphEdgeData edge[4] = {};
  VARY(cuGraphAddNode_v2, &node, graph, one, edge, 1, &general);
  fields("cuGraphAddNode_v2", edge[0],
         [&](auto &s) { return CU(cuGraphAddNode_v2)(&node, graph, one, &s, 1, &general); },
         {SET(from_port, 1), SET(from_port, 99), SET(to_port, 1), SET(type, 1), SET(type, 9),
          SET(reserved[0], 1)});
  fields("cuGraphAddNode_v2", general,
         [&](auto &s) { return CU(cuGraphAddNode_v2)(&node, graph, one, edge, 1, &s); },
         {SET(type, -1), SET(type, 99), SET(reserved0[0], 1), SET(reserved2, 1),
          SET(host.fn, nullptr)});
  VARY(cuGraphNodeSetParams, host, &general);
  CUgraphConditionalHandle handle = 0;
  VARY(cuGraphConditionalHandleCreate, &handle, graph, w.context, 1, 1);
  general = zeros<CUgraphNodeParams>();
  general.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  general.conditional.handle = handle;
  general.conditional.size = 1;
  general.conditional.ctx = w.context;
  fields("cuGraphAddNode_v2 conditional", general,
         [&](auto &s) { return CU(cuGraphAddNode_v2)(&node, graph, nullptr, nullptr, 0, &s); },
         {SET(conditional.handle, 0), SET(conditional.handle, 99999), SET(conditional.type, 9),
          SET(conditional.size, 0), SET(conditional.size, 3), SET(conditional.ctx, nullptr),
          SET(conditional.type, 1)});
  CALL("the handle again", cuGraphAddNode_v2, &node, graph, nullptr, nullptr, 0, &general);
  endUnit();
}

inline void graphShapes() {
  makeWorld();
  makeDestroyedOnes();
  CUgraph graph = nullptr, clone = nullptr, other = nullptr;
  CUgraphNode a = nullptr, b = nullptr, c = nullptr, found = nullptr, stray = nullptr, list[8] = {},
              to[8] = {};
  size_t count = 8;
  CUgraphEdgeData edges[8] = {};
  CUgraphNodeType type;
  CU(cuGraphCreate)(&graph, 0);
  CU(cuGraphCreate)(&other, 0);
  CU(cuGraphAddEmptyNode)(&a, graph, nullptr, 0);
  CU(cuGraphAddEmptyNode)(&b, graph, nullptr, 0);
  CU(cuGraphAddEmptyNode)(&c, graph, nullptr, 0);
  CU(cuGraphAddEmptyNode)(&stray, other, nullptr, 0);
  CUgraphNode *first = padded(a), *second = padded(b);
  VARY(cuGraphAddDependencies, graph, first, second, 1);
  CALL("again", cuGraphAddDependencies, graph, &a, &b, 1);
  CALL("a loop", cuGraphAddDependencies, graph, &b, &a, 1);
  CALL("of itself", cuGraphAddDependencies, graph, &a, &a, 1);
  CALL("of another graph", cuGraphAddDependencies, graph, &a, &stray, 1);
  VARY(cuGraphAddDependencies_v2, graph, padded(b), padded(c), edges, 1);
  edges[0].type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  CALL("programmatic", cuGraphAddDependencies_v2, graph, &a, &c, edges, 1);
  edges[0] = {};
  VARY(cuGraphGetNodes, graph, list, &count);
  value("count", count);
  count = 2;
  CALL("count=2", cuGraphGetNodes, graph, list, &count);
  value("count", count);
  count = 8;
  VARY(cuGraphGetRootNodes, graph, list, &count);
  value("count", count);
  count = 8;
  VARY(cuGraphGetEdges, graph, list, to, &count);
  value("count", count);
  count = 8;
  VARY(cuGraphGetEdges_v2, graph, list, to, edges, &count);
  count = 8;
  VARY(cuGraphNodeGetDependencies, b, list, &count);
  value("count", count);
  count = 8;
  VARY(cuGraphNodeGetDependencies_v2, b, list, edges, &count);
  count = 8;
  VARY(cuGraphNodeGetDependentNodes, b, list, &count);
  count = 8;
  VARY(cuGraphNodeGetDependentNodes_v2, b, list, edges, &count);
  VARY(cuGraphNodeGetType, a, &type);
  VARY(cuGraphClone, &clone, graph);
  VARY(cuGraphNodeFindInClone, &found, a, clone);
  CALL("not the clone", cuGraphNodeFindInClone, &found, a, other);
  CALL("not the original", cuGraphNodeFindInClone, &found, stray, clone);
  std::memset(edges, 0, sizeof edges);
  VARY(cuGraphRemoveDependencies, graph, first, second, 1);
  CALL("again", cuGraphRemoveDependencies, graph, &a, &b, 1);
  VARY(cuGraphRemoveDependencies_v2, graph, padded(b), padded(c), edges, 1);
  VARY(cuGraphDebugDotPrint, graph, "/dev/null", 0);
  CALL("flags=1", cuGraphDebugDotPrint, graph, "/dev/null", 1);
  CALL("no such folder", cuGraphDebugDotPrint, graph, "/there/is/none", 0);
  CUuserObject object = nullptr;
  auto destroy = [](void *) {};
  VARY(cuUserObjectCreate, &object, w.pageable, static_cast<CUhostFn>(destroy), 2,
       CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  VARY(cuUserObjectRetain, object, 1);
  VARY(cuGraphRetainUserObject, graph, object, 1, 0);
  CALL("moved", cuGraphRetainUserObject, graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE);
  VARY(cuGraphReleaseUserObject, graph, object, 1);
  VARY(cuUserObjectRelease, object, 1);
  VARY(cuGraphDestroyNode, c);
  VARY(cuGraphDestroy, graph);
  endUnit();
}

inline void graphLaunches() {
  makeWorld();
  makeDestroyedOnes();
  NodeParams params;
  CUgraph graph = nullptr, changed = nullptr, child = nullptr;
  CUgraphExec exec = nullptr;
  CUgraphNode kernel = nullptr, copy = nullptr, fill = nullptr, host = nullptr, record = nullptr,
              wait = nullptr;
  CUgraphNode sub = nullptr, batch = nullptr, empty = nullptr, bad = nullptr;
  char log[256];
  cuuint64_t flags = 0;
  unsigned isEnabled = 0;
  CU(cuGraphCreate)(&graph, 0);
  CU(cuGraphCreate)(&child, 0);
  CU(cuGraphAddEmptyNode)(&empty, child, nullptr, 0);
  CU(cuGraphAddKernelNode_v2)(&kernel, graph, nullptr, 0, &params.kernel);
  CU(cuGraphAddMemcpyNode)(&copy, graph, nullptr, 0, &params.copy, w.context);
  CU(cuGraphAddMemsetNode)(&fill, graph, nullptr, 0, &params.fill, w.context);
  CU(cuGraphAddHostNode)(&host, graph, nullptr, 0, &params.host);
  CU(cuGraphAddChildGraphNode)(&sub, graph, nullptr, 0, child);
  CU(cuGraphAddEventRecordNode)(&record, graph, nullptr, 0, w.event);
  CU(cuGraphAddEventWaitNode)(&wait, graph, nullptr, 0, w.event);
  CU(cuGraphAddBatchMemOpNode)(&batch, graph, nullptr, 0, &params.batch);
  CU(cuGraphAddEmptyNode)(&empty, graph, nullptr, 0);
  CU(cuGraphClone)(&changed, graph);
  VARY(cuGraphInstantiate, &exec, graph, &bad, log, 256);
  VARY(cuGraphInstantiate_v2, &exec, graph, &bad, log, 256);
  VARY(cuGraphInstantiateWithFlags, &exec, graph, 0);
  for (int flag : {1, 2, 4, 8, 16})
    CALL("flags=" + std::to_string(flag), cuGraphInstantiateWithFlags, &exec, graph, flag);
  auto instantiate = zeros<CUDA_GRAPH_INSTANTIATE_PARAMS>();
  VARY(cuGraphInstantiateWithParams, &exec, graph, &instantiate);
  value("result", instantiate.result_out);
  fields(
      "cuGraphInstantiateWithParams", instantiate,
      [&](auto &s) { return CU(cuGraphInstantiateWithParams)(&exec, graph, &s); },
      {SET(flags, 1), SET(flags, 2), SET(flags, 4), SET(flags, 99), SET(hUploadStream, w.stream)});
  CU(cuGraphInstantiateWithFlags)(&exec, graph, 0);
  VARY(cuGraphExecGetFlags, exec, &flags);
  VARY(cuGraphUpload, exec, w.stream);
  VARY(cuGraphLaunch, exec, w.stream);
  VARY(cuGraphExecKernelNodeSetParams, exec, kernel, &params.oldKernel);
  VARY(cuGraphExecKernelNodeSetParams_v2, exec, kernel, &params.kernel);
  auto set = [&](auto &s) { return CU(cuGraphExecKernelNodeSetParams_v2)(exec, kernel, &s); };
  fields("cuGraphExecKernelNodeSetParams_v2", params.kernel, set,
         {SET(func, w.nothing), SET(gridDimX, 0), SET(gridDimX, 9), SET(blockDimX, 1025),
          SET(kernelParams, nullptr)});
  VARY(cuGraphExecMemcpyNodeSetParams, exec, copy, &params.copy, w.context);
  fields("cuGraphExecMemcpyNodeSetParams", params.copy,
         [&](auto &s) { return CU(cuGraphExecMemcpyNodeSetParams)(exec, copy, &s, w.context); },
         {SET(WidthInBytes, 50), SET(Depth, 0), SET(Height, 17), SET(srcMemoryType, 1),
          SET(dstDevice, w.memory)});
  VARY(cuGraphExecMemsetNodeSetParams, exec, fill, &params.fill, w.context);
  fields("cuGraphExecMemsetNodeSetParams", params.fill,
         [&](auto &s) { return CU(cuGraphExecMemsetNodeSetParams)(exec, fill, &s, w.context); },
         {SET(width, 8), SET(width, 0), SET(height, 2), SET(elementSize, 1), SET(dst, 0),
          SET(dst, w.second)});
  VARY(cuGraphExecHostNodeSetParams, exec, host, &params.host);
  VARY(cuGraphExecChildGraphNodeSetParams, exec, sub, child);
  CALL("another shape", cuGraphExecChildGraphNodeSetParams, exec, sub, graph);
  VARY(cuGraphExecEventRecordNodeSetEvent, exec, record, w.event);
  VARY(cuGraphExecEventWaitNodeSetEvent, exec, wait, w.event);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = zeros<CUDA_EXT_SEM_SIGNAL_NODE_PARAMS>();
  CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = zeros<CUDA_EXT_SEM_WAIT_NODE_PARAMS>();
  VARY(cuGraphExecExternalSemaphoresSignalNodeSetParams, exec, empty, &signals);
  VARY(cuGraphExecExternalSemaphoresWaitNodeSetParams, exec, empty, &waits);
  VARY(cuGraphExecBatchMemOpNodeSetParams, exec, batch, &params.batch);
  auto general = zeros<CUgraphNodeParams>();
  general.type = CU_GRAPH_NODE_TYPE_HOST;
  general.host.fn = params.host.fn;
  VARY(cuGraphExecNodeSetParams, exec, host, &general);
  for (CUgraphNode n : {kernel, copy, fill, host, sub, record, batch, empty}) {
    CALL("0", cuGraphNodeSetEnabled, exec, n, 0);
    CALL("", cuGraphNodeGetEnabled, exec, n, &isEnabled);
    value("enabled", isEnabled);
  }
  VARY(cuGraphNodeSetEnabled, exec, kernel, 1);
  VARY(cuGraphNodeGetEnabled, exec, kernel, &isEnabled);
  CUgraphExecUpdateResult result;
  auto info = zeros<CUgraphExecUpdateResultInfo>();
  VARY(cuGraphExecUpdate, exec, graph, &bad, &result);
  VARY(cuGraphExecUpdate_v2, exec, graph, &info);
  CALL("a clone", cuGraphExecUpdate_v2, exec, changed, &info);
  value("result", info.result);
  CALL("another shape", cuGraphExecUpdate_v2, exec, child, &info);
  value("result", info.result);
  CU(cuGraphAddEmptyNode)(&empty, changed, nullptr, 0);
  CALL("one node more", cuGraphExecUpdate_v2, exec, changed, &info);
  value("result", info.result);
  CALL("with its graph gone", cuGraphDestroy, graph);
  CALL("with its graph gone", cuGraphLaunch, exec, w.stream);
  CALL("with its graph gone", cuGraphExecHostNodeSetParams, exec, host, &params.host);
  VARY(cuGraphExecDestroy, exec);
  endUnit();
}
