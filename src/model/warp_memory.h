// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp's access as the memory system of a board gets it: how long the load and store units have it,
// and which sectors it wants.
#pragma once

#include "model/timing.h"
#include "model/transactions.h"

#include <span>

namespace heddle::model {

enum class Traffic : uint8_t { None, Shared, Constant, Load, Store, Atomic };

struct WarpRequest {
  Traffic traffic = Traffic::None;
  bool usesL1 = false;
  bool isReadOnly = false; ///< texture or read-only path
  bool isTexture = false;
  uint32_t cycles = 0; ///< of the load and store units
  uint32_t passes = 0;
  uint32_t partialLines = 0;         ///< of stores that do not write all bytes of their sectors
  uint32_t deepest = 0, steps = 0;   ///< of atomics: AtomicCost
  double weight = 1;                 ///< bytes that move, over those of the sectors
  std::span<const uint64_t> sectors; ///< in order; until the next request
};

class WarpMemory {
public:
  WarpMemory(const Gpu &, const KernelCode &, const MemoryState &);
  WarpRequest request(const WarpEvent &, const WarpTrace &);

private:
  void expand(const WarpEvent &, const WarpTrace &, uint32_t bytes);
  WarpRequest shared(const CodeAccess &, const WarpAccess &, const WarpEvent &);
  WarpRequest global(const CodeAccess &, Space, const WarpAccess &, const WarpEvent &);
  double passCycles() const;
  void listSectors(const WarpAccess &, const WarpEvent &);
  MemoryCost costOf(const CodeAccess &, const WarpAccess &, const WarpEvent &);

  struct Known {
    uint64_t key = ~uint64_t(0);
    MemoryCost cost;
  };
  const Gpu &gpu_;
  const KernelCode &kernel_;
  const MemoryState &state_;
  const Parameters &parameters_;
  MemoryRules rules_;
  uint64_t addresses_[32];
  std::vector<uint64_t> sectors_;
  struct KnownShared {
    uint64_t key = ~uint64_t(0);
    WarpRequest request;
  };
  std::vector<Known> known_; ///< costs of regular accesses
  std::vector<KnownShared> knownShared_;
};

/// What an instruction takes of the load and store units at least, whatever lanes are on.
double issueCycles(const Parameters &);

/// Bytes of L1 that are left beside the shared memory of the resident blocks.
uint64_t l1BytesOf(const Gpu &, uint64_t sharedBytes, const MemoryState &);

} // namespace heddle::model
