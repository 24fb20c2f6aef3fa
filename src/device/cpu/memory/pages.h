// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::device::cpu {

size_t pageBytes();
inline size_t roundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/// Zeroed pages between inaccessible ones, `guard` bytes on each side; `bytes` is rounded up to
/// pages, `guard` is whole pages. Null if there is no room.
void *mapGuarded(size_t bytes, size_t guard = pageBytes());
void unmapGuarded(void *base, size_t bytes, size_t guard = pageBytes());

/// Guarded memory that grows, losing its content. Memory is never given back before the end.
class Arena {
public:
  /// At least `bytes` that end at a guard page: returns where they start, aligned to `align`, so
  /// that less than `align` bytes lie between their end and the guard. Null if there is no room.
  /// Below them a page is in memory: lanes that are switched off may point there (`s[t - d]`), and
  /// a processor takes hundreds of cycles to find that a page that is not there is not needed.
  uint8_t *reserve(size_t bytes, size_t align);
  ~Arena() { unmapGuarded(base_, capacity_); }
  uint8_t *end() const { return base_ + capacity_; }
  bool contains(const void *p) const;
  bool inGuard(const void *p) const; ///< in the page before or after
  /// Makes the guard page at `p` accessible, until the next `reserve`.
  bool openGuard(const void *p);

private:
  uint8_t *base_ = nullptr;
  size_t capacity_ = 0;
  bool isOpen_ = false;
};

} // namespace heddle::device::cpu
