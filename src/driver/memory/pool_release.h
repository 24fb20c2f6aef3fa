// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the functions that synchronise: pools give back what is above their threshold then
// (cudaMemPoolAttrReleaseThreshold).
#pragma once

#include <atomic>
#include <cstddef>

namespace heddle::driver {

/// Blocks that the pools of the process keep.
extern std::atomic<size_t> keptBlocks;
void releaseAboveThresholds();

inline void releaseUnused() {
  if (keptBlocks.load(std::memory_order_relaxed)) [[unlikely]]
    releaseAboveThresholds();
}

} // namespace heddle::driver
