// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/test_kernels.h"

#include <gtest/gtest.h>

namespace heddle::device::test {

/// A device of its own, and a stream.
class LaunchTest : public testing::Test {
protected:
  std::unique_ptr<Device> device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Legacy, 0);

  void run(const LaunchRequest &r) {
    device->launch(queue, r);
    device->synchronize(queue);
    ASSERT_EQ(device->fault(), Fault::None);
  }
  /// `blocks` blocks of a kernel.
  template <typename P>
  void run(const KernelCode &code, uint32_t blocks, const P &params, uint32_t shared = 0) {
    KernelInfo info = {&code, "kernel"};
    run(request(info, blocks, params, shared));
  }
};

} // namespace heddle::device::test
