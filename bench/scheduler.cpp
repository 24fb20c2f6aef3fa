// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How launches scale to more cores than this machine has: runs the engine's own policy
// (src/device/cpu/schedule/schedule.h) on a simulated clock for 1 to 128 workers and prints JSON.
//
//   scheduler [--measure]
//
// The costs of the engine's steps are those of a large server, or with --measure those of this
// machine. `efficiency` is the time of all blocks over workers x time; `ofBound` is the time that
// no schedule could beat (an equal share, or the longest block) over the time.
#include "device/cpu/futex.h"
#include "device/cpu/schedule/schedule_simulation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

using namespace heddle::device::cpu;

namespace {

// ---------------------------------------------------------------------------------------------------
// What the steps cost here.

double perTurn(int turns, const std::function<void(int)> &body) {
  uint64_t start = heddle::nowNanoseconds();
  for (int i = 0; i < turns; ++i)
    body(i);
  return static_cast<double>(heddle::nowNanoseconds() - start) / turns;
}

/// One word that two threads add to.
double contendedAdd() {
  constexpr int Turns = 50'000;
  static std::atomic<uint64_t> word{0};
  static std::atomic<int> ready;
  ready = 0;
  auto add = [](int) { word.fetch_add(1, std::memory_order_relaxed); };
  auto meet = [] {
    ready.fetch_add(1);
    while (ready.load() < 2)
      pauseCpu();
  };
  std::thread other([&] {
    meet();
    perTurn(Turns, add);
  });
  meet();
  double time = perTurn(Turns, add);
  other.join();
  return time / 2; // both add at the same time
}

struct PingPong {
  double turn; ///< ns from one thread to the other
  double call; ///< of it in the call that wakes
};

/// Two threads wake each other in turns. `sleeps`: in the kernel; otherwise they look at the word.
PingPong pingPong(bool sleeps) {
  const int turns = sleeps ? 500 : 20'000;
  static std::atomic<uint32_t> turn;
  turn = 0;
  double calls = 0;
  auto play = [&](uint32_t me) {
    for (int i = 0; i < turns; ++i) {
      while (turn.load(std::memory_order_acquire) != me)
        if (sleeps)
          futexWait(turn, 1 - me);
        else
          pauseCpu();
      uint64_t start = sleeps && me == 0 ? heddle::nowNanoseconds() : 0;
      turn.store(1 - me, std::memory_order_release);
      if (sleeps)
        futexWake(&turn);
      if (start)
        calls += static_cast<double>(heddle::nowNanoseconds() - start);
    }
  };
  std::thread other(play, 1);
  uint64_t start = heddle::nowNanoseconds();
  play(0);
  other.join();
  return {static_cast<double>(heddle::nowNanoseconds() - start) / (2 * turns), calls / turns};
}

/// The least of some trials: others use this machine too.
double least(const std::function<double()> &trial) {
  double best = trial();
  for (int i = 1; i < 30; ++i)
    best = std::min(best, trial());
  return best;
}

double median(const std::function<double()> &trial) {
  std::vector<double> times;
  for (int i = 0; i < 31; ++i)
    times.push_back(trial());
  std::nth_element(times.begin(), times.begin() + 15, times.end());
  return times[15];
}

ScheduleCosts measure() {
  ScheduleCosts costs;
  double call = 1e9;
  double clock = least([] { return perTurn(10'000, [](int) { heddle::nowNanoseconds(); }); });
  costs.take = median(contendedAdd); // the least is when the two were not at it together
  costs.chunk = 2 * clock + 20;      // and the guard's setjmp
  costs.wakeDozing = least([] { return pingPong(false).turn; });
  costs.lock =
      2 * costs.take + costs.wakeDozing / 2; // the lock's word twice, and the lists behind it
  costs.wakeLatency = least([&] {
    PingPong result = pingPong(true);
    call = std::min(call, result.call);
    return result.turn;
  });
  costs.wakeSleeping = call;
  return costs;
}

// ---------------------------------------------------------------------------------------------------
// Launches.

struct Case {
  const char *name;
  SimulatedLaunch launch;
};

SimulatedLaunch makeLaunch(uint64_t blocks, const std::function<double(uint64_t)> &time) {
  SimulatedLaunch launch;
  launch.ends.reserve(blocks);
  double sum = 0;
  for (uint64_t i = 0; i < blocks; ++i)
    launch.ends.push_back(sum += time(i));
  launch.guess = sum / static_cast<double>(blocks);
  return launch;
}

std::vector<Case> makeCases() {
  std::mt19937 random(1);
  std::lognormal_distribution<double> skewed(0, 1.5);
  std::vector<Case> cases;
  cases.push_back({"uniform", makeLaunch(100'000, [](uint64_t) { return 10'000.0; })});
  cases.push_back(
      {"skewed", makeLaunch(100'000, [&](uint64_t) { return 3'000 * skewed(random); })});
  cases.push_back(
      {"growing", makeLaunch(20'000, [](uint64_t i) { return 10.0 * static_cast<double>(i); })});
  cases.push_back({"shrinking", makeLaunch(20'000, [](uint64_t i) {
                     return 10.0 * static_cast<double>(20'000 - i);
                   })});
  cases.push_back(
      {"few big", makeLaunch(512, [](uint64_t i) { return i % 128 == 5 ? 4e6 : 1e6; })});
  cases.push_back({"tiny", makeLaunch(10'000'000, [](uint64_t) { return 20.0; })});
  cases.push_back({"short launch", makeLaunch(4'000, [](uint64_t) { return 500.0; })});
  cases.push_back({"short launch, workers asleep", cases.back().launch});
  cases.back().launch.isAsleep = true;
  cases.push_back({"first launch", makeLaunch(100'000, [](uint64_t) { return 1'000.0; })});
  cases.back().launch.guess = 0;
  cases.push_back({"guess 1000 times too short", cases[0].launch});
  cases.back().launch.guess = 10;
  return cases;
}

void print(const Case &c, const ScheduleCosts &costs, bool isLast) {
  const std::vector<double> &ends = c.launch.ends;
  double longest = ends[0];
  for (size_t i = 1; i < ends.size(); ++i)
    longest = std::max(longest, ends[i] - ends[i - 1]);
  std::printf("    {\"name\": \"%s\", \"blocks\": %zu, \"work_us\": %.1f, \"runs\": [", c.name,
              ends.size(), ends.back() / 1e3);
  const char *separator = "";
  for (unsigned workers : {1u, 2u, 4u, 8u, 16u, 32u, 64u, 96u, 128u}) {
    SimulatedRun run = simulateLaunch(c.launch, workers, costs);
    double bound = std::max(ends.back() / workers, longest);
    std::printf(
        "%s\n      {\"workers\": %u, \"time_us\": %.1f, \"speedup\": %.2f, \"efficiency\": %.3f, "
        "\"ofBound\": %.3f, \"chunks\": %llu}",
        separator, workers, run.time / 1e3, ends.back() / run.time,
        ends.back() / run.time / workers, bound / run.time,
        static_cast<unsigned long long>(run.chunks));
    separator = ",";
  }
  std::printf("]}%s\n", isLast ? "" : ",");
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 2 || (argc == 2 && std::strcmp(argv[1], "--measure") != 0)) {
    std::fprintf(stderr, "usage: scheduler [--measure]\n");
    return 2;
  }
  ScheduleCosts costs = argc == 2 ? measure() : ScheduleCosts();
  std::printf(
      "{\n  \"costs_ns\": {\"take\": %.0f, \"chunk\": %.0f, \"lock\": %.0f, \"wakeDozing\": %.0f, "
      "\"wakeSleeping\": %.0f, \"wakeLatency\": %.0f},\n  \"launches\": [\n",
      costs.take, costs.chunk, costs.lock, costs.wakeDozing, costs.wakeSleeping, costs.wakeLatency);
  std::vector<Case> cases = makeCases();
  for (size_t i = 0; i < cases.size(); ++i)
    print(cases[i], costs, i + 1 == cases.size());
  std::printf("  ]\n}\n");
}
