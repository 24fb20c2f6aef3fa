// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits that cannot end are reported, and nothing else is (hang.cpp). A program of its own, for it
// sets how long a launch may wait for all of them.
#include "device/cpu/launch_fixture.h"
#include "device/cpu/memory/allocator.h"

#include <cstdlib>
#include <unistd.h>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

const int hangIsSet = setenv("HEDDLE_HANG_SECONDS", "0.4", 1);
constexpr useconds_t Longer = 1'400'000; ///< than that, in us

const SourceLoc here = {"file.cu", 30, 5};

/// As compiled code polls: its frame is the same after each turn.
bool poll(Block *block, uint32_t warp, Frame &frame) {
  --frame.step; // the machine counts its steps
  block->warps[warp].where = &here;
  return waitFor(block, warp, WaitKind::Yield);
}

uint32_t load(const uint32_t *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

std::string reportOf(Device &device, Queue *queue, const LaunchRequest &r) {
  testing::internal::CaptureStderr();
  device.launch(queue, r);
  device.synchronize(queue);
  return testing::internal::GetCapturedStderr();
}

#define EXPECT_HAS(text, part) EXPECT_NE(text.find(part), std::string::npos) << text

/// The second warp of each block waits at a barrier for the first, which polls for a flag that
/// nobody sets.
bool pollForNothing(Block *block, uint32_t warp, Frame &frame) {
  auto *flag = params<uint32_t *>(block);
  if (warp == 1)
    return frame.step == 0 && waitBlock(block, warp, 0, 0, false, &here);
  return !load(flag) && poll(block, warp, frame);
}

TEST_F(LaunchTest, ReportsAWaitThatCannotEnd) {
  KernelCode code = waitingKernel<pollForNothing>(32, 2, KernelMaySpin);
  KernelInfo info = {&code, "pollForNothing"};
  for (uint32_t blocks : {1u, 2u, 40u}) {
    uint32_t flag = 0;
    std::string report = reportOf(*device, queue, request(info, blocks, &flag));
    EXPECT_HAS(report, "kernel pollForNothing waits for ever: nothing has changed for 0.4 seconds "
                       "(HEDDLE_HANG_SECONDS)");
    EXPECT_HAS(report, "block (0,0,0)");
    EXPECT_HAS(report, "threads 0 to 31: polls in a loop at file.cu:30");
    EXPECT_HAS(report, "threads 32 to 63: waits at barrier 0 at file.cu:30");
    if (blocks == 40)
      EXPECT_HAS(report, ", and 39 more like it");
    EXPECT_EQ(device->fault(), Fault::LaunchTimeout);
    device->reset();
  }
  uint32_t flag = 1;
  run(request(info, 1, &flag));
}

bool pollInGrid(Block *block, uint32_t warp, Frame &frame) {
  if (block->blockIdx[0] == 0)
    return poll(block, warp, frame);
  return frame.step == 0 && waitFor(block, warp, WaitKind::Grid);
}

TEST_F(LaunchTest, ReportsAWaitInACooperativeGrid) {
  KernelCode code = waitingKernel<pollInGrid>(32, 1, KernelNeedsGrid | KernelMaySpin);
  KernelInfo info = {&code, "pollInGrid"};
  int none = 0;
  LaunchRequest r = request(info, 5, none);
  r.cooperative = true;
  std::string report = reportOf(*device, queue, r);
  EXPECT_HAS(report, "polls in a loop at file.cu:30");
  EXPECT_HAS(report, "4 blocks wait at a grid barrier");
  EXPECT_EQ(device->fault(), Fault::LaunchTimeout);
}

/// A kernel that computes in a loop that looks like a poll: its own frame is all that changes.
bool computeForLong(Block *block, uint32_t warp, Frame &frame) {
  auto *rounds = params<uint32_t *>(block);
  usleep(1000);
  return ++frame.values[0] < *rounds && poll(block, warp, frame);
}

TEST_F(LaunchTest, LetsAKernelComputeForLong) {
  KernelCode code = waitingKernel<computeForLong>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "computeForLong"};
  uint32_t rounds = Longer / 1000;
  run(request(info, 3, &rounds));
}

/// Only memory changes: a counter that CUDA's allocator gave.
bool countForLong(Block *block, uint32_t warp, Frame &frame) {
  auto *counter = params<uint32_t *>(block);
  usleep(1000);
  return __atomic_add_fetch(counter, 1, __ATOMIC_ACQ_REL) < Longer / 1000 &&
         poll(block, warp, frame);
}

TEST_F(LaunchTest, SeesThatMemoryChanges) {
  KernelCode code = waitingKernel<countForLong>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "countForLong"};
  auto *counter = static_cast<uint32_t *>(cpu::Allocator::get().allocate(4, {}));
  run(request(info, 1, counter));
  cpu::Allocator::get().release(counter);
}

/// What is polled for comes from a kernel that computes for long without a turn.
void setLate(Block *block) {
  usleep(Longer);
  __atomic_store_n(params<uint32_t *>(block), 1, __ATOMIC_RELEASE);
}

bool pollForFlag(Block *block, uint32_t warp, Frame &frame) {
  return !load(params<uint32_t *>(block)) && poll(block, warp, frame);
}

TEST_F(LaunchTest, WaitsForOtherKernels) {
  KernelCode polls = waitingKernel<pollForFlag>(32, 1, KernelMaySpin),
             sets = plainKernel<setLate>();
  KernelInfo pollInfo = {&polls, "pollForFlag"}, setInfo = {&sets, "setLate"};
  Queue *other = device->createQueue(QueueKind::NonBlocking, 0);
  uint32_t flag = 0;
  device->launch(queue, request(pollInfo, 7, &flag));
  device->launch(other, request(setInfo, 1, &flag));
  device->synchronize();
  EXPECT_EQ(device->fault(), Fault::None);
  device->destroyQueue(other);
}

TEST_F(LaunchTest, WaitsForHostFunctions) {
  KernelCode polls = waitingKernel<pollForFlag>(32, 1, KernelMaySpin);
  KernelInfo info = {&polls, "pollForFlag"};
  Queue *other = device->createQueue(QueueKind::NonBlocking, 0);
  uint32_t flag = 0;
  device->launch(queue, request(info, 7, &flag));
  device->enqueueHostFunction(other, [&] {
    usleep(Longer);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  });
  device->synchronize();
  EXPECT_EQ(device->fault(), Fault::None);
  device->destroyQueue(other);
}

TEST_F(LaunchTest, WaitsForAHostThatDoesNotWait) {
  KernelCode polls = waitingKernel<pollForFlag>(32, 1, KernelMaySpin);
  KernelInfo info = {&polls, "pollForFlag"};
  uint32_t flag = 0;
  device->launch(queue, request(info, 7, &flag));
  usleep(Longer);
  __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
  device->synchronize();
  EXPECT_EQ(device->fault(), Fault::None);
}

/// A poll with a bound in time, which is in no memory.
bool pollWithClock(Block *block, uint32_t warp, Frame &frame) {
  const Services &services = *block->launch->services;
  if (frame.values[0] == 0)
    frame.values[0] = services.globalTimer() + uint64_t(Longer) * 1000;
  return services.globalTimer() < frame.values[0] && poll(block, warp, frame);
}

TEST_F(LaunchTest, LetsPollsHaveABoundInTime) {
  KernelCode code = waitingKernel<pollWithClock>(32, 1, KernelMaySpin);
  KernelInfo info = {&code, "pollWithClock"};
  run(request(info, 4, 0));
}

} // namespace
