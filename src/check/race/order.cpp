// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is remembered of an access, and which of two comes first, as far as its block knows.
#include "check/race/access.h"

#include "check/settings.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::check {

/// Of this access. Where numbers become scarce, accesses of a site count as made when the block
/// first came to it.
uint32_t WarpAccess::number(uint8_t bytes, Lay lay, uint32_t lanes) {
  auto hash = reinterpret_cast<uintptr_t>(&site_) / 32 + bytes + lanes;
  BlockRaces::Recent &recent =
      (isShared_ ? races_.recentShared : races_.recentGlobal)[hash % BlockRaces::RecentSites];
  bool isSame = recent.site == &site_ && recent.run == races_.run && recent.bytes == bytes &&
                recent.lay == lay && recent.lanes == lanes;
  bool isRecent = isSame && recent.time == races_.time && recent.phase == races_.gridPhase &&
                  (!isShared_ || races_.shared.isKnown(recent.number));
  if (!isRecent && isSame && !isShared_ && GlobalShadow::get().isScarce())
    isRecent = true;
  if (!isRecent) {
    findValue();
    Happening happening = {&site_,  races_.launchNumber, races_.number, races_.time, value_,
                           lanes,   races_.gridPhase,    bytes,         lay,         isOneValue_,
                           IsStored};
    recent = {
        &site_,      races_.run,
        races_.time, isShared_ ? races_.shared.add(happening) : GlobalShadow::get().add(happening),
        lanes,       races_.gridPhase,
        bytes,       lay};
  }
  uint32_t &noted = noted_[isShared_];
  if (values_ && recent.number && std::exchange(noted, recent.number) != recent.number)
    noteValue(happening(recent.number)); // of all lanes
  return recent.number;
}

/// If all lanes store one value, in a word.
void WarpAccess::findValue() {
  if (std::exchange(isValueKnown_, true) || !values_ || !lanes_)
    return;
  uint64_t first = 0, each = 0;
  std::memcpy(&first, values_ + __builtin_ctz(lanes_) * length_, length_);
  for (uint32_t rest = lanes_ & (lanes_ - 1); rest; rest &= rest - 1) {
    std::memcpy(&each, values_ + __builtin_ctz(rest) * length_, length_);
    if (each != first)
      return;
  }
  value_ = static_cast<uint32_t>(first);
  isOneValue_ = length_ <= 4 || value_ == first >> 32;
}

void WarpAccess::noteValue(Happening &own) {
  if (own.isOneValue) {
    findValue();
    if (!isOneValue_ || own.value != value_)
      __atomic_store_n(&own.isOneValue, uint8_t(0), __ATOMIC_RELEASE);
  }
  if (isShared_)
    return;
  uintptr_t low = ~uintptr_t(0), high = 0;
  for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
    uintptr_t address = addressOf(static_cast<uint32_t>(__builtin_ctz(rest)));
    low = std::min(low, address), high = std::max(high, address + length_);
  }
  races_.storesTo(own, low, high);
}

WarpAccess::Order WarpAccess::orderOf(const Happening &other) const {
  bool isOfOthers =
      kind_ == Kind::Cluster && // who had that memory before
      (other.launch != races_.launchNumber ||
       races_.launch->clusterOf(other.block) != races_.launch->clusterOf(races_.number));
  if (isOfOthers)
    return Order::Behind;
  if (other.launch != races_.launchNumber)
    return !isOrdered(*races_.launch, other.launch) ? Order::Apart
           : races_.launch->hasFamily               ? orderOfFamily(other)
                                                    : Order::Behind;
  if (other.phase < races_.gridPhase)
    return Order::Behind;
  if (other.block != races_.number)
    return races_.hasClocks ? Order::AskThread : Order::Apart;
  return other.time < races_.barrierTime ? Order::Behind : Order::AskThread;
}

/// A grid and what its threads have launched. Where flags are exchanged, they may be ordered by those.
WarpAccess::Order WarpAccess::orderOfFamily(const Happening &other) const {
  const LaunchRaces &launch = *races_.launch, *its = launchOfNumber(other.launch);
  auto exchangesFlags = [](const LaunchRaces &one) { return one.reachesAll || one.hasReleases; };
  if (!its || exchangesFlags(launch) || exchangesFlags(*its))
    return Order::Behind;
  const Birth *birth = birthWithin(launch, other.launch);
  if (!birth)
    return isUnseenChild(launch, other.launch) ? Order::Apart : Order::Behind;
  if (birth->isTail || !birth->isCertain || other.phase < birth->gridPhase)
    return Order::Behind;
  if (other.block != birth->block)
    return Order::Apart;
  return other.time < birth->barrierTime ? Order::Behind : Order::AskThread;
}

/// Of the block whose thread has launched what leads to this access.
bool WarpAccess::isBeforeBirth(const Happening &other, const Threads &its) const {
  const Birth *birth = birthWithin(*races_.launch, other.launch);
  if (!birth)
    return true;
  uint32_t own = its.warp == birth->thread / WarpLanes ? 1u << birth->thread % WarpLanes : 0;
  if (own && other.time < birth->warpTime)
    return true;
  return its.lanes == own && other.time < birth->time;
}

/// Those who have accessed one of `wanted` bytes of a word.
WarpAccess::Threads WarpAccess::threadsOf(Lay lay, uint32_t same, uint8_t bytes, uint32_t thread,
                                          uint8_t wanted) {
  uint32_t warp = thread / WarpLanes, lane = thread % WarpLanes;
  if (lay == Lay::One)
    return {warp, 1u << lane};
  if (lay == Lay::Same)
    return {warp, same};
  unsigned width = lay == Lay::Bytes ? 1 : 2;
  auto first = static_cast<unsigned>(__builtin_ctz(bytes)) / width;
  uint32_t lanes = 0;
  for (unsigned byte = 0; byte < 4; ++byte)
    if (bytes & wanted & (1u << byte))
      lanes |= 1u << ((lane + byte / width - first) % WarpLanes);
  return {warp, lanes};
}

/// All that the record's threads did is known to all of the part's, but for what each did itself. If
/// not, `pair` is one of the part's and one of them.
bool WarpAccess::isBehind(const Seen &seen, uint32_t thread, const Part &part,
                          uint32_t (&pair)[2]) const {
  const Happening &other = happening(seen.number);
  if (other.lay < Lay::Bytes && part.lay < Lay::Bytes)
    return areBehind(seen, threadsOf(other.lay, other.lanes, other.bytes, thread, part.bytes),
                     part.threads, pair);
  for (unsigned byte = 0; byte < 4; ++byte) {
    auto bit = static_cast<uint8_t>(1u << byte);
    if (!(other.bytes & part.bytes & bit))
      continue;
    Threads its = threadsOf(other.lay, other.lanes, other.bytes, thread, bit);
    Threads mine = threadsOf(part.lay, part.threads.lanes, part.bytes, part.thread, bit);
    if (!areBehind(seen, its, mine, pair))
      return false;
  }
  return true;
}

bool WarpAccess::areBehind(const Seen &seen, const Threads &its, const Threads &mine,
                           uint32_t (&pair)[2]) const {
  const Happening &other = happening(seen.number);
  bool isSameBlock = other.launch == races_.launchNumber && other.block == races_.number;
  bool isSameWarp = isSameBlock && its.warp == mine.warp;
  auto lowest = [](uint32_t lanes) { return static_cast<uint32_t>(__builtin_ctz(lanes)); };
  pair[0] = mine.warp * WarpLanes + lowest(mine.lanes);
  pair[1] = its.warp * WarpLanes + lowest(its.lanes);
  if (seen.order != Order::AskThread)
    return seen.order == Order::Behind;
  if (other.launch != races_.launchNumber)
    return isBeforeBirth(other, its);
  if (isSameWarp && settings().lockstep)
    return true;
  if (!isSameWarp && !races_.hasClocks)
    return false;
  if (isSameWarp && !races_.warps[warp_].lanes && other.time < races_.warps[warp_].base)
    return true;
  for (uint32_t some = mine.lanes; some; some &= some - 1)
    for (uint32_t others = its.lanes; others; others &= others - 1) {
      uint32_t i = mine.warp * WarpLanes + lowest(some), j = its.warp * WarpLanes + lowest(others);
      if (isSameWarp && i == j)
        continue;
      bool isKnown = isSameBlock ? races_.knows(i, j, other.time)
                                 : races_.knowsOfBlock(i, other.block, j, other.time);
      if (!isKnown) {
        pair[0] = i;
        pair[1] = j;
        return false;
      }
    }
  return true;
}

/// An atomic operation by a thread of which the block has learned at this very place: the operation
/// that it learned by came behind.
///
///     __threadfence();  if (atomicAdd(&done, 1) == blocks - 1) done = 0;
bool WarpAccess::isAcquired(const Seen &seen, const uint32_t (&pair)[2], uintptr_t at) const {
  const Happening &other = happening(seen.number);
  if (isShared_ || seen.order != Order::AskThread || other.launch != races_.launchNumber ||
      other.site->kind != AccessKind::Atomic || other.block == races_.number)
    return false;
  auto isOver = [&](uintptr_t object) {
    auto acquired = races_.acquired.find(object);
    return acquired != races_.acquired.end() && seen.number < acquired->second;
  };
  return (isOver(at & ~uintptr_t(3)) || isOver(at & ~uintptr_t(7))) &&
         (races_.knowsOfBlock(pair[0], other.block, pair[1], 0) ||
          races_.sees(pair[0], other.block, pair[1], 0).first != SeenBy::Nobody);
}

/// Whatever races with the other one races with this.
bool WarpAccess::covers(const Happening &other, uint8_t bytes) const {
  if (other.bytes & ~bytes)
    return false;
  if (isStrong_ && !isStrong(*other.site))
    return false;
  return !isRead_ || other.site->kind == AccessKind::Read;
}

/// A read by a thread that now writes: who races with the one races with the other, and both are told
/// of, whoever comes first.
bool WarpAccess::isOwnRead(const Happening &other, uint32_t thread, const Part &part) const {
  return !isRead_ && other.site->kind == AccessKind::Read && other.lay == Lay::One &&
         part.lay == Lay::One && thread == part.thread && other.launch == races_.launchNumber &&
         other.block == races_.number && other.phase == races_.gridPhase && !isSynced(other);
}

bool WarpAccess::conflicts(const Happening &other, bool isSameWarp, uint8_t bytes) const {
  const AccessSite &site = *other.site;
  if (!(other.bytes & bytes) || (isRead_ && site.kind == AccessKind::Read))
    return false;
  if (!isStrong_ || !isStrong(site))
    return true;
  if (other.launch != races_.launchNumber || other.block != races_.number)
    return site_.scope == AccessScope::Block || site.scope == AccessScope::Block;
  return site.isVolatile && site_.isVolatile && site.kind != AccessKind::Atomic &&
         site_.kind != AccessKind::Atomic && site.kind != site_.kind &&
         !((site.order | site_.order) & OrderPolled) && isSameWarp;
}

} // namespace heddle::check
