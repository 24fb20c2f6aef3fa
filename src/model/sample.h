// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks of a launch simulate looks at, where their traces must be kept while it runs.
#pragma once

#include "model/machine.h"
#include "model/occupancy.h"

#include <span>
#include <vector>

namespace heddle::model {

struct SampledBlocks {
  uint64_t front = 0;        ///< those below: side by side, for the traffic that meets in L2
  std::vector<uint64_t> own; ///< of one multiprocessor, ascending
  bool has(uint64_t block) const;
  uint64_t count() const;
};

/// Those that a GPU's time is found from.
SampledBlocks sampleBlocks(const Gpu &, const MachineCode &, const LaunchShape &);

/// `own` of `resident` blocks at a time, of the multiprocessor in the middle: it gets every so
/// manieth block.
std::vector<uint64_t> blocksOfOne(uint64_t blocks, uint64_t multiprocessors, uint64_t count);

} // namespace heddle::model
