// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace heddle::device::cpu {

/// A grid cut into parts of equal length, one for each processor or for neighbours together. A
/// worker takes chunks from the part of the processor that it is on until that is empty, then helps
/// with the next one. So a processor gets the same blocks in each launch, and finds what it has
/// left in the caches (schedule.h). What the whole launch shares changes only when a part is
/// through.
template <template <typename> typename Atomic> class BasicGridParts {
public:
  static constexpr unsigned Most =
      16; ///< of them is one for the cores of a last cache on large machines

  struct Chunk {
    uint64_t first = 0, count = 0; ///< blocks; a count of 0: none is left
    uint64_t through = 0; ///< blocks of the part that is through with this chunk; 0: it is not
  };

  /// `count` parts, 1 to Most, which begin at multiples of `group` blocks. `backwards`: chunks are
  /// taken from the ends of the parts. Before anyone takes.
  void cut(uint64_t blocks, unsigned count, uint64_t group, bool backwards) {
    count_ = count;
    isBackwards_ = backwards;
    auto beginOf = [&](unsigned i) {
      uint64_t at = blocks / count * i + blocks % count * i / count;
      return i == count ? blocks : at / group * group;
    };
    for (unsigned i = 0; i < count; ++i) {
      parts_[i].taken.store(0, std::memory_order_relaxed);
      parts_[i].begin = beginOf(i);
      parts_[i].size = beginOf(i + 1) - parts_[i].begin;
    }
  }

  /// The part for one of so many processors.
  unsigned home(unsigned processor, unsigned processors) const {
    return static_cast<unsigned>(uint64_t(processor) * count_ / processors);
  }

  /// How many blocks of all that are left, if other parts have as many as part `at`, or the next
  /// one that has some, which `at` is then. `inParts`: blocks of parts that are not through.
  uint64_t guessLeft(unsigned &at, uint64_t inParts) const {
    for (unsigned tried = 0; tried < count_; ++tried, at = (at + 1) % count_) {
      const Part &part = parts_[at];
      uint64_t taken = part.taken.load(std::memory_order_relaxed);
      if (taken < part.size)
        return std::max<uint64_t>(inParts / part.size, 1) * (part.size - taken);
    }
    return 0;
  }

  /// Up to `most` neighbouring blocks, from part `at`, or from the next one that has some, which
  /// `at` is then.
  Chunk take(unsigned &at, uint64_t most) {
    for (unsigned tried = 0; tried < count_; ++tried, at = (at + 1) % count_) {
      Part &part = parts_[at];
      if (part.taken.load(std::memory_order_relaxed) >= part.size)
        continue;
      uint64_t taken = part.taken.fetch_add(most, std::memory_order_relaxed);
      if (taken >= part.size)
        continue;
      uint64_t count = std::min(most, part.size - taken);
      return {part.begin + (isBackwards_ ? part.size - taken - count : taken), count,
              taken + count == part.size ? part.size : 0};
    }
    return {};
  }

  BasicGridParts *nextFree = nullptr; ///< in the engine's pool

private:
  struct alignas(64) Part {
    Atomic<uint64_t> taken{0};
    uint64_t begin = 0, size = 0;
  };

  unsigned count_ = 0;
  bool isBackwards_ = false;
  Part parts_[Most];
};

using GridParts = BasicGridParts<std::atomic>;

} // namespace heddle::device::cpu
