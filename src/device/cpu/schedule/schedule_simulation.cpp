// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events in the order of a simulated clock. A worker is a small state machine: it is woken, joins
// (holding the lock, and wakes helpers), takes chunks (holding the counter) and runs them until
// none is left, and leaves (holding the lock). What is held serves one worker at a time, in the
// order in which they come: that is all there is of contention. The steps are those of workers.cpp
// and launch_run.cpp; the decisions are schedule.h's own.
#include "device/cpu/schedule/schedule_simulation.h"

#include "device/cpu/schedule/schedule.h"

#include <functional>
#include <queue>

namespace heddle::device::cpu {

namespace {

enum class Step { Join, Take, Leave };

struct Event {
  double time;
  unsigned worker;
  Step step;
  bool operator>(const Event &other) const {
    return time != other.time ? time > other.time : worker > other.worker;
  }
};

/// Held by one at a time.
struct Resource {
  double freeAt = 0;
  double hold(double time, double cost) { return freeAt = std::max(time, freeAt) + cost; }
};

class Simulation {
public:
  Simulation(const SimulatedLaunch &launch, unsigned workers, const ScheduleCosts &costs)
      : launch_(launch), costs_(costs), workers_(workers), idle_(workers), lastBlockTime_(workers),
        lastChunk_(workers), part_(workers) {
    parts_.cut(launch.ends.size(), schedule::partsFor(progress()), 1, false);
    for (unsigned i = 0; i < workers; ++i)
      part_[i] = parts_.home(i, workers);
  }

  SimulatedRun run() {
    wake(0, 1);
    while (!events_.empty()) {
      Event event = events_.top();
      events_.pop();
      switch (event.step) {
      case Step::Join:
        join(event);
        break;
      case Step::Take:
        take(event);
        break;
      case Step::Leave:
        leave(event);
        break;
      }
    }
    result_.workers = workers_ - idle_;
    return result_;
  }

private:
  LaunchProgress progress() const { return progress(launch_.ends.size() - through_); }

  LaunchProgress progress(uint64_t left) const {
    auto guess = static_cast<uint64_t>(launch_.guess * schedule::Nanosecond);
    return {left, workers_, joined_, measured_ ? measured_ : guess, idle_ > 0 && !launch_.isAsleep};
  }

  /// Somebody wakes `count` workers from `time` on. Returns when that is done.
  double wake(double time, uint32_t count) {
    for (; count > 0 && idle_ > 0; --count) {
      time += launch_.isAsleep ? costs_.wakeSleeping : costs_.wakeDozing;
      double begin = time + (launch_.isAsleep ? costs_.wakeLatency : costs_.wakeDozing);
      events_.push({begin, --idle_, Step::Join});
      ++joined_;
    }
    return time;
  }

  void join(const Event &event) {
    double time = lock_.hold(event.time, costs_.lock);
    if (hasBlocks())
      events_.push({wake(time, schedule::helpersFor(progress())), event.worker, Step::Take});
  }

  /// After a chunk, if there was one.
  void take(const Event &event) {
    double time = event.time;
    if (uint64_t last = lastBlockTime_[event.worker]) {
      measured_ = last;
      // Workers that were not worth waking when the launch began.
      if (uint32_t helpers = idle_ ? schedule::helpersFor(progress()) : 0)
        time = wake(lock_.hold(time, costs_.lock), helpers);
    }
    uint64_t left =
        hasBlocks() ? parts_.guessLeft(part_[event.worker], launch_.ends.size() - through_) : 0;
    if (!left) {
      events_.push({time, event.worker, Step::Leave});
      return;
    }
    auto [first, count, through] = parts_.take(
        part_[event.worker], schedule::chunkSize(progress(left), lastChunk_[event.worker]));
    through_ += through;
    lastChunk_[event.worker] = count;
    ++result_.chunks;
    double run =
        costs_.chunk + launch_.ends[first + count - 1] - (first ? launch_.ends[first - 1] : 0);
    double perBlock = run / static_cast<double>(count) * schedule::Nanosecond;
    lastBlockTime_[event.worker] = std::max<uint64_t>(static_cast<uint64_t>(perBlock), 1);
    Resource &counter = counters_[part_[event.worker]];
    events_.push({counter.hold(time, costs_.take) + run, event.worker, Step::Take});
  }

  bool hasBlocks() const { return through_ < launch_.ends.size(); }

  void leave(const Event &event) {
    result_.time = std::max(result_.time, lock_.hold(event.time, costs_.lock));
  }

  const SimulatedLaunch &launch_;
  const ScheduleCosts &costs_;
  unsigned workers_, idle_, joined_ = 0;
  std::vector<uint64_t> lastBlockTime_; ///< by worker, in 1/16 ns
  std::vector<uint64_t> lastChunk_;     ///< by worker, in blocks
  std::vector<unsigned> part_;          ///< by worker: where it takes from
  uint64_t through_ = 0, measured_ = 0; ///< blocks of parts that are through; of one, in 1/16 ns
  GridParts parts_;
  Resource lock_, counters_[GridParts::Most];
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  SimulatedRun result_;
};

} // namespace

SimulatedRun simulateLaunch(const SimulatedLaunch &launch, unsigned workers,
                            const ScheduleCosts &costs) {
  return Simulation(launch, workers, costs).run();
}

} // namespace heddle::device::cpu
