// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The allocator's records, for its own files.
#pragma once

#include "device/cpu/memory/allocator.h"

#include <unistd.h>

namespace heddle::device::cpu {

/// Faults of pages that are protected for a moment come to us (engine/worker.h).
void keepFaultSignals();

/// A run of granules: one allocation, or a slab of equal slots.
struct Chunk {
  size_t granule = 0, granules = 0;
  uint8_t *data = nullptr; ///< accessible pages
  size_t dataBytes = 0;
  bool guarded = false;
  MemoryUse use;
  bool isShared = false;               ///< its pages lie in a file (shared.cpp)
  int file = -1;                       ///< ... that was made for them
  std::atomic<bool> isHidden = false;  ///< from host code (hidden.cpp)
  std::atomic<bool> isListed = false;  ///< in the list of those that are not
  std::atomic<bool> isOverrun = false; ///< guard pages are accessible (faults/overrun.cpp)
  Chunk *nextShown = nullptr;
  bool isReserved = false; ///< addresses for mappings (reserved.cpp), which may share their memory
  // One allocation.
  uint8_t *base = nullptr;
  size_t bytes = 0;
  // A slab; slotBytes is 0 otherwise.
  size_t slotBytes = 0;
  size_t usedSlots = 0;
  std::vector<uint32_t> slotSize; ///< bytes asked for; 0: free
  std::vector<uint32_t> freeSlots;

  bool describe(const void *p, Allocation &out) const {
    if (!slotBytes) {
      out = {base, bytes, use, !isReserved && (guarded || base != data)};
    } else {
      size_t slot = static_cast<size_t>(static_cast<const uint8_t *>(p) - data) / slotBytes;
      if (slot >= slotSize.size())
        return false;
      out = {data + slot * slotBytes, slotSize[slot], use, false};
    }
    return out.contains(p);
  }
};

inline size_t roundUpTo(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }
inline size_t pageSize() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace heddle::device::cpu
