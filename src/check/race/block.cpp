// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/block.h"

#include "base/abi/check_abi.h"
#include "check/race/remote.h"

#include <algorithm>
#include <utility>

namespace heddle::check {

namespace {

uint32_t numberOf(const Block &block) {
  const uint32_t *dim = block.launch->gridDim;
  return static_cast<uint32_t>(block.blockIdx[0] +
                               uint64_t(dim[0]) *
                                   (block.blockIdx[1] + uint64_t(dim[1]) * block.blockIdx[2]));
}

/// States by their blocks, whose memory the device uses again and again. Never destroyed.
struct States {
  std::mutex mutex;
  std::unordered_map<const Block *, std::unique_ptr<BlockRaces>> all;
};
States &states() {
  static States &states = *new States;
  return states;
}

BlockRaces &stateOf(const Block *block) {
  std::lock_guard lock(states().mutex);
  std::unique_ptr<BlockRaces> &state = states().all[block];
  if (!state) {
    state = std::make_unique<BlockRaces>();
    state->owner = block;
  }
  return *state;
}

} // namespace

BlockRaces &BlockRaces::comeTo(Block *block) {
  auto *state = static_cast<BlockRaces *>(block->races);
  if (!state || state->owner != block)
    block->races = state = &stateOf(block);
  state->endStores();
  auto *launch = static_cast<LaunchRaces *>(block->launch->check->races);
  if (state->launchNumber != launch->number || state->blockIdx[0] != block->blockIdx[0] ||
      state->blockIdx[1] != block->blockIdx[1] || state->blockIdx[2] != block->blockIdx[2])
    state->begin(block);
  if (!state->pending.empty())
    state->learnPending();
  if (state->phaseSeen != block->phase) {
    state->phaseSeen = block->phase;
    state->syncBlock();
  }
  return *state;
}

void BlockRaces::endBlocksOf(const LaunchRaces &launch) {
  std::lock_guard lock(states().mutex);
  for (auto &[block, state] : states().all)
    if (state->launchNumber == launch.number)
      state->end();
}

void BlockRaces::end() {
  if (!std::exchange(isOfCluster, false))
    return;
  if (!pending.empty())
    learnPending();
  endRemoteUses(*this);
}

bool BlockRaces::isShared(uintptr_t address) const {
  auto offset = address - reinterpret_cast<uintptr_t>(owner->shared);
  return offset < owner->launch->sharedBytes && !owner->launch->hasClusters;
}

void BlockRaces::begin(Block *block) {
  if (placesEntered && launchOfNumber(launchNumber) == launch)
    leave();
  placesEntered = 0;
  if (isOfCluster && launchOfNumber(launchNumber) == launch)
    end();
  launch = static_cast<LaunchRaces *>(block->launch->check->races);
  launchNumber = launch->number;
  isOfCluster = launch->runsClusters;
  beginBlocks(*launch);
  std::copy_n(block->blockIdx, 3, blockIdx);
  number = numberOf(*block);
  const uint32_t *dim = block->launch->blockDim;
  threads = dim[0] * dim[1] * dim[2];
  phaseSeen = block->phase;
  time = barrierTime = 1;
  gridPhase = 0;
  for (uint32_t w = 0; w < (threads + 31) / 32; ++w)
    warps[w] = {};
  common.clear();
  for (Clock &clock : seenBefore)
    clock.clear();
  hasClocks = hasFences = false;
  fenced[0] = fenced[1] = {};
  released.clear();
  meetings.clear();
  pending.clear();
  acquired.clear();
  sections.clear();
  hasOthersSections = hasLockOrder = false;
  ++run;
  shared.begin(block->launch->sharedBytes);
}

uint32_t BlockRaces::lanesOf(uint32_t warp) const {
  uint32_t count = threads - warp * WarpLanes;
  return count >= WarpLanes ? ~0u : (1u << count) - 1;
}

bool BlockRaces::knowsOfBlock(uint32_t thread, uint32_t block, uint32_t other,
                              uint32_t before) const {
  if (!hasClocks)
    return false;
  const WarpRaces &warp = warps[thread / WarpLanes];
  auto says = [&](const Clock &clock) {
    const Known *known = clock.find(block);
    return known && before < known->of(other);
  };
  return says(common) || says(warp.more) ||
         (warp.lanes && says(warp.lanes->more[thread % WarpLanes]));
}

bool BlockRaces::knows(uint32_t thread, uint32_t other, uint32_t before) const {
  if (thread == other || before < barrierTime)
    return true;
  if (thread / WarpLanes == other / WarpLanes) {
    const WarpRaces &warp = warps[thread / WarpLanes];
    uint32_t own = 1u << thread % WarpLanes, its = 1u << other % WarpLanes;
    if (warp.lanes) {
      if (before < warp.lanes->known[thread % WarpLanes][other % WarpLanes])
        return true;
    } else if (before < warp.base ||
               (before < warp.groupBase && warp.group & own && warp.group & its)) {
      return true;
    }
  }
  return knowsOfBlock(thread, number, other, before);
}

void noteBirth(LaunchRaces &child, Block *by, uint32_t thread, bool isTail) {
  BlockRaces &races = BlockRaces::of(by);
  const WarpRaces &warp = races.warps[thread / WarpLanes];
  uint32_t time = ++races.time; // what follows is told apart
  child.birth = {races.launchNumber,
                 races.number,
                 thread,
                 time,
                 races.barrierTime,
                 warp.base,
                 races.gridPhase,
                 isTail,
                 !races.hasClocks && !warp.lanes};
  child.isChild = true;
  child.hasFamily = true;
  races.launch->hasFamily = true;
}

/// A barrier of the whole block, exited threads included.
void BlockRaces::syncBlock() {
  uint32_t before = barrierTime;
  barrierTime = ++time;
  for (uint32_t w = 0; w < (threads + 31) / 32; ++w) {
    fenceLocks(w, ~0u, 2);
    learnOtherwise(w, ~0u);
  }
  shared.raiseFloor();
  if (hasFences)
    for (unsigned scope = 0; scope < 2; ++scope)
      for (uint32_t w = 0; w < (threads + 31) / 32; ++w)
        if (warps[w].fences) {
          const WarpFences &fences = *warps[w].fences;
          uint32_t last = *std::max_element(fences.time[scope].begin(), fences.time[scope].end());
          if (last <= before)
            continue;
          fenced[scope].all = std::max(fenced[scope].all, before);
          fenced[scope].raise(Known::OfWarp + w, last);
        }
  if (!hasClocks) {
    for (uint32_t w = 0; w < (threads + 31) / 32; ++w)
      warps[w].lanes.reset();
  } else {
    endSeen();
    for (uint32_t w = 0; w < (threads + 31) / 32; ++w) {
      WarpRaces &warp = warps[w];
      common.join(warp.more);
      warp.more.clear();
      if (warp.lanes && warp.lanes->hasMore)
        for (Clock &more : warp.lanes->more)
          common.join(more);
      warp.lanes.reset();
    }
  }
}

LaneClocks &BlockRaces::lanesApart(uint32_t w) {
  WarpRaces &warp = warps[w];
  if (warp.lanes)
    return *warp.lanes;
  warp.lanes = std::make_unique<LaneClocks>();
  uint32_t base = std::max(warp.base, barrierTime);
  for (LaneTimes &row : warp.lanes->known)
    row.fill(base);
  if (warp.groupBase > base)
    forEachLane(warp.group, [&](uint32_t i) {
      forEachLane(warp.group, [&](uint32_t j) { warp.lanes->known[i][j] = warp.groupBase; });
    });
  return *warp.lanes;
}

void BlockRaces::syncWarp(uint32_t w, uint32_t lanes) {
  WarpRaces &warp = warps[w];
  uint32_t all = lanesOf(w);
  lanes &= all;
  if (!lanes || !(lanes & (lanes - 1)))
    return;
  if (warp.seen)
    shareSeen(w, lanes);
  learnOtherwise(w, lanes);
  if (lanes == all) {
    if (!warp.isDirty && !warp.lanes)
      return;
    warp.base = ++time;
    warp.baseOfShared = shared.next();
    warp.isDirty = false;
    if (warp.lanes && warp.lanes->hasMore)
      for (Clock &more : warp.lanes->more)
        warp.more.join(more);
    warp.lanes.reset();
    return;
  }
  uint32_t now = ++time;
  if (!warp.lanes) {
    bool isFresh = warp.groupBase <= std::max(warp.base, barrierTime);
    if (isFresh || warp.group == lanes) {
      warp.group = lanes;
      warp.groupBase = now;
      return;
    }
  }
  LaneClocks &apart = lanesApart(w);
  LaneTimes known = {};
  Clock more;
  forEachLane(lanes, [&](uint32_t i) {
    for (unsigned j = 0; j < WarpLanes; ++j)
      known[j] = std::max(known[j], apart.known[i][j]);
    if (apart.hasMore)
      more.join(apart.more[i]);
  });
  forEachLane(lanes, [&](uint32_t i) { known[i] = now; });
  forEachLane(lanes, [&](uint32_t i) {
    apart.known[i] = known;
    if (apart.hasMore)
      apart.more[i] = more;
  });
}

void BlockRaces::syncGrid(uint32_t w) {
  if (++warps[w].gridSyncs <= gridPhase)
    return;
  gridPhase = warps[w].gridSyncs;
  syncBlock();
}

void BlockRaces::fence(uint32_t w, uint32_t lanes, AccessScope scope) {
  noteFence(w, lanes, scope);
  fenceLocks(w, lanes, scope == AccessScope::Block ? 1 : 2);
  learnSeen(w, lanes, scope);
}

void BlockRaces::noteFence(uint32_t w, uint32_t lanes, AccessScope scope) {
  WarpRaces &warp = warps[w];
  if (!warp.fences)
    warp.fences = std::make_unique<WarpFences>();
  hasFences = true;
  uint32_t now = ++time;
  for (unsigned i = 0; i < (scope == AccessScope::Block ? 1u : 2u); ++i)
    forEachLane(lanes, [&](uint32_t lane) {
      warp.fences->time[i][lane] = now;
      warp.fences->all[i][lane] = barrierTime;
    });
}

bool BlockRaces::fencesAnything(uint32_t w, uint32_t lane, unsigned scope) const {
  const WarpRaces &warp = warps[w];
  return (warp.fences && warp.fences->time[scope][lane]) || fenced[scope].all ||
         !fenced[scope].some.empty();
}

/// What a lane releases that writes an atomic object: what it knew at its last fence. (Of other
/// blocks it may have learned more since: that is taken for known then.)
Clock BlockRaces::releasedBy(uint32_t w, uint32_t lane, unsigned scope) const {
  const WarpRaces &warp = warps[w];
  Known own = fenced[scope];
  if (warp.fences && warp.fences->time[scope][lane]) {
    uint32_t last = warp.fences->time[scope][lane];
    own.all = std::max(own.all, warp.fences->all[scope][lane]);
    if (!warp.lanes) {
      own.raise(Known::OfWarp + w, std::min(std::max(warp.base, barrierTime), last));
      if (warp.group >> lane & 1)
        forEachLane(warp.group, [&](uint32_t j) {
          own.raise(w * WarpLanes + j, std::min(warp.groupBase, last));
        });
    }
    for (uint32_t j = 0; j < WarpLanes; ++j) {
      uint32_t known = warp.lanes ? warp.lanes->known[lane][j] : std::max(warp.base, barrierTime);
      uint32_t itsFence = std::max(last, warp.fences->time[scope][j]);
      if (warp.lanes || itsFence > last)
        own.raise(w * WarpLanes + j, std::min(known, itsFence));
    }
    own.raise(w * WarpLanes + lane, last);
  }
  Clock clock = common;
  clock.join(warp.more);
  if (warp.lanes && warp.lanes->hasMore)
    clock.join(warp.lanes->more[lane]);
  clock.join(number, own);
  return clock;
}

void BlockRaces::learn(uint32_t w, uint32_t lanes, const Clock &clock) {
  if (!clock)
    return;
  hasClocks = true;
  if (lanes == lanesOf(w))
    return warps[w].more.join(clock);
  LaneClocks &apart = lanesApart(w);
  apart.hasMore = true;
  forEachLane(lanes, [&](uint32_t lane) { apart.more[lane].join(clock); });
}

/// What lanes know, what they have done included.
Clock BlockRaces::knownOf(uint32_t w, uint32_t lanes) const {
  const WarpRaces &warp = warps[w];
  Known own;
  own.all = barrierTime;
  if (lanes == lanesOf(w)) {
    own.raise(Known::OfWarp + w, time + 1);
  } else {
    forEachLane(lanes, [&](uint32_t lane) { own.raise(w * WarpLanes + lane, time + 1); });
    if (warp.lanes)
      forEachLane(lanes, [&](uint32_t lane) {
        for (uint32_t j = 0; j < WarpLanes; ++j)
          own.raise(w * WarpLanes + j, warp.lanes->known[lane][j]);
      });
    else if (warp.groupBase > warp.base && warp.group & lanes)
      forEachLane(warp.group, [&](uint32_t j) { own.raise(w * WarpLanes + j, warp.groupBase); });
    own.raise(Known::OfWarp + w, warp.base);
  }
  Clock clock = common;
  clock.join(warp.more);
  if (warp.lanes && warp.lanes->hasMore)
    forEachLane(lanes, [&](uint32_t lane) { clock.join(warp.lanes->more[lane]); });
  clock.join(number, own);
  return clock;
}

void BlockRaces::arrive(Meeting &meeting, uint32_t program, uint32_t w, uint32_t lanes) {
  Clock &clock = meeting.clocks[meeting.phase & 1];
  clock.join(knownOf(w, lanes));
  if (const WarpSeen *seen = warps[w].seen.get()) // such a barrier is taken for the fence
    forEachLane(lanes, [&](uint32_t lane) {
      for (const auto &clocks : seen->clocks)
        clock.join(clocks[lane]);
    });
  meeting.phaseOf[program] = meeting.phase;
  ++time;
  fenceLocks(w, lanes, 2);
}

/// The first one that goes on ends the phase.
void BlockRaces::wait(Meeting &meeting, uint32_t program, uint32_t w, uint32_t lanes) {
  uint32_t phase = meeting.phaseOf[program];
  if (phase == meeting.phase)
    meeting.clocks[++meeting.phase & 1].clear();
  ++time;
  learnOtherwise(w, lanes);
  learn(w, lanes, meeting.clocks[phase & 1]);
}

void BlockRaces::learnPending() {
  if (launch->hasReleases.load(std::memory_order_acquire)) {
    std::lock_guard lock(launch->mutex);
    for (const Acquire &one : pending)
      learnAt(one.address, *one.site, one.warp, one.lanes);
  }
  pending.clear();
}

/// What others have released. With the launch's lock.
void BlockRaces::learnAt(uintptr_t address, const AccessSite &site, uint32_t w, uint32_t lanes) {
  auto at = launch->released.find(address);
  if (at == launch->released.end())
    return;
  see(w, lanes, site, at->second, 1, address);
  acquired[address] = GlobalShadow::get().next();
}

void BlockRaces::syncAt(uintptr_t address, const AccessSite &site, uint32_t w, uint32_t lane,
                        const uint64_t *value) {
  bool isOwn = isShared(address);
  if (site.order & OrderTakes)
    tryLock(address, w, lane);
  else if (site.kind != AccessKind::Read && warps[w].locks &&
           (value || !changesLock(address, site, w, lane)))
    giveBack(address, value, w, lane);
  if (site.kind != AccessKind::Write) {
    if (!released.empty())
      if (auto at = released.find(address); at != released.end())
        see(w, 1u << lane, site, at->second, 0, address);
    if (!isOwn && site.order & OrderTold) {
      if (launch->hasReleases.load(std::memory_order_acquire)) {
        std::lock_guard lock(launch->mutex);
        learnAt(address, site, w, 1u << lane);
      }
    } else if (!isOwn) {
      if (!pending.empty() && pending.back().address == address && pending.back().warp == w &&
          pending.back().site == &site)
        pending.back().lanes |= 1u << lane;
      else
        pending.push_back({address, w, 1u << lane, &site});
    }
  }
  if (site.kind == AccessKind::Read)
    return;
  if (site.order & OrderRelease)
    noteFence(w, 1u << lane, site.scope);
  if (!hasFences && !hasClocks)
    return;
  if (fencesAnything(w, lane, 0))
    released[address].join(releasedBy(w, lane, 0));
  if (!isOwn && site.scope != AccessScope::Block && fencesAnything(w, lane, 1)) {
    Clock clock = releasedBy(w, lane, 1);
    std::lock_guard lock(launch->mutex);
    launch->released[address].join(clock);
    launch->hasReleases.store(true, std::memory_order_release);
  }
}

} // namespace heddle::check
