// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of host functions, events, child graphs and memory.
#include "runtime/graphs/inner_graphs.h"
#include "runtime/memory/graph_memory.h"
#include "runtime/nodes/node_makers.h"
#include "runtime/streams/event.h"
#include "runtime/streams/host_operation.h"

namespace heddle::runtime {

cudaError_t makeHost(const cudaHostNodeParams *params, std::unique_ptr<Operation> &operation) {
  if (!params || !params->fn)
    return cudaErrorInvalidValue;
  operation =
      std::make_unique<HostOperation>(HostWork{&currentDevice(), params->fn, params->userData});
  return cudaSuccess;
}

cudaError_t makeChild(const Graph &graph, cudaGraph_t handle,
                      std::unique_ptr<Operation> &operation) {
  Graph *child = graphOf(handle), *copy;
  if (!child || child == &graph)
    return cudaErrorInvalidValue;
  if (cudaError_t error = copyGraph(*child, false, copy))
    return error;
  operation = std::make_unique<ChildOperation>(copy);
  operation->device = &currentDevice();
  return cudaSuccess;
}

namespace {

auto hostOf(const cudaHostNodeParams *params) {
  return [=](auto &operation, auto &...) { return makeHost(params, operation); };
}

template <typename T> auto eventOf(cudaEvent_t event) {
  return
      [=](auto &operation, auto &...) { return makeEvent<T>(event, currentDevice(), operation); };
}

template <typename T> cudaError_t getEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return withNode<T>(node, [&](const T &operation) -> cudaError_t {
    if (!event)
      return cudaErrorInvalidValue;
    *event = operation.event;
    return cudaSuccess;
  });
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *dependencies, size_t count,
                                            const cudaHostNodeParams *params) {
  return addOperation(node, graph, dependencies, count, hostOf(params));
}

HEDDLE_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                  cudaHostNodeParams *params) {
  return withNode<HostOperation>(node, [&](const HostOperation &operation) -> cudaError_t {
    if (!params)
      return cudaErrorInvalidValue;
    *params = {operation.work.function, operation.work.data};
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                  const cudaHostNodeParams *params) {
  return setOperation<HostOperation>(node, hostOf(params));
}

HEDDLE_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable,
                                                      cudaGraphNode_t node,
                                                      const cudaHostNodeParams *params) {
  return setOperation<HostOperation>(executable, node, hostOf(params));
}

HEDDLE_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *dependencies,
                                                   size_t count, cudaEvent_t event) {
  return addOperation(node, graph, dependencies, count, eventOf<RecordOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return getEvent<RecordOperation>(node, event);
}

HEDDLE_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setOperation<RecordOperation>(node, eventOf<RecordOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable,
                                                            cudaGraphNode_t node,
                                                            cudaEvent_t event) {
  return setOperation<RecordOperation>(executable, node, eventOf<RecordOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *dependencies, size_t count,
                                                 cudaEvent_t event) {
  return addOperation(node, graph, dependencies, count, eventOf<WaitOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return getEvent<WaitOperation>(node, event);
}

HEDDLE_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return setOperation<WaitOperation>(node, eventOf<WaitOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable,
                                                          cudaGraphNode_t node, cudaEvent_t event) {
  return setOperation<WaitOperation>(executable, node, eventOf<WaitOperation>(event));
}

HEDDLE_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, size_t count,
                                                  cudaGraph_t child) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, nullptr, count,
                      [&](Graph &to, auto &operation) { return makeChild(to, child, operation); });
  });
}

HEDDLE_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  return withNode<ChildOperation>(node, [&](const ChildOperation &operation) -> cudaError_t {
    if (!graph)
      return cudaErrorInvalidValue;
    *graph = handleOf(operation.graph);
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t handle,
                                                            cudaGraphNode_t nodeHandle,
                                                            cudaGraph_t childHandle) {
  return withExecutable(handle, [&](Executable &executable) -> cudaError_t {
    Node *node = nodeIn(executable, nodeHandle);
    const Graph *graph = graphOf(childHandle);
    auto *child = node ? operationAs<ChildOperation>(node->operation.get()) : nullptr;
    if (!child || !graph || update(*child->graph, *graph).result)
      return cudaErrorInvalidValue;
    executable.isOld = true;
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t count,
                                                cudaMemAllocNodeParams *params) {
  return addOperation(node, graph, dependencies, count, [&](auto &operation) {
    return params ? makeAlloc(*params, operation) : cudaErrorInvalidValue;
  });
}

HEDDLE_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemAllocNodeParams *params) {
  return withNode<AllocOperation>(node, [&](const AllocOperation &operation) -> cudaError_t {
    if (!params)
      return cudaErrorInvalidValue;
    *params = operation.params;
    params->accessDescs = operation.access.data();
    return cudaSuccess;
  });
}

HEDDLE_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, size_t count,
                                               void *p) {
  return enter([&] {
    return addNodeFor(node, graph, dependencies, nullptr, count, [&](Graph &to, auto &operation) {
      return freesAlready(to, p) ? cudaErrorInvalidValue : makeFree(p, operation);
    });
  });
}

HEDDLE_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *out) {
  return withNode<FreeOperation>(node, [&](const FreeOperation &operation) -> cudaError_t {
    if (!out)
      return cudaErrorInvalidValue;
    *static_cast<void **>(out) = operation.pointer;
    return cudaSuccess;
  });
}
