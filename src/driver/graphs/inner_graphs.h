// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes with graphs inside: child graphs, and bodies that a condition chooses. The graphs belong to
// the operation's node (graph.cpp: destroyNode).
#pragma once

#include "driver/graphs/graph.h"

namespace heddle::driver {

class ChildOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeGraph;
  explicit ChildOperation(Graph *graph) : graph(graph) {}
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override;
  /// Nothing: the graph's nodes are works of the graph around it (executable/plan.cpp).
  CUresult makeWork(device::GraphWork &, PlanContext &) override { return CUDA_SUCCESS; }
  std::vector<Graph *> inside() const override { return {graph}; }
  std::vector<std::string> describe() const override { return {"child graph"}; }

  Graph *graph;
};

class ConditionalOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeConditional;
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override;
  /// All but the bodies, which are works of their own.
  CUresult makeWork(device::GraphWork &, PlanContext &) override;
  cudaGraphExecUpdateResult compare(const Operation &) const override;
  std::vector<Graph *> inside() const override { return bodies; }
  std::vector<std::string> describe() const override;

  cudaGraphConditionalHandle handle = 0;
  cudaGraphConditionalNodeType kind = cudaGraphCondTypeIf;
  std::vector<Graph *> bodies;
  std::vector<cudaGraph_t> told; ///< what phGraph_out points to
};

/// A new conditional value of the outermost graph. `isReset`: each launch begins with `initial`.
cudaGraphConditionalHandle addCondition(Graph &, unsigned initial, bool isReset);

/// The operation of a conditional node in `graph`. Errors: CUDA_ERROR_INVALID_VALUE.
CUresult readConditional(Graph &graph, CUDA_CONDITIONAL_NODE_PARAMS &,
                         std::unique_ptr<Operation> &operation);

} // namespace heddle::driver
