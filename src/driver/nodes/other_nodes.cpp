// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of host functions, events, graphs, memory and words of memory; conditional values (driver
// API, "Graph Management").
#include "driver/copies/memory_operations.h"
#include "driver/functions.h"
#include "driver/graphs/inner_graphs.h"
#include "driver/memory/graph_memory.h"
#include "driver/nodes/node_makers.h"
#include "driver/streams/event.h"
#include "driver/streams/host_operation.h"

#include <bit>

namespace heddle::driver {

CUresult makeHost(const CUDA_HOST_NODE_PARAMS *params, std::unique_ptr<Operation> &operation) {
  if (!params || !params->fn)
    return CUDA_ERROR_INVALID_VALUE;
  operation =
      std::make_unique<HostOperation>(HostWork{&currentContext(), params->fn, params->userData});
  return CUDA_SUCCESS;
}

CUresult makeChild(const Graph &graph, CUgraph handle, std::unique_ptr<Operation> &operation) {
  Graph *child = graphOf(handle), *copy;
  if (!child || child == &graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = copyGraph(*child, false, copy))
    return error;
  operation = std::make_unique<ChildOperation>(copy);
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Host functions.

namespace {

auto hostOf(const CUDA_HOST_NODE_PARAMS *params) {
  return [=](auto &operation, auto &...) { return makeHost(params, operation); };
}

} // namespace

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, const CUDA_HOST_NODE_PARAMS *params) {
  return anywhere([&] { return addOperation(node, graph, dependencies, count, hostOf(params)); });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params) {
  return withNode<HostOperation>(node, [&](const HostOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = {operation.work.function, operation.work.data};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params) {
  return setOperation<HostOperation>(node, hostOf(params));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params) {
  return setOperation<HostOperation>(exec, node, hostOf(params));
}

// ---------------------------------------------------------------------------------------------------
// Events.

namespace {

template <typename T> auto eventOf(CUevent event) {
  return
      [=](auto &operation, auto &...) { return makeEvent<T>(event, currentContext(), operation); };
}

template <typename T>
CUresult addEvent(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                  CUevent event) {
  return anywhere(
      [&] { return addOperation(node, graph, dependencies, count, eventOf<T>(event)); });
}

template <typename T> CUresult getEvent(CUgraphNode node, CUevent *event) {
  return withNode<T>(node, [&](const T &operation) -> CUresult {
    if (!event)
      return CUDA_ERROR_INVALID_VALUE;
    *event = operation.event;
    return CUDA_SUCCESS;
  });
}

} // namespace

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies, size_t count, CUevent event) {
  return addEvent<RecordOperation>(node, graph, dependencies, count, event);
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return getEvent<RecordOperation>(node, event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return setOperation<RecordOperation>(node, eventOf<RecordOperation>(event));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return setOperation<RecordOperation>(exec, node, eventOf<RecordOperation>(event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, CUevent event) {
  return addEvent<WaitOperation>(node, graph, dependencies, count, event);
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return getEvent<WaitOperation>(node, event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return setOperation<WaitOperation>(node, eventOf<WaitOperation>(event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return setOperation<WaitOperation>(exec, node, eventOf<WaitOperation>(event));
}

// ---------------------------------------------------------------------------------------------------
// Graphs inside.

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, CUgraph child) {
  return addNodeFor(node, graph, dependencies, nullptr, count,
                    [&](Graph &to, auto &operation) { return makeChild(to, child, operation); });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph) {
  return withNode<ChildOperation>(node, [&](const ChildOperation &operation) -> CUresult {
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    *graph = handleOf(operation.graph);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec handle, CUgraphNode nodeHandle,
                                            CUgraph childHandle) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Node *node = nodeIn(executable, nodeHandle);
    const Graph *graph = graphOf(childHandle);
    auto *child = node ? operationAs<ChildOperation>(node->operation.get()) : nullptr;
    if (!child || !graph)
      return CUDA_ERROR_INVALID_VALUE;
    if (update(*child->graph, *graph).result)
      return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    executable.isOld = true;
    return CUDA_SUCCESS;
  });
}

/// The context of the handle is where the conditional node will choose.
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph handle,
                                        CUcontext context, unsigned initial, unsigned flags) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  return inContext(context, [&]() -> CUresult {
    Graph *graph = graphOf(handle);
    if (!graph || (flags & ~unsigned(CU_GRAPH_COND_ASSIGN_DEFAULT)))
      return CUDA_ERROR_INVALID_VALUE;
    *out = addCondition(*graph, initial, flags & CU_GRAPH_COND_ASSIGN_DEFAULT);
    return CUDA_SUCCESS;
  });
}

// ---------------------------------------------------------------------------------------------------
// Memory.

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return addOperation(node, graph, dependencies, count, [&](auto &operation) {
    return params ? makeAlloc(*reinterpret_cast<cudaMemAllocNodeParams *>(params), operation)
                  : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return withNode<AllocOperation>(node, [&](const AllocOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = std::bit_cast<CUDA_MEM_ALLOC_NODE_PARAMS>(operation.params);
    params->accessDescs = reinterpret_cast<const CUmemAccessDesc *>(operation.access.data());
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUdeviceptr address) {
  void *p = reinterpret_cast<void *>(address);
  return addNodeFor(node, graph, dependencies, nullptr, count, [&](Graph &to, auto &operation) {
    return freesAlready(to, p) ? CUDA_ERROR_INVALID_VALUE : makeFree(p, operation);
  });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out) {
  return withNode<FreeOperation>(node, [&](const FreeOperation &operation) -> CUresult {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = reinterpret_cast<CUdeviceptr>(operation.pointer);
    return CUDA_SUCCESS;
  });
}

// ---------------------------------------------------------------------------------------------------
// Operations on words of memory.

CUresult cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  if (!params || !params->ctx)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams all = {};
  all.type = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  all.memOp = {params->ctx, params->count, params->paramArray, params->flags};
  return cuGraphAddNode(node, graph, dependencies, count, &all);
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode node, CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  return withNode<MemoryOperation>(node, [&](MemoryOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    auto &all = operation.operations.all;
    *params = {handleOf(*operation.device), static_cast<unsigned>(all.size()), all.data(), 0};
    return CUDA_SUCCESS;
  });
}

namespace {

auto operationOf(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p) {
  return [=](auto &operation, auto &before) -> CUresult {
    if (!p)
      return CUDA_ERROR_INVALID_VALUE;
    return makeMemoryOperation({p->ctx, p->count, p->paramArray, p->flags}, *before.device,
                               operation);
  };
}

} // namespace

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  return setOperation<MemoryOperation>(node, operationOf(params));
}

CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  return setOperation<MemoryOperation>(exec, node, operationOf(params));
}

} // namespace heddle::driver
