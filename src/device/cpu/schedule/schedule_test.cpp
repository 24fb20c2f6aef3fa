// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy of launches on a simulated clock: it scales to machines that nobody tests on. The
// figures are exact: the same on every machine.
#include "device/cpu/schedule/schedule.h"
#include "device/cpu/schedule/schedule_simulation.h"

#include <gtest/gtest.h>

#include <functional>

using namespace heddle::device::cpu;

namespace {

SimulatedLaunch makeLaunch(uint64_t blocks, const std::function<double(uint64_t)> &time) {
  SimulatedLaunch launch;
  double sum = 0;
  for (uint64_t i = 0; i < blocks; ++i)
    launch.ends.push_back(sum += time(i));
  launch.guess = sum / double(blocks);
  return launch;
}

double efficiency(const SimulatedLaunch &launch, unsigned workers) {
  SimulatedRun run = simulateLaunch(launch, workers, ScheduleCosts());
  return launch.ends.back() / run.time / workers;
}

TEST(Schedule, TakesAtLeastOneBlockAndNoMoreThanAreLeft) {
  for (uint64_t left : {1ull, 2ull, 1000ull, 1ull << 63})
    for (unsigned workers : {1u, 2u, 128u, 4096u})
      for (uint64_t time : {0ull, 1ull, 1000ull, 1ull << 40, ~0ull})
        for (uint64_t last : {0ull, 1ull, 1ull << 40}) {
          uint64_t chunk = schedule::chunkSize({left, workers, 1, time}, last);
          EXPECT_GE(chunk, 1u);
          EXPECT_LE(chunk, left);
        }
}

TEST(GridParts, HoldEachBlockOnce) {
  GridParts parts; // cut anew again and again, as the engine does
  for (uint64_t blocks : {1u, 2u, 7u, 16u, 100u, 1003u})
    for (unsigned count = 1; count <= std::min<uint64_t>(blocks, GridParts::Most); ++count)
      for (uint64_t group : {1u, 4u})
        for (bool backwards : {false, true}) {
          parts.cut(blocks, count, group, backwards);
          std::vector<unsigned> taken(blocks);
          unsigned at = parts.home(count - 1, count);
          for (uint64_t most = 1;; most = most % 5 + 1) {
            GridParts::Chunk chunk = parts.take(at, most);
            if (!chunk.count)
              break;
            EXPECT_LE(chunk.count, most);
            for (uint64_t i = 0; i < chunk.count; ++i)
              ++taken[chunk.first + i];
          }
          for (unsigned times : taken)
            EXPECT_EQ(times, 1u);
        }
}

TEST(Schedule, KeepsGroupsTogetherWhereThereAreEnough) {
  EXPECT_EQ(schedule::wholeGroups({1000, 2, 1, 0}, 9, 8), 16u);
  EXPECT_EQ(schedule::wholeGroups({1000, 2, 1, 0}, 16, 8), 16u);
  EXPECT_EQ(schedule::wholeGroups({1000, 2, 1, 0}, 9, 0), 9u);
  EXPECT_EQ(schedule::wholeGroups({16, 2, 1, 0}, 1, 8), 1u) << "two workers, two groups";
}

TEST(Schedule, GivesAShareToLanes) {
  EXPECT_EQ(schedule::asLanes(100, 2, 1, 256), 50u) << "each takes its half at once";
  EXPECT_EQ(schedule::asLanes(101, 2, 1, 256), 51u);
  EXPECT_EQ(schedule::asLanes(1000, 2, 1, 256), 256u);
  EXPECT_EQ(schedule::asLanes(1000, 2, 300, 256), 300u);
  EXPECT_EQ(schedule::asLanes(20, 2, 1, 256), 1u) << "few of many lanes: one by one";
  EXPECT_EQ(schedule::asLanes(20, 2, 1, 32), 10u);
  EXPECT_EQ(schedule::asLanes(1000, 2, 3, 1), 3u);
}

TEST(Schedule, WakesNobodyForNothing) {
  EXPECT_EQ(schedule::helpersFor({0, 8, 1, 0}), 0u);
  EXPECT_EQ(schedule::helpersFor({10, 8, 1, 100 * schedule::Nanosecond}), 0u);
  EXPECT_GT(schedule::helpersFor({10, 8, 1, 0}), 0u) << "a block may take any time";
  EXPECT_GT(schedule::helpersFor({1'000'000, 8, 1, 100 * schedule::Nanosecond}), 0u);
  EXPECT_EQ(schedule::helpersFor({1'000'000, 8, 8, 100 * schedule::Nanosecond}), 0u);
  EXPECT_EQ(schedule::helpersFor({10, 8, 1, 100 * schedule::Nanosecond, true}), 0u);
}

TEST(Schedule, CallsADozingWorkerForLessThanASleepingOne) {
  LaunchProgress launch = {10, 8, 1, 500 * schedule::Nanosecond};
  EXPECT_EQ(schedule::helpersFor(launch), 0u);
  launch.isOneDozing = true;
  EXPECT_GT(schedule::helpersFor(launch), 0u);
  EXPECT_FALSE(schedule::isWorthWaking(launch)) << "those that sleep stay asleep";
}

TEST(Schedule, WakesASleepingWorkerForASeriesOfShortLaunches) {
  LaunchProgress launch = {10, 8, 1, 500 * schedule::Nanosecond};
  EXPECT_EQ(schedule::helpersFor(launch), 0u);
  launch.launches = 5;
  EXPECT_GT(schedule::helpersFor(launch), 0u);
  EXPECT_TRUE(schedule::isWorthWaking(launch));
  launch.left = 2;
  launch.launches = 1000;
  EXPECT_EQ(schedule::helpersFor(launch), 0u)
      << "two workers would wait for each other more than they do";
}

TEST(GridParts, TellWhatIsLeftAndWhenAPartIsThrough) {
  GridParts parts;
  parts.cut(1000, 4, 1, false);
  unsigned at = 1;
  EXPECT_EQ(parts.guessLeft(at, 1000), 1000u);
  EXPECT_EQ(parts.take(at, 100).through, 0u);
  EXPECT_EQ(parts.guessLeft(at, 1000), 600u) << "four times what is left of this part";
  EXPECT_EQ(parts.take(at, 200).through, 250u);
  EXPECT_EQ(parts.guessLeft(at, 750), 750u);
  EXPECT_EQ(at, 2u);
  for (uint64_t left = 750; left > 0; left -= 250)
    EXPECT_EQ(parts.take(at, 250).through, 250u);
  EXPECT_EQ(parts.guessLeft(at, 0), 0u);
}

TEST(Schedule, ScalesWithEqualBlocks) {
  SimulatedLaunch launch = makeLaunch(100'000, [](uint64_t) { return 10'000.0; });
  for (unsigned workers : {1u, 2u, 16u, 128u})
    EXPECT_GT(efficiency(launch, workers), 0.98) << workers;
}

TEST(Schedule, ScalesWithTinyBlocks) {
  SimulatedLaunch launch = makeLaunch(10'000'000, [](uint64_t) { return 20.0; });
  EXPECT_GT(efficiency(launch, 2), 0.99);
  EXPECT_GT(efficiency(launch, 128), 0.95);
}

TEST(Schedule, EndsTogetherWhenBlocksGrow) {
  SimulatedLaunch launch = makeLaunch(20'000, [](uint64_t i) { return 10.0 * double(i); });
  EXPECT_GT(efficiency(launch, 2), 0.99);
  EXPECT_GT(efficiency(launch, 128), 0.97);
}

TEST(Schedule, RecoversFromABadGuess) {
  SimulatedLaunch launch = makeLaunch(100'000, [](uint64_t) { return 10'000.0; });
  for (double guess : {0.0, 10.0, 1e9}) {
    launch.guess = guess;
    EXPECT_GT(efficiency(launch, 2), 0.98) << guess;
    EXPECT_GT(efficiency(launch, 128), 0.85) << guess;
  }
}

TEST(Schedule, TakesNoMoreWorkersThanAShortLaunchIsWorth) {
  SimulatedLaunch launch = makeLaunch(4'000, [](uint64_t) { return 500.0; });
  SimulatedRun run = simulateLaunch(launch, 128, ScheduleCosts());
  EXPECT_LT(run.workers, 128u);
  EXPECT_LT(run.time, launch.ends.back() / 25);
  SimulatedLaunch shorter = makeLaunch(10, [](uint64_t) { return 500.0; });
  EXPECT_LE(simulateLaunch(shorter, 128, ScheduleCosts()).workers, 4u);
  shorter.isAsleep = true;
  EXPECT_EQ(simulateLaunch(shorter, 128, ScheduleCosts()).workers, 1u);
}

} // namespace
