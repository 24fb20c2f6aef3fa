// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose blocks, or which themselves, wait for others that must run at the same time.
#include "device/cpu/launch_fixture.h"

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

/// Block 0 waits for what block 1 writes: both must run at the same time.
void waitForOther(Block *block) {
  auto *flag = params<uint32_t *>(block);
  if (block->blockIdx[0] == 1)
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  else
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
      ;
}

TEST_F(LaunchTest, RunsBlocksConcurrently) {
  if (device->workers() < 2)
    GTEST_SKIP() << "needs two processors";
  KernelCode code = plainKernel<waitForOther>();
  code.flags = KernelMaySpin;
  KernelInfo info = {&code, "waitForOther"};
  for (int i = 0; i < 200; ++i) {
    uint32_t flag = 0;
    run(request(info, 2, &flag));
  }
}

/// A barrier over the grid as programs make it: a counter, and all blocks wait until it is full.
void waitForAll(Block *block) {
  auto *counter = params<uint32_t *>(block);
  uint32_t blocks = block->launch->gridDim[0];
  for (uint32_t round = 1; round <= 3; ++round) {
    __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < round * blocks)
      ;
  }
}

TEST_F(LaunchTest, RunsAsManyBlocksAtOnceAsWaitForEachOther) {
  KernelCode code = plainKernel<waitForAll>();
  code.flags = KernelMaySpin;
  KernelInfo info = {&code, "waitForAll"};
  for (uint32_t blocks : {device->workers() + 1, 13u}) {
    uint32_t counter = 0;
    run(request(info, blocks, &counter));
    EXPECT_EQ(counter, 3 * blocks);
  }
}

/// The same inside a kernel that waits at block barriers.
bool waitForAllAndBlock(Block *block, uint32_t warp, Frame &frame) {
  if (frame.step == 0) {
    if (warp == 0)
      waitForAll(block);
    return waitBlock(block, warp);
  }
  return false;
}

TEST_F(LaunchTest, RunsWaitingBlocksAtOnce) {
  uint32_t counter = 0;
  run(waitingKernel<waitForAllAndBlock>(32, 2, KernelMaySpin), 9, &counter);
  EXPECT_EQ(counter, 27u);
}

/// Barriers of both kinds: hand-made ones between those of a cooperative grid.
bool waitForAllAndGrid(Block *block, uint32_t warp, Frame &frame) {
  if (frame.step == 3)
    return false;
  if (warp == 0) {
    auto *counter = params<uint32_t *>(block);
    uint32_t all = (frame.step + 1) * block->launch->gridDim[0];
    __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < all)
      ;
  }
  return waitFor(block, warp, WaitKind::Grid);
}

TEST_F(LaunchTest, RunsBlocksOfCooperativeGridsAtOnce) {
  KernelCode code = waitingKernel<waitForAllAndGrid>(32, 2, KernelNeedsGrid | KernelMaySpin);
  KernelInfo info = {&code, "waitForAllAndGrid"};
  uint32_t counter = 0, *pointer = &counter;
  LaunchRequest r = request(info, 9, pointer);
  r.cooperative = true;
  run(r);
  EXPECT_EQ(counter, 27u);
}

/// Kernels of two streams: the first waits for the second, and fills all workers.
void waitForFlag(Block *block) {
  while (!__atomic_load_n(params<uint32_t *>(block), __ATOMIC_ACQUIRE))
    ;
}
void setFlag(Block *block) { __atomic_store_n(params<uint32_t *>(block), 1, __ATOMIC_RELEASE); }

TEST_F(LaunchTest, RunsALaunchThatAnotherOneWaitsFor) {
  KernelCode waits = plainKernel<waitForFlag>(), sets = plainKernel<setFlag>();
  waits.flags = KernelMaySpin;
  KernelInfo waitInfo = {&waits, "waitForFlag"}, setInfo = {&sets, "setFlag"};
  Queue *first = device->createQueue(QueueKind::NonBlocking, 0);
  Queue *second = device->createQueue(QueueKind::NonBlocking, 0);
  for (uint32_t blocks : {1u, device->workers(), 3 * device->workers()}) {
    uint32_t flag = 0;
    device->launch(first, request(waitInfo, blocks, &flag));
    device->launch(second, request(setInfo, 5, &flag));
    device->synchronize();
    EXPECT_EQ(flag, 1u);
  }
  device->destroyQueue(first);
  device->destroyQueue(second);
}

/// No more blocks than the device holds run at once. The first ones wait until there are as many,
/// all of them so long that there would be more.
struct ResidentParams {
  uint32_t *running, *most, resident;
};
void countRunning(Block *block) {
  const auto &p = params<ResidentParams>(block);
  uint32_t now = __atomic_add_fetch(p.running, 1, __ATOMIC_ACQ_REL),
           most = __atomic_load_n(p.most, __ATOMIC_ACQUIRE);
  while (now > most &&
         !__atomic_compare_exchange_n(p.most, &most, now, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    ;
  while (__atomic_load_n(p.most, __ATOMIC_ACQUIRE) < p.resident)
    sched_yield();
  usleep(60'000);
  __atomic_sub_fetch(p.running, 1, __ATOMIC_ACQ_REL);
}

TEST_F(LaunchTest, KeepsToTheResidentBlocks) {
  KernelCode code = plainKernel<countRunning>();
  code.flags = KernelMaySpin;
  KernelInfo info = {&code, "countRunning"};
  uint32_t running = 0, most = 0, resident = device->workers() + 2;
  ResidentParams p = {&running, &most, resident};
  LaunchRequest r = request(info, 4 * resident, p);
  r.residentBlocks = resident;
  run(r);
  EXPECT_EQ(running, 0u);
  EXPECT_EQ(most, resident);
}

} // namespace
