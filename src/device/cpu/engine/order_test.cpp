// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of work: random programs of queues and markers against a model that states CUDA's rules
// one by one, and the costs that must stay constant.
#include "base/machine/test_clock.h"
#include "device/cpu/test_kernels.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <set>
#include <thread>
#include <vector>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

/// One operation of a random program: what it must come after, and when it ran.
struct Step {
  std::vector<size_t> after;
  std::atomic<uint64_t> began{0}, ended{0};
};

struct Clock {
  std::atomic<uint64_t> ticks{1};
  uint64_t tick() { return ticks.fetch_add(1); }
};

struct StepParams {
  Step *step;
  Clock *clock;
};

void runStep(const StepParams &p, bool slow) {
  p.step->began = p.clock->tick();
  if (slow)
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  p.step->ended = p.clock->tick();
}
void stepBlock(Block *block) { runStep(params<StepParams>(block), false); }

/// A program over a legacy queue, blocking and non-blocking ones.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random_(seed) {
    queues_.push_back(device_->createQueue(QueueKind::Legacy, 0));
    for (int i = 0; i < 3; ++i)
      queues_.push_back(device_->createQueue(QueueKind::Blocking, -i));
    for (int i = 0; i < 2; ++i)
      queues_.push_back(device_->createQueue(QueueKind::NonBlocking, 0));
    waits_.resize(queues_.size());
  }
  ~RandomProgram() {
    for (Marker *marker : markers_)
      device_->drop(marker);
  }

  void run(size_t steps) {
    steps_ = std::vector<Step>(steps);
    for (size_t i = 0; i < steps; ++i) {
      size_t q = random_() % queues_.size();
      switch (random_() % 8) {
      case 0:
        record(q, i);
        break;
      case 1:
        wait(q);
        break;
      }
      addStep(q, i);
    }
    device_->synchronize();
  }

  void check() {
    for (size_t i = 0; i < steps_.size(); ++i) {
      ASSERT_NE(steps_[i].ended, 0u) << "step " << i << " has not run";
      for (size_t before : steps_[i].after)
        ASSERT_LT(steps_[before].ended, steps_[i].began)
            << "step " << i << " began before step " << before << " ended";
    }
  }

private:
  // Queue 0 is legacy, 1 to 3 blocking, 4 and 5 not.
  static bool ordered(size_t earlier, size_t later) {
    return earlier == later || (earlier == 0 && later < 4) || (later == 0 && earlier < 4);
  }

  void record(size_t q, size_t now) {
    markers_.push_back(device_->record(queues_[q]));
    // Reaching the marker implies whatever a step there would come after.
    std::vector<size_t> covers = waits_[q];
    for (size_t i = 0; i < now; ++i)
      if (ordered(where_[i], q))
        covers.push_back(i);
    covers_.push_back(std::move(covers));
  }

  void wait(size_t q) {
    if (markers_.empty())
      return;
    size_t m = random_() % markers_.size();
    device_->waitFor(queues_[q], markers_[m]);
    waits_[q].insert(waits_[q].end(), covers_[m].begin(), covers_[m].end());
  }

  void addStep(size_t q, size_t i) {
    Step &step = steps_[i];
    step.after = waits_[q];
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (ordered(where_[earlier], q))
        step.after.push_back(earlier);
    where_.push_back(q);
    StepParams p = {&step, &clock_};
    switch (random_() % 5) {
    case 0:
      device_->enqueue(queues_[q], [p] { runStep(p, true); });
      break;
    case 1:
      device_->enqueue(queues_[q], [p] { runStep(p, false); });
      break;
    case 2:
      device_->enqueueHostFunction(queues_[q], [p] { runStep(p, false); });
      break;
    case 3:
      device_->launch(queues_[q], request(info_, 1, p));
      break;
    case 4:
      if (random_() % 4 == 0)
        device_->runNow(queues_[q], [p] { runStep(p, false); });
      else
        device_->launch(queues_[q], request(info_, 1, p));
    }
  }

  std::mt19937 random_;
  std::unique_ptr<Device> device_ = createCpuDevice();
  KernelCode code_ = plainKernel<stepBlock>();
  KernelInfo info_{&code_, "step"};
  Clock clock_;
  std::vector<Queue *> queues_;
  std::vector<std::vector<size_t>> waits_; ///< for each queue: what its waits so far imply
  std::vector<Marker *> markers_;
  std::vector<std::vector<size_t>> covers_;
  std::vector<size_t> where_;
  std::vector<Step> steps_;
};

TEST(Order, RandomProgramsFollowTheModel) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomProgram program(seed);
    program.run(150);
    program.check();
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
  }
}

TEST(Order, MarkersKeepTime) {
  heddle::test::TestClock clock;
  auto device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Blocking, 0);
  Marker *start = device->record(queue);
  device->enqueue(queue, [] { heddle::test::TestClock::passTime(20'000'000); });
  Marker *end = device->record(queue);
  device->synchronize(end);
  EXPECT_TRUE(device->isDone(start));
  double ms = static_cast<double>(device->timeOf(end) - device->timeOf(start)) * 1e-6;
  EXPECT_GE(ms, 20.0);
  EXPECT_LT(ms, 40.0); // looks at the clock included
  device->drop(start);
  device->drop(end);
}

void tellLaunch(Block *block) { *params<uint64_t *>(block) = block->launch->launchId; }

TEST(Order, LaunchesOfAllDevicesHaveNumbersOfTheirOwn) {
  std::set<uint64_t> numbers;
  for (int i = 0; i < 2; ++i) {
    auto device = createCpuDevice();
    KernelCode code = plainKernel<tellLaunch>();
    KernelInfo info = {&code, "tell"};
    for (int j = 0; j < 3; ++j) {
      uint64_t number = 0;
      device->launch(device->createQueue(QueueKind::Blocking, 0), request(info, 1, &number));
      device->synchronize();
      numbers.insert(number);
    }
  }
  EXPECT_EQ(numbers.size(), 6u);
}

TEST(Order, HostFunctionsMayBlockWhileOthersRun) {
  auto device = createCpuDevice();
  Queue *first = device->createQueue(QueueKind::NonBlocking, 0),
        *second = device->createQueue(QueueKind::NonBlocking, 0);
  std::atomic<bool> released{false};
  device->enqueueHostFunction(first, [&] {
    while (!released)
      std::this_thread::yield();
  });
  device->enqueue(second, [] {});
  device->synchronize(second);
  EXPECT_FALSE(device->isIdle(first));
  released = true;
  device->synchronize(first);
}

TEST(Order, OutsideWaitsBlockNobody) {
  auto device = createCpuDevice();
  std::vector<Queue *> waiting(30);
  std::atomic<bool> released{false}, hosted{false};
  std::atomic<unsigned> waited{0}, behind{0};
  for (Queue *&queue : waiting) {
    queue = device->createQueue(QueueKind::NonBlocking, 0);
    device->enqueueWait(queue, [&] {
      while (!released)
        std::this_thread::yield();
      ++waited;
    });
    device->enqueue(queue, [&] { behind += waited > 0; });
  }
  Queue *other = device->createQueue(QueueKind::NonBlocking, 0);
  device->enqueueHostFunction(other, [&] { hosted = true; });
  device->synchronize(other);
  EXPECT_TRUE(hosted);
  EXPECT_EQ(behind, 0u);
  for (Queue *queue : waiting)
    EXPECT_FALSE(device->isIdle(queue));
  released = true;
  device->synchronize();
  EXPECT_EQ(waited, waiting.size());
  EXPECT_EQ(behind, waiting.size());
}

void spinOnFlag(Block *block) {
  while (!__atomic_load_n(params<uint32_t *>(block), __ATOMIC_ACQUIRE))
    ;
}

TEST(Order, CopiesRunBesideKernelsThatFillTheMachine) {
  auto device = createCpuDevice();
  Queue *kernels = device->createQueue(QueueKind::NonBlocking, 0),
        *copies = device->createQueue(QueueKind::NonBlocking, 0);
  KernelCode code = plainKernel<spinOnFlag>();
  KernelInfo info = {&code, "spin"};
  uint32_t flag = 0;
  device->launch(kernels, request(info, device->workers(), &flag));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  device->enqueue(copies, [&] { __atomic_store_n(&flag, 1, __ATOMIC_RELEASE); });
  device->synchronize();
  EXPECT_EQ(device->fault(), Fault::None);
}

TEST(Order, TenThousandQueuesAreCheap) {
  auto device = createCpuDevice();
  std::atomic<uint32_t> ran{0};
  std::vector<Queue *> queues;
  for (int i = 0; i < 10'000; ++i)
    queues.push_back(device->createQueue(QueueKind::Blocking, 0));
  Queue *legacy = device->createQueue(QueueKind::Legacy, 0);
  for (int round = 0; round < 3; ++round) {
    for (Queue *queue : queues)
      device->enqueue(queue, [&] { ran.fetch_add(1, std::memory_order_relaxed); });
    device->enqueue(legacy,
                    [&, round] { EXPECT_EQ(ran, 10'000u * static_cast<uint32_t>(round + 1)); });
  }
  for (Queue *queue : queues)
    device->destroyQueue(queue);
  device->synchronize();
  EXPECT_EQ(ran, 30'000u);
}

void countOne(Block *block) {
  params<std::atomic<uint32_t> *>(block)->fetch_add(1, std::memory_order_relaxed);
}

TEST(Order, MoreLaunchesThanTheEngineKeeps) {
  auto device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Legacy, 0);
  KernelCode code = plainKernel<countOne>();
  KernelInfo info = {&code, "count"};
  std::atomic<uint32_t> count{0};
  constexpr uint32_t Launches = 300'000;
  for (uint32_t i = 0; i < Launches; ++i)
    device->launch(queue, request(info, 1, &count));
  device->synchronize(queue);
  EXPECT_EQ(count, Launches);
}

} // namespace
