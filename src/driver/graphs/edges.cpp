// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges, and what can be asked of a graph's structure. An edge has data: which event of the node at
// its beginning it starts from, and of what kind the dependence is (CUDA guide, "Edge Data"). Edges
// that start early (programmatic ones) are kept and told; a node still comes behind the whole of
// what it depends on, as it may on a GPU too.
#include "driver/functions.h"
#include "driver/graphs/graph.h"

#include <algorithm>
#include <array>

namespace heddle::driver {

namespace {

bool isDefault(const cudaGraphEdgeData &data) {
  return !data.from_port && !data.to_port && data.type == cudaGraphDependencyTypeDefault;
}

bool same(const cudaGraphEdgeData &a, const cudaGraphEdgeData &b) {
  return a.from_port == b.from_port && a.to_port == b.to_port && a.type == b.type;
}

/// Whether such an edge may start from a node: programmatic ones from kernels only, from one of
/// their two early events.
bool isValid(const cudaGraphEdgeData &data, const Node &from) {
  if (std::ranges::any_of(data.reserved, [](unsigned char c) { return c != 0; }) || data.to_port)
    return false;
  if (data.type == cudaGraphDependencyTypeDefault)
    return data.from_port == cudaGraphKernelNodePortDefault;
  return data.type == cudaGraphDependencyTypeProgrammatic &&
         from.operation->type() == cudaGraphNodeTypeKernel &&
         (data.from_port == cudaGraphKernelNodePortProgrammatic ||
          data.from_port == cudaGraphKernelNodePortLaunchCompletion);
}

} // namespace

bool mayFollow(std::span<const Edge> edges, const Operation &operation) {
  return operation.type() == cudaGraphNodeTypeKernel ||
         std::ranges::all_of(edges, [](const Edge &edge) {
           return edge.data.type == cudaGraphDependencyTypeDefault;
         });
}

namespace {

std::vector<Edge>::iterator findEdge(std::vector<Edge> &edges, const Node *node) {
  return std::ranges::find(edges, node, &Edge::node);
}

CUresult addEdge(Node *from, Node *to, const cudaGraphEdgeData &data) {
  if (!isValid(data, *from) || !mayFollow(std::array{Edge{from, data}}, *to->operation) ||
      findEdge(from->after, to) != from->after.end())
    return CUDA_ERROR_INVALID_VALUE;
  from->after.push_back({to, data});
  to->before.push_back({from, data});
  return CUDA_SUCCESS;
}

CUresult removeEdge(Node *from, Node *to, const cudaGraphEdgeData &data) {
  auto after = findEdge(from->after, to);
  if (after == from->after.end() || !same(after->data, data))
    return CUDA_ERROR_INVALID_VALUE;
  from->after.erase(after);
  to->before.erase(findEdge(to->before, from));
  return CUDA_SUCCESS;
}

/// Runs `change(from, to, data)` for each pair, all of which are checked first.
template <typename F>
CUresult changeEdges(cudaGraph_t handle, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                     const cudaGraphEdgeData *data, size_t count, F &&change) {
  Graph *graph = graphOf(handle);
  if (!graph || (count && (!from || !to)))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    Node *a = nodeOf(from[i]), *b = nodeOf(to[i]);
    if (!a || !b || a == b || a->graph != graph || b->graph != graph)
      return CUDA_ERROR_INVALID_VALUE;
  }
  for (size_t i = 0; i < count; ++i)
    if (CUresult error =
            change(nodeOf(from[i]), nodeOf(to[i]), data ? data[i] : cudaGraphEdgeData{}))
      return error;
  return CUDA_SUCCESS;
}

/// For queries that list: `count` goes in as the room there is and comes out as the number that was
/// written; the room left over is filled with nulls. Without an array it comes out as the number
/// that there is.
template <typename F> CUresult list(size_t size, size_t *count, bool isAsked, F &&write) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isAsked) {
    *count = size;
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < *count; ++i)
    write(i, i < size);
  *count = std::min(*count, size);
  return CUDA_SUCCESS;
}

CUresult listNodes(const std::vector<Node *> &all, cudaGraphNode_t *nodes, size_t *count) {
  return list(all.size(), count, nodes != nullptr,
              [&](size_t i, bool exists) { nodes[i] = exists ? handleOf(all[i]) : nullptr; });
}

/// One end of each edge, with its data. `isLossy`: there is nowhere to put data that is not the
/// default.
CUresult listEnds(const std::vector<Edge> &all, cudaGraphNode_t *nodes, cudaGraphEdgeData *data,
                  size_t *count) {
  if (!nodes && data)
    return CUDA_ERROR_INVALID_VALUE;
  if (nodes && !data && !std::ranges::all_of(all, isDefault, &Edge::data))
    return CUDA_ERROR_LOSSY_QUERY;
  return list(all.size(), count, nodes != nullptr, [&](size_t i, bool exists) {
    nodes[i] = exists ? handleOf(all[i].node) : nullptr;
    if (data)
      data[i] = exists ? all[i].data : cudaGraphEdgeData{};
  });
}

CUresult listEdges(cudaGraph_t handle, cudaGraphNode_t *from, cudaGraphNode_t *to,
                   cudaGraphEdgeData *data, size_t *count) {
  Graph *graph = graphOf(handle);
  if (!graph || !from != !to || (!from && data))
    return CUDA_ERROR_INVALID_VALUE;
  struct Pair {
    Node *from;
    const Edge *edge;
  };
  std::vector<Pair> all;
  for (Node *node : graph->nodes)
    for (const Edge &edge : node->after)
      all.push_back({node, &edge});
  if (from && !data &&
      !std::ranges::all_of(all, [](const Pair &pair) { return isDefault(pair.edge->data); }))
    return CUDA_ERROR_LOSSY_QUERY;
  return list(all.size(), count, from != nullptr, [&](size_t i, bool exists) {
    from[i] = exists ? handleOf(all[i].from) : nullptr;
    to[i] = exists ? handleOf(all[i].edge->node) : nullptr;
    if (data)
      data[i] = exists ? all[i].edge->data : cudaGraphEdgeData{};
  });
}

} // namespace

CUresult readEdges(Graph &graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                   size_t count, std::vector<Edge> &edges) {
  if (count && !nodes)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    Node *node = nodeOf(nodes[i]);
    const cudaGraphEdgeData one = data ? data[i] : cudaGraphEdgeData{};
    if (!node || node->graph != &graph || findEdge(edges, node) != edges.end() ||
        !isValid(one, *node))
      return CUDA_ERROR_INVALID_VALUE;
    edges.push_back({node, one});
  }
  return CUDA_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management": edges, and lists of nodes.

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
  return changeEdges(graph, from, to, asEdges(edges), count, addEdge);
}
CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count) {
  const Graph *all = graphOf(graph);
  if (all &&
      (contains(*all, cudaGraphNodeTypeMemAlloc) || contains(*all, cudaGraphNodeTypeMemFree)))
    return CUDA_ERROR_NOT_SUPPORTED;
  return changeEdges(graph, from, to, asEdges(edges), count, removeEdge);
}
CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
  Graph *graph = graphOf(handle);
  return graph ? listNodes(graph->nodes, nodes, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
  Graph *graph = graphOf(handle);
  if (!graph)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<Node *> roots;
  std::ranges::copy_if(graph->nodes, std::back_inserter(roots),
                       [](const Node *node) { return node->before.empty(); });
  return listNodes(roots, nodes, count);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count) {
  return listEdges(graph, from, to, asEdges(edges), count);
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode *dependencies,
                                       CUgraphEdgeData *edges, size_t *count) {
  Node *node = nodeOf(handle);
  return node ? listEnds(node->before, dependencies, asEdges(edges), count)
              : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *dependencies, size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, dependencies, nullptr, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode *dependents,
                                         CUgraphEdgeData *edges, size_t *count) {
  Node *node = nodeOf(handle);
  return node ? listEnds(node->after, dependents, asEdges(edges), count) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *dependents, size_t *count) {
  return cuGraphNodeGetDependentNodes_v2(node, dependents, nullptr, count);
}

} // namespace heddle::driver
