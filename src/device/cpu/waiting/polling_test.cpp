// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that poll (WaitKind::Yield): others of their block go on, whichever they are.
#include "base/abi/meet_flags.h"
#include "base/machine/test_clock.h"
#include "device/cpu/block/block_runner.h"
#include "device/cpu/launch_fixture.h"

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;
using heddle::test::TestClock;

namespace {

struct Turns {
  uint32_t *next;
  uint32_t *order;
};

/// The last warp is the first in turn.
bool takeTurns(Block *block, uint32_t warp, Frame &frame) {
  auto [next, order] = params<Turns>(block);
  uint32_t turn = 3 - warp;
  if (frame.step == 0)
    ++block->warps[warp].polls;
  if (*next != turn)
    return waitFor(block, warp, WaitKind::Yield);
  order[(*next)++] = warp;
  return false;
}

TEST_F(LaunchTest, LetsLaterWarpsGoOn) {
  uint32_t next = 0, order[4] = {};
  run(waitingKernel<takeTurns>(32, 4), 1, Turns{&next, order});
  for (uint32_t i = 0; i < 4; ++i)
    EXPECT_EQ(order[i], 3 - i);
}

/// Warp 0 polls for what the others do behind a barrier among themselves.
bool pollForNamedBarrier(Block *block, uint32_t warp, Frame &frame) {
  auto *count = params<uint32_t *>(block);
  if (warp == 0)
    return *count != 3 && waitFor(block, warp, WaitKind::Yield);
  if (frame.step == 0)
    return waitBlock(block, warp, 1, 96);
  ++*count;
  return false;
}

TEST_F(LaunchTest, ReleasesBarriersWhileAWarpPolls) {
  uint32_t count = 0;
  run(waitingKernel<pollForNamedBarrier>(32, 4), 1, &count);
  EXPECT_EQ(count, 3u);
}

/// Block 0 polls for block 1, with more warps than it needs for that.
bool pollForBlock(Block *block, uint32_t warp, Frame &) {
  auto *flag = params<uint32_t *>(block);
  if (block->blockIdx[0] == 1) {
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    return false;
  }
  return !__atomic_load_n(flag, __ATOMIC_ACQUIRE) && waitFor(block, warp, WaitKind::Yield);
}

TEST_F(LaunchTest, GivesWayToOtherBlocks) {
  uint32_t flag = 0;
  run(waitingKernel<pollForBlock>(32, 4, KernelMaySpin), 2, &flag);
}

/// Two threads of a warp vote in each turn whether the flag is there.
bool pollByVotes(Block *block, uint32_t warp, Frame &frame) {
  if (frame.step == 0)
    ++block->warps[warp].polls;
  if (frame.step % 2 == 0)
    return waitFor(block, warp, WaitKind::Warp, 3);
  return !*params<uint32_t *>(block) && waitFor(block, warp, WaitKind::Yield);
}

/// The only one of a launch, of two threads.
struct OneBlock {
  template <typename T> explicit OneBlock(T &params) {
    launch.params = reinterpret_cast<const uint8_t *>(&params);
    std::fill_n(launch.gridDim, 3, 1);
    launch.blockDim[0] = 2, launch.blockDim[1] = launch.blockDim[2] = 1;
    block.launch = &launch;
    block.warps = warps;
    block.frameTop = frames;
  }

  alignas(64) uint8_t frames[2 * sizeof(Frame)];
  WarpState warps[2];
  Launch launch = {};
  Block block = {};
};

TEST(BlockRun, IsIdleThoughLanesVote) {
  KernelCode code = waitingKernel<pollByVotes>(1, 2, KernelWarpWaits);
  uint32_t flag = 0, *params = &flag;
  OneBlock one(params);
  cpu::Fibers fibers;
  std::atomic<bool> cancelled = false;
  cpu::BlockRun run;
  run.init(code, one.block, fibers, cancelled);
  run.startWarps();
  auto endOf = [&] {
    cpu::BlockEnd end = cpu::BlockEnd::Goes;
    for (int i = 0; i < 100 && end == cpu::BlockEnd::Goes; ++i)
      end = run.advance();
    return end;
  };
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(endOf(), cpu::BlockEnd::Idle);
  EXPECT_EQ(run.steps(), 0u);
  flag = 1;
  EXPECT_EQ(endOf(), cpu::BlockEnd::Finished);
}

struct Meeting {
  uint32_t *flag;
  uint32_t pollFlags, meetFlags;
};

/// Thread 1 polls for what thread 0 does behind a meeting.
bool meetBehindPoll(Block *block, uint32_t warp, Frame &frame) {
  auto [flag, pollFlags, meetFlags] = params<Meeting>(block);
  WarpState &state = block->warps[warp];
  if (warp == 0 && frame.step > 0)
    *flag = 1;
  if (*flag)
    return false;
  state.barrierId = warp == 0 ? 2 : 1;
  state.barrierThreads = warp == 0 ? meetFlags : pollFlags;
  return waitFor(block, warp, warp == 0 ? WaitKind::Meet : WaitKind::Yield);
}

/// For how long the block is idle before thread 0 goes on, in quarters of a second, where another
/// block gets on in so many.
uint32_t idleQuarters(uint32_t pollFlags, uint32_t meetFlags, WarpPatience &patience,
                      uint32_t busy = 0) {
  KernelCode code = waitingKernel<meetBehindPoll>(1, 2, KernelWarpWaits);
  uint32_t flag = 0;
  Meeting meeting = {&flag, pollFlags, meetFlags};
  OneBlock one(meeting);
  cpu::Fibers fibers;
  std::atomic<bool> cancelled = false;
  TestClock clock;
  cpu::BlockRun run;
  run.init(code, one.block, fibers, cancelled, /*isAlone=*/true, &patience);
  run.startWarps();
  uint32_t quarters = 0;
  for (int i = 0; i < 2000; ++i) {
    cpu::BlockEnd end = run.advance();
    if (end == cpu::BlockEnd::Finished)
      return quarters;
    if (end == cpu::BlockEnd::Idle && i % 10 == 9)
      clock.passTime(250'000'000), patience.progress += quarters++ < busy;
  }
  return ~0u;
}

TEST(BlockRun, LanesThatMeetWaitForThoseThatPollButNotForEver) {
  WarpPatience patience;
  // A lock, which thread 0 may have; a flag that it may raise, with no other block to do it.
  EXPECT_EQ(idleQuarters(PollTakes, MeetIsStep, patience), 0u);
  EXPECT_EQ(idleQuarters(0, MeetIsStep, patience), 0u);
  EXPECT_EQ(patience.partings, 0u);
  // A lock that it has not, they say; then less time, since that was wrong.
  EXPECT_EQ(idleQuarters(PollTakes | 3 * PollLoop, MeetGivesNothing << 3, patience), 2u);
  EXPECT_EQ(idleQuarters(PollTakes | 3 * PollLoop, MeetGivesNothing << 3, patience), 1u);
  EXPECT_EQ(idleQuarters(PollTakes | 3 * PollLoop, MeetGivesNothing << 4, patience), 0u);
  EXPECT_EQ(patience.partings, 2u);
  // Another block may have it, but not for ever. A flag is worth the same time in any case.
  patience.partings = 0;
  EXPECT_EQ(idleQuarters(PollTakes, MeetGivesNothing, patience, 7), 9u);
  EXPECT_EQ(idleQuarters(PollTakes, MeetGivesNothing, patience, 1000), 40u);
  patience.partings = 0;
  EXPECT_EQ(idleQuarters(PollIsFirm, MeetIsStep, patience), 16u);
  EXPECT_EQ(idleQuarters(PollIsFirm, MeetIsStep, patience), 8u);
  EXPECT_EQ(idleQuarters(PollIsFirm, MeetIsStep | MeetsWithoutPolls, patience), 0u);
}

/// Threads of one warp, each a program: each names two others only, and itself not.
bool waitForOthersOnly(Block *block, uint32_t warp, Frame &frame) {
  return frame.step == 0 && waitFor(block, warp, WaitKind::Warp, warp == 0 ? 6u : 1u);
}

TEST_F(LaunchTest, DoesNotHangOnMasksWithoutTheCaller) {
  uint32_t none = 0;
  run(waitingKernel<waitForOthersOnly>(1, 3, KernelWarpWaits), 1, &none);
}

} // namespace
