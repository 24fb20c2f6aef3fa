// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that poll for any other block of their grid, or of another launch (parked.cpp).
#include "device/cpu/launch_fixture.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

uint32_t load(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

struct BarrierParams {
  uint32_t *counter;
  uint32_t rounds;
};

/// Barriers over the grid as programs make them: warp 0 counts and polls, the others wait at
/// barriers of the block.
bool barrierByHand(Block *block, uint32_t warp, Frame &frame) {
  const auto &p = params<BarrierParams>(block);
  uint64_t &round = frame.values[0], &phase = frame.values[1];
  uint32_t blocks = block->launch->gridDim[0];
  for (; round < p.rounds; ++round, phase = 0) {
    if (phase == 0) {
      phase = 1;
      if (warp == 0) {
        __atomic_fetch_add(p.counter, 1, __ATOMIC_ACQ_REL);
        ++block->warps[warp].polls;
      }
    }
    if (phase == 1 && warp == 0 && load(p.counter) < (round + 1) * blocks)
      return waitFor(block, warp, WaitKind::Yield);
    if (phase == 1) {
      phase = 2;
      return waitBlock(block, warp);
    }
  }
  return false;
}

TEST_F(LaunchTest, HoldsBarriersOverAsManyBlocksAsALargeGpu) {
  KernelCode code = waitingKernel<barrierByHand>(32, 2, KernelMaySpin);
  KernelInfo info = {&code, "barrierByHand"};
  for (uint32_t blocks : {1u, 2u, 3u, 17u, 2112u, 4096u}) {
    uint32_t counter = 0;
    BarrierParams p = {&counter, 5};
    LaunchRequest r = request(info, blocks, p);
    r.residentBlocks = 4; // what the device would hold by its multiprocessors
    run(r);
    EXPECT_EQ(counter, 5 * blocks);
  }
}

/// Each block waits for the next one.
bool chain(Block *block, uint32_t warp, Frame &) {
  auto *flags = params<uint32_t *>(block);
  uint32_t i = block->blockIdx[0];
  if (i + 1 < block->launch->gridDim[0] && !load(&flags[i + 1]))
    return waitFor(block, warp, WaitKind::Yield);
  __atomic_store_n(&flags[i], 1, __ATOMIC_RELEASE);
  return false;
}

TEST_F(LaunchTest, RunsChainsFromTheLastBlockToTheFirst) {
  KernelCode code = waitingKernel<chain>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "chain"};
  std::vector<uint32_t> flags(1500);
  run(request(info, uint32_t(flags.size()), flags.data()));
  EXPECT_EQ(std::count(flags.begin(), flags.end(), 1u), std::ptrdiff_t(flags.size()));
}

struct GroupParams {
  uint32_t *counters, *alive, *most;
};
constexpr uint32_t GroupSize = 8;

/// Barriers of eight neighbours.
bool groups(Block *block, uint32_t warp, Frame &frame) {
  const auto &p = params<GroupParams>(block);
  uint32_t *counter = &p.counters[block->blockIdx[0] / GroupSize];
  if (frame.step == 0) {
    uint32_t now = __atomic_add_fetch(p.alive, 1, __ATOMIC_ACQ_REL), most = load(p.most);
    while (now > most && !__atomic_compare_exchange_n(p.most, &most, now, true, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_ACQUIRE))
      ;
    __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
  }
  if (load(counter) < GroupSize)
    return waitFor(block, warp, WaitKind::Yield);
  __atomic_sub_fetch(p.alive, 1, __ATOMIC_ACQ_REL);
  return false;
}

TEST_F(LaunchTest, DoesNotStartAllBlocksBeforeItGoesOnWithThose) {
  KernelCode code = waitingKernel<groups>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "groups"};
  constexpr uint32_t Blocks = 40'000;
  std::vector<uint32_t> counters(Blocks / GroupSize);
  uint32_t alive = 0, most = 0;
  run(request(info, Blocks, GroupParams{counters.data(), &alive, &most}));
  EXPECT_EQ(alive, 0u);
  EXPECT_LT(most, Blocks / 20);
}

struct StreamParams {
  uint32_t *mine, *others;
};

/// All blocks of a launch count, and wait for all of another launch.
bool meet(Block *block, uint32_t warp, Frame &frame) {
  const auto &p = params<StreamParams>(block);
  if (frame.step == 0)
    __atomic_fetch_add(p.mine, 1, __ATOMIC_ACQ_REL);
  return load(p.others) < block->launch->gridDim[0] && waitFor(block, warp, WaitKind::Yield);
}

TEST_F(LaunchTest, RunsLaunchesThatWaitForEachOther) {
  KernelCode code = waitingKernel<meet>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "meet"};
  constexpr uint32_t Streams = 6;
  Queue *queues[Streams];
  uint32_t counters[Streams] = {};
  for (Queue *&q : queues)
    q = device->createQueue(QueueKind::NonBlocking, 0);
  for (int rounds = 0; rounds < 3; ++rounds) {
    std::fill(std::begin(counters), std::end(counters), 0);
    for (uint32_t i = 0; i < Streams; ++i)
      device->launch(queues[i],
                     request(info, 200, StreamParams{&counters[i], &counters[(i + 1) % Streams]}));
    device->synchronize();
    for (uint32_t counter : counters)
      EXPECT_EQ(counter, 200u);
  }
  for (Queue *q : queues)
    device->destroyQueue(q);
}

/// Polls for a launch that does not poll, and is queued when all workers poll already.
TEST_F(LaunchTest, StartsLaunchesThatAreWaitedFor) {
  KernelCode code = waitingKernel<meet>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "meet"};
  KernelCode plain = plainKernel<[](Block *block) {
    __atomic_store_n(params<uint32_t *>(block), ~0u, __ATOMIC_RELEASE);
  }>();
  KernelInfo plainInfo = {&plain, "set"};
  Queue *other = device->createQueue(QueueKind::NonBlocking, 0);
  uint32_t counter = 0, flag = 0;
  device->launch(queue, request(info, 300, StreamParams{&counter, &flag}));
  while (load(&counter) < 300)
    ;
  device->launch(other, request(plainInfo, 3, &flag));
  device->synchronize();
  EXPECT_EQ(counter, 300u);
  device->destroyQueue(other);
}

/// Barriers of a cooperative grid, and polls for blocks of it in between.
bool gridAndPolls(Block *block, uint32_t warp, Frame &frame) {
  auto *counter = params<uint32_t *>(block);
  uint64_t &round = frame.values[0], &phase = frame.values[1];
  uint32_t blocks = block->launch->gridDim[0];
  if (phase == 0 && warp == 0)
    __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
  phase = 1;
  if (load(counter) < (round + 1) * blocks)
    return waitFor(block, warp, WaitKind::Yield);
  phase = 0;
  return ++round < 4 && waitFor(block, warp, WaitKind::Grid);
}

TEST_F(LaunchTest, PollsInCooperativeGrids) {
  KernelCode code = waitingKernel<gridAndPolls>(32, 2, KernelNeedsGrid | KernelMaySpin);
  KernelInfo info = {&code, "gridAndPolls"};
  for (uint32_t blocks : {1u, 9u, 500u}) {
    uint32_t counter = 0, *pointer = &counter;
    LaunchRequest r = request(info, blocks, pointer);
    r.cooperative = true;
    run(r);
    EXPECT_EQ(counter, 4 * blocks);
  }
}

/// One of many blocks that poll faults.
bool pollAndFault(Block *block, uint32_t warp, Frame &frame) {
  auto *counter = params<uint32_t *>(block);
  if (frame.step == 0 && __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) == 150)
    *reinterpret_cast<volatile int *>(16) = 1;
  return waitFor(block, warp, WaitKind::Yield);
}

TEST_F(LaunchTest, EndsBlocksThatPollWhenOneFaults) {
  KernelCode code = waitingKernel<pollAndFault>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "pollAndFault"};
  uint32_t counter = 0;
  testing::internal::CaptureStderr();
  device->launch(queue, request(info, 300, &counter));
  device->synchronize();
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("invalid global write in kernel pollAndFault"),
      std::string::npos);
  EXPECT_EQ(device->fault(), Fault::IllegalAddress);
  device->reset();
}

} // namespace
