// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs (runtime API, "Graph Management").
#include "runtime/graphs/graph.h"

using namespace heddle::runtime;

/// A kernel of the graph is there no more.
static CUresult ofKernels(CUresult error) {
  return as(error, CUDA_ERROR_NOT_FOUND, cudaErrorInvalidDeviceFunction);
}

HEDDLE_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                     unsigned long long flags) {
  return translate(
      [&] { return ofKernels(ask<&Cu::cuGraphInstantiateWithFlags>(exec, graph, flags)); });
}

HEDDLE_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                            unsigned long long flags) {
  return named([&] { return cudaGraphInstantiateWithFlags(exec, graph, flags); });
}

HEDDLE_API cudaError_t heddle_11_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                      cudaGraphNode_t *errorNode, char *log,
                                                      size_t logBytes) {
  return translate([&] {
    return ofKernels(ask<&Cu::cuGraphInstantiate_v2>(exec, graph, errorNode, log, logBytes));
  });
}

HEDDLE_API cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                                      cudaGraphInstantiateParams *params) {
  return translate([&] {
    return ofKernels(ask<&Cu::cuGraphInstantiateWithParams>(
        exec, graph, reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS *>(params)));
  });
}

HEDDLE_API cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExecGetFlags>(exec, reinterpret_cast<cuuint64_t *>(flags)); });
}

HEDDLE_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return translate([&] { return ofKernels(ask<&Cu::cuGraphUpload>(exec, stream)); });
}

HEDDLE_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return translateCurrent([&] { return ofKernels(ask<&Cu::cuGraphLaunch>(exec, stream)); });
}

HEDDLE_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return translate([&] { return ask<&Cu::cuGraphExecDestroy>(exec); });
}

HEDDLE_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                           cudaGraphExecUpdateResultInfo *info) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExecUpdate_v2>(exec, graph,
                                          reinterpret_cast<CUgraphExecUpdateResultInfo *>(info));
  });
}

HEDDLE_API cudaError_t heddle_11_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                                     cudaGraphNode_t *errorNode,
                                                     cudaGraphExecUpdateResult *result) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExecUpdate>(exec, graph, errorNode,
                                       reinterpret_cast<CUgraphExecUpdateResult *>(result));
  });
}

HEDDLE_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               unsigned isEnabled) {
  return translateInContext([&] { return ask<&Cu::cuGraphNodeSetEnabled>(exec, node, isEnabled); });
}

HEDDLE_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               unsigned *isEnabled) {
  return translateInContext([&] { return ask<&Cu::cuGraphNodeGetEnabled>(exec, node, isEnabled); });
}
