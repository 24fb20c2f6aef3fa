// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/modelled_time.h"

#include <gtest/gtest.h>

namespace heddle::profile {
namespace {

using model::WorkKind;

/// A K20: two copy engines, Hyper-Q.
class ModelledTimeTest : public testing::Test {
protected:
  ModelledTime time{*model::findGpu("k20")};
  int first = 0, second = 0, legacy = 0; ///< queues

  WorkNumber copy(const void *queue, WorkKind kind, double seconds) {
    WorkNumber work = time.append(WorkKind::Event, queue, queue == &legacy, false);
    time.setCopy(work, kind, seconds);
    return work;
  }
  WorkNumber event(const void *queue) {
    return time.append(WorkKind::Event, queue, queue == &legacy, false);
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
  TimedLaunch timed;
  timed.id = 77;
  timed.shape = {{1000, 1, 1}, {256, 1, 1}};
  timed.time.seconds = 0.125;
  timed.time.occupancy.blocks = 8;
  time.setLaunch(timed);
  EXPECT_NEAR(secondsBetween(begin, end), 0.125, 1e-3);
}

} // namespace
} // namespace heddle::profile
