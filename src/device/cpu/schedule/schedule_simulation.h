// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::device::cpu {

/// What the engine's steps cost, in ns. bench/scheduler.cpp measures them on the machine that it
/// runs on; these are for a server with its cores on several dies, where a line of cache comes from
/// far away.
struct ScheduleCosts {
  double take = 100; ///< a chunk from the counter: holds it for that long
  double chunk = 80; ///< the rest of a chunk: two looks at the clock, the guard against faults
  double lock = 200; ///< joining or leaving a launch: holds the engine's lock
  double wakeDozing = 150;    ///< for the waker; and until the woken one goes on
  double wakeSleeping = 2500; ///< for the waker: a system call
  double wakeLatency = 15000; ///< from there until the sleeper goes on
};

/// A launch: how long each block runs, in ns, summed up: block i ends at ends[i] if all run on one
/// core.
struct SimulatedLaunch {
  std::vector<double> ends;
  double guess = 0;      ///< time of a block in the kernel's last launch, 0: none
  bool isAsleep = false; ///< the workers sleep; otherwise they doze, as after another launch
};

struct SimulatedRun {
  double time = 0; ///< ns, from the call of launch until the last worker has left
  uint64_t chunks = 0;
  unsigned workers = 0; ///< that took part
};

/// Runs the launch by the policy of schedule.h on `workers` simulated workers.
SimulatedRun simulateLaunch(const SimulatedLaunch &, unsigned workers, const ScheduleCosts &);

} // namespace heddle::device::cpu
