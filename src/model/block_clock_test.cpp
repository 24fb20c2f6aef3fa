// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/block_clock.h"
#include "model/test_kernels.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

using enum Operation;
using enum ValueKind;

constexpr unsigned Chain = 100;

/// Blocks 0 and 2 read the clock; block 1 has a chain of sums, or a barrier before it.
KernelCode timedChain(bool hasBarrier) {
  test::CodeWriter w;
  w.block();
  w.make(Clock, Integer, 32, {});
  w.block();
  if (hasBarrier)
    w.simple(Barrier);
  uint32_t value = w.parameter(32);
  for (unsigned i = 0; i < Chain; ++i)
    value = w.make(Add, Float, 32, {value, value});
  w.block();
  w.make(Clock, Integer, 32, {});
  return w.take();
}

struct Timed {
  Timed(std::string_view key, const KernelCode &kernel, uint32_t blocks, uint32_t threads)
      : gpu(*findGpu(key)), code(makeMachineCode(kernel, gpu)), device(gpu),
        launch(gpu, code, {{blocks, 1, 1}, {threads, 1, 1}}, device) {}
  const Gpu &gpu;
  MachineCode code;
  DeviceClock device;
  LaunchClock launch;
};

void come(BlockClock &clock, uint32_t warp, uint32_t block) {
  clock.add(warp, {EventKind::Block, block, ~0u, 0, 0}, {});
}

uint64_t timeOfChain(BlockClock &clock, uint32_t warp) {
  come(clock, warp, 0);
  const uint64_t begin = clock.cycles(warp);
  come(clock, warp, 1);
  come(clock, warp, 2);
  return clock.cycles(warp) - begin;
}

TEST(BlockClock, tellsTheLatencyOfAChain) {
  const KernelCode kernel = timedChain(false);
  EXPECT_TRUE(readsClock(kernel));
  for (auto [key, latency] : {std::pair("gtx280", 24), {"c2050", 18}, {"k20", 9}, {"h200", 4}}) {
    Timed timed(key, kernel, 1, 32);
    BlockClock clock(timed.launch, 1);
    EXPECT_NEAR(double(timeOfChain(clock, 0)), latency * Chain, 50) << key;
  }
}

/// 16 warps for each scheduler: one sum a cycle, and not one in four.
TEST(BlockClock, othersTakeTheirPart) {
  const KernelCode kernel = timedChain(false);
  Timed timed("v100", kernel, 80 * 2, 1024);
  BlockClock clock(timed.launch, 32);
  EXPECT_NEAR(double(timeOfChain(clock, 3)), 2 * 16 * Chain, 100);
}

TEST(BlockClock, waitsForTheLastAtABarrier) {
  const KernelCode kernel = timedChain(true);
  Timed timed("k20", kernel, 1, 64);
  BlockClock clock(timed.launch, 2);
  come(clock, 0, 0), come(clock, 0, 1); // and waits
  for (unsigned i = 0; i < 100; ++i)
    come(clock, 1, 0); // is late
  const uint64_t late = clock.cycles(1);
  come(clock, 1, 1);
  come(clock, 0, 2), come(clock, 1, 2);
  EXPECT_GE(clock.cycles(0), late + 9 * Chain);
  EXPECT_NEAR(double(clock.cycles(0)), double(clock.cycles(1)), 10);
}

/// As many as fit run at a time, and others begin when one of them ends.
TEST(BlockClock, blocksFollowEachOther) {
  const KernelCode kernel = timedChain(false);
  Timed timed("k20", kernel, 13 * 16 + 1, 32);
  uint64_t first = 0, ended = 0;
  for (unsigned block = 0; block <= 13 * 16; ++block) {
    BlockClock clock(timed.launch, 1);
    come(clock, 0, 0);
    const uint64_t begin = clock.cycles(0);
    first = block ? first : begin;
    timeOfChain(clock, 0);
    ended = block ? ended : clock.cycles(0);
    if (block && block < 13 * 16) {
      EXPECT_EQ(begin, first);
    } else if (block) {
      EXPECT_GE(begin, ended);
    }
  }
}

} // namespace
} // namespace heddle::model
