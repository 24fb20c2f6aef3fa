// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node of a graph does. Each folder defines the operations of its functions beside the
// functions themselves (a launch, a copy, a fill, a host function, ...): capture makes one from the
// call's arguments, the node functions make one from a structure, and both run the code that a
// stream runs.
#pragma once

#include "driver/state.h"

#include "device/graph.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::driver {

struct Graph;

/// An event that a graph records or waits for.
struct GraphEvent {
  cudaEvent_t event;
  bool records;
};

/// What an executable graph knows while it makes the device's works (executable/plan.cpp).
struct PlanContext {
  bool useNodePriority = false;        ///< CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
  std::vector<GraphEvent> events = {}; ///< of Record and Wait works, by GraphWork::event
  std::vector<uint64_t> handles = {};  ///< of the graph's conditional values, by GraphWork::value
};

/// Copied with its node. Belongs to the graph's user, who sees to it that one thread is there.
class Operation {
public:
  virtual ~Operation() = default;
  virtual cudaGraphNodeType type() const = 0;
  virtual std::unique_ptr<Operation> clone() const = 0;
  /// The device's work; `device` is set, and the dependences are the caller's. Errors: why it
  /// cannot run.
  virtual CUresult makeWork(device::GraphWork &work, PlanContext &context) = 0;
  /// Whether the work that was made is still right after the program has allocated or freed memory.
  virtual bool isStillRight() const { return true; }
  /// Whether an executable graph may go on with `other`, of the same type, in the place of this one
  /// (cuGraphExecUpdate).
  virtual cudaGraphExecUpdateResult compare(const Operation &) const {
    return cudaGraphExecUpdateSuccess;
  }
  /// Device code knows the node: it can neither be removed nor copied but into an executable graph.
  virtual bool isKnownToDevice() const { return false; }
  /// The graph inside, or null: child graphs have one, conditional nodes one for each body.
  virtual std::vector<Graph *> inside() const { return {}; }
  /// Lines for cuGraphDebugDotPrint: what it is called, then its parameters.
  virtual std::vector<std::string> describe() const { return {}; }

  Context *device = nullptr; ///< where it runs
};

/// The operation if it is of class T, whose `Type` is its type; else null.
template <typename T> T *operationAs(Operation *operation) {
  return operation && operation->type() == T::Type ? static_cast<T *>(operation) : nullptr;
}
template <typename T> const T *operationAs(const Operation *operation) {
  return operation && operation->type() == T::Type ? static_cast<const T *>(operation) : nullptr;
}

} // namespace heddle::driver
