// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes of events, external semaphores and memory (driver API, "Graph Management").
#include "driver/api/node_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

// ---------------------------------------------------------------------------------------------------
// Events.

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *dependencies, size_t count, CUevent event) {
  return anywhere(
      [&] { return cudaGraphAddEventRecordNode(node, graph, dependencies, count, event); });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return anywhere([&] { return cudaGraphEventRecordNodeGetEvent(node, event); });
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return inContextOf(node, [&] { return cudaGraphEventRecordNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return inContextOf(node, [&] { return cudaGraphExecEventRecordNodeSetEvent(exec, node, event); });
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                 size_t count, CUevent event) {
  return anywhere(
      [&] { return cudaGraphAddEventWaitNode(node, graph, dependencies, count, event); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return anywhere([&] { return cudaGraphEventWaitNodeGetEvent(node, event); });
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return inContextOf(node, [&] { return cudaGraphEventWaitNodeSetEvent(node, event); });
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  return inContextOf(node, [&] { return cudaGraphExecEventWaitNodeSetEvent(exec, node, event); });
}

// ---------------------------------------------------------------------------------------------------
// External semaphores.

CUresult cuGraphAddExternalSemaphoresSignalNode(CUgraphNode *node, CUgraph graph,
                                                const CUgraphNode *dependencies, size_t count,
                                                const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphAddExternalSemaphoresSignalNode(node, graph, dependencies, count,
                                                    plain(params));
  });
}

CUresult cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node,
                                                      CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphExternalSemaphoresSignalNodeGetParams(
        node, reinterpret_cast<cudaExternalSemaphoreSignalNodeParams *>(params));
  });
}

CUresult
cuGraphExternalSemaphoresSignalNodeSetParams(CUgraphNode node,
                                             const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return inContextOf(
      node, [&] { return cudaGraphExternalSemaphoresSignalNodeSetParams(node, plain(params)); });
}

CUresult
cuGraphExecExternalSemaphoresSignalNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                                 const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS *params) {
  return inContextOf(node, [&] {
    return cudaGraphExecExternalSemaphoresSignalNodeSetParams(exec, node, plain(params));
  });
}

CUresult cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *dependencies, size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphAddExternalSemaphoresWaitNode(node, graph, dependencies, count, plain(params));
  });
}

CUresult cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node,
                                                    CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphExternalSemaphoresWaitNodeGetParams(
        node, reinterpret_cast<cudaExternalSemaphoreWaitNodeParams *>(params));
  });
}

CUresult cuGraphExternalSemaphoresWaitNodeSetParams(CUgraphNode node,
                                                    const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return inContextOf(
      node, [&] { return cudaGraphExternalSemaphoresWaitNodeSetParams(node, plain(params)); });
}

CUresult
cuGraphExecExternalSemaphoresWaitNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  return inContextOf(node, [&] {
    return cudaGraphExecExternalSemaphoresWaitNodeSetParams(exec, node, plain(params));
  });
}

// ---------------------------------------------------------------------------------------------------
// Memory.

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphAddMemAllocNode(node, graph, dependencies, count,
                                    reinterpret_cast<cudaMemAllocNodeParams *>(params));
  });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params) {
  return anywhere([&] {
    return cudaGraphMemAllocNodeGetParams(node, reinterpret_cast<cudaMemAllocNodeParams *>(params));
  });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               size_t count, CUdeviceptr pointer) {
  return anywhere([&] {
    return cudaGraphAddMemFreeNode(node, graph, dependencies, count,
                                   reinterpret_cast<void *>(pointer));
  });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *pointer) {
  return anywhere([&] { return cudaGraphMemFreeNodeGetParams(node, pointer); });
}

} // namespace heddle::driver
