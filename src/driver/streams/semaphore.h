// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External semaphores, for streams and for nodes of graphs.
#pragma once

#include "driver/graphs/operation.h"
#include "driver/shared_file.h"

namespace heddle::driver {

/// What a descriptor of another API stands for. See semaphore.cpp.
class Semaphore {
public:
  virtual ~Semaphore() = default;
  virtual void signal(uint64_t value) = 0;
  /// Returns when it has been signalled (a timeline: with that value or a higher one).
  virtual void wait(uint64_t value) = 0;
};

/// One semaphore of a call or node.
struct SemaphoreUse {
  std::shared_ptr<Semaphore> semaphore;
  uint64_t value;
};

/// The semaphores of arrays of handles and parameters. Errors: CUDA_ERROR_INVALID_HANDLE,
/// CUDA_ERROR_INVALID_VALUE. Params: cudaExternalSemaphoreSignalParams or
/// cudaExternalSemaphoreWaitParams.
template <typename Params>
CUresult readSemaphores(const cudaExternalSemaphore_t *handles, const Params *params,
                        unsigned count, std::vector<SemaphoreUse> &uses);

/// A node that signals or waits.
template <cudaGraphNodeType type_, typename Params_>
class SemaphoreOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = type_;
  using Params = Params_;
  static constexpr bool Signals = type_ == cudaGraphNodeTypeExtSemaphoreSignal;

  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<SemaphoreOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &work, PlanContext &) override;
  /// Their number may not change.
  cudaGraphExecUpdateResult compare(const Operation &other) const override;
  std::vector<std::string> describe() const override;

  std::vector<cudaExternalSemaphore_t> handles;
  std::vector<Params> params;
};
using SignalOperation =
    SemaphoreOperation<cudaGraphNodeTypeExtSemaphoreSignal, cudaExternalSemaphoreSignalParams>;
using SemaphoreWaitOperation =
    SemaphoreOperation<cudaGraphNodeTypeExtSemaphoreWait, cudaExternalSemaphoreWaitParams>;

/// Errors: readSemaphores'.
template <typename T>
CUresult makeSemaphores(const cudaExternalSemaphore_t *handles, const typename T::Params *params,
                        unsigned count, Context &device, std::unique_ptr<Operation> &operation) {
  std::vector<SemaphoreUse> uses;
  if (CUresult error = readSemaphores(handles, params, count, uses))
    return error;
  auto made = std::make_unique<T>();
  made->device = &device;
  made->handles.assign(handles, handles + count);
  made->params.assign(params, params + count);
  operation = std::move(made);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
