// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/block_recorder.h"

#include <gtest/gtest.h>

namespace heddle::profile {
namespace {

/// Steps that are kept of two warps, which run one after the other; with room for 20.
std::pair<size_t, size_t> keptOf(unsigned first, unsigned second, bool isWhole) {
  const model::KernelCode code;
  BlockRecorder recorder(code, 0, 2, 20 * sizeof(model::WarpEvent), nullptr);
  for (unsigned i = 0; i < first; ++i)
    recorder.came(0, ~0u, 0);
  for (unsigned i = 0; i < second; ++i)
    recorder.came(1, ~0u, 0);
  const model::BlockTrace trace = recorder.take();
  EXPECT_EQ(trace.isWhole, isWhole);
  return {trace.warps[0].events.size(), trace.warps[1].events.size()};
}

TEST(BlockRecorder, cutsWarpsAlike) {
  EXPECT_EQ(keptOf(9, 11, true), std::pair(size_t(9), size_t(11)));
  EXPECT_EQ(keptOf(14, 2, true), std::pair(size_t(14), size_t(2)))
      << "one may have the others' room";
  EXPECT_EQ(keptOf(100, 100, false), std::pair(size_t(5), size_t(5)));
  EXPECT_EQ(keptOf(100, 3, false), std::pair(size_t(15), size_t(3)));
}

} // namespace
} // namespace heddle::profile
