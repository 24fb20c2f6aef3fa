// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which bytes of the allocator's memory were never written. A bit of shadow stands for each bit of
// memory: 1 if nothing has written it. The shadow lies at a fixed distance from the memory, is all
// zeros where nothing is looked at, and takes no memory there.
#pragma once

#include "base/abi/check_abi.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

namespace heddle::check {

class InitShadow {
public:
  /// For memory from `low` on. `isReserved` is false where the system refuses.
  explicit InitShadow(Bounds memory);
  ~InitShadow();
  InitShadow(const InitShadow &) = delete;
  /// Of the allocator's memory. Never destroyed: workers run on.
  static InitShadow &get();

  bool isReserved() const { return shadow_ != nullptr; }
  /// For compiled code, but for `tracked`.
  ShadowedMemory layout() const;
  bool contains(const void *p) const {
    return static_cast<uint64_t>(static_cast<const uint8_t *>(p) - memory_.low) < memory_.bytes;
  }

  /// An allocation in which nothing was written.
  void begin(const void *base, uint64_t bytes);
  /// It is no more, or nobody knows any more what was written.
  void end(const void *base);
  void endAll();
  /// Bytes that were written, anywhere.
  void write(const void *p, uint64_t bytes);
  /// Bytes that were copied; one side may lie outside of the memory.
  void copy(const void *to, const void *from, uint64_t bytes);
  /// The allocation at an address has bytes that were not written, as those may know that looked
  /// before.
  void spread(const void *p);
  /// How many of the bytes have bits that were not written.
  uint64_t unwritten(const void *p, uint64_t bytes) const;
  uint8_t *shadowOf(const void *p) const {
    return shadow_ + (static_cast<const uint8_t *>(p) - memory_.low);
  }
  bool isTracked(const void *base) const;
  /// An address in an allocation that is.
  bool isIn(const void *p) const;
  /// Whether accesses by a pointer must be looked at.
  bool mustTrack(const void *p);

  struct Range {
    const uint8_t *base;
    uint64_t bytes;
  };
  /// All live ones.
  std::vector<Range> allocations() const;

private:
  struct Tracked {
    uint64_t bytes = 0;
    std::atomic<bool> isWritten{false}; ///< all of it
    std::atomic<uint64_t> next{0};      ///< what lies before was written
  };
  using Allocations = std::map<const uint8_t *, std::unique_ptr<Tracked>>;
  Allocations::const_iterator find(const void *p) const;
  bool isWritten(const uint8_t *base, Tracked &) const;
  void clear(const uint8_t *base, uint64_t bytes);
  void fill(uint8_t *shadow, uint64_t bytes);

  Bounds memory_;
  uint8_t *shadow_ = nullptr; ///< of memory_.low
  int ones_ = -1;             ///< a file of OnesBytes, all bits 1
  mutable std::shared_mutex mutex_;
  Allocations allocations_;
};

} // namespace heddle::check
