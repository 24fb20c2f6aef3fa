// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any kind: cudaGraphAddNode and its like, whose parameters say of which.
#include "runtime/graphs/inner_graphs.h"
#include "runtime/launch/kernel_operation.h"
#include "runtime/memory/graph_memory.h"
#include "runtime/nodes/node_makers.h"
#include "runtime/streams/event.h"
#include "runtime/streams/semaphore.h"

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

cudaKernelNodeParams plain(const cudaKernelNodeParamsV2 &p) {
  const dim3 grid(p.gridDim.x, p.gridDim.y, p.gridDim.z);
  const dim3 block(p.blockDim.x, p.blockDim.y, p.blockDim.z);
  return {p.func, grid, block, p.sharedMemBytes, p.kernelParams, p.extra};
}

/// The older structures have the same fields.
template <typename To, typename From> To as(const From &from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// The operation of a node's parameters. `before`: what the node does so far, or null.
cudaError_t make(Graph &graph, cudaGraphNodeParams &p, const Operation *before,
                 std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParams kernel = plain(p.kernel);
    return readKernelNode(&kernel, operationAs<KernelOperation>(before), operation);
  }
  case cudaGraphNodeTypeMemcpy:
    return p.memcpy.flags ? cudaErrorInvalidValue : makeCopy(&p.memcpy.copyParams, operation);
  case cudaGraphNodeTypeMemset: {
    const auto fill = as<cudaMemsetParams>(p.memset);
    return makeFill(&fill, operation);
  }
  case cudaGraphNodeTypeHost: {
    const auto host = as<cudaHostNodeParams>(p.host);
    return makeHost(&host, operation);
  }
  case cudaGraphNodeTypeEventRecord:
    return makeEvent<RecordOperation>(p.eventRecord.event, currentDevice(), operation);
  case cudaGraphNodeTypeWaitEvent:
    return makeEvent<WaitOperation>(p.eventWait.event, currentDevice(), operation);
  case cudaGraphNodeTypeExtSemaphoreSignal:
    return makeSemaphores<SignalOperation>(p.extSemSignal.extSemArray, p.extSemSignal.paramsArray,
                                           p.extSemSignal.numExtSems, currentDevice(), operation);
  case cudaGraphNodeTypeExtSemaphoreWait:
    return makeSemaphores<SemaphoreWaitOperation>(p.extSemWait.extSemArray,
                                                  p.extSemWait.paramsArray, p.extSemWait.numExtSems,
                                                  currentDevice(), operation);
  case cudaGraphNodeTypeGraph:
    return makeChild(graph, p.graph.graph, operation);
  default:
    return cudaErrorInvalidValue;
  }
}

/// The same for nodes that can be added and not changed.
cudaError_t makeNew(Graph &graph, cudaGraphNodeParams &p, std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case cudaGraphNodeTypeEmpty:
    operation = std::make_unique<EmptyOperation>();
    operation->device = &currentDevice();
    return cudaSuccess;
  case cudaGraphNodeTypeMemAlloc: {
    auto alloc = as<cudaMemAllocNodeParams>(p.alloc);
    cudaError_t error = makeAlloc(alloc, operation);
    p.alloc.dptr = alloc.dptr;
    return error;
  }
  case cudaGraphNodeTypeMemFree:
    return freesAlready(graph, p.free.dptr) ? cudaErrorInvalidValue
                                            : makeFree(p.free.dptr, operation);
  case cudaGraphNodeTypeConditional:
    return readConditional(graph, p.conditional, operation);
  default:
    return make(graph, p, nullptr, operation);
  }
}

bool hasReserved(const cudaGraphNodeParams &p) {
  auto isSet = [](auto word) { return word != 0; };
  return p.reserved2 || std::ranges::any_of(p.reserved0, isSet) ||
         (p.type == cudaGraphNodeTypeEmpty && std::ranges::any_of(p.reserved1, isSet));
}

/// Whether parameters can be given to a node of such a type. Errors: cudaErrorInvalidValue,
/// cudaErrorNotSupported.
cudaError_t canChange(const Node &node, const cudaGraphNodeParams *p) {
  if (!p || hasReserved(*p) || node.operation->type() != p->type)
    return cudaErrorInvalidValue;
  switch (p->type) {
  case cudaGraphNodeTypeConditional:
  case cudaGraphNodeTypeMemAlloc:
  case cudaGraphNodeTypeMemFree:
    return cudaErrorNotSupported;
  default:
    return cudaSuccess;
  }
}

/// The operation of a node (null is an error) with other parameters.
cudaError_t remake(const Node *node, cudaGraphNodeParams *params,
                   std::unique_ptr<Operation> &operation) {
  if (!node)
    return cudaErrorInvalidValue;
  if (cudaError_t error = canChange(*node, params))
    return error;
  return make(*node->graph, *params, node->operation.get(), operation);
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies,
                                           const cudaGraphEdgeData *data, size_t count,
                                           cudaGraphNodeParams *params) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, data, count, [&](Graph &to, auto &operation) {
      return params && !hasReserved(*params) ? makeNew(to, *params, operation)
                                             : cudaErrorInvalidValue;
    });
  });
}

HEDDLE_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                        const cudaGraphNode_t *dependencies, size_t count,
                                        cudaGraphNodeParams *params) {
  return cudaGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

HEDDLE_API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t handle, cudaGraphNodeParams *params) {
  return enter([&]() -> cudaError_t {
    Node *node = nodeOf(handle);
    std::unique_ptr<Operation> operation;
    if (cudaError_t error = remake(node, params, operation))
      return error;
    for (Graph *inside : node->operation->inside())
      destroyGraph(inside);
    setOperationOf(*node, std::move(operation));
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t handle,
                                                  cudaGraphNode_t nodeHandle,
                                                  cudaGraphNodeParams *params) {
  if (params && params->type == cudaGraphNodeTypeGraph && !hasReserved(*params))
    return cudaGraphExecChildGraphNodeSetParams(handle, nodeHandle, params->graph.graph);
  return withExecutable(handle, [&](Executable &executable) -> cudaError_t {
    std::unique_ptr<Operation> operation;
    if (cudaError_t error = remake(nodeIn(executable, nodeHandle), params, operation))
      return error;
    return replace(executable, nodeHandle, std::move(operation));
  });
}
