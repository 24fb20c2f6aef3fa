// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of a few blocks in series, which workers stay together for (team.cpp): each block runs
// once, after all blocks of the launch before it.
#include "device/cpu/launch_fixture.h"

#include <algorithm>
#include <atomic>
#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

using Teams = LaunchTest;

struct Step {
  std::atomic<uint64_t> *done; ///< blocks of the stream's launches
  std::atomic<uint32_t> *wrong;
  uint64_t before; ///< blocks of the launches before this one
  uint32_t turns;  ///< of a loop that takes time
  bool faults;     ///< its last block
};

void step(Block *block) {
  const Step &p = params<Step>(block);
  if (p.faults && linearBlock(block) + 1 == block->launch->gridDim[0])
    *reinterpret_cast<volatile int *>(64) = 1;
  volatile uint32_t turn = 0;
  while (turn < p.turns)
    turn = turn + 1;
  uint64_t at = p.done->fetch_add(1);
  if (at < p.before || at >= p.before + block->launch->gridDim[0])
    p.wrong->fetch_add(1);
}

uint32_t blocksOf(uint32_t launch) { return (launch * 7919u) % 41u + 1; }

TEST_F(Teams, RunEachBlockOnceAndInOrder) {
  KernelCode code = plainKernel<step>();
  KernelInfo info = {&code, "step"};
  constexpr uint32_t Streams = 3;
  std::atomic<uint64_t> done[Streams] = {};
  std::atomic<uint32_t> wrong{0};
  Queue *streams[Streams];
  for (Queue *&stream : streams)
    stream = device->createQueue(QueueKind::NonBlocking, 0);
  uint64_t before[Streams] = {};
  for (uint32_t i = 0; i < 20'000; ++i) {
    // Runs of launches of one stream, then another one's among them.
    uint32_t s = i % 100 < 60 ? 0 : i % Streams;
    uint32_t blocks = blocksOf(i);
    device->launch(streams[s],
                   request(info, blocks, Step{&done[s], &wrong, before[s], i % 500, false}));
    before[s] += blocks;
    if (i % 3000 == 11)
      device->synchronize(streams[s]);
    if (i % 777 == 5)
      device->enqueueHostFunction(streams[s], [&done, &wrong, s, all = before[s]] {
        if (done[s] != all)
          ++wrong;
      });
  }
  device->synchronize();
  EXPECT_EQ(wrong, 0u);
  for (uint32_t s = 0; s < Streams; ++s)
    EXPECT_EQ(done[s], before[s]);
  for (Queue *stream : streams)
    device->destroyQueue(stream);
}

TEST_F(Teams, StopAtAFault) {
  KernelCode code = plainKernel<step>();
  KernelInfo info = {&code, "step"};
  std::atomic<uint64_t> done{0};
  std::atomic<uint32_t> wrong{0};
  testing::internal::CaptureStderr();
  uint64_t before = 0, beforeFault = 0;
  for (uint32_t i = 0; i < 200; ++i) {
    if (i == 150)
      beforeFault = before;
    device->launch(queue, request(info, 16, Step{&done, &wrong, before, 300, i == 150}));
    before += 16;
  }
  device->synchronize(queue);
  testing::internal::GetCapturedStderr();
  EXPECT_EQ(device->fault(), Fault::IllegalAddress);
  EXPECT_GE(done, beforeFault);
  EXPECT_LT(done, beforeFault + 16);
  EXPECT_EQ(wrong, 0u);
  device->reset();
  uint64_t at = done;
  for (uint32_t i = 0; i < 100; ++i)
    device->launch(queue, request(info, 16, Step{&done, &wrong, at + 16 * i, 0, false}));
  device->synchronize(queue);
  EXPECT_EQ(done, at + 1600);
  EXPECT_EQ(wrong, 0u);
}

} // namespace
