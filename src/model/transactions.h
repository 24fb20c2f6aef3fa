// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a warp's access of memory becomes, by the rules of each generation (CUDA C++ Programming
// Guide, "Compute Capabilities", this and earlier editions; CUDA Best Practices Guide, "Coalesced
// Access to Global Memory").
#pragma once

#include "model/kernel.h"

#include <span>

namespace heddle::model {

/// Generations that make transactions alike.
enum class MemoryRules : uint8_t {
  InOrder,  ///< 1.0, 1.1: half warps whose threads read their words in order, or one by one
  Segments, ///< 1.2, 1.3: segments of half warps, as small as they can be
  Lines,    ///< 2.x: 128-byte lines of L1; 32-byte segments without it
  L2,       ///< 3.x: L2 only, in 32-byte segments; shared memory has banks of 8 bytes
  Sectors,  ///< from 5.0 on: 32-byte sectors of 128-byte lines
};
inline constexpr unsigned MemoryRulesCount = 5;
MemoryRules memoryRulesOf(unsigned major, unsigned minor);

/// What the lanes of a warp access together.
struct WarpAccess {
  uint32_t lanes;            ///< active, a bit each; of half warps the low half comes first
  uint32_t bytes;            ///< of a lane: 1, 2, 4, 8, 16
  const uint64_t *addresses; ///< 32, by lane; those of inactive lanes are not read
  uint16_t flags = 0;        ///< OperationFlags: IsVolatile, IsReadOnly, BypassesL1
};

/// What it becomes in global, local or texture memory.
struct MemoryCost {
  uint32_t requests = 0;     ///< 1, or 0 without active lanes
  uint32_t transactions = 0; ///< as the generation's profiler counts them
  uint32_t bytes = 0;        ///< that those move
  uint32_t sectors = 0;      ///< distinct, of 32 bytes
  uint32_t lines = 0;        ///< distinct, of 128 bytes
  uint32_t wanted = 0;       ///< distinct bytes that the lanes asked for
  uint32_t passes = 0;       ///< times that the load and store units issue it: 1 + replays
};
/// `usesL1`: of Lines, where global memory is cached in L1 (-dlcm).
MemoryCost globalCost(MemoryRules, const WarpAccess &, Operation, bool usesL1);

/// What it becomes in shared memory.
struct SharedCost {
  uint32_t passes = 0; ///< wavefronts: 1 without a conflict
  uint32_t ideal = 0;  ///< those that as much data takes at the best
  uint32_t conflicts() const { return passes > ideal ? passes - ideal : 0; }
};
/// `wideBanks`: 3.x in the mode of 8 bytes.
SharedCost sharedCost(MemoryRules, const WarpAccess &, Operation, bool wideBanks = false);

/// Of constant memory: distinct words, which are read one after the other.
uint32_t constantPasses(const WarpAccess &);

/// Operations on one address, one after the other.
struct AtomicCost {
  uint32_t addresses = 0, deepest = 0; ///< distinct ones, and the most lanes of one
  uint32_t steps = 0; ///< of L2: runs of neighbouring lanes with neighbouring addresses in a sector
};
AtomicCost atomicCost(const WarpAccess &);

} // namespace heddle::model
