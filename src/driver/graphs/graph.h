// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as the program builds them: nodes and edges. Graphs are not locked: CUDA leaves it to the
// program that one thread changes one at a time.
#pragma once

#include "driver/graphs/operation.h"

#include "heddle/driver_graph_types.h"

#include <map>
#include <span>

namespace heddle::driver {

struct Node;
struct UserObject; ///< user_object.cpp

struct Edge {
  Node *node = nullptr; ///< the other end
  cudaGraphEdgeData data = {};
};

struct Node {
  Graph *graph = nullptr;
  std::unique_ptr<Operation> operation;
  std::vector<Edge> before, after; ///< what it depends on, and what depends on it
  uint64_t id = 0;                 ///< never used twice
  uint64_t copyOf = 0;             ///< the id of the node that it was copied from; 0: none
  bool enabled = true;             ///< of executable graphs (cuGraphNodeSetEnabled)
};

/// A conditional value of a graph (cuGraphConditionalHandleCreate).
struct GraphCondition {
  cudaGraphConditionalHandle handle = 0;
  unsigned initial = 0;
  bool isReset = false; ///< each launch begins with `initial`
  bool hasNode = false; ///< a conditional node has it
};

struct Graph {
  std::vector<Node *> nodes;                ///< in the order in which they were added
  Graph *parent = nullptr;                  ///< it belongs to a node of this graph
  uint64_t id = 0;                          ///< never used twice
  uint64_t copyOf = 0;                      ///< the graph that it was copied from; 0: none
  bool isCaptured = false;                  ///< a capture adds to it: cannot be destroyed
  bool isBroken = false;                    ///< a capture into it has failed: takes nothing more
  std::vector<GraphCondition> conditions;   ///< of the outermost graph
  std::map<UserObject *, unsigned> objects; ///< references that it holds
  std::weak_ptr<void>
      instance; ///< an executable graph of it lives (of graphs with memory nodes there may be one)
};

cudaGraph_t handleOf(Graph *);
cudaGraphNode_t handleOf(Node *);
/// The graph or node of a handle; null if it is no live one, or a graph that is broken.
Graph *graphOf(cudaGraph_t);
Node *nodeOf(cudaGraphNode_t);

/// Error: CUDA_ERROR_OUT_OF_MEMORY.
CUresult createGraph(Graph *&);
void destroyGraph(Graph *);
/// The graph with all its nodes, and what is inside of them. CUDA_ERROR_NOT_SUPPORTED for what cannot
/// be copied: memory and conditional nodes, unless it is `forExecution`.
CUresult copyGraph(const Graph &, bool forExecution, Graph *&copy);
/// The outermost graph that it lies in.
Graph &outermost(Graph &);
/// Some node of the graph, or of what is inside of them, is of that type.
bool contains(const Graph &, cudaGraphNodeType);

/// The same layout (tests/headers/driver_runtime.cpp).
inline auto asEdges(const CUgraphEdgeData *edges) {
  return reinterpret_cast<const cudaGraphEdgeData *>(edges);
}
inline auto asEdges(CUgraphEdgeData *edges) { return reinterpret_cast<cudaGraphEdgeData *>(edges); }

/// Checks dependences for a new node of `graph`: nodes of it, none twice, ports that exist. `data`
/// may be null. Errors: CUDA_ERROR_INVALID_VALUE.
CUresult readEdges(Graph &graph, const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                   size_t count, std::vector<Edge> &edges);
/// Whether a node may come behind others in that way: only kernels begin before the end of others.
bool mayFollow(std::span<const Edge>, const Operation &);
/// Adds a node behind `edges`; null when there are too many nodes.
Node *addNode(Graph &, std::unique_ptr<Operation>, std::span<const Edge> edges);

/// Gives a node its operation, and the graphs inside of that their place.
void setOperationOf(Node &, std::unique_ptr<Operation>);

/// The body of a function that adds a node: checks the graph and the dependences, has `make(graph,
/// operation)` make the operation, and adds it.
template <typename F>
CUresult addNodeFor(cudaGraphNode_t *out, cudaGraph_t handle, const cudaGraphNode_t *nodes,
                    const cudaGraphEdgeData *data, size_t count, F &&make) {
  Graph *graph = graphOf(handle);
  std::vector<Edge> edges;
  std::unique_ptr<Operation> operation;
  if (!out || !graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = readEdges(*graph, nodes, data, count, edges))
    return error;
  if (CUresult error = make(*graph, operation))
    return error;
  if (!mayFollow(edges, *operation))
    return CUDA_ERROR_INVALID_VALUE;
  Node *node = addNode(*graph, std::move(operation), edges);
  if (!node)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = handleOf(node);
  return CUDA_SUCCESS;
}

/// A node that only joins others.
class EmptyOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeEmpty;
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<EmptyOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override { return CUDA_SUCCESS; }
};

/// The references of a copy of a graph to user objects.
void retainObjects(Graph &);
void releaseObjects(Graph &);

} // namespace heddle::driver
