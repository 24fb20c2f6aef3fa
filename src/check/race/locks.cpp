// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who takes a lock needs a fence behind that, also who happens to take it first, whom nobody was before
// and who therefore misses nothing:
//
//     while (atomicCAS(&lock, 0, 1) != 0);        while (atomicCAS(&lock, 0, 1) != 0);
//                                                 __threadfence();
//     *sum += 1;                                  *sum += 1;
//     __threadfence();                            __threadfence();
//     atomicExch(&lock, 0);                       atomicExch(&lock, 0);
//
// Had the right one been first, the left one would not know what it did. So what a thread does between
// a compare-and-swap of constants, or an exchange for one, and its first fence is remembered at the
// lock's address (LockSection), when it gives the lock back: when what it had found is there again. Who
// then takes the lock in such a way, and did not know of that section before, could have come first: what
// it does until it gives the lock back races with the section. A lock with a fence leaves no section, as
// nothing is accessed between the two. A barrier counts as the fence (acquire.cpp).
//
// Accesses that may tell of what others did, and the notes of what they tell (releases, sections), are
// one to other blocks: from the note before them up to the one behind them (OrderEvent::Happened) no
// other block of the launch makes such an access of these places. Otherwise who has still read the old
// value of a flag, and looks at the note a moment later, would take it for seen.
#include "check/race/access.h"

#include "base/abi/kernel_abi.h"
#include "device/cpu/futex.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <sched.h>

namespace heddle::check {

namespace {

constexpr size_t MostHeld = 4, MostSections = 64, MostFenced = 8;

uint64_t placeOf(uintptr_t address) {
  return uint64_t(1) << (address / 8 * 0x9e3779b97f4a7c15u >> 58);
}

} // namespace

/// The lanes' addresses are told of: up to `leave` no other block comes to them. Blocks that have ended
/// in between are not waited for forever.
void WarpAccess::enter() {
  uint64_t places = 0;
  forEachLane(lanes_, [&](uint32_t lane) {
    uintptr_t at = addressOf(lane);
    if (races_.isShared(at))
      return;
    places |= placeOf(at) | placeOf(at + length_ - 1);
  });
  races_.enter(places);
  if (site_.order & OrderTakes)
    races_.beginTrial(site_);
}

void BlockRaces::enter(uint64_t places) {
  using Clock = std::chrono::steady_clock;
  constexpr unsigned Pauses = 200, TriesPerLook = 64;
  constexpr auto Patience = std::chrono::seconds(1);
  leave();
  Clock::time_point begin;
  for (unsigned tries = 0; places; ++tries) {
    uint64_t taken = launch->placesInUse.fetch_or(places, std::memory_order_acquire);
    if (!(taken & places))
      break;
    launch->placesInUse.fetch_and(~(places & ~taken), std::memory_order_release);
    if (tries < Pauses) {
      device::cpu::pauseCpu();
      continue;
    }
    if (tries == Pauses)
      begin = Clock::now();
    else if (tries % TriesPerLook == 0 && Clock::now() - begin > Patience)
      break;
    sched_yield();
  }
  placesEntered = places;
}

void BlockRaces::leave() {
  if (placesEntered)
    launch->placesInUse.fetch_and(~std::exchange(placesEntered, 0), std::memory_order_release);
}

void BlockRaces::beginTrial(const AccessSite &site) {
  if (!trial)
    trial = std::make_unique<LockTrial>();
  trial->site = &site;
  trial->addresses.fill(0);
  trial->held = 0;
}

/// Before it learns anything there.
void BlockRaces::tryLock(uintptr_t address, uint32_t w, uint32_t lane) {
  trial->addresses[lane] = address;
  if (findHeld(address, w, lane))
    trial->held |= 1u << lane;
  std::vector<LockSection> &others = trial->others[lane], &before = trial->before[lane];
  others.clear();
  before.clear();
  if (hasLockOrder && warps[w].locks)
    std::erase_if(warps[w].locks->left[lane],
                  [&](const LeftLock &left) { return left.address == address; });
  auto look = [&](const LockSections &sections) {
    auto at = sections.find(address);
    if (at == sections.end())
      return;
    uint32_t thread = w * WarpLanes + lane;
    for (const LockSection &one : at->second) {
      bool isOwn = one.block == number;
      bool isKnown = isOwn ? knows(thread, one.thread, one.from)
                           : knowsOfBlock(thread, one.block, one.thread, one.from);
      if (!isKnown && one.from < one.until[!isOwn])
        others.push_back(one);
      if (!isKnown && mightComeBefore(w, lane, one))
        before.push_back(one);
    }
  };
  if (isShared(address)) {
    look(sections);
  } else if (launch->hasSections.load(std::memory_order_acquire)) {
    std::lock_guard lock(launch->mutex);
    look(launch->sections);
  }
}

/// An access of lanes has happened; some of them have swapped what they found.
void BlockRaces::happened(uint32_t w, uint32_t swapped, const uint64_t *found) {
  const AccessSite *site = trial ? std::exchange(trial->site, nullptr) : nullptr;
  uint32_t held = site ? std::exchange(trial->held, 0) : 0;
  forEachLane(held, [&](uint32_t lane) { // no other block comes there yet
    uint64_t value = 0;
    uintptr_t address = trial->addresses[lane];
    if (site->bytes > sizeof(value))
      return;
    std::memcpy(&value, reinterpret_cast<const void *>(address), site->bytes);
    giveBack(address, &value, w, lane);
  });
  leave();
  swapped &= ~held;
  if (!site || !found || !swapped || GlobalShadow::get().isScarce())
    return; // (Then no times of single accesses are kept.)
  uint32_t now = ++time;
  std::unique_ptr<WarpLocks> &locks = warps[w].locks;
  if (!locks)
    locks = std::make_unique<WarpLocks>();
  forEachLane(swapped, [&](uint32_t lane) {
    uintptr_t address = trial->addresses[lane];
    if (!address)
      return;
    std::vector<HeldLock> &locksHeld = locks->lanes[lane];
    if (locksHeld.size() == MostHeld)
      locksHeld.erase(locksHeld.begin());
    bool acquires = site->order & OrderAcquire;
    LockSection own = {site, *found, number, w * WarpLanes + lane, now, {}};
    own.until[0] = acquires ? now : 0;
    own.until[1] = acquires && site->scope != AccessScope::Block ? now : 0;
    std::vector<LockSection> &others = trial->others[lane];
    std::vector<LockSection> &before = trial->before[lane];
    auto isOfOther = [&](const LockSection &one) { return one.free != *found; };
    std::erase_if(others, isOfOther);
    std::erase_if(before, isOfOther);
    hasOthersSections |= !others.empty();
    hasLockOrder |= !before.empty();
    locksHeld.push_back({address, own, std::move(others), std::move(before)});
  });
}

HeldLock *BlockRaces::findHeld(uintptr_t address, uint32_t w, uint32_t lane) {
  if (!warps[w].locks)
    return nullptr;
  std::vector<HeldLock> &held = warps[w].locks->lanes[lane];
  auto at = std::find_if(held.begin(), held.end(),
                         [&](const HeldLock &lock) { return lock.address == address; });
  return at == held.end() ? nullptr : &*at;
}

/// A lane is about to change what is there by arithmetic: `happened` sees what comes of it.
bool BlockRaces::changesLock(uintptr_t address, const AccessSite &site, uint32_t w, uint32_t lane) {
  if (!(site.order & OrderTold) || !findHeld(address, w, lane))
    return false;
  if (!trial || trial->site != &site)
    beginTrial(site);
  trial->addresses[lane] = address;
  trial->held |= 1u << lane;
  return true;
}

/// Behind a fence, or what counts as one.
void BlockRaces::fenceLocks(uint32_t w, uint32_t lanes, unsigned reaches) {
  WarpRaces &warp = warps[w];
  if (!warp.locks)
    return;
  forEachLane(lanes, [&](uint32_t lane) {
    for (HeldLock &lock : warp.locks->lanes[lane])
      for (unsigned reach = 0; reach < reaches; ++reach)
        if (uint32_t &until = lock.own.until[reach]; !until)
          until = warp.lastAccess >= lock.own.from ? time : lock.own.from;
  });
}

/// A lane writes there. `value`: null if it is not known.
void BlockRaces::giveBack(uintptr_t address, const uint64_t *value, uint32_t w, uint32_t lane) {
  HeldLock *known = findHeld(address, w, lane);
  if (!known)
    return;
  if (value && *value == known->own.free) {
    ++time; // what the thread does from now on is no part of it
    fenceLocks(w, 1u << lane, 2);
    LockSection &own = known->own;
    own.to = time;
    if (!known->before.empty())
      warps[w].locks->left[lane].push_back({address, std::move(known->before)});
    auto isFenced = [](const LockSection &one) {
      return one.from == one.until[0] && one.from == one.until[1];
    };
    auto keep = [&](LockSections &sections) {
      std::vector<LockSection> &all = sections[address];
      if (isFenced(own) && std::count_if(all.begin(), all.end(), isFenced) == MostFenced)
        all.erase(std::find_if(all.begin(), all.end(), isFenced));
      if (all.size() == MostSections)
        all.erase(all.begin());
      all.push_back(own);
    };
    if (isShared(address)) {
      keep(sections);
    } else {
      std::lock_guard lock(launch->mutex);
      keep(launch->sections);
      launch->hasSections.store(true, std::memory_order_release);
    }
  }
  std::vector<HeldLock> &held = warps[w].locks->lanes[lane];
  held.erase(held.begin() + (known - held.data()));
}

bool BlockRaces::holds(uint32_t thread, const AccessSite *site) const {
  const WarpLocks *locks = warps[thread / WarpLanes].locks.get();
  return locks && std::any_of(locks->lanes[thread % WarpLanes].begin(),
                              locks->lanes[thread % WarpLanes].end(),
                              [&](const HeldLock &lock) { return lock.own.site == site; });
}

/// Where the other one took a lock without a fence that one of the part's threads has now, if it did
/// this between; `pair` is them. Null if it did not.
const AccessSite *WarpAccess::lockWithoutFence(const Happening &other, uint32_t thread,
                                               const Part &part, uint32_t (&pair)[2]) const {
  const WarpLocks *locks = races_.warps[part.threads.warp].locks.get();
  if (!locks || other.launch != races_.launchNumber || other.site->kind == AccessKind::Atomic)
    return nullptr;
  Threads its = threadsOf(other.lay, other.lanes, other.bytes, thread, part.bytes);
  auto isOf = [&](const LockSection &one) {
    return one.block == other.block && one.thread / WarpLanes == its.warp &&
           its.lanes >> one.thread % WarpLanes & 1 && one.from <= other.time &&
           other.time < one.until[other.block != races_.number];
  };
  for (uint32_t rest = part.threads.lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    for (const HeldLock &held : locks->lanes[lane])
      for (const LockSection &one : held.others)
        if (isOf(one)) {
          pair[0] = part.threads.warp * WarpLanes + lane;
          pair[1] = one.thread;
          return one.site;
        }
  }
  return nullptr;
}

} // namespace heddle::check
