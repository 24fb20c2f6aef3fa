// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that signal external semaphores and wait for them.
#include "runtime/nodes/node_access.h"
#include "runtime/streams/semaphore.h"

namespace heddle::runtime {

namespace {

/// T: SignalOperation or SemaphoreWaitOperation; NodeParams is its structure.
template <typename T, typename NodeParams> auto operationOf(const NodeParams *p) {
  return [=](auto &operation, auto &...) -> cudaError_t {
    return p ? makeSemaphores<T>(p->extSemArray, p->paramsArray, p->numExtSems, currentDevice(),
                                 operation)
             : cudaErrorInvalidValue;
  };
}

/// The arrays belong to the node, until its parameters change.
template <typename T, typename NodeParams>
cudaError_t getParams(cudaGraphNode_t node, NodeParams *out) {
  return withNode<T>(node, [&](T &operation) -> cudaError_t {
    if (!out)
      return cudaErrorInvalidValue;
    *out = {operation.handles.data(), operation.params.data(),
            static_cast<unsigned>(operation.handles.size())};
    return cudaSuccess;
  });
}

/// As many semaphores as before.
template <typename T, typename NodeParams>
cudaError_t setParams(cudaGraphExec_t executable, cudaGraphNode_t node, const NodeParams *p) {
  return setOperation<T>(executable, node, [=](auto &operation, const T &before) -> cudaError_t {
    if (!p || p->numExtSems != before.handles.size())
      return cudaErrorInvalidValue;
    return operationOf<T>(p)(operation);
  });
}

} // namespace
} // namespace heddle::runtime

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return addOperation(node, graph, dependencies, count, operationOf<SignalOperation>(params));
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreSignalNodeParams *params) {
  return getParams<SignalOperation>(node, params);
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreSignalNodeParams *params) {
  return setOperation<SignalOperation>(node, operationOf<SignalOperation>(params));
}

HEDDLE_API cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t executable, cudaGraphNode_t node,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return setParams<SignalOperation>(executable, node, params);
}

HEDDLE_API cudaError_t cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreWaitNodeParams *params) {
  return addOperation(node, graph, dependencies, count,
                      operationOf<SemaphoreWaitOperation>(params));
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreWaitNodeParams *params) {
  return getParams<SemaphoreWaitOperation>(node, params);
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreWaitNodeParams *params) {
  return setOperation<SemaphoreWaitOperation>(node, operationOf<SemaphoreWaitOperation>(params));
}

HEDDLE_API cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t executable, cudaGraphNode_t node,
    const cudaExternalSemaphoreWaitNodeParams *params) {
  return setParams<SemaphoreWaitOperation>(executable, node, params);
}
