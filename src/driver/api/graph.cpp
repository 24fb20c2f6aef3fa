// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: what they are made of, and what can be asked of them (driver API, "Graph Management").
// They need no current context.
#include "driver/api/node_params.h"
#include "driver/bodies.h"
#include "driver/functions.h"

namespace heddle::driver {

CUresult cuGraphCreate(CUgraph *graph, unsigned flags) {
  return anywhere([&] { return cudaGraphCreate(graph, flags); });
}

CUresult cuGraphDestroy(CUgraph graph) {
  return anywhere([&] { return cudaGraphDestroy(graph); });
}

CUresult cuGraphClone(CUgraph *clone, CUgraph graph) {
  return anywhere([&] { return cudaGraphClone(clone, graph); });
}

CUresult cuGraphNodeFindInClone(CUgraphNode *node, CUgraphNode original, CUgraph clone) {
  return anywhere([&] { return cudaGraphNodeFindInClone(node, original, clone); });
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  return anywhere([&] { return cudaGraphDestroyNode(node); });
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  return anywhere(
      [&] { return cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType *>(type)); });
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return anywhere([&] { return cudaGraphGetNodes(graph, nodes, count); });
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return anywhere([&] { return cudaGraphGetRootNodes(graph, nodes, count); });
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
  return anywhere([&] { return cudaGraphDebugDotPrint(graph, path, flags); });
}

/// The context of the handle is where the conditional node will choose.
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *handle, CUgraph graph,
                                        CUcontext context, unsigned initial, unsigned flags) {
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  return inContext(context, [&] {
    cudaGraphConditionalHandle made = 0;
    CUresult error = cudaGraphConditionalHandleCreate(&made, graph, initial, flags);
    if (error == CUDA_SUCCESS)
      *handle = made;
    return error;
  });
}

// ---------------------------------------------------------------------------------------------------
// Edges.

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count) {
  return anywhere([&] { return cudaGraphGetEdges_v2(graph, from, to, plain(edges), count); });
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edges, size_t *count) {
  return anywhere(
      [&] { return cudaGraphNodeGetDependencies_v2(node, dependencies, plain(edges), count); });
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, dependencies, nullptr, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *dependents,
                                         CUgraphEdgeData *edges, size_t *count) {
  return anywhere(
      [&] { return cudaGraphNodeGetDependentNodes_v2(node, dependents, plain(edges), count); });
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *dependents, size_t *count) {
  return cuGraphNodeGetDependentNodes_v2(node, dependents, nullptr, count);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
  return anywhere(
      [&] { return cudaGraphAddDependencies_v2(graph, from, to, plain(edges), count); });
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count) {
  return anywhere(
      [&] { return cudaGraphRemoveDependencies_v2(graph, from, to, plain(edges), count); });
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

// ---------------------------------------------------------------------------------------------------
// User objects.

CUresult cuUserObjectCreate(CUuserObject *object, void *pointer, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  return anywhere([&] { return cudaUserObjectCreate(object, pointer, destroy, count, flags); });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return anywhere([&] { return cudaUserObjectRetain(object, count); });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return anywhere([&] { return cudaUserObjectRelease(object, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                 unsigned flags) {
  return anywhere([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return anywhere([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}

// ---------------------------------------------------------------------------------------------------
// Memory that graphs have on a device.

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return anywhere([&] { return cudaDeviceGraphMemTrim(device); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  return anywhere([&] {
    return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute),
                                          value);
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void *value) {
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  return anywhere([&] {
    return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute),
                                          value);
  });
}

} // namespace heddle::driver
