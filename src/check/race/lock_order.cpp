// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock orders two threads as they happen to come to it. What the second one does when it has given
// the lock back is ordered behind what the first did under it; had they come the other way round, the
// two would race:
//
//     lock(); x = data; unlock();        lock(); y = other; unlock();
//                                        data = 1;
//
// So a thread that takes a lock remembers the sections of others that it has learned of by that alone
// (HeldLock::before). It might have come before those, unless it matters to one of the two that it did
// not: unless it reads under the lock what others have written, or writes what others have read, which
// may be what keeps the two apart (`if (!done)`). When it has given the lock back, its accesses race with
// those of such a section, until it learns of others in any other way.
#include "check/race/access.h"
#include "check/settings.h"

#include <algorithm>

namespace heddle::check {

bool BlockRaces::mightComeBefore(uint32_t w, uint32_t lane, const LockSection &one) const {
  return one.from < one.to &&
         sees(w * WarpLanes + lane, one.block, one.thread, one.from).first == SeenBy::Nobody;
}

void BlockRaces::learnOtherwise(uint32_t w, uint32_t lanes, uintptr_t lock) {
  if (!hasLockOrder || !warps[w].locks)
    return;
  forEachLane(lanes, [&](uint32_t lane) {
    for (HeldLock &held : warps[w].locks->lanes[lane])
      if (held.address != lock)
        held.before.clear();
    std::erase_if(warps[w].locks->left[lane],
                  [&](const LeftLock &left) { return left.address != lock; });
  });
}

/// Of an access under locks, and what another thread did there before.
void WarpAccess::tieLocks(const Happening &other, uint32_t thread, const Part &part) {
  WarpLocks *locks = races_.warps[part.threads.warp].locks.get();
  bool isRead = other.site->kind == AccessKind::Read;
  if (!locks || other.launch != races_.launchNumber || (isRead_ && isRead))
    return;
  Threads its = threadsOf(other.lay, other.lanes, other.bytes, thread, part.bytes);
  bool isOfBlock = other.block == races_.number;
  bool areWrites = other.site->kind == AccessKind::Write && site_.kind == AccessKind::Write;
  auto isOfWriter = [&](const LockSection &one) {
    return one.block == other.block && one.thread / WarpLanes == its.warp &&
           its.lanes >> one.thread % WarpLanes & 1 && one.from <= other.time && other.time < one.to;
  };
  forEachLane(part.threads.lanes, [&](uint32_t lane) {
    if (isOfBlock && its.warp == part.threads.warp && its.lanes == 1u << lane)
      return;
    for (HeldLock &held : locks->lanes[lane])
      if ((part.at ^ held.address) >= 4)
        std::erase_if(held.before,
                      [&](const LockSection &one) { return !areWrites || !isOfWriter(one); });
  });
}

/// One of the part's threads has taken a lock, and given it back, behind the other one that did this under
/// it, and nothing else orders the two; `pair` is them.
bool WarpAccess::isByLock(const Happening &other, uint32_t thread, const Part &part,
                          uint32_t (&pair)[2]) const {
  const WarpLocks *locks = races_.warps[part.threads.warp].locks.get();
  if (!locks || other.launch != races_.launchNumber)
    return false;
  Threads its = threadsOf(other.lay, other.lanes, other.bytes, thread, part.bytes);
  if (settings().lockstep && other.block == races_.number && its.warp == part.threads.warp)
    return false;
  for (uint32_t rest = part.threads.lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    for (const LeftLock &left : locks->left[lane])
      for (const LockSection &one : left.before)
        if (one.block == other.block && one.thread / WarpLanes == its.warp &&
            its.lanes >> one.thread % WarpLanes & 1 && one.from <= other.time &&
            other.time < one.to) {
          pair[0] = part.threads.warp * WarpLanes + lane;
          pair[1] = one.thread;
          return true;
        }
  }
  return false;
}

} // namespace heddle::check
