// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch, as racecheck sees it: what its blocks share, and the races that were found in it.
#pragma once

#include "check/finding.h"
#include "check/race/clock.h"
#include "check/race/locks.h"
#include "check/race/queues.h"
#include "check/race/shadow.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

namespace heddle {
struct Launch;
}

namespace heddle::check {

/// Threads that meet: what those knew that have come.
struct Meeting {
  uint32_t phase = 0;
  Clock clocks[2];                                ///< of the phase, and of the one before
  std::unordered_map<uint32_t, uint32_t> phaseOf; ///< in which each program came
};

/// How two threads that race are related.
enum class Relation : uint8_t { Warp, Block, Grid, Launches };

/// What is wrong with two accesses.
enum class RaceFlaw : uint8_t {
  NoOrder,
  NoFence,     ///< the thread has read a flag or taken a lock, and no fence comes behind
  BarrierOnly, ///< the same, but a barrier of the block comes behind: no error
  SameValue,   ///< both write it: no error
};
constexpr bool isError(RaceFlaw flaw) {
  return flaw == RaceFlaw::NoOrder || flaw == RaceFlaw::NoFence;
}

struct RaceCause {
  Relation relation;
  RaceFlaw flaw;
  const AccessSite *flag; ///< what was read of NoFence and BarrierOnly; null: not known
};

/// One of two accesses that race.
struct RaceSide {
  const AccessSite *site;
  uint32_t launch; ///< number
  uint64_t block;  ///< number in the grid
  uint32_t thread;
};

struct RaceKind {
  const AccessSite *first, *second; ///< the first is what is blamed: a write
  Relation relation;
  RaceFlaw flaw;
  bool operator<(const RaceKind &) const;
};

struct Race {
  RaceSide first, second; ///< the lowest threads that were seen
  /// Of blocks that run at the same time, which pairs are seen depends on the workers: each side's
  /// lowest threads by themselves, the second one's of two blocks. They race with each other, too.
  RaceSide lowFirst, lowSecond[2];
  uint64_t address, length;
  bool isShared;
  const AccessSite *flag; ///< RaceCause's
  uint64_t count;
};

/// Lanes of a warp have used shared memory of another block of their cluster.
struct RemoteUse {
  uint32_t block, warp;
  const AccessSite *site;
  std::array<uint32_t, 32> time; ///< the last one of each lane; 0: none
  uint16_t gridPhase;
  Finding finding; ///< if that block does not wait for it
};

/// When a thread of a grid launched another, and what it knew then of its own grid.
struct Birth {
  uint32_t parent = 0; ///< number of the launch
  uint32_t block = 0, thread = 0;
  uint32_t time = 0;                      ///< of its block: what it did itself before
  uint32_t barrierTime = 0, warpTime = 0; ///< all that its block, and its warp, did before
  uint16_t gridPhase = 0;
  bool isTail = false;    ///< all that the grid does comes before
  bool isCertain = false; ///< it knew of nothing else
};

class LaunchRaces {
public:
  LaunchRaces(const Launch &, uint32_t number);
  /// Of a copy or a fill.
  LaunchRaces(uint32_t origin, uint32_t number);

  const Launch *launch; ///< until it is over
  const uint32_t number;
  std::string kernel;      ///< empty: a copy or a fill
  bool hasOneOrder = true; ///< blocks are apart all the time: no barriers of a grid or cluster
  uint32_t origin;         ///< where it was launched (host_stack.h)
  uint32_t gridDim[3], blockDim[3], clusterDim[3];
  uint32_t width = 32;
  bool runsClusters = false;
  uint32_t floor = 1;          ///< happenings below come before it
  uint32_t firstHappening = 1; ///< when it was asked for; its own have this number or a higher one
  WorkPath work;
  std::unique_ptr<Timeline> children; ///< what its threads have asked for; noteOrder's
  Birth birth;                        ///< if hasFamily
  bool isChild = false;
  std::atomic<bool> hasFamily{false}; ///< a grid's child, or has launched one
  bool isOver = false;
  std::atomic<bool> hasBegun = false;  ///< beginBlocks
  std::atomic<bool> reachesAll{false}; ///< has fenced for the whole system
  /// A read that counts as a write (OrderMayWrite) meets another access: one block's data says nothing
  /// of another's.
  std::atomic<bool> mayRace{false};

  std::mutex mutex;
  std::map<RaceKind, Race> races;
  std::atomic<bool> hasReleases{false};
  std::unordered_map<uintptr_t, Clock> released; ///< by the address of an atomic object or flag
  std::atomic<uint64_t> placesInUse{0};          ///< of memory, a bit each (locks.cpp)
  std::atomic<bool> hasSections{false};
  LockSections sections;
  std::unordered_map<uint32_t, Meeting> clusters;
  std::unordered_map<uint32_t, std::vector<RemoteUse>> remote; ///< by the block whose memory it is

  /// The block behind which pairs of other blocks change nothing of what is told of this race.
  uint64_t add(RaceSide, RaceSide, RaceCause, bool isShared, uint64_t address, uint64_t length);
  Thread threadOf(uint64_t block, uint32_t thread) const;
  uint32_t clusterOf(uint32_t block) const;
};

/// Launches by their numbers. Null: it was forgotten.
LaunchRaces *launchOfNumber(uint32_t);
/// Its place among the operations of queues is known. `host`: what the host has seen the end of, if
/// nothing that was asked for before is still to come.
void placeLaunch(LaunchRaces &, WorkPath, const QueueClock *host);
/// Its first block begins. Others wait, so that what they do is no part of what came before.
void beginBlocks(LaunchRaces &);
/// What threads of a launch did comes before what those of another do, or may.
bool isOrdered(const LaunchRaces &, uint32_t other);
void beginLaunch(Launch *, CheckedLaunch &);
/// The host has seen the end of all work: nothing that follows races with it.
void forgetLaunches();
/// None of those that have been seen so far.
bool isWithoutRace(const CheckedLaunch &);
void endLaunch(const Launch *);
/// What launches that may never end have found.
void noteRacesUnderWay();
void endLaunch(LaunchRaces &);
/// When a forefather launched what leads to a launch. Null: `other` is none of it.
const Birth *birthWithin(const LaunchRaces &, uint32_t other);
/// As the launch's blocks see what another of its family does that has descended from it: not waited for.
bool isUnseenChild(const LaunchRaces &, uint32_t other);
/// A thread of a block launches it.
void noteBirth(LaunchRaces &child, Block *by, uint32_t thread, bool isTail);
/// Until endLaunch.
LaunchRaces &beginCopy(WorkPath, uint32_t origin);

} // namespace heddle::check
