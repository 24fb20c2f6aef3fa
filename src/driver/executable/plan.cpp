// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a graph to the device's work. Child graphs are laid out flat: their first nodes come behind
// what the child's node depends on, and what depends on it comes behind their last ones. Bodies of
// conditional nodes are graphs of the device.
#include "driver/executable/executable.h"
#include "driver/graphs/inner_graphs.h"
#include "driver/launch/kernel_operation.h"

#include <algorithm>

namespace heddle::driver {

namespace {

using device::GraphWork;

class PlanBuilder {
public:
  PlanBuilder(Context &device, PlanContext &context, InstantiateProblem &problem)
      : device_(device), context_(context), problem_(problem) {}
  ~PlanBuilder() {
    for (const GraphWork &work : works_) // where it has failed
      for (device::Graph *body : work.bodies)
        device_.backend->destroyGraph(body);
  }
  PlanBuilder(const PlanBuilder &) = delete;
  PlanBuilder &operator=(const PlanBuilder &) = delete;

  /// The device's graph of `graph`'s nodes.
  CUresult build(const Graph &graph, std::span<const device::GraphValue> values,
                 device::Graph *&made, const void *owner = nullptr) {
    Numbers ends;
    if (CUresult error = add(graph, {}, ends))
      return error;
    made = device_.backend->createGraph(works_, values, owner);
    return CUDA_SUCCESS;
  }

private:
  using Numbers = std::vector<size_t>;

  /// Adds the works of a graph behind `start`; `ends` are the last ones.
  CUresult add(const Graph &graph, const Numbers &start, Numbers &ends) {
    std::vector<Node *> nodes = inOrder(graph);
    if (nodes.size() != graph.nodes.size()) {
      problem_ = {cudaGraphInstantiateInvalidStructure, nullptr};
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::unordered_map<const Node *, size_t> places;
    for (Node *node : nodes) {
      Numbers after = node->before.empty() ? start : Numbers();
      for (const Edge &edge : node->before)
        after.push_back(places[edge.node]);
      if (CUresult error = addNode(*node, std::move(after), places[node])) {
        if (!problem_.node)
          problem_ = {cudaGraphInstantiateError, node};
        return error;
      }
      if (node->after.empty())
        ends.push_back(places[node]);
    }
    return CUDA_SUCCESS;
  }

  size_t push(GraphWork &&work) {
    works_.push_back(std::move(work));
    return works_.size() - 1;
  }

  GraphWork nothing(const Operation &operation, Numbers &&after) {
    GraphWork work;
    work.device = (operation.device ? operation.device : &device_)->backend.get();
    work.after = std::move(after);
    return work;
  }

  CUresult addNode(Node &node, Numbers &&after, size_t &place) {
    Operation &operation = *node.operation;
    if (operation.device && !isLive(*operation.device))
      return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (auto *child = operationAs<ChildOperation>(&operation))
      return addChild(*child, std::move(after), place);
    GraphWork work = nothing(operation, std::move(after));
    auto *kernel = operationAs<KernelOperation>(&operation);
    work.isEnabled = node.enabled; // kernels may enable it
    if (node.enabled || (kernel && kernel->deviceNode))
      if (CUresult error = operation.makeWork(work, context_))
        return error;
    place = push(std::move(work));
    for (const Graph *inside : operation.inside()) {
      device::Graph *body;
      PlanBuilder builder(device_, context_, problem_);
      if (CUresult error = builder.build(*inside, {}, body))
        return error;
      works_[place].bodies.push_back(body);
    }
    return CUDA_SUCCESS;
  }

  /// Between a join of what it depends on and a join of its ends, so that its edges stay few.
  CUresult addChild(const ChildOperation &child, Numbers &&after, size_t &place) {
    Numbers start, ends;
    if (after.size() > 1)
      start.push_back(push(nothing(child, std::move(after))));
    else
      start = std::move(after);
    if (CUresult error = add(*child.graph, start, ends))
      return error;
    if (ends.empty())
      ends = start;
    place = ends.size() == 1 ? ends.front() : push(nothing(child, std::move(ends)));
    return CUDA_SUCCESS;
  }

  Context &device_;
  PlanContext &context_;
  InstantiateProblem &problem_;
  std::vector<GraphWork> works_;
};

} // namespace

std::vector<Node *> inOrder(const Graph &graph) {
  std::unordered_map<const Node *, size_t> left;
  std::vector<Node *> nodes;
  for (Node *node : graph.nodes) {
    left[node] = node->before.size();
    if (node->before.empty())
      nodes.push_back(node);
  }
  for (size_t i = 0; i < nodes.size(); ++i)
    for (const Edge &edge : nodes[i]->after)
      if (--left[edge.node] == 0)
        nodes.push_back(edge.node);
  return nodes;
}

CUresult makePlan(Executable &executable, InstantiateProblem &problem) {
  PlanContext &context = executable.context;
  context = {};
  context.useNodePriority = executable.flags & cudaGraphInstantiateFlagUseNodePriority;
  std::vector<device::GraphValue> values;
  for (const GraphCondition &condition : executable.graph->conditions) {
    context.handles.push_back(condition.handle);
    values.push_back({condition.handle, condition.initial, condition.isReset});
  }
  PlanBuilder builder(*executable.device, context, problem);
  const bool isDeviceGraph = executable.flags & cudaGraphInstantiateFlagDeviceLaunch;
  return builder.build(*executable.graph, values, executable.plan,
                       isDeviceGraph ? &executable : nullptr);
}

} // namespace heddle::driver
