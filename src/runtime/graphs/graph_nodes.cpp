// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of host functions, events, external semaphores, graphs and memory (runtime API, "Graph
// Management").
#include "runtime/graphs/graph.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphAddEmptyNode>(node, graph, dependencies, count); });
}

// ---------------------------------------------------------------------------------------------------
// Host functions.

HEDDLE_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                            const cudaGraphNode_t *dependencies, size_t count,
                                            const cudaHostNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddHostNode>(node, graph, dependencies, count, asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node,
                                                  cudaHostNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphHostNodeGetParams>(node, asDriver(params)); });
}

HEDDLE_API cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node,
                                                  const cudaHostNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphHostNodeSetParams>(node, asDriver(params)); });
}

HEDDLE_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      const cudaHostNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExecHostNodeSetParams>(exec, node, asDriver(params)); });
}

// ---------------------------------------------------------------------------------------------------
// Events.

HEDDLE_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                   const cudaGraphNode_t *dependencies,
                                                   size_t count, cudaEvent_t event) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphAddEventRecordNode>(node, graph, dependencies, count, event); });
}

HEDDLE_API cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return translateInContext([&] { return ask<&Cu::cuGraphEventRecordNodeGetEvent>(node, event); });
}

HEDDLE_API cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return translateInContext([&] { return ask<&Cu::cuGraphEventRecordNodeSetEvent>(node, event); });
}

HEDDLE_API cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t exec,
                                                            cudaGraphNode_t node,
                                                            cudaEvent_t event) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExecEventRecordNodeSetEvent>(exec, node, event); });
}

HEDDLE_API cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                 const cudaGraphNode_t *dependencies, size_t count,
                                                 cudaEvent_t event) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphAddEventWaitNode>(node, graph, dependencies, count, event); });
}

HEDDLE_API cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  return translateInContext([&] { return ask<&Cu::cuGraphEventWaitNodeGetEvent>(node, event); });
}

HEDDLE_API cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return translateInContext([&] { return ask<&Cu::cuGraphEventWaitNodeSetEvent>(node, event); });
}

HEDDLE_API cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t exec,
                                                          cudaGraphNode_t node, cudaEvent_t event) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExecEventWaitNodeSetEvent>(exec, node, event); });
}

// ---------------------------------------------------------------------------------------------------
// External semaphores.

HEDDLE_API cudaError_t cudaGraphAddExternalSemaphoresSignalNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddExternalSemaphoresSignalNode>(node, graph, dependencies, count,
                                                            asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresSignalNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreSignalNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExternalSemaphoresSignalNodeGetParams>(node, asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresSignalNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreSignalNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExternalSemaphoresSignalNodeSetParams>(node, asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphExecExternalSemaphoresSignalNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node,
    const cudaExternalSemaphoreSignalNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExecExternalSemaphoresSignalNodeSetParams>(exec, node, asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphAddExternalSemaphoresWaitNode(
    cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies, size_t count,
    const cudaExternalSemaphoreWaitNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddExternalSemaphoresWaitNode>(node, graph, dependencies, count,
                                                          asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresWaitNodeGetParams(
    cudaGraphNode_t node, cudaExternalSemaphoreWaitNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExternalSemaphoresWaitNodeGetParams>(node, asDriver(params)); });
}

HEDDLE_API cudaError_t cudaGraphExternalSemaphoresWaitNodeSetParams(
    cudaGraphNode_t node, const cudaExternalSemaphoreWaitNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExternalSemaphoresWaitNodeSetParams>(node, asDriver(params)); });
}

HEDDLE_API cudaError_t cudaGraphExecExternalSemaphoresWaitNodeSetParams(
    cudaGraphExec_t exec, cudaGraphNode_t node, const cudaExternalSemaphoreWaitNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphExecExternalSemaphoresWaitNodeSetParams>(exec, node, asDriver(params));
  });
}

// ---------------------------------------------------------------------------------------------------
// Graphs inside, and memory.

HEDDLE_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                  const cudaGraphNode_t *dependencies, size_t count,
                                                  cudaGraph_t child) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphAddChildGraphNode>(node, graph, dependencies, count, child); });
}

HEDDLE_API cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  return translateInContext([&] { return ask<&Cu::cuGraphChildGraphNodeGetGraph>(node, graph); });
}

HEDDLE_API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec,
                                                            cudaGraphNode_t node,
                                                            cudaGraph_t child) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphExecChildGraphNodeSetParams>(exec, node, child); });
}

HEDDLE_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                                const cudaGraphNode_t *dependencies, size_t count,
                                                cudaMemAllocNodeParams *params) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddMemAllocNode>(node, graph, dependencies, count, asDriver(params));
  });
}

HEDDLE_API cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node,
                                                      cudaMemAllocNodeParams *params) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphMemAllocNodeGetParams>(node, asDriver(params)); });
}

HEDDLE_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies, size_t count,
                                               void *p) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphAddMemFreeNode>(node, graph, dependencies, count,
                                           reinterpret_cast<CUdeviceptr>(p));
  });
}

HEDDLE_API cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *p) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphMemFreeNodeGetParams>(node, static_cast<CUdeviceptr *>(p)); });
}
