// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy by which workers share the blocks of a launch: how many a worker takes at a time, and
// how many more workers it wakes. It is kept apart from the engine, free of threads and clocks, so
// that the simulation of large machines (schedule_simulation.h) drives the very same code.
//
//  - Blocks are taken in order, in chunks, from one counter. Neighbouring blocks run on one core.
//  - A chunk is as long as 50 us of blocks, by what blocks of this launch took so far: long enough
//  that the
//    counter is no point of contention, short enough to end together. Before anything was measured
//    in this launch, the kernel's last launch is a guess, which may be wrong by any factor: then a
//    chunk is 5 us by that guess.
//  - Towards the end chunks get smaller: at most a share of what is left, half of an equal one. But
//  not below
//    1 us, the price of taking a chunk when all workers come for one at the same time.
//  - Waking is a tree: whoever joins a launch wakes two more, if what is left is worth it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::device::cpu {

/// What the policy knows of a launch. Times of blocks are in 1/16 ns, as KernelInfo::blockTime.
struct LaunchProgress {
  uint64_t left;      ///< blocks that nobody has taken yet
  unsigned workers;   ///< of the process
  uint64_t blockTime; ///< of one block; 0: unknown
  bool isGuess;       ///< blockTime is of an earlier launch
};

namespace schedule {

inline constexpr uint64_t Nanosecond = 16;
inline constexpr uint64_t ChunkTime = 50'000 * Nanosecond;
inline constexpr uint64_t GuessedChunkTime = 5'000 * Nanosecond;
inline constexpr uint64_t ShortestChunkTime = 1'000 * Nanosecond;
inline constexpr uint64_t WorthWaking = 20'000 * Nanosecond;
inline constexpr uint32_t WakesPerWorker = 2;

/// Blocks to take now; at least 1, at most `left`, which must not be 0.
inline uint64_t chunkSize(const LaunchProgress &launch) {
  if (launch.blockTime == 0)
    return 1;
  uint64_t wanted = (launch.isGuess ? GuessedChunkTime : ChunkTime) / launch.blockTime;
  uint64_t share = std::max<uint64_t>(launch.left / (2 * uint64_t(launch.workers)),
                                      ShortestChunkTime / launch.blockTime);
  return std::clamp<uint64_t>(std::min(wanted, share), 1, launch.left);
}

/// How many more workers to wake; there may be fewer that sleep.
inline uint32_t helpersFor(const LaunchProgress &launch) {
  if (launch.left == 0)
    return 0;
  if (launch.blockTime && launch.left < WorthWaking / launch.blockTime)
    return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(launch.left, WakesPerWorker));
}

} // namespace schedule
} // namespace heddle::device::cpu
