// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges of graphs, and lists of nodes (runtime API, "Graph Management").
#include "runtime/graphs/graph.h"

using namespace heddle::runtime;

HEDDLE_API cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to,
                                                   const cudaGraphEdgeData *edges, size_t count) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphAddDependencies_v2>(graph, from, to, asDriver(edges), count); });
}

HEDDLE_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                const cudaGraphNode_t *to, size_t count) {
  return named([&] { return cudaGraphAddDependencies_v2(graph, from, to, nullptr, count); });
}

HEDDLE_API cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t graph,
                                                      const cudaGraphNode_t *from,
                                                      const cudaGraphNode_t *to,
                                                      const cudaGraphEdgeData *edges,
                                                      size_t count) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphRemoveDependencies_v2>(graph, from, to, asDriver(edges), count);
  });
}

HEDDLE_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count) {
  return named([&] { return cudaGraphRemoveDependencies_v2(graph, from, to, nullptr, count); });
}

HEDDLE_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  return translateInContext([&] { return ask<&Cu::cuGraphGetNodes>(graph, nodes, count); });
}

HEDDLE_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes,
                                             size_t *count) {
  return translateInContext([&] { return ask<&Cu::cuGraphGetRootNodes>(graph, nodes, count); });
}

HEDDLE_API cudaError_t cudaGraphGetEdges_v2(cudaGraph_t graph, cudaGraphNode_t *from,
                                            cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                                            size_t *count) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphGetEdges_v2>(graph, from, to, asDriver(edges), count); });
}

HEDDLE_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from,
                                         cudaGraphNode_t *to, size_t *count) {
  return named([&] { return cudaGraphGetEdges_v2(graph, from, to, nullptr, count); });
}

HEDDLE_API cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                       cudaGraphEdgeData *edges, size_t *count) {
  return translateInContext(
      [&] { return ask<&Cu::cuGraphNodeGetDependencies_v2>(node, nodes, asDriver(edges), count); });
}

HEDDLE_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                    size_t *count) {
  return named([&] { return cudaGraphNodeGetDependencies_v2(node, nodes, nullptr, count); });
}

HEDDLE_API cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t node,
                                                         cudaGraphNode_t *nodes,
                                                         cudaGraphEdgeData *edges, size_t *count) {
  return translateInContext([&] {
    return ask<&Cu::cuGraphNodeGetDependentNodes_v2>(node, nodes, asDriver(edges), count);
  });
}

HEDDLE_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                      size_t *count) {
  return named([&] { return cudaGraphNodeGetDependentNodes_v2(node, nodes, nullptr, count); });
}
