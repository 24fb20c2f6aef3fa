// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of host functions, events, child graphs and memory.
#include "driver/graphs/inner_graphs.h"
#include "driver/memory/graph_memory.h"
#include "driver/nodes/node_makers.h"
#include "driver/streams/event.h"
#include "driver/streams/host_operation.h"

namespace heddle::driver {

CUresult makeHost(const cudaHostNodeParams *params, std::unique_ptr<Operation> &operation) {
  if (!params || !params->fn)
    return CUDA_ERROR_INVALID_VALUE;
  operation =
      std::make_unique<HostOperation>(HostWork{&currentContext(), params->fn, params->userData});
  return CUDA_SUCCESS;
}

CUresult makeChild(const Graph &graph, cudaGraph_t handle, std::unique_ptr<Operation> &operation) {
  Graph *child = graphOf(handle), *copy;
  if (!child || child == &graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = copyGraph(*child, false, copy))
    return error;
  operation = std::make_unique<ChildOperation>(copy);
  operation->device = &currentContext();
  return CUDA_SUCCESS;
}

namespace {

auto hostOf(const cudaHostNodeParams *params) {
  return [=](auto &operation, auto &...) { return makeHost(params, operation); };
}

template <typename T> auto eventOf(cudaEvent_t event) {
  return
      [=](auto &operation, auto &...) { return makeEvent<T>(event, currentContext(), operation); };
}

template <typename T> CUresult getEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return withNode<T>(node, [&](const T &operation) -> CUresult {
    if (!event)
      return CUDA_ERROR_INVALID_VALUE;
    *event = operation.event;
    return CUDA_SUCCESS;
  });
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                              const cudaGraphNode_t *dependencies, size_t count,
                                              const cudaHostNodeParams *params) {
  return addOperation(node, graph, dependencies, count, hostOf(params));
}

CUresult heddle::driver::cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                    cudaHostNodeParams *params) {
  return withNode<HostOperation>(node, [&](const HostOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = {operation.work.function, operation.work.data};
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                    const cudaHostNodeParams *params) {
  return setOperation<HostOperation>(node, hostOf(params));
}

CUresult heddle::driver::cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable,
                                                        cudaGraphNode_t node,
                                                        const cudaHostNodeParams *params) {
  return setOperation<HostOperation>(executable, node, hostOf(params));
}

CUresult heddle::driver::cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                     const cudaGraphNode_t *dependencies,
                                                     size_t count, cudaEvent_t event) {
  return addOperation(node, graph, dependencies, count, eventOf<RecordOperation>(event));
}

CUresult heddle::driver::cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node,
                                                          cudaEvent_t *event) {
  return getEvent<RecordOperation>(node, event);
}

CUresult heddle::driver::cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setOperation<RecordOperation>(node, eventOf<RecordOperation>(event));
}

CUresult heddle::driver::cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable,
                                                              cudaGraphNode_t node,
                                                              cudaEvent_t event) {
  return setOperation<RecordOperation>(executable, node, eventOf<RecordOperation>(event));
}

CUresult heddle::driver::cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *dependencies,
                                                   size_t count, cudaEvent_t event) {
  return addOperation(node, graph, dependencies, count, eventOf<WaitOperation>(event));
}

CUresult heddle::driver::cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return getEvent<WaitOperation>(node, event);
}

CUresult heddle::driver::cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setOperation<WaitOperation>(node, eventOf<WaitOperation>(event));
}

CUresult heddle::driver::cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node,
                                                            cudaEvent_t event) {
  return setOperation<WaitOperation>(executable, node, eventOf<WaitOperation>(event));
}

CUresult heddle::driver::cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                    const cudaGraphNode_t *dependencies,
                                                    size_t count, cudaGraph_t child) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, nullptr, count,
                      [&](Graph &to, auto &operation) { return makeChild(to, child, operation); });
  });
}

CUresult heddle::driver::cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  return withNode<ChildOperation>(node, [&](const ChildOperation &operation) -> CUresult {
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    *graph = handleOf(operation.graph);
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t handle,
                                                              cudaGraphNode_t nodeHandle,
                                                              cudaGraph_t childHandle) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    Node *node = nodeIn(executable, nodeHandle);
    const Graph *graph = graphOf(childHandle);
    auto *child = node ? operationAs<ChildOperation>(node->operation.get()) : nullptr;
    if (!child || !graph || update(*child->graph, *graph).result)
      return CUDA_ERROR_INVALID_VALUE;
    executable.isOld = true;
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, size_t count,
                                                  cudaMemAllocNodeParams *params) {
  return addOperation(node, graph, dependencies, count, [&](auto &operation) {
    return params ? makeAlloc(*params, operation) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult heddle::driver::cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                        cudaMemAllocNodeParams *params) {
  return withNode<AllocOperation>(node, [&](const AllocOperation &operation) -> CUresult {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    *params = operation.params;
    params->accessDescs = operation.access.data();
    return CUDA_SUCCESS;
  });
}

CUresult heddle::driver::cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *dependencies, size_t count,
                                                 void *p) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, nullptr, count, [&](Graph &to, auto &operation) {
      return freesAlready(to, p) ? CUDA_ERROR_INVALID_VALUE : makeFree(p, operation);
    });
  });
}

CUresult heddle::driver::cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
  return withNode<FreeOperation>(node, [&](const FreeOperation &operation) -> CUresult {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<void **>(out) = operation.pointer;
    return CUDA_SUCCESS;
  });
}
