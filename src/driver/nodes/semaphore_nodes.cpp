// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that signal external semaphores and wait for them.
#include "driver/nodes/node_access.h"
#include "driver/streams/semaphore.h"

namespace heddle::driver {

namespace {

/// T: SignalOperation or SemaphoreWaitOperation; NodeParams is its structure.
template <typename T, typename NodeParams> auto operationOf(const NodeParams *p) {
  return [=](auto &operation, auto &...) -> CUresult {
    return p ? makeSemaphores<T>(p->extSemArray, p->paramsArray, p->numExtSems, currentContext(),
                                 operation)
             : CUDA_ERROR_INVALID_VALUE;
  };
}

/// The arrays belong to the node, until its parameters change.
template <typename T, typename NodeParams>
CUresult getParams(cudaGraphNode_t node, NodeParams *out) {
  return withNode<T>(node, [&](T &operation) -> CUresult {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = {operation.handles.data(), operation.params.data(),
            static_cast<unsigned>(operation.handles.size())};
    return CUDA_SUCCESS;
  });
}

/// As many semaphores as before.
template <typename T, typename NodeParams>
CUresult setParams(cudaGraphExec_t executable, cudaGraphNode_t node, const NodeParams *p) {
  return setOperation<T>(executable, node, [=](auto &operation, const T &before) -> CUresult {
    if (!p || p->numExtSems != before.handles.size())
      return CUDA_ERROR_INVALID_VALUE;
    return operationOf<T>(p)(operation);
  });
}

} // namespace
} // namespace heddle::driver

using namespace heddle::driver;

CUresult heddle::driver::cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return addOperation(node, graph, dependencies, count, operationOf<SignalOperation>(params));
}

CUresult heddle::driver::cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreSignalNodeParams *params) {
  return getParams<SignalOperation>(node, params);
}

CUresult heddle::driver::cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreSignalNodeParams *params) {
  return setOperation<SignalOperation>(node, operationOf<SignalOperation>(params));
}

CUresult heddle::driver::cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t executable, cudaGraphNode_t node,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return setParams<SignalOperation>(executable, node, params);
}

CUresult heddle::driver::cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreWaitNodeParams *params) {
  return addOperation(node, graph, dependencies, count,
                      operationOf<SemaphoreWaitOperation>(params));
}

CUresult heddle::driver::cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreWaitNodeParams *params) {
  return getParams<SemaphoreWaitOperation>(node, params);
}

CUresult heddle::driver::cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreWaitNodeParams *params) {
  return setOperation<SemaphoreWaitOperation>(node, operationOf<SemaphoreWaitOperation>(params));
}

CUresult heddle::driver::cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t executable, cudaGraphNode_t node,
    const cudaExternalSemaphoreWaitNodeParams *params) {
  return setParams<SemaphoreWaitOperation>(executable, node, params);
}
