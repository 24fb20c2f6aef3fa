// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches on the CPU device: every block once, barriers of all kinds, cooperative grids.
#include "device/cpu/launch_fixture.h"
#include "device/cpu/schedule/schedule.h"

#include <algorithm>
#include <vector>

#include <unistd.h>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

void countBlock(Block *block) {
  auto *counts = params<uint32_t *>(block);
  __atomic_fetch_add(&counts[linearBlock(block)], 1, __ATOMIC_RELAXED);
}

TEST_F(LaunchTest, RunsEveryBlockOnce) {
  KernelCode code = plainKernel<countBlock>();
  KernelInfo info = {&code, "count"};
  for (uint32_t blocks : {1u, 2u, 7u, 1000u, 100'000u}) {
    std::vector<uint32_t> counts(blocks);
    run(request(info, blocks, counts.data()));
    for (uint32_t i = 0; i < blocks; ++i)
      ASSERT_EQ(counts[i], 1u) << i << " of " << blocks;
  }
}

TEST_F(LaunchTest, RunsThreeDimensionalGrids) {
  KernelCode code = plainKernel<countBlock>();
  KernelInfo info = {&code, "count"};
  std::vector<uint32_t> counts(5 * 7 * 11);
  uint32_t *pointer = counts.data();
  LaunchRequest r = request(info, 5, pointer);
  r.gridDim[1] = 7;
  r.gridDim[2] = 11;
  run(r);
  for (uint32_t count : counts)
    ASSERT_EQ(count, 1u);
}

struct LargeParams {
  uint64_t *out;
  uint64_t words[500];
};
void sumParams(Block *block) {
  const auto &p = params<LargeParams>(block);
  uint64_t sum = 0;
  for (uint64_t word : p.words)
    sum += word;
  *p.out = sum;
}

TEST_F(LaunchTest, CopiesParametersAtLaunch) {
  KernelCode code = plainKernel<sumParams>();
  KernelInfo info = {&code, "sum"};
  uint64_t out = 0;
  LargeParams p = {&out, {}};
  for (uint64_t i = 0; i < 500; ++i)
    p.words[i] = i;
  device->enqueueHostFunction(queue, [] {});
  device->launch(queue, request(info, 1, p));
  memset(p.words, 0xff, sizeof(p.words));
  device->synchronize(queue);
  EXPECT_EQ(out, 499u * 500 / 2);
}

/// A tree sum over the warps of a block through shared memory: each step ends at __syncthreads.
bool treeSum(Block *block, uint32_t warp, Frame &frame) {
  auto *shared = reinterpret_cast<uint32_t *>(block->shared);
  uint32_t warps = 32;
  if (frame.step == 0) {
    shared[warp] = warp + 1 + static_cast<uint32_t>(linearBlock(block));
    return waitBlock(block, warp);
  }
  uint32_t half = warps >> frame.step;
  if (half == 0) {
    if (warp == 0)
      params<uint32_t *>(block)[linearBlock(block)] = shared[0];
    return false;
  }
  if (warp < half)
    shared[warp] += shared[warp + half];
  return waitBlock(block, warp);
}

TEST_F(LaunchTest, ReleasesBlockBarriers) {
  std::vector<uint32_t> sums(5000);
  run(waitingKernel<treeSum>(32, 32), 5000, sums.data(), 4096);
  for (uint32_t i = 0; i < sums.size(); ++i)
    ASSERT_EQ(sums[i], 32 * 33 / 2 + 32 * i);
}

/// Each block notes when it came.
struct OrderParams {
  std::atomic<uint32_t> *clock;
  uint32_t *times;
};
void noteOrder(Block *block) {
  auto &p = params<OrderParams>(block);
  p.times[linearBlock(block)] = ++*p.clock;
}

// LEGAL turn-back: waits
// LEGAL turn-back: prints
// LEGAL grid-parts: waits
// LEGAL grid-parts: prints
TEST_F(LaunchTest, GoesToAndFroWhenLaunchesAreLong) {
  constexpr uint32_t Blocks = 5000;
  auto goesBack = [&](const KernelInfo &info, uint64_t blockTime) {
    std::atomic<uint32_t> clock = 0;
    std::vector<uint32_t> times(Blocks);
    info.blockTime = blockTime;
    run(request(info, Blocks, OrderParams{&clock, times.data()}));
    for (uint32_t time : times)
      EXPECT_GT(time, 0u);
    bool isInOrder = info.code->flags & (KernelInOrder | KernelMaySpin);
    unsigned parts =
        isInOrder ? 1 : cpu::schedule::partsFor({Blocks, device->workers(), 1, blockTime});
    if (isInOrder) { // a part of its own would begin in the middle
      EXPECT_GT(times[Blocks / 2], Blocks / 8);
    }
    return times[0] > times[Blocks / parts - 1];
  };
  for (uint32_t flags : {0u, uint32_t(KernelInOrder), uint32_t(KernelMaySpin)}) {
    KernelCode code = plainKernel<noteOrder>();
    code.flags = flags;
    KernelInfo info = {&code, "noteOrder"};
    uint64_t isLong = cpu::schedule::LongLaunch / Blocks + 1, isShort = isLong / 2;
    unsigned back = 0;
    for (int i = 0; i < 4; ++i)
      back += goesBack(info, isLong);
    EXPECT_EQ(back, flags ? 0u : 2u);
    EXPECT_FALSE(goesBack(info, isShort));
  }
}

TEST_F(LaunchTest, GivesEachBlockToOneWorker) {
  for (uint32_t blocks : {1u, 2u, 3u, 17u, 5001u})
    for (uint64_t time : {0u, 1u, 1000u, 1000000u}) { // the last one is worth many parts
      KernelCode code = plainKernel<noteOrder>();
      KernelInfo info = {&code, "noteOrder"};
      std::atomic<uint32_t> clock = 0;
      std::vector<uint32_t> times(blocks);
      info.blockTime = time;
      run(request(info, blocks, OrderParams{&clock, times.data()}));
      EXPECT_EQ(clock, blocks);
      std::sort(times.begin(), times.end());
      for (uint32_t i = 0; i < blocks; ++i)
        EXPECT_EQ(times[i], i + 1);
    }
}

/// Blocks of one program that end after 1 to 5 steps. Each step says who took it: neighbours take
/// turns.
struct TurnsParams {
  uint32_t *steps;                ///< of each block
  std::atomic<uint32_t> *changes; ///< of the block whose turn it is
};
bool takeTurns(Block *block, uint32_t warp, Frame &frame) {
  static thread_local const Block *lastTurn = nullptr;
  auto &p = params<TurnsParams>(block);
  auto *shared = reinterpret_cast<uint64_t *>(block->shared);
  uint64_t me = linearBlock(block);
  if (frame.step > 0 && (shared[0] != me || frame.values[0] != me))
    return false; // another block has been here
  shared[0] = frame.values[0] = me;
  *p.changes += lastTurn != block;
  lastTurn = block;
  ++p.steps[me];
  return frame.step < me % 5 && waitBlock(block, warp);
}

TEST_F(LaunchTest, LetsNeighboursTakeTurns) {
  KernelCode code = waitingKernel<takeTurns>(256, 1);
  for (uint32_t abreast : {0u, 2u, MostAbreast}) {
    code.abreast = abreast;
    KernelInfo info = {&code, "takeTurns"};
    std::vector<uint32_t> steps(1003);
    std::atomic<uint32_t> changes = 0;
    run(request(info, 1003, TurnsParams{steps.data(), &changes}, 64));
    for (uint32_t i = 0; i < steps.size(); ++i)
      ASSERT_EQ(steps[i], i % 5 + 1) << abreast;
    if (abreast)
      EXPECT_GT(changes, 1003u) << abreast;
  }
}

/// Warp w returns after w barriers; the others go on without it.
bool returnEarly(Block *block, uint32_t warp, Frame &frame) {
  if (frame.step == warp) {
    __atomic_fetch_add(params<uint32_t *>(block), 1, __ATOMIC_RELAXED);
    return false;
  }
  return waitBlock(block, warp);
}

TEST_F(LaunchTest, CountsEndedWarpsAsArrived) {
  uint32_t ended = 0;
  run(waitingKernel<returnEarly>(32, 8), 10, &ended);
  EXPECT_EQ(ended, 80u);
}

/// Warps 0 and 1 produce (arrive at barrier 2), warps 2 and 3 consume (wait at it).
bool produceAndConsume(Block *block, uint32_t warp, Frame &frame) {
  auto *shared = reinterpret_cast<uint32_t *>(block->shared);
  if (frame.step == 0) {
    if (warp == 0)
      shared[0] = shared[1] = 0;
    return waitBlock(block, warp);
  }
  if (frame.step == 1) {
    if (warp < 2)
      shared[warp] = 7 + warp;
    return waitBlock(block, warp, 2, 128, warp < 2);
  }
  if (warp >= 2)
    params<uint32_t *>(block)[warp - 2] = shared[0] * 100 + shared[1];
  return false;
}

TEST_F(LaunchTest, CountsThreadsAtNamedBarriers) {
  uint32_t out[2] = {};
  run(waitingKernel<produceAndConsume>(32, 4), 1, &out[0], 64);
  EXPECT_EQ(out[0], 708u);
  EXPECT_EQ(out[1], 708u);
}

/// Width 8, one CUDA warp: an exchange among lanes 0-15 only, while lanes 16-31 wait at the block's
/// barrier.
bool exchangeHalf(Block *block, uint32_t warp, Frame &frame) {
  auto *shared = reinterpret_cast<uint32_t *>(block->shared);
  if (warp >= 2)
    return frame.step == 0 && waitBlock(block, warp);
  switch (frame.step) {
  case 0:
    shared[warp] = 5 + warp;
    return waitFor(block, warp, WaitKind::Warp, 0xffff);
  case 1:
    params<uint32_t *>(block)[warp] = shared[1 - warp];
    return waitBlock(block, warp);
  }
  return false;
}

TEST_F(LaunchTest, ReleasesPartsOfAWarp) {
  uint32_t out[2] = {};
  run(waitingKernel<exchangeHalf>(8, 4, KernelWarpWaits), 1, &out[0], 64);
  EXPECT_EQ(out[0], 6u);
  EXPECT_EQ(out[1], 5u);
}

/// __syncthreads_count as compiled code does it: adds to a cell, waits, reads the cell.
bool countTwice(Block *block, uint32_t warp, Frame &frame) {
  if (frame.step > 0 && block->reduceTrue[(block->phase - 1) % 2] != frame.step * 4)
    __atomic_fetch_add(params<uint32_t *>(block), 1, __ATOMIC_RELAXED);
  if (frame.step == 6)
    return false;
  block->reduceTrue[block->phase % 2] += frame.step + 1;
  return waitBlock(block, warp);
}

TEST_F(LaunchTest, ClearsReductionCells) {
  uint32_t wrong = 0;
  run(waitingKernel<countTwice>(32, 4), 100, &wrong);
  EXPECT_EQ(wrong, 0u);
}

struct GridParams {
  uint32_t *values, *wrong;
};

/// Each round every block writes, waits for the grid, and reads its neighbour.
bool passRound(Block *block, uint32_t warp, Frame &frame) {
  const auto &p = params<GridParams>(block);
  uint32_t blocks = block->launch->gridDim[0], me = block->blockIdx[0];
  if (frame.step % 2 == 1) {
    if (warp == 0 && p.values[(me + 1) % blocks] != frame.step)
      __atomic_fetch_add(p.wrong, 1, __ATOMIC_RELAXED);
    return waitFor(block, warp, WaitKind::Grid);
  }
  if (frame.step == 20)
    return false;
  if (warp == 0)
    p.values[me] = frame.step + 1;
  return waitFor(block, warp, WaitKind::Grid);
}

TEST_F(LaunchTest, RunsCooperativeGrids) {
  KernelCode code = waitingKernel<passRound>(32, 2, KernelNeedsGrid);
  KernelInfo info = {&code, "passRound"};
  uint32_t wrong = 0;
  std::vector<uint32_t> values(40);
  GridParams p = {values.data(), &wrong};
  LaunchRequest r = request(info, 40, p);
  r.cooperative = true;
  run(r);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(values[0], 19u);
}

} // namespace
