// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Child graphs and conditional nodes (CUDA guide, "Conditional Graph Nodes"). A conditional handle
// is a number that is never used twice: kernels name it (cudaGraphSetConditional), and each
// executable graph has a value of its own for it.
#include "driver/graphs/inner_graphs.h"

#include "driver/rooms.h"

#include <algorithm>

namespace heddle::driver {

namespace {

Graph *copyInside(const Graph &graph) {
  Graph *copy;
  return copyGraph(graph, true, copy) ? nullptr : copy;
}

GraphCondition *conditionOf(Graph &graph, cudaGraphConditionalHandle handle) {
  auto &all = outermost(graph).conditions;
  auto found = std::ranges::find(all, handle, &GraphCondition::handle);
  return found == all.end() ? nullptr : &*found;
}

bool isValidSize(cudaGraphConditionalNodeType type, unsigned size) {
  switch (type) {
  case cudaGraphCondTypeIf:
    return size == 1 || size == 2;
  case cudaGraphCondTypeWhile:
    return size == 1;
  case cudaGraphCondTypeSwitch:
    return size > 0;
  }
  return false;
}

} // namespace

std::unique_ptr<Operation> ChildOperation::clone() const {
  auto copy = std::make_unique<ChildOperation>(copyInside(*graph));
  copy->device = device;
  return copy;
}

std::unique_ptr<Operation> ConditionalOperation::clone() const {
  auto copy = std::make_unique<ConditionalOperation>(*this);
  copy->told.clear();
  for (Graph *&body : copy->bodies)
    body = copyInside(*body);
  return copy;
}

CUresult ConditionalOperation::makeWork(device::GraphWork &work, PlanContext &context) {
  auto found = std::ranges::find(context.handles, handle);
  if (found == context.handles.end())
    return CUDA_ERROR_INVALID_VALUE;
  work.kind = device::GraphWork::Kind::Choose;
  work.choice = static_cast<device::Choice>(kind);
  work.value = static_cast<size_t>(found - context.handles.begin());
  return CUDA_SUCCESS;
}

cudaGraphExecUpdateResult ConditionalOperation::compare(const Operation &operation) const {
  const auto &other = static_cast<const ConditionalOperation &>(operation);
  return kind == other.kind && bodies.size() == other.bodies.size() && handle == other.handle
             ? cudaGraphExecUpdateSuccess
             : cudaGraphExecUpdateErrorParametersChanged;
}

std::vector<std::string> ConditionalOperation::describe() const {
  static const char *const names[] = {"if", "while", "switch"};
  return {names[kind], "handle " + std::to_string(handle)};
}

CUresult readConditional(Graph &graph, CUDA_CONDITIONAL_NODE_PARAMS &p,
                         std::unique_ptr<Operation> &operation) {
  GraphCondition *condition = conditionOf(graph, p.handle);
  const auto kind = static_cast<cudaGraphConditionalNodeType>(p.type);
  if (!condition || condition->hasNode || !isValidSize(kind, p.size))
    return CUDA_ERROR_INVALID_VALUE;
  auto made = std::make_unique<ConditionalOperation>();
  made->device = &currentContext();
  made->handle = p.handle;
  made->kind = kind;
  for (unsigned i = 0; i < p.size; ++i) {
    Graph *body;
    if (CUresult error = createGraph(body))
      return error;
    made->bodies.push_back(body);
    made->told.push_back(handleOf(body));
  }
  condition->hasNode = true;
  p.phGraph_out = made->told.data();
  operation = std::move(made);
  return CUDA_SUCCESS;
}

cudaGraphConditionalHandle addCondition(Graph &graph, unsigned initial, bool isReset) {
  GraphCondition condition;
  condition.handle = rooms().nextCondition.fetch_add(1, std::memory_order_relaxed);
  condition.initial = initial;
  condition.isReset = isReset;
  outermost(graph).conditions.push_back(condition);
  return condition.handle;
}

} // namespace heddle::driver
