// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cpu/launch/block_slot.h"

#include <vector>

namespace heddle::device::cpu {

/// All blocks of a cooperative launch (cooperative.cpp).
struct GridRun {
  std::vector<BlockSlot> slots;
  std::atomic<uint64_t> atGrid{0}, ended{0}; ///< blocks, in this round and in all
  explicit GridRun(uint64_t blocks) : slots(blocks) {}
};

} // namespace heddle::device::cpu
