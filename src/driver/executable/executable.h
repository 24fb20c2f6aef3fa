// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable graphs: a copy of a graph, and the device's work that was made of it.
#pragma once

#include "driver/device/context.h"
#include "driver/memory/graph_memory.h"

#include <unordered_map>

namespace heddle::driver {

struct Executable {
  std::mutex mutex;
  Graph *graph = nullptr; ///< its own copy
  std::unordered_map<uint64_t, Node *>
      nodes; ///< by the ids of the graph's nodes, those inside of nodes too
  Context *device = nullptr;
  uint64_t contextId = 0; ///< Context::id: the program may destroy it before the graph
  unsigned long long flags = 0;
  device::Graph *plan = nullptr;
  std::atomic<device::Graph *> uploaded{nullptr}; ///< the plan that device code launches
  PlanContext context;                            ///< that the plan was made with
  bool isOld = false;                             ///< something has changed since
  GraphMemoryUse memory;
  uint64_t allocations = 0;       ///< Allocator::changes when the plan was looked at last
  device::Marker *last = nullptr; ///< the end of the latest launch
  std::shared_ptr<void> instance; ///< Graph::instance
};

Executable *executableOf(cudaGraphExec_t);
/// Its context is there.
inline bool isLive(const Executable &executable) {
  return isLive(*executable.device) && executable.device->id == executable.contextId;
}

/// Why there is no executable graph.
struct InstantiateProblem {
  cudaGraphInstantiateResult result = cudaGraphInstantiateSuccess;
  Node *node = nullptr;
};

/// Makes the device's work of the executable graph's copy (plan.cpp); a problem names a node of
/// that.
CUresult makePlan(Executable &, InstantiateProblem &);
/// The nodes so that each comes behind those that it depends on; fewer than there are if they lie
/// in a circle.
std::vector<Node *> inOrder(const Graph &);

/// The executable graph's node for one of the graph that it was made of; null if it has none.
Node *nodeIn(Executable &, cudaGraphNode_t);
/// Gives a node of an executable graph another operation of the same type. Errors:
/// CUDA_ERROR_INVALID_VALUE.
CUresult replace(Executable &, cudaGraphNode_t, std::unique_ptr<Operation>);

/// Gives the nodes of `to` the operations of those of `from`, a graph with the same nodes and edges
/// (update.cpp).
cudaGraphExecUpdateResultInfo update(Graph &to, const Graph &from);

/// Runs `body(executable)` with its lock for a handle.
template <typename F> CUresult withExecutable(CUgraphExec handle, F &&body) {
  Executable *executable = executableOf(handle);
  if (!executable)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isLive(*executable))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  std::lock_guard guard(executable->mutex);
  return body(*executable);
}

} // namespace heddle::driver
