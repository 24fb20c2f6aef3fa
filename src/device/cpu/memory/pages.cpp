// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/memory/pages.h"

#include <algorithm>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

namespace heddle::device::cpu {

size_t pageBytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void *mapGuarded(size_t bytes, size_t guard) {
  size_t inner = roundUp(bytes, pageBytes()), all = inner + 2 * guard;
  if (inner < bytes || all < inner)
    return nullptr;
  void *whole = mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (whole == MAP_FAILED)
    return nullptr;
  uint8_t *base = static_cast<uint8_t *>(whole) + guard;
  if (inner && mprotect(base, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(whole, all);
    return nullptr;
  }
  return base;
}

void unmapGuarded(void *base, size_t bytes, size_t guard) {
  if (base)
    munmap(static_cast<uint8_t *>(base) - guard, roundUp(bytes, pageBytes()) + 2 * guard);
}

uint8_t *Arena::reserve(size_t bytes, size_t align) {
  bytes = roundUp(std::max<size_t>(bytes, 1), align);
  size_t below = pageBytes();
  if (bytes + below > capacity_) {
    size_t wanted = roundUp(std::max(bytes + below, capacity_ * 2), pageBytes());
    auto *fresh = static_cast<uint8_t *>(mapGuarded(wanted));
    if (!fresh)
      return nullptr;
    unmapGuarded(base_, capacity_);
    base_ = fresh;
    capacity_ = wanted;
    isOpen_ = false;
  }
  if (std::exchange(isOpen_, false)) {
    mprotect(base_ - pageBytes(), pageBytes(), PROT_NONE);
    mprotect(base_ + capacity_, pageBytes(), PROT_NONE);
  }
  uint8_t *start = base_ + capacity_ - bytes;
  *const_cast<volatile uint8_t *>(start - 1) = 0; // the page is there
  return start;
}

bool Arena::contains(const void *p) const {
  auto *byte = static_cast<const uint8_t *>(p);
  return byte >= base_ && byte < base_ + capacity_;
}

bool Arena::inGuard(const void *p) const {
  auto *byte = static_cast<const uint8_t *>(p);
  return base_ && ((byte >= base_ - pageBytes() && byte < base_) ||
                   (byte >= base_ + capacity_ && byte < base_ + capacity_ + pageBytes()));
}

bool Arena::openGuard(const void *p) {
  if (!inGuard(p))
    return false;
  isOpen_ = true;
  uint8_t *page = static_cast<const uint8_t *>(p) < base_ ? base_ - pageBytes() : base_ + capacity_;
  return mprotect(page, pageBytes(), PROT_READ | PROT_WRITE) == 0;
}

} // namespace heddle::device::cpu
