// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches are counted, and which blocks of these.
#pragma once

#include "model/kernel.h"

#include <functional>
#include <string>

namespace heddle::profile {

enum class Treatment : uint8_t {
  None,   ///< the block runs plain code where it can
  Counts, ///< it is counted
  Trace,  ///< and each step of its warps is kept
};

struct Sampling {
  /// By the kernel's name (demangled); asked before a launch, in the program's order. Null: all.
  std::function<bool(const std::string &kernel)> countsLaunch;
  /// By the block's number in the grid, x first; asked by workers. Null: all are counted.
  std::function<Treatment(const model::LaunchShape &, uint64_t block)> ofBlock;
  uint32_t rules = ~0u; ///< a bit for each model::MemoryRules whose transactions are wanted
  uint64_t mostTraceBytes = 64 << 20; ///< of a launch's traces together
};

/// Blocks so far apart that about `counted` of a grid are counted, and the first `traced` of these
/// kept: the same ones in each run.
Sampling everyNth(uint64_t counted, uint64_t traced);

} // namespace heddle::profile
