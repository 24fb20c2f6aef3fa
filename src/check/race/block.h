// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block that runs, as racecheck sees it: its time, and what its threads know of each other. (The
// essay is in race.cpp.)
#pragma once

#include "base/abi/kernel_abi.h"
#include "check/race/launch.h"

#include <algorithm>
#include <array>

namespace heddle::check {

inline constexpr unsigned WarpLanes = 32, MostWarps = 32;

template <class F> void forEachLane(uint32_t lanes, F &&f) {
  for (; lanes; lanes &= lanes - 1)
    f(static_cast<uint32_t>(__builtin_ctz(lanes)));
}

/// Times of an array are "before which": 0 is nothing.
using LaneTimes = std::array<uint32_t, WarpLanes>;

/// Of lanes that do not all know the same.
struct LaneClocks {
  std::array<LaneTimes, WarpLanes> known; ///< by row: what a lane knows of the others
  std::array<Clock, WarpLanes> more;      ///< of other warps and blocks
  bool hasMore = false;
};

/// When lanes of a warp have last come to a fence, and what its block knew then. Of fences that
/// reach the block, and of those that reach the device.
struct WarpFences {
  LaneTimes time[2] = {}, all[2] = {};
};

/// What lanes know of others by reading at atomic objects and flags, and no fence has come behind: of
/// releases that reach the block, and of those that reach the device.
struct WarpSeen {
  std::array<Clock, WarpLanes> clocks[2];
  std::array<const AccessSite *, WarpLanes> sites = {}; ///< of the last such read
};
enum class SeenBy : uint8_t { Nobody, Thread, Block }; ///< Block: and a barrier came behind

struct WarpRaces {
  uint32_t base = 0;                 ///< all lanes know what all did before
  uint32_t group = ~0u;              ///< these know of each other
  uint32_t groupBase = 0;            ///< ... what they did before
  bool isDirty = false;              ///< an access since lanes last met
  uint32_t baseOfShared = 0;         ///< base, as the number of a happening in shared memory
  Clock more;                        ///< what all lanes know of other warps and blocks
  std::unique_ptr<LaneClocks> lanes; ///< null: group and base say all
  std::unique_ptr<WarpFences> fences;
  std::unique_ptr<WarpSeen> seen;   ///< null: nothing
  std::unique_ptr<WarpLocks> locks; ///< null: none were taken
  uint32_t lastAccess = 0;
  uint16_t gridSyncs = 0;
};

class BlockRaces {
public:
  /// The state of a block that calls a service, which may have come to another block or passed a
  /// barrier since it was here.
  static BlockRaces &of(Block *block) {
    auto *state = static_cast<BlockRaces *>(block->races);
    if (!state || state->owner != block || !state->isAsBefore(*block))
      return comeTo(block);
    state->endStores();
    return *state;
  }

  const Block *owner = nullptr;
  LaunchRaces *launch = nullptr;
  uint32_t launchNumber = 0;
  uint32_t blockIdx[3] = {};
  uint32_t number = 0; ///< in the grid
  uint32_t threads = 0;
  uint32_t phaseSeen = 0; ///< Block::phase
  bool isOfCluster = false;

  uint32_t time = 1;
  uint32_t barrierTime = 1; ///< all know what all did before
  uint16_t gridPhase = 0;
  WarpRaces warps[MostWarps];
  Clock common;        ///< what all threads know of other blocks
  Clock seenBefore[2]; ///< as WarpSeen, of all that a barrier came behind
  const AccessSite *seenBeforeAt = nullptr;
  bool hasClocks = false;
  SharedShadow shared;
  bool hasFences = false;
  Known fenced[2]; ///< what was fenced before a barrier by those that did it
  std::unordered_map<uintptr_t, Clock> released; ///< as LaunchRaces::released, within the block
  std::unordered_map<uint64_t, Meeting> meetings;
  /// Reads and atomic operations of memory that other blocks release at. They are told of before they
  /// happen; what they have seen is learned at the next call of a service.
  struct Acquire {
    uintptr_t address;
    uint32_t warp, lanes;
    const AccessSite *site;
  };
  std::vector<Acquire> pending;
  /// Where something was learned so: happenings below a number were over then.
  std::unordered_map<uintptr_t, uint32_t> acquired;

  /// The numbers of happenings at this time, by their sites.
  struct Recent {
    const AccessSite *site = nullptr;
    uint32_t run = 0; ///< BlockRaces::run: of another block if it differs
    uint32_t time = 0, number = 0, lanes = 0;
    uint16_t phase = 0;
    uint8_t bytes = 0;
    Lay lay = Lay::One;
  };
  /// A write is about to happen between two addresses; at the next call of a service it has.
  void storesTo(Happening &own, uintptr_t low, uintptr_t high) {
    if (std::find(storing.begin(), storing.end(), &own) != storing.end())
      return;
    __atomic_store_n(&own.low, low, __ATOMIC_RELEASE);
    __atomic_store_n(&own.high, high, __ATOMIC_RELEASE);
    __atomic_store_n(&own.stored, uint8_t(NotStored), __ATOMIC_RELEASE);
    storing.push_back(&own);
  }
  void endStores() {
    for (Happening *own : storing)
      __atomic_store_n(&own->stored, uint8_t(IsStored), __ATOMIC_RELEASE);
    storing.clear();
  }
  std::vector<Happening *> storing;

  // Locks, and accesses that other blocks wait for (locks.cpp).
  uint64_t placesEntered = 0;
  LockSections sections; ///< of locks in shared memory
  std::unique_ptr<LockTrial> trial;
  bool hasOthersSections = false; ///< HeldLock::others
  bool hasLockOrder = false;      ///< HeldLock::before

  void enter(uint64_t places);
  void leave();
  void beginTrial(const AccessSite &);
  void happened(uint32_t warp, uint32_t swapped, const uint64_t *found);
  /// Lanes learn by something else than the lock at an address.
  void learnOtherwise(uint32_t warp, uint32_t lanes, uintptr_t lock = 0);
  /// It has a lock that it took there.
  bool holds(uint32_t thread, const AccessSite *) const;
  /// In shared memory that no other block can access.
  bool isShared(uintptr_t) const;

  /// A race between blocks that is told of: two accesses in the source, and LaunchRaces::add's block.
  struct Told {
    const AccessSite *mine = nullptr, *other = nullptr;
    uint32_t launch = 0;
    uint64_t behind = 0;
  };
  Told &toldOf(const AccessSite &mine, const AccessSite &other) {
    auto number = reinterpret_cast<uintptr_t>(&mine) + 3 * reinterpret_cast<uintptr_t>(&other);
    return told[number / alignof(AccessSite) % ToldRaces];
  }
  static constexpr unsigned ToldRaces = 16;
  Told told[ToldRaces];

  static constexpr unsigned RecentSites = 64;
  Recent recentShared[RecentSites], recentGlobal[RecentSites];
  uint32_t run = 0; ///< a number for each block that has been here

  /// The blocks of a launch have ended.
  static void endBlocksOf(const LaunchRaces &);

  /// The lanes of a warp that are threads.
  uint32_t lanesOf(uint32_t warp) const;
  bool knows(uint32_t thread, uint32_t other, uint32_t time) const;
  bool knowsOfBlock(uint32_t thread, uint32_t block, uint32_t other, uint32_t time) const;

  /// As knowsOfBlock, of what only a fence would tell; and where the flag was read.
  std::pair<SeenBy, const AccessSite *> sees(uint32_t thread, uint32_t block, uint32_t other,
                                             uint32_t time) const;

  void syncBlock();
  void syncWarp(uint32_t warp, uint32_t lanes);
  void syncGrid(uint32_t warp);
  void fence(uint32_t warp, uint32_t lanes, AccessScope);
  void arrive(Meeting &, uint32_t program, uint32_t warp, uint32_t lanes);
  void wait(Meeting &, uint32_t program, uint32_t warp, uint32_t lanes);
  /// An access of an atomic object or flag: what is released there is known, and what was fenced is
  /// released there.
  /// `value`: what it writes, or null.
  void syncAt(uintptr_t address, const AccessSite &, uint32_t warp, uint32_t lane,
              const uint64_t *value = nullptr);

private:
  static BlockRaces &comeTo(Block *);
  bool isAsBefore(const Block &block) const {
    auto *races = static_cast<const LaunchRaces *>(block.launch->check->races);
    return launchNumber == races->number && blockIdx[0] == block.blockIdx[0] &&
           blockIdx[1] == block.blockIdx[1] && blockIdx[2] == block.blockIdx[2] &&
           pending.empty() && phaseSeen == block.phase;
  }
  void begin(Block *);
  void end();
  void learnPending();
  void learnAt(uintptr_t address, const AccessSite &, uint32_t warp, uint32_t lanes);
  bool mightComeBefore(uint32_t warp, uint32_t lane, const LockSection &) const;
  void tryLock(uintptr_t address, uint32_t warp, uint32_t lane);
  HeldLock *findHeld(uintptr_t address, uint32_t warp, uint32_t lane);
  bool changesLock(uintptr_t address, const AccessSite &, uint32_t warp, uint32_t lane);
  void giveBack(uintptr_t address, const uint64_t *value, uint32_t warp, uint32_t lane);
  void fenceLocks(uint32_t warp, uint32_t lanes, unsigned reaches);
  LaneClocks &lanesApart(uint32_t warp);
  bool fencesAnything(uint32_t warp, uint32_t lane, unsigned scope) const;
  Clock releasedBy(uint32_t warp, uint32_t lane, unsigned scope) const;
  void noteFence(uint32_t warp, uint32_t lanes, AccessScope);
  void learn(uint32_t warp, uint32_t lanes, const Clock &);
  void see(uint32_t warp, uint32_t lanes, const AccessSite &, const Clock &, unsigned reach,
           uintptr_t address);
  void learnSeen(uint32_t warp, uint32_t lanes, AccessScope);
  void shareSeen(uint32_t warp, uint32_t lanes);
  void endSeen();
  Clock knownOf(uint32_t warp, uint32_t lanes) const;
};

} // namespace heddle::check
