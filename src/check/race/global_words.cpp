// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The usual cases of one word of global memory that one lane accesses: nothing that is recorded of it
// races with that, whoever comes first. What is not usual is left to words.cpp.
#include "check/race/access.h"

namespace heddle::check {

/// A record that this access cannot race with. `isBehind`: as it comes first.
bool WarpAccess::isHarmless(Record record, uint32_t thread, bool &isBehind) const {
  const Happening &other = GlobalShadow::get().happening(happeningOf(record));
  if (other.launch != races_.launchNumber || other.phase != races_.gridPhase || races_.hasClocks)
    return false;
  const AccessSite &site = *other.site;
  const WarpRaces &warp = races_.warps[warp_];
  uint32_t its = threadOf(record);
  isBehind = other.block == races_.number &&
             (other.time < races_.barrierTime || (its == thread && other.lay == Lay::One) ||
              (its / WarpLanes == warp_ && !warp.lanes && other.time < warp.base));
  if (isBehind || site_.kind == AccessKind::Write)
    return isBehind;
  if (isRead_ && site.kind == AccessKind::Read)
    return true;
  bool areStrong = isStrong_ && isStrong(site) && site.scope != AccessScope::Block;
  return areStrong && (site.kind == AccessKind::Atomic || other.block != races_.number);
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
  auto &other = GlobalShadow::get().happening(happeningOf(known[to]));
  return isRead_ && other.site->kind != AccessKind::Read ? 3 : to;
}

bool WarpAccess::touchGlobalWord(uintptr_t at, uint32_t thread) {
  if (isStrong_ && (site_.kind == AccessKind::Write || site_.scope == AccessScope::Block))
    return false;
  Words words = GlobalShadow::get().at(at);
  if (!words.first)
    return true;
  uint32_t own = number(0xf, Lay::One, 0);
  Record record = recordOf(own, thread), least = races_.launch->floor << ThreadBits;
  while (own) {
    uint32_t version = beginLook(words);
    Record known[3];
    bool isFree[3], isBehind, isOwnRead[3] = {};
    for (unsigned i = 0; i < 3; ++i) {
      known[i] = readRecord(words.slot(i));
      isFree[i] = known[i] < least;
      if (isFree[i])
        continue;
      if (!isHarmless(known[i], thread, isBehind))
        return false;
      const Happening &other = GlobalShadow::get().happening(happeningOf(known[i]));
      isFree[i] = isBehind && covers(other, 0xf);
      isOwnRead[i] = other.site->kind == AccessKind::Read && threadOf(known[i]) == thread &&
                     other.lay == Lay::One && !isSynced(other);
      if (!isFree[i] && site_.kind == AccessKind::Write)
        return false;
    }
    unsigned to = slotOfWord(known, isFree, record);
    auto isToClear = [&](unsigned i) {
      return site_.kind == AccessKind::Write && known[i] >= least && !isOwnRead[i];
    };
    if (to == 3 && !isToClear(1) && !isToClear(2)) {
      if (isSeenAll(words, version))
        return true;
      continue;
    }
    if (!beginChange(words, version))
      continue;
    for (unsigned i = 1; i < 3; ++i)
      if (isToClear(i))
        writeRecord(words.slot(i), 0);
    if (to != 3)
      writeRecord(words.slot(to), record);
    endChange(words, version);
    return true;
  }
  return false;
}

} // namespace heddle::check
