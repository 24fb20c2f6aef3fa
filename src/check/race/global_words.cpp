// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual cases of one word of global memory that one lane accesses: nothing that is recorded of it
// races with that, whoever comes first, or the race is told of. What is not usual is left to
// words.cpp.
#include "check/race/access.h"

namespace heddle::check {

/// A race with an access of another block would tell nothing new. (Two writes may be of one value.)
bool WarpAccess::isTold(const Happening &other) const {
  const AccessSite &site = *other.site;
  bool areWrites = site_.kind == AccessKind::Write && site.kind == AccessKind::Write;
  if (areWrites || (site_.order | site.order) & OrderMayWrite || races_.hasOthersSections ||
      races_.hasLockOrder)
    return false;
  const BlockRaces::Told &told = races_.toldOf(site_, site);
  return told.mine == &site_ && told.other == &site && told.launch == races_.launchNumber &&
         races_.number > told.behind && other.block > told.behind && other.block != races_.number;
}

WarpAccess::Met WarpAccess::meet(uint32_t number) const {
  const Happening &other = GlobalShadow::get().happening(number);
  const AccessSite &site = *other.site;
  const WarpRaces &warp = races_.warps[warp_];
  bool isOfBlock = other.block == races_.number, isRead = site.kind == AccessKind::Read;
  bool areStrong = isStrong_ && isStrong(site) && site.scope != AccessScope::Block;
  Met met;
  met.number = number;
  met.isUsual =
      other.launch == races_.launchNumber && other.phase == races_.gridPhase && !races_.hasClocks;
  met.isBehind = isOfBlock && other.time < races_.barrierTime;
  met.isOfThreadBehind = isOfBlock && other.lay == Lay::One;
  met.isOfWarpBehind = isOfBlock && !warp.lanes && other.time < warp.base;
  met.isHarmless =
      site_.kind != AccessKind::Write &&
      ((isRead_ && isRead) || (areStrong && (site.kind == AccessKind::Atomic || !isOfBlock)));
  met.isTold = met.isUsual && !met.isHarmless && isTold(other);
  met.isCovered = covers(other, 0xf);
  met.isOpenRead = isRead && other.lay == Lay::One && !isSynced(other);
  met.isRead = isRead;
  return met;
}

/// Where it is recorded; 3: nowhere, as what is there tells as much.
unsigned WarpAccess::slotOfWord(const Record (&known)[3], const bool (&isFree)[3], Record record) {
  if (site_.kind == AccessKind::Write)
    return known[0] == record ? 3 : 0;
  unsigned first = isRead_ ? 1 : 0, second = first + 1;
  if (known[first] == record || known[second] == record)
    return 3;
  if (isFree[first] || isFree[second])
    return isFree[first] ? first : second;
  unsigned to = slotToGive(known[first], known[second]);
  if (to == 3)
    return 3;
  to += first - 1;
  return isRead_ && !met(known[to]).isRead ? 3 : to;
}

/// IsNone: not a usual case.
RowEnd WarpAccess::tryGlobalWord(const Words &words, uint32_t thread, Record record) {
  const Record least = races_.launch->floor << ThreadBits;
  uint32_t version = beginLook(words);
  Record known[3];
  bool isFree[3], isWrite = site_.kind == AccessKind::Write, isToClear[3] = {};
  bool isKept = false, isTold = false, isOwnRead[3] = {};
  for (unsigned i = 0; i < 3; ++i) {
    known[i] = readRecord(words.slot(i));
    isKept |= known[i] == record;
    isFree[i] = known[i] < least;
    if (isFree[i])
      continue;
    const Met &met = this->met(known[i]);
    uint32_t its = threadOf(known[i]);
    bool isBehind = met.isBehindIn(its, thread, warp_);
    isFree[i] = isBehind && met.isCovered;
    bool isToldOf = !isBehind && met.isTold;
    isTold |= isToldOf;
    isOwnRead[i] = !isRead_ && met.isOfThreadBehind && met.isOpenRead && its == thread;
    if (!met.isUsual || !(isBehind || met.isHarmless || isToldOf) ||
        (isWrite && !isFree[i] && !isToldOf))
      return RowEnd::IsNone;
    isToClear[i] = isWrite && i && !(met.isOpenRead && its == thread);
  }
  for (unsigned i = 0; isTold && i < 3; ++i)
    isFree[i] &= !isOwnRead[i];
  if (isTold)
    return keep(words, version, record, known, isFree, isKept) ? RowEnd::Done : RowEnd::Again;
  unsigned to = slotOfWord(known, isFree, record);
  if (to == 3 && !isToClear[1] && !isToClear[2])
    return isSeenAll(words, version) ? RowEnd::Done : RowEnd::Again;
  if (!beginChange(words, version))
    return RowEnd::Again;
  for (unsigned i = 1; i < 3; ++i)
    if (isToClear[i])
      writeRecord(words.slot(i), 0);
  if (to != 3)
    writeRecord(words.slot(to), record);
  endChange(words, version);
  return RowEnd::Done;
}

bool WarpAccess::touchGlobalWord(uintptr_t at, uint32_t thread) {
  if (isStrong_ && (site_.kind == AccessKind::Write || site_.scope == AccessScope::Block))
    return false;
  Words words = this->at(at);
  if (!words.first)
    return true;
  if (!wordNumber_)
    wordNumber_ = number(0xf, Lay::One, 0);
  if (!wordNumber_)
    return false;
  RowEnd end;
  do
    end = tryGlobalWord(words, thread, recordOf(wordNumber_, thread));
  while (end == RowEnd::Again);
  return end == RowEnd::Done;
}

} // namespace heddle::check
