// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual cases of words in shared memory: most records there are from before the last barrier,
// and count as none. Then an access only has to be recorded. Nobody else uses a block's records.
// What is not usual is left to words.cpp.
#include "check/race/access.h"

#include "base/abi/kernel_abi.h"

#include <cstring>

namespace heddle::check {

/// All lanes go to whole words of the block's shared memory.
bool WarpAccess::areSharedWords(uint8_t *const *pointers) const {
  auto low = reinterpret_cast<uintptr_t>(block_.shared);
  uint64_t bytes = block_.launch->sharedBytes;
  bool areInside = true;
  for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
    uintptr_t offset = reinterpret_cast<uintptr_t>(pointers[__builtin_ctz(rest)]) - low;
    areInside &= offset < bytes && offset % 4 == 0;
  }
  return areInside;
}

/// Behind accesses of the same thread, or before the barrier.
bool WarpAccess::writeSharedWord(Words words, Record record) {
  const Record least = races_.shared.floor() << ThreadBits;
  Record *first = words.slot(0), *second = words.slot(1), *third = words.slot(2);
  auto isFree = [&](Record known) { return known < least || threadOf(known) == threadOf(record); };
  if (!isFree(*first) || !isFree(*second) || !isFree(*third))
    return false;
  *first = record;
  *second = *third = 0;
  return true;
}

/// The same of a read: those of other threads stay (keep()).
bool WarpAccess::readSharedWord(Words words, Record record) {
  const Record least = races_.shared.floor() << ThreadBits;
  Record *slots[] = {words.slot(1), words.slot(2), words.slot(0)};
  Record *to = nullptr;
  bool isKept = false;
  for (Record *slot : slots) {
    Record known = *slot;
    bool isDead = known < least, isOwn = threadOf(known) == threadOf(record);
    bool isRead =
        isDead || races_.shared.happening(happeningOf(known)).site->kind == AccessKind::Read;
    if (!isRead && !isOwn)
      return false;
    isKept |= known == record;
    if (!to && (isDead || (isRead && isOwn)))
      to = slot;
  }
  if (isKept)
    return true;
  if (to)
    *to = record;
  else if (threadOf(*slots[0]) / WarpLanes == threadOf(*slots[1]) / WarpLanes &&
           threadOf(*slots[0]) / WarpLanes != warp_)
    *slots[1] = record;
  return true;
}

/// Lanes whose neighbours go elsewhere: those that go along are one access (same()).
uint32_t WarpAccess::lanesApart(uint8_t *const *pointers) const {
  uint32_t alike = 0;
  for (uint32_t lane = 0; lane + 1 < WarpLanes; ++lane)
    if (lanes_ >> lane & lanes_ >> (lane + 1) & 1 && pointers[lane] == pointers[lane + 1])
      alike |= 3u << lane;
  return lanes_ & ~alike;
}

/// The lanes that are still to be looked at.
uint32_t WarpAccess::touchSharedWords(uint8_t *const *pointers) {
  findKind(reinterpret_cast<uintptr_t>(block_.shared));
  uint32_t own = number(0xf, Lay::One, 0);
  if (!races_.shared.hasWordsOnly())
    return lanes_;
  for (uint32_t rest = lanesApart(pointers); rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    Words words = at(reinterpret_cast<uintptr_t>(pointers[lane]));
    Record record = recordOf(own, firstThread_ + lane);
    if (isRead_ ? readSharedWord(words, record) : writeSharedWord(words, record))
      done_ |= 1u << lane;
  }
  return lanes_ & ~done_;
}

/// Atomic operations behind others of the same place in the source, at one time.
uint32_t WarpAccess::touchSharedAtomics(uint8_t *const *pointers) {
  findKind(reinterpret_cast<uintptr_t>(block_.shared));
  if (site_.kind != AccessKind::Atomic)
    return lanes_;
  uint32_t own = number(0xf, Lay::One, 0);
  const Record least = races_.shared.floor() << ThreadBits;
  for (uint32_t rest = lanesApart(pointers); rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    Words words = at(reinterpret_cast<uintptr_t>(pointers[lane]));
    Record *first = words.slot(0);
    bool isUsual = (*first < least || happeningOf(*first) == own) && *words.slot(1) < least &&
                   *words.slot(2) < least;
    if (!isUsual)
      continue;
    *first = recordOf(own, firstThread_ + lane);
    done_ |= 1u << lane;
  }
  return lanes_ & ~done_;
}

/// Whether readers of two warps are known, and nothing else: another one tells nothing new.
bool WarpAccess::isReadEnough(Words words) {
  const Record least = races_.shared.floor() << ThreadBits;
  Record first = *words.slot(1), second = *words.slot(2);
  auto isRead = [&](Record known) {
    return known >= least &&
           races_.shared.happening(happeningOf(known)).site->kind == AccessKind::Read;
  };
  return *words.slot(0) < least && isRead(first) && isRead(second) &&
         threadOf(first) / WarpLanes != threadOf(second) / WarpLanes;
}

/// Words of which nothing is known since the barrier.
bool WarpAccess::touchSharedRow(Words words, size_t count, RowPattern pattern) {
  if (isStrong_ || !areDead(words.slot(0), words.slot(1), words.slot(2), count,
                            races_.shared.floor() << ThreadBits))
    return false;
  writeRow(words.slot(isRead_ ? 1 : 0), count, pattern);
  return true;
}

} // namespace heddle::check
