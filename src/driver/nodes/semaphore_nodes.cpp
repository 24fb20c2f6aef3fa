// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that signal external semaphores and wait for them (driver API, "Graph Management").
#include "driver/functions.h"
#include "driver/nodes/node_access.h"
#include "driver/streams/semaphore.h"

namespace heddle::driver {

namespace {

/// T: SignalOperation or SemaphoreWaitOperation; NodeParams is its structure, which both APIs have.
template <typename T, typename NodeParams> auto operationOf(const NodeParams *p) {
  return [=](auto &operation, auto &...) -> CUresult {
    if (!p)
      return CUDA_ERROR_INVALID_VALUE;
    return makeSemaphores<T>(reinterpret_cast<const cudaExternalSemaphore_t *>(p->extSemArray),
                             reinterpret_cast<const typename T::Params *>(p->paramsArray),
                             p->numExtSems, currentContext(), operation);
  };
}

template <typename T, typename NodeParams>
CUresult addNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                 const NodeParams *params) {
  return anywhere(
      [&] { return addOperation(node, graph, dependencies, count, operationOf<T>(params)); });
}

/// The arrays belong to the node, until its parameters change.
template <typename T, typename NodeParams> CUresult getParams(CUgraphNode node, NodeParams *out) {
  return withNode<T>(node, [&](T &operation) -> CUresult {
    if (!out)
      return CUDA_ERROR_INVALID_VALUE;
    *out = {reinterpret_cast<CUexternalSemaphore *>(operation.handles.data()),
            reinterpret_cast<decltype(out->paramsArray)>(operation.params.data()),
            static_cast<unsigned>(operation.handles.size())};
    return CUDA_SUCCESS;
  });
}

/// As many semaphores as before.
template <typename T, typename NodeParams>
CUresult setParams(CUgraphExec executable, CUgraphNode node, const NodeParams *p) {
  return setOperation<T>(executable, node, [=](auto &operation, const T &before) -> CUresult {
    if (!p || p->numExtSems != before.handles.size())
      return CUDA_ERROR_INVALID_VALUE;
    return operationOf<T>(p)(operation);
  });
}

} // namespace

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *dependencies, size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return addNode<SignalOperation>(node, graph, dependencies, count, params);
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return getParams<SignalOperation>(node, params);
}

CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return setOperation<SignalOperation>(node, operationOf<SignalOperation>(params));
}

CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return setParams<SignalOperation>(exec, node, params);
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *dependencies, size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return addNode<SemaphoreWaitOperation>(node, graph, dependencies, count, params);
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return getParams<SemaphoreWaitOperation>(node, params);
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return setOperation<SemaphoreWaitOperation>(node, operationOf<SemaphoreWaitOperation>(params));
}

CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return setParams<SemaphoreWaitOperation>(exec, node, params);
}

} // namespace heddle::driver
