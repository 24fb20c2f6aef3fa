// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/count/block_recorder.h"

#include <gtest/gtest.h>

namespace heddle::profile {
namespace {

/// A block of two warps that run one after the other, recorded with room for so many steps.
model::BlockTrace record(unsigned first, unsigned second, unsigned room) {
  model::KernelCode code;
  code.blocks = {{0, 3}};
  BlockRecorder recorder(code, 0, 2, room * sizeof(model::WarpEvent), nullptr);
  for (unsigned i = 0; i < first; ++i)
    recorder.came(0, ~0u, 0);
  for (unsigned i = 0; i < second; ++i)
    recorder.came(1, ~0u, 0);
  return recorder.take();
}

/// Steps that are kept.
std::pair<size_t, size_t> kept(const model::BlockTrace &trace) {
  return {trace.warps[0].events.size(), trace.warps[1].events.size()};
}

TEST(BlockRecorder, cutsWarpsAlike) {
  EXPECT_EQ(kept(record(9, 11, 20)), std::pair(size_t(9), size_t(11)));
  EXPECT_EQ(kept(record(18, 2, 20)), std::pair(size_t(18), size_t(2)))
      << "one may have the others' room";
  EXPECT_EQ(kept(record(100, 100, 20)), std::pair(size_t(10), size_t(10)));
  EXPECT_EQ(kept(record(100, 3, 20)), std::pair(size_t(10), size_t(3)));
  EXPECT_EQ(record(100, 3, 20).operations, 309u) << "what is missing counts";
}

TEST(BlockRecorder, whatIsKeptDoesNotDependOnWhatMoreIsKnown) {
  for (auto [first, second] : {std::pair(9u, 11u), {18u, 2u}, {100u, 100u}, {100u, 3u}, {13u, 40u}})
    for (unsigned room : {20u, 21u, 30u, 60u, 1000u}) {
      const model::BlockTrace alone = record(first, second, 20);
      const model::BlockTrace fromMore =
          cut(record(first, second, room), 20 * sizeof(model::WarpEvent));
      EXPECT_EQ(kept(alone), kept(fromMore)) << first << ' ' << second << ' ' << room;
      EXPECT_EQ(alone.isWhole, fromMore.isWhole);
    }
}

} // namespace
} // namespace heddle::profile
