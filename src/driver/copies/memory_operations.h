// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on words of memory in streams: a stream writes a word, or waits until the host, a
// kernel or another stream has written one.
#pragma once

#include "driver/graphs/operation.h"

#include "heddle/driver_graph_types.h"

namespace heddle::driver {

/// A batch of them that has been checked, in the program's order.
class MemoryOperations {
public:
  /// Errors: CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_SUPPORTED for flushes of remote writes.
  CUresult read(const CUstreamBatchMemOpParams *, unsigned count, unsigned flags);
  /// Some operation waits, so that it wants a thread of its own.
  bool waits() const;
  /// Returns early if the context is lost; loses it if a word is there no more.
  void run(const Context &) const;

  std::vector<CUstreamBatchMemOpParams> all;
};

/// A batch as a node.
class MemoryOperation final : public Operation {
public:
  static constexpr auto Type = static_cast<cudaGraphNodeType>(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  explicit MemoryOperation(MemoryOperations operations, Context &context);
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<MemoryOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override;
  /// Their number and kinds may not change.
  cudaGraphExecUpdateResult compare(const Operation &) const override;
  std::vector<std::string> describe() const override;

  MemoryOperations operations;
};

/// Errors: MemoryOperations::read's.
CUresult makeMemoryOperation(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 &, Context &,
                             std::unique_ptr<Operation> &);

} // namespace heddle::driver
