// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as they are built, and user objects (runtime API, "Graph Management").
#include "runtime/graphs/graph.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  return translateInContext([&] { return ask<&Cu::cuGraphCreate>(graph, flags); });
}

HEDDLE_API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return translate([&] { return ask<&Cu::cuGraphDestroy>(graph); });
}

HEDDLE_API cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  return translateInContext([&] { return ask<&Cu::cuGraphClone>(clone, graph); });
}

HEDDLE_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original,
                                                cudaGraph_t clone) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphNodeFindInClone>(node, original, clone); });
}

HEDDLE_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return translateInContext([&] { return ask<&Cu::cuGraphDestroyNode>(node); });
}

HEDDLE_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphNodeGetType>(node, reinterpret_cast<CUgraphNodeType *>(type));
  });
}

HEDDLE_API cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
  return translateInContext([&] { return ask<&Cu::cuGraphDebugDotPrint>(graph, path, flags); });
}

HEDDLE_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *handle,
                                                        cudaGraph_t graph, unsigned initial,
                                                        unsigned flags) {
  return translateInContext([&]() -> CUresult {
    CUgraphConditionalHandle made = 0;
    if (!handle)
      return CUDA_ERROR_INVALID_VALUE;
    CUresult error =
        ask<&Cu::cuGraphConditionalHandleCreate>(&made, graph, currentContext(), initial, flags);
    if (error == CUDA_SUCCESS)
      *handle = made;
    return error;
  });
}

// ---------------------------------------------------------------------------------------------------
// User objects.

HEDDLE_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data,
                                            cudaHostFn_t destroy, unsigned count, unsigned flags) {
  return translateInContext(
      [&] { return ask<&Cu::cuUserObjectCreate>(object, data, destroy, count, flags); });
}

HEDDLE_API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return translateInContext([&] { return ask<&Cu::cuUserObjectRetain>(object, count); });
}

HEDDLE_API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return translateInContext([&] { return ask<&Cu::cuUserObjectRelease>(object, count); });
}

HEDDLE_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned count, unsigned flags) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphRetainUserObject>(graph, object, count, flags); });
}

HEDDLE_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                  unsigned count) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphReleaseUserObject>(graph, object, count); });
}

// ---------------------------------------------------------------------------------------------------
// Memory that graphs have on a device.

HEDDLE_API cudaError_t cudaDeviceGraphMemTrim(int device) {
  return translateInContext([&] { return ask<&Cu::cuDeviceGraphMemTrim>(device); });
}

HEDDLE_API cudaError_t cudaDeviceGetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void *value) {
  return translateInContext([&] {
    return ask<&Cu::cuDeviceGetGraphMemAttribute>(
        device, static_cast<CUgraphMem_attribute>(attribute), value);
  });
}

HEDDLE_API cudaError_t cudaDeviceSetGraphMemAttribute(int device,
                                                      cudaGraphMemAttributeType attribute,
                                                      void *value) {
  return translateInContext([&] {
    return ask<&Cu::cuDeviceSetGraphMemAttribute>(
        device, static_cast<CUgraphMem_attribute>(attribute), value);
  });
}
