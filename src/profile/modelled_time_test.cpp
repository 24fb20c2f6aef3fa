// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/modelled_time.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle::profile {
namespace {

using model::WorkKind;

/// A K20: two copy engines, Hyper-Q.
class ModelledTimeTest : public testing::Test {
protected:
  ModelledTime time{{model::findGpu("k20"), model::findGpu("h200")}};
  int first = 0, second = 0, legacy = 0; ///< queues

  WorkNumber copy(const void *queue, WorkKind kind, double seconds) {
    WorkNumber work = time.append(WorkKind::Event, queue, queue == &legacy, false);
    time.setCopy(work, kind, [&](const model::Gpu *) { return seconds; });
    return work;
  }
  WorkNumber event(const void *queue) {
    return time.append(WorkKind::Event, queue, queue == &legacy, false);
  }
  /// The H200's time is a quarter of the K20's.
  void setLaunch(uint64_t id, double seconds) {
    std::vector<TimedLaunch> times(2);
    for (size_t i = 0; i < 2; ++i) {
      times[i].id = id, times[i].gpu = time.gpu(uint32_t(i));
      times[i].shape = {{1000, 1, 1}, {256, 1, 1}};
      times[i].time.seconds = i ? seconds / 4 : seconds;
      times[i].time.occupancy.blocks = 8;
    }
    times[0].shape.grid[0] = times[1].shape.grid[0] = 20; // they leave room for others
    time.setLaunch(times);
  }
  WorkNumber part(WorkNumber whole, const void *queue, uint64_t launch, double seconds) {
    WorkNumber number = time.appendPart(whole, WorkKind::Kernel, queue);
    time.launchIsOver(number, launch);
    setLaunch(launch, seconds);
    return number;
  }
  double secondsBetween(WorkNumber begin, WorkNumber end) {
    return time.spanOf(end).end - time.spanOf(begin).end;
  }
};

TEST_F(ModelledTimeTest, WorkOfOneQueueRunsInOrder) {
  WorkNumber begin = event(&first);
  copy(&first, WorkKind::ToDevice, 0.5);
  copy(&first, WorkKind::ToHost, 0.25);
  WorkNumber end = event(&first);
  EXPECT_NEAR(secondsBetween(begin, end), 0.75, 1e-3);
}

TEST_F(ModelledTimeTest, QueuesOverlapAndEventsOrderThem) {
  WorkNumber a = copy(&first, WorkKind::ToDevice, 0.5);
  WorkNumber b = copy(&second, WorkKind::OnDevice, 0.5);
  EXPECT_LT(time.spanOf(b).begin, time.spanOf(a).end);
  WorkNumber done = event(&second);
  time.queueWaits(&first, done);
  WorkNumber c = copy(&first, WorkKind::ToDevice, 0.5);
  EXPECT_GE(time.spanOf(c).begin, time.spanOf(b).end);
}

TEST_F(ModelledTimeTest, TheDefaultStreamWaitsForAll) {
  WorkNumber a = copy(&first, WorkKind::ToDevice, 0.5);
  WorkNumber b = copy(&legacy, WorkKind::ToHost, 0.5);
  EXPECT_GE(time.spanOf(b).begin, time.spanOf(a).end);
}

TEST_F(ModelledTimeTest, TheHostsWaitsMoveItsClock) {
  WorkNumber a = copy(&first, WorkKind::ToDevice, 0.5);
  time.hostSaw(&first);
  WorkNumber b = copy(&second, WorkKind::ToHost, 0.5);
  EXPECT_GE(time.spanOf(b).begin, time.spanOf(a).end);
  time.hostSawAll();
  WorkNumber c = copy(&first, WorkKind::ToHost, 0.5);
  EXPECT_GE(time.spanOf(c).begin, time.spanOf(b).end);
  // A wait for what is long over changes nothing.
  time.waitFor(a);
  WorkNumber d = event(&first);
  EXPECT_NEAR(time.spanOf(d).end, time.spanOf(c).end, 1e-3);
}

TEST_F(ModelledTimeTest, ALaunchTakesItsTimeWhenItIsKnown) {
  WorkNumber begin = event(&first);
  WorkNumber launch = time.append(WorkKind::Kernel, &first, false, true);
  WorkNumber end = event(&first);
  time.launchIsOver(launch, 77);
  setLaunch(77, 0.125);
  EXPECT_NEAR(secondsBetween(begin, end), 0.125, 1e-3);
}

TEST_F(ModelledTimeTest, BranchesOfAGraphOverlap) {
  int chain = 0, other = 0;
  WorkNumber begin = event(&first);
  WorkNumber graph = event(&first);
  WorkNumber a = part(graph, &chain, 1, 0.5),
             made = time.appendPart(graph, WorkKind::Event, &chain);
  WorkNumber b = part(graph, &chain, 2, 0.25);
  time.partWaits(&other, made);
  WorkNumber c = part(graph, &other, 3, 0.5);
  WorkNumber end = event(&first);
  EXPECT_NEAR(secondsBetween(begin, end), 1, 1e-3) << "the second and third run side by side";
  EXPECT_NEAR(time.spanOf(b).begin, time.spanOf(a).end, 1e-6);
  EXPECT_NEAR(time.spanOf(c).begin, time.spanOf(a).end, 1e-6);
  EXPECT_NEAR(time.spanOf(graph).end, time.spanOf(c).end, 1e-6);
}

TEST_F(ModelledTimeTest, AKernelIsOverAfterItsChildren) {
  int child = 0;
  WorkNumber begin = event(&first);
  WorkNumber kernel = time.append(WorkKind::Kernel, &first, false, true);
  part(kernel, &child, 2, 0.5);
  WorkNumber end = event(&first);
  time.launchIsOver(kernel, 1);
  setLaunch(1, 0.25);
  EXPECT_NEAR(secondsBetween(begin, end), 0.75, 1e-3);
}

TEST_F(ModelledTimeTest, DevicesRunSideBySideWithTimesOfTheirOwn) {
  int there = 0;
  WorkNumber begin = event(&first);
  WorkNumber a = time.append(WorkKind::Kernel, &first, false, true, 0);
  WorkNumber b = time.append(WorkKind::Kernel, &there, false, true, 1);
  time.launchIsOver(a, 1), time.launchIsOver(b, 2);
  setLaunch(1, 0.5), setLaunch(2, 0.5);
  EXPECT_NEAR(time.spanOf(a).end - time.spanOf(a).begin, 0.5, 1e-6);
  EXPECT_NEAR(time.spanOf(b).end - time.spanOf(b).begin, 0.125, 1e-6) << "the other's is a quarter";
  EXPECT_LT(time.spanOf(b).begin, time.spanOf(a).end);
  WorkNumber done = time.append(WorkKind::Event, &there, false, false, 1);
  time.queueWaits(&first, done);
  EXPECT_NEAR(secondsBetween(begin, event(&first)), 0.5, 1e-3);
}

/// A prediction for several boards: one log, and a timeline for each.
TEST(PredictedTime, BoardsHaveTimelinesOfTheirOwn) {
  const std::vector<const model::Gpu *> boards = {model::findGpu("k20"), model::findGpu("h200")};
  ModelledTime time(1, boards);
  const int queue = 0;
  const WorkNumber kernel = time.append(WorkKind::Kernel, &queue, false, true);
  EXPECT_FALSE(time.spansOn(0, std::array{kernel})) << "it still runs";
  time.launchIsOver(kernel, 1);
  std::vector<TimedLaunch> times(2);
  for (size_t i = 0; i < 2; ++i) {
    times[i].id = 1, times[i].gpu = boards[i];
    times[i].time.seconds = i ? 0.125 : 0.5;
  }
  time.setLaunch(times);
  const WorkNumber copy = time.append(WorkKind::Event, &queue, false, false);
  time.setCopy(copy, WorkKind::ToHost,
               [&](const model::Gpu *board) { return board == boards[1] ? 0.25 : 1; });
  for (size_t board : {0, 1}) {
    const auto spans = time.spansOn(board, std::array{kernel, copy});
    ASSERT_TRUE(spans);
    EXPECT_NEAR((*spans)[0].end - (*spans)[0].begin, board ? 0.125 : 0.5, 1e-6);
    EXPECT_NEAR((*spans)[1].end - (*spans)[1].begin, board ? 0.25 : 1, 1e-6);
    EXPECT_GE((*spans)[1].begin, (*spans)[0].end);
  }
}

} // namespace
} // namespace heddle::profile
