// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Caches that know which sectors they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::model {

inline constexpr unsigned SectorBytes = 32, LineBytes = 128;

/// A cache of a multiprocessor: sets of lines with sectors, the least recently used line goes.
class SectorCache {
public:
  /// `bytes` of 0: nothing is kept.
  explicit SectorCache(uint64_t bytes, bool fillsLines);
  /// Whether a sector (address / 32) is there; then it is.
  bool read(uint64_t sector);
  /// Updates or drops it, if it is there.
  void drop(uint64_t sector);

private:
  static constexpr unsigned Ways = 8;
  struct Way {
    uint64_t line = ~uint64_t(0);
    uint32_t used = 0;
    uint8_t sectors = 0;
  };
  Way *find(uint64_t line);

  std::vector<Way> ways_;
  uint64_t sets_;
  uint32_t clock_ = 0;
  bool fillsLines_;
};

/// L2 as a whole, by how much was brought in since a sector was last used: a list in order of use,
/// without the list. Time is bytes; it may be put forward by what is not simulated.
class FillCache {
public:
  explicit FillCache(double bytes) : bytes_(bytes) {}
  enum class Found : uint8_t { Hit, Dirtied, Aged, Never };
  /// Dirtied: it is there as memory has it, and is written: it will have to go back. Aged: it was there,
  /// but too long ago.
  Found use(uint64_t sector, bool isWrite);
  void pass(double bytes) { clock_ += bytes; }
  double clock() const { return clock_; }
  std::size_t size() const { return entries_.size(); } ///< sectors that are known
  void clear() { entries_.clear(); }

private:
  struct Entry {
    double used;
    bool isDirty;
  };
  std::unordered_map<uint64_t, Entry> entries_;
  double bytes_, clock_ = 0;
};

} // namespace heddle::model
