// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaLaunchHostFunc, in a stream and as a node.
#pragma once

#include "driver/graphs/operation.h"

namespace heddle::driver {

/// Calls a function of the program, unless the context is lost.
struct HostWork {
  Context *device;
  cudaHostFn_t function;
  void *data;
  bool isOfDevice = false; ///< stands for a kernel of a library
  void operator()() const {
    if (stickyError(*device) != CUDA_SUCCESS)
      return;
    HostFunctionScope scope;
    function(data);
  }
};

class HostOperation final : public Operation {
public:
  static constexpr cudaGraphNodeType Type = cudaGraphNodeTypeHost;
  explicit HostOperation(const HostWork &work) : work(work) { device = work.device; }
  cudaGraphNodeType type() const override { return Type; }
  std::unique_ptr<Operation> clone() const override {
    return std::make_unique<HostOperation>(*this);
  }
  CUresult makeWork(device::GraphWork &to, PlanContext &) override {
    to.kind = device::GraphWork::Kind::HostFunction;
    to.task = work;
    to.isOfDevice = work.isOfDevice;
    return CUDA_SUCCESS;
  }
  std::vector<std::string> describe() const override { return {"host"}; }

  HostWork work;
};

} // namespace heddle::driver
