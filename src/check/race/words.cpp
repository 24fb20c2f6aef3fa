// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An access is compared with the records of its words, and recorded there.
#include "check/race/access.h"

#include <cstring>

namespace heddle::check {

// ---------------------------------------------------------------------------------------------------
// A row: all at once, or not at all (false).

/// Whether the order of a row's records is known, and what it is.
bool WarpAccess::isRowBehind(const RowFacts &facts, const Happening &other, Order order, Lay lay,
                             bool &isBehind) const {
  isBehind = order == Order::Behind;
  if (order != Order::AskThread)
    return true;
  if (other.launch != races_.launchNumber || other.block != races_.number ||
      other.lay == Lay::Same || races_.hasClocks)
    return false;
  const WarpRaces &warp = races_.warps[warp_];
  isBehind = facts.isOfThreads && other.lay == lay;
  if (isBehind || !facts.hasOwnWarp)
    return true;
  isBehind = !warp.lanes && other.time < warp.base;
  return isBehind && !facts.hasOtherWarp;
}

bool WarpAccess::touchRow(Words words, size_t count, RowPattern pattern, uint8_t bytes, Lay lay) {
  if (isStrong_ || isGuess_ || !happeningOf(pattern.first))
    return false;
  RowEnd end;
  do
    end = tryRow(words, count, pattern, bytes, lay);
  while (end == RowEnd::Again);
  return end == RowEnd::Done;
}

RowEnd WarpAccess::tryRow(Words words, size_t count, RowPattern pattern, uint8_t bytes, Lay lay) {
  uint32_t version = beginLook(words);
  RowFacts facts[3];
  bool isFree[3];
  for (unsigned i = 0; i < 3; ++i) {
    facts[i] = lookAtRow(words.slot(i), count, pattern, floor());
    isFree[i] = facts[i].highest == 0 || facts[i].isOwn;
    if (isFree[i])
      continue;
    if (facts[i].lowest != facts[i].highest)
      return RowEnd::IsNone;
    const Seen &seen = look(facts[i].lowest);
    const Happening &other = happening(seen.number);
    bool isBehind;
    bool mayRace = !(isRead_ && other.site->kind == AccessKind::Read);
    if (!isRowBehind(facts[i], other, seen.order, lay, isBehind)) {
      if (mayRace)
        return RowEnd::IsNone;
      isBehind = false;
    }
    bool isOwnRead = !isRead_ && other.site->kind == AccessKind::Read && facts[i].isOfThreads &&
                     seen.order == Order::AskThread && !isSynced(other);
    if (isBehind)
      isFree[i] = covers(other, bytes) && (i == 0 || !isOwnRead);
    else if (mayRace)
      return RowEnd::IsNone;
  }
  unsigned to = isRead_ ? slotOfReadRow(words, facts, isFree) : facts[0].isOwn ? 3 : 0;
  auto isToClear = [&](unsigned i) { return !isRead_ && facts[i].highest && isFree[i]; };
  if (to == 3 && !isToClear(1) && !isToClear(2))
    return isSeenAll(words, version) ? RowEnd::Done : RowEnd::Again;
  if (!beginChange(words, version))
    return RowEnd::Again;
  for (unsigned i = 1; i < 3; ++i)
    if (isToClear(i))
      std::memset(words.slot(i), 0, count * sizeof(Record));
  if (to != 3)
    writeRow(words.slot(to), count, pattern);
  endChange(words, version);
  return RowEnd::Done;
}

/// 3: none.
unsigned WarpAccess::slotOfReadRow(Words words, const RowFacts (&facts)[3],
                                   const bool (&isFree)[3]) {
  if (facts[1].isOwn || facts[2].isOwn)
    return 3;
  unsigned to = isFree[1] ? 1 : isFree[2] ? 2 : isFree[0] ? 0 : 3;
  return to == 3 ? slotToGive(*words.slot(1), *words.slot(2)) : to;
}

// ---------------------------------------------------------------------------------------------------
// A word.

void WarpAccess::touchWord(Words words, const Part &part) {
  uint32_t own = number(part.bytes, part.lay, part.lay == Lay::Same ? part.threads.lanes : 0);
  Record record = recordOf(own, part.thread);
  if (part.lay == Lay::Same && site_.kind == AccessKind::Write && !isStrong_)
    compareLanes(part);
  while (!tryWord(words, part, own, record))
    ;
}

/// False if another worker has come to the word meanwhile. (What was found is true, and how often
/// that is so depends on the workers anyway.)
bool WarpAccess::tryWord(Words words, const Part &part, uint32_t own, Record record) {
  uint32_t version = beginLook(words);
  Record known[3];
  bool isFree[3], isKept = false, isTold = own == 0;
  for (unsigned i = 0; i < 3; ++i) {
    known[i] = readRecord(words.slot(i));
    uint32_t number = happeningOf(known[i]);
    isKept |= known[i] == record;
    isFree[i] = number < floor() || known[i] == record;
    if (isFree[i])
      continue;
    const Seen seen = look(number);
    const Happening &other = happening(seen.number);
    if (!(other.bytes & part.bytes))
      continue;
    uint32_t pair[2], thread = threadOf(known[i]);
    // What the thread has written tells more than what it may write.
    bool isOwnChange = isGuess_ && other.site->kind != AccessKind::Read && !isSynced(other) &&
                       thread == part.thread && other.lay == part.lay;
    isTold |= isOwnChange;
    if (isOwnChange && other.site->kind == AccessKind::Atomic)
      races_.launch->mayRace.store(true, std::memory_order_relaxed);
    if (races_.hasLockOrder)
      tieLocks(other, thread, part);
    if (isBehind(seen, thread, part, pair)) {
      isFree[i] = covers(other, part.bytes) && !isOwnRead(other, thread, part);
      const AccessSite *lock =
          races_.hasOthersSections ? lockWithoutFence(other, thread, part, pair) : nullptr;
      if (lock && conflicts(other, pair[0] / WarpLanes == pair[1] / WarpLanes, part.bytes))
        report(other, pair, part, lock);
      if (races_.hasLockOrder && isByLock(other, thread, part, pair) &&
          conflicts(other, pair[0] / WarpLanes == pair[1] / WarpLanes, part.bytes))
        report(other, pair, part);
    } else if (conflicts(other, pair[0] / WarpLanes == pair[1] / WarpLanes, part.bytes) &&
               !isAcquired(seen, pair, part.at))
      report(other, pair, part);
  }
  return isTold ? isSeenAll(words, version) : keep(words, version, record, known, isFree, isKept);
}

bool WarpAccess::keep(Words words, uint32_t version, Record record, const Record (&known)[3],
                      const bool (&isFree)[3], bool isKept) {
  static constexpr uint8_t Writes[] = {0, 1, 2}, Reads[] = {1, 2, 0};
  const uint8_t (&order)[3] = isRead_ ? Reads : Writes;
  unsigned to = 3;
  for (unsigned i : order)
    if (to == 3 && (isKept ? known[i] == record : isFree[i]))
      to = i;
  if (to == 3) // none is free
    to = isRead_ ? slotToGive(known[1], known[2]) : 0;
  auto isToClear = [&](unsigned i) { return isFree[i] && i != to && known[i]; };
  bool isWritten = to != 3 && known[to] != record;
  if (!isWritten && !isToClear(0) && !isToClear(1) && !isToClear(2))
    return isSeenAll(words, version);
  if (!beginChange(words, version))
    return false;
  for (unsigned i = 0; i < 3; ++i)
    if (isToClear(i))
      writeRecord(words.slot(i), 0);
  if (isWritten)
    writeRecord(words.slot(to), record);
  endChange(words, version);
  return true;
}

/// Two readers are kept, of different blocks if there are such, those of the lowest numbers; or of
/// different warps. The one that had better give way to this access; or 3.
unsigned WarpAccess::slotToGive(Record first, Record second) {
  const Happening &a = happening(happeningOf(first)), &b = happening(happeningOf(second));
  auto isOf = [&](const Happening &one) {
    return one.launch == races_.launchNumber && one.block == races_.number;
  };
  if (a.launch != b.launch || a.block != b.block) {
    bool isKnown = isOf(a) || isOf(b) || a.launch != b.launch || a.launch != races_.launchNumber;
    uint32_t last = std::max(a.block, b.block);
    return isKnown || last < races_.number ? 3 : a.block == last ? 1 : 2;
  }
  if (!isOf(a))
    return 2;
  uint32_t warpA = threadOf(first) / WarpLanes, warpB = threadOf(second) / WarpLanes;
  return warpA == warpB && warpA != warp_ ? 2 : 3;
}

} // namespace heddle::check
