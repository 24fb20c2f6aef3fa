// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More workers than processors: several threads of the host give a device grids that wait and grids
// that do not, copies, host functions and markers. Each block runs once, waits end, and nothing is
// lost. Longer: base/test_fuzz.h.
#include "base/test_fuzz.h"
#include "device/cpu/test_kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

constexpr unsigned Workers = 256, HostThreads = 4, Warps = 2;

void countBlock(Block *block) {
  auto *counts = params<uint32_t *>(block);
  __atomic_fetch_add(&counts[linearBlock(block)], 1, __ATOMIC_RELAXED);
}

struct WaitParams {
  uint32_t *counts;
  uint32_t *wrong;
  WaitKind kind;
};

/// Five rounds of a barrier, of the block or of the grid: whoever comes out of one sees what all
/// have done before it.
bool countRounds(Block *block, uint32_t warp, Frame &frame) {
  constexpr uint32_t Rounds = 5;
  const auto &p = params<WaitParams>(block);
  const uint32_t me = block->blockIdx[0], blocks = block->launch->gridDim[0];
  const uint32_t peer = p.kind == WaitKind::Grid ? (me + 1) % blocks : me;
  if (frame.step % 2) { // all have counted; the others wait for the next barrier
    const uint32_t seen = __atomic_load_n(&p.counts[peer], __ATOMIC_RELAXED);
    if (seen != (frame.step + 1) / 2 * Warps)
      __atomic_fetch_add(p.wrong, 1, __ATOMIC_RELAXED);
    if (frame.step + 1 == 2 * Rounds)
      return false;
  } else {
    __atomic_fetch_add(&p.counts[me], 1, __ATOMIC_RELAXED);
  }
  return p.kind == WaitKind::Grid ? waitFor(block, warp, WaitKind::Grid) : waitBlock(block, warp);
}

class Client {
public:
  Client(Device &device, unsigned seed) : device_(device), random_(seed) {
    for (QueueKind kind : {QueueKind::Blocking, QueueKind::NonBlocking, QueueKind::Blocking})
      queues_.push_back(device_.createQueue(kind, 0));
  }
  ~Client() {
    for (Queue *queue : queues_)
      device_.destroyQueue(queue);
  }

  void round() {
    struct Grid {
      std::vector<uint32_t> counts;
      uint32_t expected;
    };
    std::vector<Grid> grids;
    uint32_t wrong = 0;
    std::atomic<uint32_t> tasks = 0;
    uint32_t expectedTasks = 0;
    grids.reserve(12); // they stay where they are
    for (int i = 0; i < 12; ++i) {
      Queue *queue = queues_[random_() % queues_.size()];
      auto grid = [&](uint32_t blocks, uint32_t expected) -> uint32_t * {
        grids.push_back({std::vector<uint32_t>(blocks), expected});
        return grids.back().counts.data();
      };
      const uint32_t blocks = 1 + static_cast<uint32_t>(random_() % 600);
      switch (random_() % 6) {
      case 0:
      case 1:
        device_.launch(queue, request(plain_, blocks, grid(blocks, 1)));
        break;
      case 2: {
        const WaitParams p = {grid(blocks, 10), &wrong, WaitKind::Block};
        device_.launch(queue, request(waiting_, blocks, p));
        break;
      }
      case 3: {
        const uint32_t few = 1 + blocks % 40;
        const WaitParams p = {grid(few, 10), &wrong, WaitKind::Grid};
        LaunchRequest r = request(cooperative_, few, p);
        r.cooperative = true;
        device_.launch(queue, r);
        break;
      }
      case 4:
        ++expectedTasks;
        device_.enqueueHostFunction(queue, [&] { ++tasks; });
        break;
      case 5: {
        ++expectedTasks;
        device_.enqueue(queue, [&] { ++tasks; });
        Marker *marker = device_.record(queue);
        device_.waitFor(queues_[random_() % queues_.size()], marker);
        device_.drop(marker);
      }
      }
    }
    for (Queue *queue : queues_)
      device_.synchronize(queue);
    for (const Grid &grid : grids)
      for (uint32_t count : grid.counts)
        wrong += count != grid.expected;
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(tasks, expectedTasks);
  }

private:
  Device &device_;
  std::mt19937 random_;
  std::vector<Queue *> queues_;
  KernelCode plainCode_ = plainKernel<countBlock>(),
             waitingCode_ = waitingKernel<countRounds>(32, Warps),
             cooperativeCode_ = waitingKernel<countRounds>(32, Warps, KernelNeedsGrid);
  KernelInfo plain_{&plainCode_, "plain"}, waiting_{&waitingCode_, "waiting"},
      cooperative_{&cooperativeCode_, "cooperative"};
};

TEST(ManyWorkers, RunEachBlockOnce) {
  setenv("HEDDLE_WORKERS", std::to_string(Workers).c_str(), 1);
  const heddle::test::FuzzRun run;
  const unsigned rounds = 60 * run.factor;
  auto device = createCpuDevice();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < HostThreads; ++i)
    threads.emplace_back([&, i] {
      Client client(*device, static_cast<unsigned>(run.seed) * HostThreads + i);
      for (unsigned round = 0; round < rounds; ++round)
        client.round();
    });
  for (std::thread &thread : threads)
    thread.join();
  device->synchronize();
  EXPECT_EQ(device->fault(), Fault::None);
  EXPECT_EQ(device->workers(), Workers);
}

} // namespace
