// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the accesses of one memory operation have come to, by the rules of each generation.
#pragma once

#include "model/kernel.h"
#include "model/transactions.h"

#include <array>

namespace heddle::profile {

/// In global, local or texture memory.
struct MemorySums {
  uint64_t transactions = 0, bytes = 0, sectors = 0, lines = 0, wanted = 0, passes = 0;
  void add(const model::MemoryCost &);
  void add(const MemorySums &, uint64_t times = 1);
};
struct SharedSums {
  uint64_t passes = 0, ideal = 0, conflicts = 0;
  void add(const model::SharedCost &);
  void add(const SharedSums &, uint64_t times = 1);
};

/// Of one operation. A generic address may lie anywhere.
struct AccessSums {
  uint64_t requests = 0, lanes = 0; ///< of warps with an active lane; active lanes
  uint64_t sharedRequests = 0;      ///< those in shared memory
  std::array<MemorySums, model::MemoryRulesCount> memory; ///< by MemoryRules
  MemorySums pastL1; ///< Lines, where global memory is not cached in L1
  std::array<SharedSums, model::MemoryRulesCount> shared;
  SharedSums wideBanks;                ///< L2, with banks of 8 bytes
  uint64_t constantPasses = 0;         ///< of constant memory
  uint64_t addresses = 0, deepest = 0; ///< of atomic operations (AtomicCost)

  void add(const AccessSums &, uint64_t times = 1);
};

/// What one access of a warp adds. `rules`: a bit for each MemoryRules that is wanted.
AccessSums costOf(const model::CodeAccess &, model::Space, uint32_t lanes,
                  const uint64_t *addresses, uint32_t rules);

/// Where the words of a local variable lie in device memory: those of the lanes side by side.
uint64_t localAddress(uint64_t offset, uint32_t bytes, unsigned lane);

} // namespace heddle::profile
