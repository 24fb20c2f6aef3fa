// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a worker has counted in a launch.
#pragma once

#include "base/abi/count_abi.h"
#include "profile/count/launch_counts.h"

#include <array>

namespace heddle::profile {

inline constexpr unsigned Lanes = CountedLanes;

inline constexpr int64_t HalfLanes = Lanes / 2;

/// Addresses of a warp's lanes, a run in each half.
struct LaneRun {
  uint32_t lanes = 0;   ///< active
  uint64_t begin = 0;   ///< the address of the first of them
  int64_t stride = 0;   ///< bytes from lane to lane
  int64_t distance = 0; ///< from lane 0 to the first lane of the upper half; of one run 16 strides
};
/// `first`, `second`: those of the halves' first lanes, which may be off and then are anywhere.
LaneRun runOf(uint32_t lanes, uint64_t first, uint64_t second, int64_t stride);

/// What a run's cost depends on, and how often it was met since its cost was last added.
struct Run {
  uint32_t lanes = 0; ///< 0: none
  uint32_t place = 0; ///< of the first address in what its cost depends on
  int64_t stride = 0, distance = 0;
  model::Space space = model::Space::Generic;
  uint64_t times = 0;
};

/// The same of addresses in any order: their distances from the first active lane's.
struct Gather {
  uint32_t lanes = 0;
  uint32_t place = 0;
  model::Space space = model::Space::Generic;
  std::array<int32_t, Lanes> distances; ///< 0 of lanes that are off
  uint64_t times = 0;
  AccessSums cost;
};

struct AccessTally {
  static constexpr size_t Kept = 64;
  AccessSums sums;
  std::array<Run, Kept> runs; ///< the last ones, by their places
  /// What one of each adds: apart, as it is large and seldom needed.
  std::array<AccessSums, Kept> costs;
  std::vector<Gather> gathers; ///< likewise; empty until one is met

  /// Addresses of shared memory are offsets, those of local memory offsets in a variable.
  void addRun(const model::CodeAccess &, model::Space, const LaneRun &, uint32_t rules);
  /// `addresses`: of all lanes, likewise; of local memory those of placeLocal.
  void addEach(const model::CodeAccess &, model::Space, uint32_t lanes, const uint64_t *addresses,
               uint32_t rules);
  void settle();
};

/// The addresses of all lanes.
void spreadRun(const LaneRun &, uint64_t *addresses);
/// Offsets in local variables become addresses, in which lanes lie side by side.
void placeLocal(uint32_t bytes, uint64_t *addresses);

struct WorkerCounts {
  const model::KernelCode *code;
  uint32_t rules;
  std::vector<BlockTally> blocks;
  std::vector<AccessTally> accesses;
  uint64_t blocksOfGrid = 0;

  WorkerCounts(const model::KernelCode &code, uint32_t rules)
      : code(&code), rules(rules), blocks(code.blocks.size()), accesses(code.accesses.size()) {}
  void addTo(LaunchCounts &);
};

} // namespace heddle::profile
