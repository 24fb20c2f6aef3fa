// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs: random ones, launched again and again between other work, against the order that their
// dependences ask for.
#include "device/cpu/test_kernels.h"
#include "device/graph.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

using namespace heddle;
using namespace heddle::device;
using namespace heddle::device::test;

namespace {

/// What one work did in each run: ticks of one clock.
struct Trace {
  std::atomic<uint64_t> began{0}, ended{0}, runs{0};
};

struct TraceParams {
  Trace *trace;
  std::atomic<uint64_t> *clock;
};

void trace(const TraceParams &p, bool slow) {
  uint64_t began = p.clock->fetch_add(1);
  if (slow)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  p.trace->began = began;
  p.trace->ended = p.clock->fetch_add(1);
  ++p.trace->runs;
}
void traceBlock(Block *block) { trace(params<TraceParams>(block), false); }

class RandomGraph {
public:
  RandomGraph(Device &device, unsigned seed) : device_(device), random_(seed) {
    size_t count = random_() % 40;
    traces_ = std::vector<Trace>(count);
    works_.resize(count);
    for (size_t i = 0; i < count; ++i)
      add(i);
    for (const GraphWork &work : works_)
      after_.push_back(work.after);
    graph_ = device_.createGraph(works_, {});
  }
  ~RandomGraph() { device_.destroyGraph(graph_); }

  Graph *get() const { return graph_; }
  size_t size() const { return traces_.size(); }

  /// After run number `run`: all came behind what they depend on, and after `start`.
  void check(uint64_t start, uint64_t run) {
    for (size_t i = 0; i < traces_.size(); ++i) {
      if (isJoin_[i])
        continue;
      ASSERT_EQ(traces_[i].runs, run) << "work " << i;
      ASSERT_GE(traces_[i].began, start);
      for (size_t before : behind(i))
        ASSERT_LT(traces_[before].ended, traces_[i].began) << "work " << i << " behind " << before;
    }
  }

private:
  void add(size_t i) {
    GraphWork &work = works_[i];
    work.device = &device_;
    for (size_t before = 0; before < i; ++before)
      if (random_() % (i + 1) < 2)
        work.after.push_back(before);
    TraceParams p = {&traces_[i], &clock};
    isJoin_.push_back(false);
    if (random_() % 4 == 0) {
      work.hasPriority = true;
      work.priority = -static_cast<int>(random_() % 3);
    }
    switch (random_() % 7) {
    case 0:
      work.kind = GraphWork::Kind::Nothing;
      isJoin_.back() = true;
      break;
    case 1:
      work.kind = GraphWork::Kind::Task;
      work.task = [p] { trace(p, true); };
      break;
    case 2:
      work.kind = GraphWork::Kind::HostFunction;
      work.task = [p] { trace(p, false); };
      break;
    case 3:
      work.kind = GraphWork::Kind::OutsideWait;
      work.task = [p] { trace(p, false); };
      break;
    default:
      work.kind = GraphWork::Kind::Launch;
      params_.push_back(std::make_unique<TraceParams>(p));
      work.launch = request(info_, 1, *params_.back());
    }
  }

  /// What a work depends on, through joins.
  std::vector<size_t> behind(size_t i) const {
    std::vector<size_t> all;
    for (size_t before : after_[i])
      if (!isJoin_[before])
        all.push_back(before);
      else
        for (size_t further : behind(before))
          all.push_back(further);
    return all;
  }

public:
  std::atomic<uint64_t> clock{1};

private:
  Device &device_;
  std::mt19937 random_;
  KernelCode code_ = plainKernel<traceBlock>();
  KernelInfo info_{&code_, "trace"};
  std::vector<Trace> traces_;
  std::vector<bool> isJoin_;
  std::vector<GraphWork> works_;
  std::vector<std::vector<size_t>> after_;
  std::vector<std::unique_ptr<TraceParams>> params_;
  Graph *graph_ = nullptr;
};

TEST(Graph, RandomGraphsFollowTheirEdges) {
  auto device = createCpuDevice();
  Queue *legacy = device->createQueue(QueueKind::Legacy, 0);
  Queue *queues[] = {device->createQueue(QueueKind::Blocking, 0),
                     device->createQueue(QueueKind::NonBlocking, -2)};
  for (unsigned seed = 0; seed < 200; ++seed) {
    RandomGraph graph(*device, seed);
    Marker *last = nullptr;
    for (uint64_t run = 1; run <= 4; ++run) {
      Queue *queue = run == 3 ? legacy : queues[run % 2];
      uint64_t start = 0, end = 0;
      device->enqueue(queue, [&] { start = graph.clock.fetch_add(1); });
      Marker *done = device->launchGraph(queue, graph.get(), last, {});
      device->enqueue(queue, [&] { end = graph.clock.fetch_add(1); });
      if (last)
        device->drop(last);
      last = done;
      device->synchronize(queue);
      EXPECT_TRUE(device->isDone(done));
      graph.check(start, run);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", run " << run;
      EXPECT_GT(end, start);
    }
    device->drop(last);
  }
}

void countOne(Block *block) { ++*params<uint64_t *>(block); }

TEST(Graph, RunsOnceAtATimeInManyQueues) {
  auto device = createCpuDevice();
  KernelCode code = plainKernel<countOne>();
  KernelInfo info = {&code, "count"};
  uint64_t count = 0; // not atomic: the runs come one after the other
  uint64_t *p = &count;
  std::vector<GraphWork> works(100);
  for (size_t i = 0; i < works.size(); ++i) {
    works[i].kind = GraphWork::Kind::Launch;
    works[i].device = device.get();
    works[i].launch = request(info, 1, p);
    if (i)
      works[i].after = {i - 1};
  }
  Graph *graph = device->createGraph(works, {});
  std::vector<Queue *> queues;
  for (int i = 0; i < 8; ++i)
    queues.push_back(device->createQueue(QueueKind::NonBlocking, 0));
  Marker *last = nullptr;
  for (size_t i = 0; i < 200; ++i) {
    Marker *done = device->launchGraph(queues[i % queues.size()], graph, last, {});
    if (last)
      device->drop(last);
    last = done;
  }
  device->synchronize();
  EXPECT_EQ(count, 20'000u);
  device->drop(last);
  device->destroyGraph(graph);
}

TEST(Graph, EventsOfEachLaunch) {
  auto device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::NonBlocking, 0),
        *other = device->createQueue(QueueKind::NonBlocking, 0);
  std::atomic<int> step{0};
  std::vector<GraphWork> works(3);
  for (GraphWork &work : works)
    work.device = device.get();
  works[0].kind = GraphWork::Kind::Wait;
  works[0].event = 1;
  works[1].kind = GraphWork::Kind::Task;
  works[1].task = [&] { step = step == 1 ? 2 : -1; };
  works[1].after = {0};
  works[2].kind = GraphWork::Kind::Record;
  works[2].event = 0;
  works[2].after = {1};
  Graph *graph = device->createGraph(works, {});
  for (int run = 0; run < 3; ++run) {
    step = 0;
    Marker *recorded = device->createMarker(), *awaited = device->createMarker();
    device->retain(recorded);
    device->drop(awaited);
    std::atomic<bool> released{false};
    device->enqueueHostFunction(other, [&] {
      while (!released)
        std::this_thread::yield();
      step = 1;
    });
    awaited = device->record(other);
    Marker *events[] = {recorded, awaited};
    Marker *done = device->launchGraph(queue, graph, nullptr, events);
    EXPECT_FALSE(device->isDone(recorded));
    released = true;
    device->synchronize(recorded);
    EXPECT_EQ(step, 2);
    device->synchronize(done);
    device->drop(done);
    device->drop(recorded);
  }
  Marker *events[] = {device->createMarker(), nullptr}; // never recorded: nothing to wait for
  step = 1;
  device->drop(device->launchGraph(queue, graph, nullptr, events));
  device->synchronize();
  EXPECT_EQ(step, 2);
  device->destroyGraph(graph);
}

struct SetParams {
  uint64_t handle;
  uint32_t *left;
};
/// Counts down; the value that chooses is what is left.
void countDown(Block *block) {
  const auto &p = params<SetParams>(block);
  --*p.left;
  block->launch->services->setGraphValue(block, p.handle, *p.left);
}

TEST(Graph, Chooses) {
  auto device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Blocking, 0);
  KernelCode code = plainKernel<countDown>();
  KernelInfo info = {&code, "count"};
  uint32_t left = 0, ran[4] = {};
  auto counting = [&](size_t i) {
    std::vector<GraphWork> works(1);
    works[0].kind = GraphWork::Kind::Task;
    works[0].device = device.get();
    works[0].task = [&ran, i] { ++ran[i]; };
    return device->createGraph(works, {});
  };
  SetParams p = {77, &left};
  auto choose = [&](Choice choice, std::vector<Graph *> bodies) {
    GraphWork work;
    work.kind = GraphWork::Kind::Choose;
    work.device = device.get();
    work.choice = choice;
    work.bodies = std::move(bodies);
    return work;
  };
  // A kernel that counts down, then a loop of it in a loop body, then what the value is.
  std::vector<GraphWork> inner(1), works(1);
  inner[0].kind = works[0].kind = GraphWork::Kind::Launch;
  inner[0].device = works[0].device = device.get();
  inner[0].launch = works[0].launch = request(info, 1, p);
  inner.push_back(choose(Choice::If, {counting(0), counting(1)}));
  inner[1].after = {0};
  works.push_back(choose(Choice::While, {device->createGraph(inner, {})}));
  works[1].after = {0};
  works.push_back(choose(Choice::Switch, {counting(2), counting(3)}));
  works[2].after = {1};
  works.push_back(choose(Choice::While, {device->createGraph({}, {})}));
  works[3].after = {2};
  GraphValue value = {77, 5, true};
  Graph *graph = device->createGraph(works, {&value, 1});
  for (uint32_t turns : {1u, 2u, 50u}) {
    left = turns;
    std::fill(ran, ran + 4, 0);
    device->drop(device->launchGraph(queue, graph, nullptr, {}));
    device->synchronize(queue);
    EXPECT_EQ(left, 0u);
    EXPECT_EQ(ran[0], turns > 1 ? turns - 2 : 0u) << "the value was not 0";
    EXPECT_EQ(ran[1], turns > 1 ? 1u : 0u) << "it was";
    EXPECT_EQ(ran[2], 1u) << "body 0";
    EXPECT_EQ(ran[3], 0u);
  }
  device->destroyGraph(graph);
}

TEST(Graph, DropsWorkOfALostContext) {
  auto device = createCpuDevice();
  Queue *queue = device->createQueue(QueueKind::Blocking, 0);
  bool ran = false, hosted = false;
  std::vector<GraphWork> works(2);
  works[0].kind = GraphWork::Kind::Task;
  works[0].task = [&] { ran = true; };
  works[1].kind = GraphWork::Kind::HostFunction;
  works[1].task = [&] { hosted = true; };
  for (GraphWork &work : works)
    work.device = device.get();
  Graph *graph = device->createGraph(works, {});
  device->lose(Fault::Trap);
  device->drop(device->launchGraph(queue, graph, nullptr, {}));
  device->synchronize();
  EXPECT_FALSE(ran);
  EXPECT_TRUE(hosted);
  device->destroyGraph(graph);
}

} // namespace
