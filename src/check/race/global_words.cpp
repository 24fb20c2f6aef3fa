// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual cases of one word of global memory that one lane accesses: nothing that is recorded of it
// races with that, whoever comes first. What is not usual is left to words.cpp.
#include "check/race/access.h"

namespace heddle::check {

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
  for (unsigned i = 0; i < 3; ++i) {
    known[i] = readRecord(words.slot(i));
    isFree[i] = known[i] < least;
    if (isFree[i])
      continue;
    const Met &met = this->met(known[i]);
    uint32_t its = threadOf(known[i]);
    bool isBehind = met.isBehindIn(its, thread, warp_);
    isFree[i] = isBehind && met.isCovered;
    if (!met.isUsual || !(isBehind || met.isHarmless) || (isWrite && !isFree[i]))
      return RowEnd::IsNone;
    isToClear[i] = isWrite && i && !(met.isOpenRead && its == thread);
  }
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
