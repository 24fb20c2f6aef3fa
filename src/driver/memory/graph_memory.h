// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that graphs allocate and free. See graph_memory.cpp.
#pragma once

#include "driver/graphs/graph.h"

namespace heddle::driver {

struct GraphAllocation;

class AllocOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeMemAlloc;
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<AllocOperation>(*this);
  }
  /// Nothing: takeGraphMemory does it, in the order of the launches.
  CUresult makeWork(device::GraphWork &, PlanContext &) override { return CUDA_SUCCESS; }
  std::vector<std::string> describe() const override;

  cudaMemAllocNodeParams params = {};
  std::vector<cudaMemAccessDesc> access; ///< what params.accessDescs points to
  std::shared_ptr<GraphAllocation> allocation;
};

class FreeOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeMemFree;
  explicit FreeOperation(void *p) : pointer(p) {}
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<FreeOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override { return CUDA_SUCCESS; }
  std::vector<std::string> describe() const override;

  void *pointer;
};

/// What the memory nodes of a graph allocate and free, those inside of nodes too.
struct GraphMemoryUse {
  std::vector<std::shared_ptr<GraphAllocation>> allocated;
  std::vector<void *> freed;
  bool isEmpty() const { return allocated.empty() && freed.empty(); }
};
GraphMemoryUse memoryUseOf(const Graph &);

/// A launch of a graph with such nodes. CUDA_ERROR_INVALID_VALUE if it allocates what an earlier
/// launch has allocated and nobody has freed (unless the launch frees it: `freesFirst`), or frees
/// what is not allocated.
CUresult takeGraphMemory(const GraphMemoryUse &, bool freesFirst);
/// Whether the address is that of an alloc node's memory.
bool isGraphMemory(const void *);
/// cudaFree and cudaFreeAsync of memory that a graph has allocated. False if it is not.
bool freeGraphMemory(void *);

/// The operations of memory nodes. Errors: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_OUT_OF_MEMORY.
CUresult makeAlloc(cudaMemAllocNodeParams &, std::unique_ptr<Operation> &);
CUresult makeFree(void *, std::unique_ptr<Operation> &);
/// Whether a node of the graph frees that memory already.
bool freesAlready(const Graph &, const void *);

} // namespace heddle::driver
