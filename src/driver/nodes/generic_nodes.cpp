// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of any kind: cudaGraphAddNode and its like, whose parameters say of which.
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
CUresult make(Graph &graph, cudaGraphNodeParams &p, const Operation *before,
              std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case cudaGraphNodeTypeKernel: {
    const cudaKernelNodeParams kernel = plain(p.kernel);
    return readKernelNode(&kernel, operationAs<KernelOperation>(before), operation);
  }
  case cudaGraphNodeTypeMemcpy:
    return p.memcpy.flags ? CUDA_ERROR_INVALID_VALUE : makeCopy(&p.memcpy.copyParams, operation);
  case cudaGraphNodeTypeMemset: {
    const auto fill = as<cudaMemsetParams>(p.memset);
    return makeFill(&fill, operation);
  }
  case cudaGraphNodeTypeHost: {
    const auto host = as<cudaHostNodeParams>(p.host);
    return makeHost(&host, operation);
  }
  case cudaGraphNodeTypeEventRecord:
    return makeEvent<RecordOperation>(p.eventRecord.event, currentContext(), operation);
  case cudaGraphNodeTypeWaitEvent:
    return makeEvent<WaitOperation>(p.eventWait.event, currentContext(), operation);
  case cudaGraphNodeTypeExtSemaphoreSignal:
    return makeSemaphores<SignalOperation>(p.extSemSignal.extSemArray, p.extSemSignal.paramsArray,
                                           p.extSemSignal.numExtSems, currentContext(), operation);
  case cudaGraphNodeTypeExtSemaphoreWait:
    return makeSemaphores<SemaphoreWaitOperation>(p.extSemWait.extSemArray,
                                                  p.extSemWait.paramsArray, p.extSemWait.numExtSems,
                                                  currentContext(), operation);
  case cudaGraphNodeTypeGraph:
    return makeChild(graph, p.graph.graph, operation);
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/// The same for nodes that can be added and not changed.
CUresult makeNew(Graph &graph, cudaGraphNodeParams &p, std::unique_ptr<Operation> &operation) {
  switch (p.type) {
  case cudaGraphNodeTypeEmpty:
    operation = std::make_unique<EmptyOperation>();
    operation->device = &currentContext();
    return CUDA_SUCCESS;
  case cudaGraphNodeTypeMemAlloc: {
    auto alloc = as<cudaMemAllocNodeParams>(p.alloc);
    CUresult error = makeAlloc(alloc, operation);
    p.alloc.dptr = alloc.dptr;
    return error;
  }
  case cudaGraphNodeTypeMemFree:
    return freesAlready(graph, p.free.dptr) ? CUDA_ERROR_INVALID_VALUE
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

/// Whether parameters can be given to a node of such a type. Errors: CUDA_ERROR_INVALID_VALUE,
/// CUDA_ERROR_NOT_SUPPORTED.
CUresult canChange(const Node &node, const cudaGraphNodeParams *p) {
  if (!p || hasReserved(*p) || node.operation->type() != p->type)
    return CUDA_ERROR_INVALID_VALUE;
  switch (p->type) {
  case cudaGraphNodeTypeConditional:
  case cudaGraphNodeTypeMemAlloc:
  case cudaGraphNodeTypeMemFree:
    return CUDA_ERROR_NOT_SUPPORTED;
  default:
    return CUDA_SUCCESS;
  }
}

/// The operation of a node (null is an error) with other parameters.
CUresult remake(const Node *node, cudaGraphNodeParams *params,
                std::unique_ptr<Operation> &operation) {
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = canChange(*node, params))
    return error;
  return make(*node->graph, *params, node->operation.get(), operation);
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaGraphAddNode_v2(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies,
                                             const cudaGraphEdgeData *data, size_t count,
                                             cudaGraphNodeParams *params) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, data, count, [&](Graph &to, auto &operation) {
      return params && !hasReserved(*params) ? makeNew(to, *params, operation)
                                             : CUDA_ERROR_INVALID_VALUE;
    });
  });
}

CUresult heddle::driver::cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                          const cudaGraphNode_t *dependencies, size_t count,
                                          cudaGraphNodeParams *params) {
  return cudaGraphAddNode_v2(node, graph, dependencies, nullptr, count, params);
}

CUresult heddle::driver::cudaGraphNodeSetParams(cudaGraphNode_t handle,
                                                cudaGraphNodeParams *params) {
  return enter([&]() -> CUresult {
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

CUresult heddle::driver::cudaGraphExecNodeSetParams(cudaGraphExec_t handle,
                                                    cudaGraphNode_t nodeHandle,
                                                    cudaGraphNodeParams *params) {
  if (params && params->type == cudaGraphNodeTypeGraph && !hasReserved(*params))
    return cudaGraphExecChildGraphNodeSetParams(handle, nodeHandle, params->graph.graph);
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    std::unique_ptr<Operation> operation;
    if (CUresult error = remake(nodeIn(executable, nodeHandle), params, operation))
      return error;
    return replace(executable, nodeHandle, std::move(operation));
  });
}
