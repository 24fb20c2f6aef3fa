// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches are counted, and which blocks of these.
#pragma once

#include "model/block_clock.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace heddle::profile {

/// Of a block. One that is not counted runs plain code where it can.
struct Treatment {
  bool isCounted = true;
  uint64_t traceBytes = 0; ///< that its trace may take; 0: there is none
};

/// By the block's number in the grid, x first; asked by workers.
struct Treatments {
  std::function<Treatment(uint64_t block)> ofBlock; ///< null: all are counted
  /// What the kernel reads from clocks, in all blocks; null: the processor's.
  std::unique_ptr<model::LaunchClock> clock;
  uint64_t situation = 0; ///< LaunchCounts::situation
};

/// A launch that is about to begin.
struct LaunchStart {
  const model::KernelCode &code;
  const model::LaunchShape &shape;
  const void *device;              ///< LaunchCounts::device
  std::span<const uint8_t> params; ///< as the kernel gets them
};

struct Sampling {
  /// By the kernel's name (demangled); asked before a launch, in the program's order. Null: all.
  std::function<bool(const std::string &kernel)> countsLaunch;
  /// What becomes of the blocks of a launch, which is asked before its first block. Null: all are
  /// counted.
  std::function<Treatments(const LaunchStart &)> ofLaunch;
  uint32_t rules = ~0u; ///< a bit for each model::MemoryRules whose transactions are wanted
};

/// Blocks so far apart that about `counted` of a grid are counted, and the first `traced` of these
/// kept: the same ones in each run.
Sampling everyNth(uint64_t counted, uint64_t traced);

} // namespace heddle::profile
