// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Making, copying and destroying graphs.
#include "driver/graphs/graph.h"

#include "driver/functions.h"
#include "driver/handle_pool.h"
#include "driver/rooms.h"

#include <algorithm>
#include <unordered_map>

namespace heddle::driver {

namespace {

HandlePool<Graph, 1u << 20> &graphPool() { return rooms().graphs.get(); }
HandlePool<Node, 1u << 23> &nodePool() { return rooms().nodes.get(); }

uint64_t newId() { return rooms().nextGraphId.fetch_add(1, std::memory_order_relaxed); }

void destroyNode(Node *node) {
  for (Graph *inside : node->operation->inside())
    destroyGraph(inside);
  nodePool().destroy(node);
}

void dropEdgesTo(std::vector<Edge> &edges, const Node *node) {
  std::erase_if(edges, [&](const Edge &edge) { return edge.node == node; });
}

bool isKnownToDevice(const Graph &graph) {
  return std::ranges::any_of(graph.nodes, [](const Node *node) {
    return node->operation->isKnownToDevice() ||
           std::ranges::any_of(node->operation->inside(),
                               [](const Graph *inside) { return isKnownToDevice(*inside); });
  });
}

bool canBeCopied(const Graph &graph) {
  return !isKnownToDevice(graph) && !contains(graph, cudaGraphNodeTypeMemAlloc) &&
         !contains(graph, cudaGraphNodeTypeMemFree) &&
         !contains(graph, cudaGraphNodeTypeConditional);
}

void copyNodes(const Graph &graph, Graph &copy) {
  std::unordered_map<const Node *, Node *> copies;
  for (const Node *node : graph.nodes) {
    Node *made = addNode(copy, node->operation->clone(), {});
    made->copyOf = node->id;
    made->enabled = node->enabled;
    copies[node] = made;
  }
  auto translate = [&](const std::vector<Edge> &edges) {
    std::vector<Edge> all = edges;
    for (Edge &edge : all)
      edge.node = copies[edge.node];
    return all;
  };
  for (const Node *node : graph.nodes) {
    copies[node]->before = translate(node->before);
    copies[node]->after = translate(node->after);
  }
}

} // namespace

cudaGraph_t handleOf(Graph *graph) { return reinterpret_cast<cudaGraph_t>(graph); }
cudaGraphNode_t handleOf(Node *node) { return reinterpret_cast<cudaGraphNode_t>(node); }
Graph *graphOf(cudaGraph_t handle) {
  Graph *graph = graphPool().find(handle);
  return graph && !graph->isBroken ? graph : nullptr;
}
Node *nodeOf(cudaGraphNode_t handle) { return nodePool().find(handle); }

CUresult createGraph(Graph *&graph) {
  graph = graphPool().create();
  if (!graph)
    return CUDA_ERROR_OUT_OF_MEMORY;
  graph->id = newId();
  return CUDA_SUCCESS;
}

void destroyGraph(Graph *graph) {
  releaseObjects(*graph);
  for (Node *node : graph->nodes)
    destroyNode(node);
  graphPool().destroy(graph);
}

CUresult copyGraph(const Graph &graph, bool forExecution, Graph *&copy) {
  if (!forExecution && !canBeCopied(graph))
    return CUDA_ERROR_NOT_SUPPORTED;
  if (CUresult error = createGraph(copy))
    return error;
  copy->copyOf = graph.id;
  copy->conditions = graph.conditions;
  copy->objects = graph.objects;
  retainObjects(*copy);
  copyNodes(graph, *copy);
  return CUDA_SUCCESS;
}

Graph &outermost(Graph &graph) { return graph.parent ? outermost(*graph.parent) : graph; }

bool contains(const Graph &graph, cudaGraphNodeType type) {
  return std::ranges::any_of(graph.nodes, [&](const Node *node) {
    return node->operation->type() == type ||
           std::ranges::any_of(node->operation->inside(),
                               [&](const Graph *inside) { return contains(*inside, type); });
  });
}

void setOperationOf(Node &node, std::unique_ptr<Operation> operation) {
  for (Graph *inside : operation->inside())
    inside->parent = node.graph;
  node.operation = std::move(operation);
}

Node *addNode(Graph &graph, std::unique_ptr<Operation> operation, std::span<const Edge> edges) {
  Node *node = nodePool().create();
  if (!node)
    return nullptr;
  node->graph = &graph;
  node->id = newId();
  setOperationOf(*node, std::move(operation));
  node->before.assign(edges.begin(), edges.end());
  for (const Edge &edge : edges)
    edge.node->after.push_back({node, edge.data});
  graph.nodes.push_back(node);
  return node;
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management": graphs, and nodes of any kind.

CUresult cuGraphCreate(CUgraph *out, unsigned flags) {
  Graph *graph;
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = createGraph(graph))
    return error;
  *out = handleOf(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  Graph *graph = graphPool().find(handle); // broken or not
  if (!graph || graph->parent)
    return CUDA_ERROR_INVALID_VALUE;
  if (graph->isCaptured)
    return CUDA_ERROR_ILLEGAL_STATE;
  destroyGraph(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphClone(CUgraph *out, CUgraph handle) {
  Graph *graph = graphOf(handle), *copy;
  if (!out || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = copyGraph(*graph, false, copy))
    return error;
  *out = handleOf(copy);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
  Node *node = nodeOf(original);
  Graph *graph = graphOf(clone);
  if (!out || !node || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  auto found = std::ranges::find(graph->nodes, node->id, &Node::copyOf);
  if (found == graph->nodes.end())
    return CUDA_ERROR_INVALID_VALUE;
  *out = handleOf(*found);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                             size_t count) {
  return addNodeFor(out, graph, dependencies, nullptr, count,
                    [](Graph &, std::unique_ptr<Operation> &operation) {
                      operation = std::make_unique<EmptyOperation>();
                      return CUDA_SUCCESS;
                    });
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  Node *node = nodeOf(handle);
  if (!node)
    return CUDA_ERROR_INVALID_VALUE;
  Graph &graph = *node->graph;
  if (graph.isCaptured) // a stream may go on from it
    return CUDA_ERROR_ILLEGAL_STATE;
  if (contains(graph, cudaGraphNodeTypeMemAlloc) || contains(graph, cudaGraphNodeTypeMemFree) ||
      node->operation->isKnownToDevice())
    return CUDA_ERROR_NOT_SUPPORTED;
  for (const Edge &edge : node->before)
    dropEdgesTo(edge.node->after, node);
  for (const Edge &edge : node->after)
    dropEdgesTo(edge.node->before, node);
  std::erase(graph.nodes, node);
  destroyNode(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  Node *node = nodeOf(handle);
  if (!node || !type)
    return CUDA_ERROR_INVALID_VALUE;
  *type = static_cast<CUgraphNodeType>(node->operation->type());
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
