// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any kind, whose parameters say of which (driver API, cuGraphAddNode and its like).
#include "driver/copies/memory_operations.h"
#include "driver/functions.h"
#include "driver/graphs/inner_graphs.h"
#include "driver/launch/kernel_operation.h"
#include "driver/memory/graph_memory.h"
#include "driver/nodes/node_makers.h"
#include "driver/streams/event.h"
#include "driver/streams/semaphore.h"

#include <algorithm>
#include <cstring>

namespace heddle::driver {

namespace {

/// Structures with the same fields: the older versions', or those of the runtime API.
template <typename To, typename From> To as(const From &from) {
  static_assert(sizeof(To) <= sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

template <typename T, typename Params>
CUresult makeSemaphores(const Params &p, std::unique_ptr<Operation> &operation) {
  return makeSemaphores<T>(reinterpret_cast<const cudaExternalSemaphore_t *>(p.extSemArray),
                           reinterpret_cast<const typename T::Params *>(p.paramsArray),
                           p.numExtSems, currentContext(), operation);
}

/// A node gets a copy of its graph.
CUresult checkOwnership(const CUDA_CHILD_GRAPH_NODE_PARAMS &p) {
  if (p.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
    return CUDA_SUCCESS;
  reportFailure("graphs", "a child graph that moves into its node is not supported");
  return CUDA_ERROR_NOT_SUPPORTED;
}

/// The operation of a node's parameters. `before`: what the node does so far, or null.
CUresult make(const Graph &graph, const CUgraphNodeParams &p, const Operation *before,
              std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    if (!p.kernel.func && !p.kernel.kern)
      return CUDA_ERROR_INVALID_HANDLE;
    return readKernelNode(kernelParamsOf(p.kernel, p.kernel.kern, p.kernel.ctx),
                          operationAs<KernelOperation>(before), operation);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return p.memcpy.flags ? CUDA_ERROR_INVALID_VALUE : makeCopy(&p.memcpy.copyParams, operation);
  case CU_GRAPH_NODE_TYPE_MEMSET: {
    const auto fill = as<CUDA_MEMSET_NODE_PARAMS>(p.memset);
    return makeFill(&fill, operation);
  }
  case CU_GRAPH_NODE_TYPE_HOST: {
    const auto host = as<CUDA_HOST_NODE_PARAMS>(p.host);
    return makeHost(&host, operation);
  }
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return makeEvent<RecordOperation>(p.eventRecord.event, currentContext(), operation);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return makeEvent<WaitOperation>(p.eventWait.event, currentContext(), operation);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    return makeSemaphores<SignalOperation>(p.extSemSignal, operation);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    return makeSemaphores<SemaphoreWaitOperation>(p.extSemWait, operation);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    if (CUresult error = checkOwnership(p.graph))
      return error;
    return makeChild(graph, p.graph.graph, operation);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return makeMemoryOperation(p.memOp, currentContext(), operation);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// The same for nodes that can be added and not changed. What the program is told is written to the
/// parameters.
CUresult makeNew(Graph &graph, CUgraphNodeParams &p, std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case CU_GRAPH_NODE_TYPE_EMPTY:
    operation = std::make_unique<EmptyOperation>();
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
    auto alloc = as<cudaMemAllocNodeParams>(p.alloc);
    CUresult error = makeAlloc(alloc, operation);
    p.alloc.dptr = reinterpret_cast<CUdeviceptr>(alloc.dptr);
    return error;
  }
  case CU_GRAPH_NODE_TYPE_MEM_FREE: {
    void *pointer = reinterpret_cast<void *>(p.free.dptr);
    return freesAlready(graph, pointer) ? CUDA_ERROR_INVALID_VALUE : makeFree(pointer, operation);
  }
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return readConditional(graph, p.conditional, operation);
  default:
    return make(graph, p, nullptr, operation);
  }
}

/// Runs `body()` in the context that the parameters name, or in the current one, where a node of
/// their type works in one.
template <typename F> CUresult inContextFor(const CUgraphNodeParams &p, F &&body) {
  switch (p.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return inContext(p.kernel.func ? nullptr : p.kernel.ctx, body); // a function has its own
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return inContext(p.memcpy.copyCtx, body);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return inContext(p.memset.ctx, body);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return p.memOp.ctx ? inContext(p.memOp.ctx, body) : CUDA_ERROR_INVALID_VALUE;
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    if (!p.conditional.ctx)
      return p.conditional.handle ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
    return inContext(p.conditional.ctx, body);
  default:
    return anywhere(body);
  }
}

bool hasReserved(const CUgraphNodeParams &p) {
  auto isSet = [](auto word) { return word != 0; };
  return p.reserved2 || std::ranges::any_of(p.reserved0, isSet) ||
         (p.type == CU_GRAPH_NODE_TYPE_EMPTY && std::ranges::any_of(p.reserved1, isSet));
}

/// Whether parameters can be given to a node of such a type. Errors: CUDA_ERROR_INVALID_VALUE,
/// CUDA_ERROR_NOT_SUPPORTED.
CUresult canChange(const Node &node, const CUgraphNodeParams *p) {
  if (!p || hasReserved(*p) || static_cast<CUgraphNodeType>(node.operation->type()) != p->type)
    return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    return CUDA_SUCCESS;
  }
}

/// The operation of a node (null is an error) with other parameters.
CUresult remake(const Node *node, const CUgraphNodeParams *params,
                std::unique_ptr<Operation> &operation) {
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = canChange(*node, params))
    return error;
  return make(*node->graph, *params, node->operation.get(), operation);
}

} // namespace

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
  if (!params || hasReserved(*params))
    return CUDA_ERROR_INVALID_VALUE;
  return inContextFor(*params, [&] {
    return addNodeFor(node, graph, dependencies, asEdges(edges), count,
                      [&](Graph &to, auto &operation) { return makeNew(to, *params, operation); });
  });
}
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                        size_t count, CUgraphNodeParams *params) {
  return cuGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams *params) {
  return inContextOf(handle, [&]() -> CUresult {
    Node *node = nodeOf(handle);
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake(node, params, operation))
      return error;
    for (Graph *inside : node->operation->inside())
      destroyGraph(inside);
    setOperationOf(*node, std::move(operation));
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params) {
  if (params && params->type == CU_GRAPH_NODE_TYPE_GRAPH && !hasReserved(*params)) {
    if (CUresult error = checkOwnership(params->graph))
      return error;
    return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph.graph);
  }
  return inContextOf(node, [&] {
    return withExecutable(exec, [&](Executable &executable) -> CUresult {
      std::unique_ptr<Operation> operation;
      if (CUresult error = remake(nodeIn(executable, node), params, operation))
        return error;
      return replace(executable, node, std::move(operation));
    });
  });
}

} // namespace heddle::driver
