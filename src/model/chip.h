// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all multiprocessors together ask of L2 and memory.
#pragma once

#include "model/timing.h"

namespace heddle::model {

/// Of one access of the code.
struct AccessTraffic {
  double requests = 0;                 ///< of warps, counted
  double sectors = 0, hits = 0;        ///< that reached L2, and were there
  double hotShare = 0, sliceShare = 0; ///< of atomics: that of the busiest sector, and slice of L2
  double hitRate() const { return sectors > 0 ? hits / sectors : 0; }
};

struct ChipTraffic {
  std::vector<AccessTraffic> accesses;
  double partitionFactor = 1;
  double writeShare = 0; ///< of the bytes to and from memory
  double footprint = 0;  ///< bytes of the launch
  double writtenBack =
      1; ///< of the sectors that are written, those that go to memory within the launch
};

struct Residency {
  uint64_t multiprocessors; ///< that have blocks
  uint64_t blocks;          ///< of each, at a time
  uint64_t l1Bytes;
};

ChipTraffic trafficOf(const Gpu &, const MachineCode &, const LaunchShape &, const Residency &,
                      const Traces &, const MemoryState &, const Effort &);

} // namespace heddle::model
