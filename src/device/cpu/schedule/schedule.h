// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The policy by which workers share the blocks of a launch: how many blocks a worker takes at a
// time, and how many more workers it wakes. It is separate from the engine and free of threads and
// clocks, so that the simulation of large machines (schedule_simulation.h) uses the same code.
//
// Parts. Neighbouring blocks should run on one core, and the same blocks on the same core in each
// launch. So the grid is cut into parts, one for each processor (grid_parts.h); a worker first
// takes from the part of its processor, then helps with others. Then a core finds in its caches
// what it has read before: on a processor with a victim cache as its last level, a sum over 64 MB
// takes 0.41 ms, and 0.62 ms where chunks go to whichever worker comes first.
//
// Chunks. Blocks are taken in chunks of 50 us, by the time of the last chunk: long enough that the
// counter is not contended, short enough that workers finish together. The estimate may be far off,
// because the last launch may have had other arguments and later blocks may take longer. So a
// worker's first chunk in a launch is at most 5 us and a small share of the blocks, and later
// chunks at most double. Towards the end chunks shrink to half of an equal share of what is left,
// but not so far that workers ask for chunks faster than the counter can serve them.
//
// Direction. Long launches alternate between ascending and descending order. Programs launch
// kernels over the same arrays again and again; after a pass over arrays that fit in no cache,
// their ends lie in the last-level cache. The next launch of the stream starts at the end of the
// grid and finds them there; from the beginning, each line would be evicted just before it is
// needed. This excludes kernels whose blocks may wait for earlier ones or print, and short
// launches, whose data the caches hold anyway.
//
// Waking. Waking is a tree: each worker that joins a launch wakes more, if enough work is left.
// Each worker costs the others some time at the lock, c in all for joining and leaving. Work W on p
// workers ends after W / p + c p, which is least for p = sqrt(W / c). Waking a sleeping worker
// takes a system call and some 15 us; one that still watches comes at once, so it is called for a
// few microseconds of work: programs with short launches (the first and last diagonals of a
// wavefront) keep it awake. If short launches are queued behind each other, a sleeping worker comes
// in time for the next ones.
#pragma once

#include "device/cpu/schedule/grid_parts.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace heddle::device::cpu {

/// What the policy knows of a launch. Times of blocks are in 1/16 ns, as KernelInfo::blockTime.
struct LaunchProgress {
  uint64_t left;            ///< blocks that nobody has taken yet
  unsigned workers;         ///< of the process
  unsigned joined;          ///< of them, to this launch, or woken and on their way
  uint64_t blockTime;       ///< of one block, in this launch or else in the last one; 0: unknown
  bool isOneDozing = false; ///< of the idle workers: it comes at once
  uint64_t launches = 1;    ///< this one and those that the program has queued behind it
};

namespace schedule {

inline constexpr uint64_t Nanosecond = 16;
inline constexpr uint64_t ChunkTime = 50'000 * Nanosecond;
inline constexpr uint64_t FirstChunkTime = 5'000 * Nanosecond;
inline constexpr uint64_t TakeTime = 100 * Nanosecond; ///< from a counter in another core's cache
inline constexpr uint64_t JoinTime = 400 * Nanosecond; ///< joining and leaving, at the lock
inline constexpr uint64_t WorthWaking = 20'000 * Nanosecond; ///< a worker that sleeps
inline constexpr uint64_t WorthCalling = 2'000 * Nanosecond; ///< one that dozes
inline constexpr uint64_t MostLaunches = 10; ///< in a row that count; by then a worker has come
inline constexpr uint32_t WakesPerWorker = 3;

inline constexpr uint64_t LongLaunch = 200'000 * Nanosecond; ///< in it a core reads some megabytes

/// Whether a launch is so long that it may go from the end to the beginning, after one that did
/// not.
inline bool worthTurning(uint64_t blocks, uint64_t blockTime) {
  return blocks > 1 && static_cast<double>(blocks) * static_cast<double>(blockTime) >= LongLaunch;
}

/// What is left, in the unit of times.
inline double workLeft(const LaunchProgress &launch) {
  return static_cast<double>(launch.left) * static_cast<double>(launch.blockTime);
}

/// Whether what is left is worth waking workers that sleep. Who comes too late for this launch
/// comes in time for the next ones.
inline bool isWorthWaking(const LaunchProgress &launch) {
  double work = workLeft(launch);
  auto launches = static_cast<double>(std::min(launch.launches, MostLaunches));
  return launch.blockTime == 0 || (work >= WorthCalling && work * launches >= WorthWaking);
}

/// How many workers what is left is worth; 0: it is not worth calling anyone.
inline uint64_t worthWorkers(const LaunchProgress &launch) {
  if (launch.blockTime == 0)
    return launch.workers;
  double work = workLeft(launch);
  if (work < (launch.isOneDozing || isWorthWaking(launch) ? WorthCalling : WorthWaking))
    return 0;
  return std::min<uint64_t>(launch.workers, static_cast<uint64_t>(std::sqrt(work / JoinTime)));
}

/// Into how many parts the grid is cut: as many as workers are worth it. None while nothing is
/// known of the kernel, whose arrays no cache holds yet.
inline unsigned partsFor(const LaunchProgress &launch) {
  uint64_t parts = launch.blockTime ? std::min<uint64_t>(worthWorkers(launch), GridParts::Most) : 1;
  return static_cast<unsigned>(std::clamp<uint64_t>(parts, 1, std::max<uint64_t>(launch.left, 1)));
}

/// Blocks to take now; at least 1, at most `left`, which must not be 0. `last`: what this worker
/// took before in this launch, 0: nothing.
inline uint64_t chunkSize(const LaunchProgress &launch, uint64_t last) {
  if (launch.blockTime == 0)
    return 1;
  uint64_t shortest = launch.workers * TakeTime; // the counter serves one of them at a time
  if (last == 0) {
    uint64_t wanted = std::max(FirstChunkTime, shortest) / launch.blockTime;
    return std::clamp<uint64_t>(std::min(wanted, launch.left / launch.workers / 4), 1, launch.left);
  }
  uint64_t wanted = std::min(ChunkTime / launch.blockTime, 2 * last);
  uint64_t share = launch.left / std::max<uint64_t>(worthWorkers(launch), 1);
  share = std::clamp(shortest / launch.blockTime, share / 2, share);
  return std::clamp<uint64_t>(std::min(wanted, share), 1, launch.left);
}

/// A chunk in whole groups of blocks that had better stay together (KernelCode::abreast,
/// neighbours), where there are so many groups that no worker goes without.
inline uint64_t wholeGroups(const LaunchProgress &launch, uint64_t chunk, uint64_t group) {
  if (group < 2 || launch.left < 2 * group * launch.workers)
    return chunk;
  return (chunk + group - 1) / group * group;
}

/// A chunk of a launch of `blocks` that run as lanes of one program, `lanes` at most
/// (KernelCode::neighbours): that takes hardly longer than one of them, so a worker's share goes at
/// once, unless it is a few blocks only.
inline uint64_t asLanes(uint64_t blocks, uint64_t workers, uint64_t chunk, uint64_t lanes) {
  uint64_t share = (blocks + workers - 1) / workers;
  return lanes < 2 || share < lanes / 8 ? chunk : std::max(chunk, std::min(share, lanes));
}

/// How many more workers to wake; there may be fewer that are idle. Only those that doze, unless it
/// isWorthWaking others.
inline uint32_t helpersFor(const LaunchProgress &launch) {
  if (launch.left == 0 || launch.joined >= worthWorkers(launch))
    return 0;
  return static_cast<uint32_t>(std::min<uint64_t>(launch.left, WakesPerWorker));
}

} // namespace schedule
} // namespace heddle::device::cpu
