// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is told of two accesses that race.
#include "check/race/access.h"

#include "check/race/may_write.h"
#include "device/cpu/futex.h"

#include <algorithm>
#include <cstring>

#include <sched.h>

namespace heddle::check {

/// Lanes that write one word in one go.
void WarpAccess::compareLanes(const Part &part) {
  if (isRead(site_))
    return races_.launch->mayRace.store(true, std::memory_order_relaxed);
  auto laneOf = [&](uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); };
  uint32_t first = laneOf(part.threads.lanes),
           other = laneOf(part.threads.lanes & (part.threads.lanes - 1));
  bool isSame = values_ != nullptr;
  for (uint32_t rest = part.threads.lanes & (part.threads.lanes - 1); isSame && rest;
       rest &= rest - 1) {
    const uint8_t *a = values_ + (first - shift_) * length_;
    const uint8_t *b = values_ + (laneOf(rest) - shift_) * length_;
    if (std::memcmp(a, b, length_) != 0) {
      isSame = false;
      other = laneOf(rest);
    }
  }
  uint32_t warp = warp_ * WarpLanes;
  RaceSide mine = {&site_, races_.launchNumber, races_.number, warp + first};
  RaceSide its = {&site_, races_.launchNumber, races_.number, warp + other};
  races_.launch->add(mine, its,
                     {Relation::Warp, isSame ? RaceFlaw::SameValue : RaceFlaw::NoOrder, nullptr},
                     kind_ != Kind::Global, part.at, length_);
}

/// Both write, and the same. `pair`: mine, and the other's thread.
bool WarpAccess::isSameValue(const Happening &other, const uint32_t (&pair)[2],
                             const Part &part) const {
  if (!values_ || other.site->kind != AccessKind::Write || site_.kind != AccessKind::Write)
    return false;
  uint32_t lane = pair[0] - firstThread_;
  uintptr_t address = addressOf(lane), word = part.at & ~uintptr_t(3);
  uintptr_t at = std::max(address, word);
  size_t count = std::min(address + length_, word + 4) - at;
  const void *mine = values_ + lane * length_ + (at - address);
  uint32_t otherLane = pair[1] - firstThread_;
  bool isOfBlock = other.launch == races_.launchNumber && other.block == races_.number;
  // In this very instruction? Of two of its lanes the one that came first stands first.
  if (isOfBlock && other.site == &site_ && otherLane < WarpLanes && lanes_ >> otherLane & 1 &&
      ((done_ >> otherLane | done_ >> lane) & 1)) {
    uintptr_t its = addressOf(otherLane);
    if (its <= at && at + count <= its + length_)
      return !std::memcmp(mine, values_ + otherLane * length_ + (at - its), count);
  }
  // The other one may have written fewer bytes of the word, or, by several lanes, more.
  auto isSame = [&](auto &&written) {
    for (size_t i = 0; i < count; ++i)
      if (other.bytes >> ((at + i) & 3) & 1 &&
          written(at + i) != static_cast<const uint8_t *>(mine)[i])
        return false;
    return true;
  };
  uint32_t period = std::min(other.site->bytes, 4u);
  if (period && __atomic_load_n(&other.isOneValue, __ATOMIC_ACQUIRE))
    return isSame([&](uintptr_t byte) {
      return reinterpret_cast<const uint8_t *>(&other.value)[byte % period];
    });
  if (!isOfBlock && !mayCompare(other, at, count))
    return true;
  return isSame([](uintptr_t byte) { return *reinterpret_cast<const uint8_t *>(byte); });
}

/// What another block has written is in memory, or comes there now. If its worker does not run, it
/// is not known what that is. (Two that wait for each other have written elsewhere before.)
bool WarpAccess::mayCompare(const Happening &other, uintptr_t at, size_t count) const {
  constexpr unsigned Pauses = 2000, Tries = Pauses + 100;
  auto *stored = const_cast<uint8_t *>(&other.stored);
  for (unsigned i = 0; i < Tries; ++i) {
    uint8_t now = __atomic_load_n(stored, __ATOMIC_ACQUIRE);
    if (now != NotStored)
      return now == IsStored;
    if (at + count <= __atomic_load_n(&other.low, __ATOMIC_ACQUIRE) ||
        at >= __atomic_load_n(&other.high, __ATOMIC_ACQUIRE))
      return true;
    i < Pauses ? device::cpu::pauseCpu() : void(sched_yield());
  }
  __atomic_store_n(stored, uint8_t(StoredIsUnknown), __ATOMIC_RELAXED);
  return false;
}

/// `flag`: where the thread, or its block, has read what would order the two with a fence behind it; or
/// where the other one has taken a lock without a fence.
RaceFlaw WarpAccess::flawOf(const Happening &other, const uint32_t (&pair)[2], const Part &part,
                            const AccessSite *&flag) const {
  bool isGuess = (site_.order | other.site->order) & OrderMayWrite;
  if (!isGuess && isSameValue(other, pair, part))
    return RaceFlaw::SameValue;
  if (flag)
    return RaceFlaw::NoFence;
  if (!races_.hasClocks || other.launch != races_.launchNumber)
    return RaceFlaw::NoOrder;
  auto [by, at] = races_.sees(pair[0], other.block, pair[1], other.time);
  flag = at ? inSource(at) : nullptr;
  return by == SeenBy::Nobody  ? RaceFlaw::NoOrder
         : by == SeenBy::Block ? RaceFlaw::BarrierOnly
                               : RaceFlaw::NoFence;
}

void WarpAccess::report(const Happening &other, const uint32_t (&pair)[2], const Part &part,
                        const AccessSite *lock) {
  bool isGuess = (site_.order | other.site->order) & OrderMayWrite;
  if (isGuess)
    races_.launch->mayRace.store(true, std::memory_order_relaxed);
  if (isRead(site_) && isRead(*other.site))
    return;
  RaceSide mine = {inSource(&site_), races_.launchNumber, races_.number, pair[0]};
  RaceSide its = {inSource(other.site), other.launch, other.block, pair[1]};
  Relation relation = other.launch != races_.launchNumber          ? Relation::Launches
                      : other.block != races_.number               ? Relation::Grid
                      : pair[0] / WarpLanes != pair[1] / WarpLanes ? Relation::Block
                                                                   : Relation::Warp;
  const AccessSite *flag = lock;
  RaceFlaw flaw = flawOf(other, pair, part, flag);
  // (See acquire.cpp.)
  bool isOfLock = lock || (site_.kind != AccessKind::Atomic && races_.holds(pair[0], flag));
  if (flaw == RaceFlaw::NoFence && !isOfLock &&
      (site_.isVolatile || site_.kind == AccessKind::Atomic))
    return;
  uint64_t behind = races_.launch->add(mine, its, {relation, flaw, flag}, kind_ != Kind::Global,
                                       part.at, length_);
  if (relation == Relation::Grid && flaw == RaceFlaw::NoOrder)
    races_.toldOf(site_, *other.site) = {&site_, other.site, races_.launchNumber, behind};
}

} // namespace heddle::check
