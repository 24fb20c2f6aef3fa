// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reserved range of addresses, given out in granules. Nothing in it is accessible until `open`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>

namespace heddle::device::cpu {

/// Which of `count` numbers are taken: runs of them, best fit, neighbours merged. A run that is
/// given back rests for a while before it is taken again, so that a stale address stays invalid.
class RunList {
public:
  static constexpr size_t None = SIZE_MAX;
  static constexpr size_t RestingRuns = 256;

  RunList(size_t first, size_t count) { insert(first, count); }
  /// The first number of `count` free ones in a row, or None.
  size_t take(size_t count);
  void give(size_t first, size_t count);

private:
  void insert(size_t first, size_t count);
  void erase(std::map<size_t, size_t>::iterator);
  void wake(); ///< ends the rest of the oldest run
  size_t takeFree(size_t count);

  std::map<size_t, size_t> free_;                 ///< first -> count
  std::set<std::pair<size_t, size_t>> bySize_;    ///< (count, first)
  std::deque<std::pair<size_t, size_t>> resting_; ///< (first, count)
};

class AddressSpace {
public:
  /// On x86 and on AArch64 with pages of 4 KiB.
  static constexpr size_t HugePage = 2 << 20;

  /// Reserves up to `bytes` from a multiple of HugePage on; less when the system refuses that much.
  /// size() is 0 when it refuses all.
  explicit AddressSpace(size_t bytes);
  AddressSpace(const AddressSpace &) = delete;
  ~AddressSpace();

  uint8_t *base() const { return base_; }
  size_t size() const { return size_; }
  size_t granule() const { return granule_; }
  bool contains(const void *p) const {
    return static_cast<size_t>(static_cast<const uint8_t *>(p) - base_) < size_;
  }
  size_t granuleOf(const void *p) const {
    return static_cast<size_t>(static_cast<const uint8_t *>(p) - base_) / granule_;
  }
  uint8_t *addressOf(size_t granule) const { return base_ + granule * granule_; }

  /// Makes whole pages readable and writable, zeroed. False when the system has no memory or
  /// mappings left.
  static bool open(uint8_t *start, size_t bytes);
  /// Gives the memory back; the pages are zero when they are touched again.
  static void drop(uint8_t *start, size_t bytes);
  /// Gives the memory back and makes the pages inaccessible. When the system has no mappings left
  /// for that, they stay accessible but empty.
  static void close(uint8_t *start, size_t bytes);

private:
  uint8_t *base_ = nullptr;
  size_t size_ = 0;
  size_t granule_;
};

} // namespace heddle::device::cpu
