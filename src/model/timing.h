// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a launch takes on a board, and what it waits for. docs/model.md has the principles.
#pragma once

#include "model/machine.h"
#include "model/occupancy.h"
#include "model/sample.h"
#include "model/trace.h"

#include <array>
#include <functional>

namespace heddle::model {

/// What the warps of a block did, by its number in the grid. Any may be asked for, in any order.
using Traces = std::function<BlockTrace(uint64_t block)>;

/// What a launch finds.
struct MemoryState {
  /// Of what the launch touches, the share that the one before it touched, too: of that what fits is in
  /// L2. And how much it touched in all; 0: as much as this one.
  double again = 1, bytesBefore = 0;
  /// Caches were written back and emptied before it, and are not behind it, as a profiler that replays
  /// kernels has it (Nsight Compute, "Cache Control"): what L2 holds at the end is not in memory yet.
  bool isFlushed = false;
  /// Bytes that the launch touches; 0: estimated from the traces.
  uint64_t footprint = 0;
  bool usesL1 = true;     ///< of 2.x: -dlcm=ca
  bool wideBanks = false; ///< of 3.x: shared memory in the mode of 8 bytes
  int sharedKb = -1;      ///< asked for by the program; -1: as the kernel needs
  int ecc = -1;           ///< 0, 1; -1: as the board is delivered
};

/// How much is simulated.
struct Effort {
  uint64_t instructions = 400'000;       ///< of warps, of the sampled multiprocessor
  uint64_t sectors = 400'000;            ///< of the chip's traffic, for L2
  const SampledBlocks *traced = nullptr; ///< no others have traces; null: all have
  double frontKept = 1;                  ///< the share of the first blocks that their traces have
};

/// What a warp waits for before it issues an instruction.
enum class Wait : uint8_t {
  Issue,      ///< for its scheduler: others issue, or it issues itself
  Dependence, ///< for a result of arithmetic
  Pipe,       ///< for a pipeline of arithmetic
  LoadStore,  ///< for the load and store units
  Shared,     ///< for a result from shared memory
  L1,         ///< for data, by where it was
  L2,
  Dram,
  Atomic,
  Barrier,
  Constant,
};
inline constexpr unsigned WaitCount = static_cast<unsigned>(Wait::Constant) + 1;
std::string_view nameOf(Wait);

/// What can be full.
enum class Resource : uint8_t { Issue, Arithmetic, LoadStore, L2, Dram, Atomics, Latency, Launch };
inline constexpr unsigned ResourceCount = static_cast<unsigned>(Resource::Launch) + 1;
std::string_view nameOf(Resource);

struct LineCost {
  uint32_t line; ///< of the KernelCode
  double share;  ///< of the warps' time
};

struct LaunchTime {
  double seconds = 0;
  double cycles = 0; ///< of a multiprocessor
  Occupancy occupancy;
  double achievedOccupancy = 0;
  Resource bound = Resource::Latency;
  std::array<double, ResourceCount> used{}; ///< share of the time that each is busy
  std::array<double, WaitCount> waits{};    ///< shares of the warps' time
  double instructions = 0;                  ///< of warps, of the launch
  double l1Sectors = 0, l1Hits = 0;         ///< of loads
  double textureSectors = 0;        ///< of those, what goes by the cache of textures: before 5.0
  double textureHits = 0;           ///< read-only loads, too
  double l2Sectors = 0, l2Hits = 0; ///< that reach L2, and do not make memory move bytes
  double l2Reads = 0, l2Writes = 0; ///< of these loads, and stores; the rest are atomic
  double l2ReadHits = 0;            ///< of loads
  double l2Fetched = 0;             ///< that loads and atomic operations bring from memory
  double dramRead = 0, dramWritten = 0; ///< bytes
  double footprint = 0;                 ///< bytes that the launch touches
  double partitionFactor = 1;           ///< 1.x: the busiest channel's share over the mean
  std::vector<LineCost> lines;          ///< the costliest first
  double error = 0;                     ///< relative, of sampling: standard error of the rate
  double firstHalf =
      0.5; ///< of a warp's time, the share of the first half of its steps: with cold caches
  bool isKnown = true; ///< the generation is in the tables
  double bandwidth() const { return seconds > 0 ? (dramRead + dramWritten) / seconds : 0; }
};

LaunchTime simulate(const Gpu &, const MachineCode &, const LaunchShape &, const Traces &,
                    const MemoryState & = {}, const Effort & = {});

} // namespace heddle::model
