// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/copies/copy.h"

namespace heddle::driver {

/// A fill that has been checked.
struct FillWork {
  Side side;
  Box box;
  unsigned value = 0;
  unsigned elementBytes = 1; ///< 1, 2 or 4
  uint32_t origin = 0;       ///< of initcheck: the call's stack (check/host_stack.h)
  uint64_t call = profiledCall();
  /// False, and says so, if memory of the host's is not there.
  bool run() const;
};

/// A memset node.
class FillOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeMemset;
  explicit FillOperation(const FillWork &work) : work(work) {}
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<FillOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &, PlanContext &) override;
  cudaGraphExecUpdateResult compare(const Operation &) const override;
  std::vector<std::string> describe() const override;

  FillWork work;
};

/// The fill that a memset node asks for. Errors: CUDA_ERROR_INVALID_VALUE.
CUresult readFill(const cudaMemsetParams *, FillWork &);
/// Fills in the stream; a call without one waits only when it writes page-locked host memory.
CUresult fill(const FillWork &, CopyStream);
/// The parameters that ask for it.
cudaMemsetParams paramsOf(const FillWork &);

} // namespace heddle::driver
