// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One multiprocessor with its resident blocks, instruction by instruction.
#pragma once

#include "model/chip.h"

namespace heddle::model {

/// The multiprocessor's part of what is shared, in bytes a cycle of its clock.
struct SharedRates {
  double l2 = 0, dram = 0;
  double multiprocessors = 1; ///< that share
};

/// Of a board when so many multiprocessors ask. `writeShare`: of the bytes that memory moves.
SharedRates sharedRates(const Gpu &, double multiprocessors, double writeShare,
                        const MemoryState &);

/// The unit that has the instructions of a pipeline, another one that could have them, or the same, and
/// whether they also take a place of the cores for single precision.
Pipe unitOf(Pipe, const Gpu &);
Pipe otherUnitOf(Pipe, const Gpu &);
bool takesCore(Pipe, const Gpu &);

struct SampledRun {
  std::vector<double> ends; ///< of its blocks, in cycles, ascending
  double cycles = 0;        ///< until the last block ended
  double progress = 1;      ///< of the blocks' instructions that were simulated
  double instructions = 0;
  std::array<double, WaitCount> waits{};
  std::array<double, ResourceCount> busy{}; ///< cycles
  std::vector<double> lines;                ///< cycles that warps spent at each, and at none last
  double l1Sectors = 0, l1Hits = 0, l2Sectors = 0, l2Hits = 0;
  double textureSectors = 0, textureHits = 0; ///< of l1Sectors and l1Hits
  double l2Reads = 0, l2ReadHits = 0, l2Writes = 0, l2Fetched = 0;
  double dramRead = 0, dramWritten = 0;
  double residentWarps = 0; ///< cycles of warps
  double firstHalf = 0.5;   ///< of a warp's time, the share of the first half of its steps
};

/// Runs `blocks` (numbers in the grid, in the order in which the multiprocessor gets them),
/// `resident` at a time.
SampledRun runMultiprocessor(const Gpu &, const MachineCode &, const std::vector<uint64_t> &blocks,
                             uint64_t resident, uint64_t l1Bytes, const ChipTraffic &,
                             const SharedRates &, const Traces &, const MemoryState &,
                             uint64_t mostInstructions);

} // namespace heddle::model
