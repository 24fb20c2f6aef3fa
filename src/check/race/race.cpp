// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which two accesses of different threads does nothing order?
//
// Two accesses of the same byte race if one writes, not both are atomic or volatile, and neither
// happens before the other. What runs here has an order; what counts is whether the program made
// it. Independent thread scheduling is assumed: lanes of a warp are threads like others.
//
// Method (Flanagan and Freund, "FastTrack: efficient and precise dynamic race detection", PLDI
// 2009; with the hierarchy of a GPU in place of vectors of all threads). A block has a time that
// goes up whenever something orders threads of it. An access is remembered with the block's time
// (race_shadow.h), and a later one asks whether its thread knows what that thread did then:
//
//     same thread                      always
//     a barrier of the block between   BlockRaces::barrierTime: one number
//     same warp                        WarpRaces: one number since all lanes met; a group that met
//                                      in part; or a table of lanes by lanes, where masks differ
//     barriers of some warps           Clock (race_clock.h): what was known where they met
//     fence, then an atomic object     the same, attached to the object's address, for who reads it
//                                      and has a fence behind that
//     a barrier of the grid            a number in the access
//     an earlier launch                the order of launches
//
// Blocks run one after the other on a worker, and warps of a block in turn, so the times of a block
// need no locks. Accesses are compared in access.cpp.
//
// What orders threads, if in doubt, does so. In particular:
//  - Collectives order memory as __syncwarp does, though CUDA only promises that lanes meet.
//  - A barrier of some warps or of a cluster behind the read of a flag is taken for the fence that has
//    to come there (acquire.cpp).
//  - Threads that have ended count as come to all barriers of the block.
//  - A fence reaches what other threads did before a barrier in front of it, and what they fenced
//    themselves before a barrier behind it.
//  - An atomic operation comes behind those made there before by threads of which it learns there.
//  - A read that the compiler may have brought in front of its branch is not looked at.
// Two volatile accesses order nothing and do not race, as they are atomic in PTX's memory model; but
// between lanes of a warp a read and a write do, unless a loop polls the object: sums of a warp
// without __syncwarp, as one wrote them for old GPUs. With --volatile-data they race like others,
// unless a loop polls the object.
//
// Of three records a word not all of the accesses are kept that could race with a later one: the last
// write, and of readers that nothing orders two, of different blocks or warps where there are such. Of
// atomic operations two are kept likewise.
// That is enough, and every race of a word is seen, where order comes from barriers of the block or the
// grid, __syncwarp of whole warps, and launches. Where flags, barriers of some warps or masks of some
// lanes order one of more than two readers, another may be overlooked.
#include "check/race/race.h"

#include "base/abi/kernel_abi.h"
#include "check/race/access.h"
#include "check/race/async.h"
#include "check/race/may_write.h"

namespace heddle::check {

namespace {

/// The lanes of their CUDA warp that lanes of a program are, and the warp.
std::pair<uint32_t, uint32_t> inWarp(const BlockRaces &races, uint32_t program, uint32_t lanes) {
  uint32_t first = program * races.launch->width;
  return {first / WarpLanes, lanes << first % WarpLanes};
}

void syncLanes(BlockRaces &races, uint32_t warp, uint32_t lanes, uint32_t mask, const void *more) {
  if (mask || !more)
    return races.syncWarp(warp, lanes & mask);
  auto *masks = static_cast<const uint32_t *>(more);
  for (uint32_t rest = lanes; rest;) {
    uint32_t group = masks[__builtin_ctz(rest)] & lanes;
    if (!(group & rest))
      group = rest & -rest;
    races.syncWarp(warp, group);
    rest &= ~group;
  }
}

constexpr AccessSite siteOfBarrier(AccessKind kind, uint8_t order) {
  return {nullptr,
          0,
          8,
          kind,
          AccessSpace::Shared,
          3,
          0,
          uint8_t(OrderStrong | order),
          AccessScope::Cluster,
          nullptr};
}

/// Changes of mbarriers: all that arrive release what they know, and know what others did. Who looks
/// only learns: what a thread does between its arrival and its wait is not released.
void syncBarriers(BlockRaces &races, uint32_t warp, uint32_t lanes, uint32_t shift, bool isLook,
                  const void *more) {
  static constexpr AccessSite Change =
                                  siteOfBarrier(AccessKind::Atomic, OrderAcquire | OrderRelease),
                              Look = siteOfBarrier(AccessKind::Read, OrderAcquire);
  auto *pointers = static_cast<uint8_t *const *>(more);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    races.syncAt(reinterpret_cast<uintptr_t>(pointers[lane - shift]), isLook ? Look : Change, warp,
                 lane);
  }
  ++races.time;
}

enum MeetingKind : uint32_t { Numbered, Pieces, Lanes };
uint64_t meetingKey(MeetingKind kind, uint64_t number, uint32_t warp = 0) {
  return uint64_t(kind) << 60 | uint64_t(warp) << 32 | number;
}

void syncCluster(BlockRaces &races, uint32_t program, uint32_t warp, uint32_t lanes, bool arrives) {
  LaunchRaces &launch = *races.launch;
  uint32_t rank = 0;
  for (int d = 2; d >= 0; --d)
    rank = rank * launch.clusterDim[d] + races.blockIdx[d] % launch.clusterDim[d];
  std::lock_guard lock(launch.mutex);
  Meeting &meeting = launch.clusters[launch.clusterOf(races.number)];
  arrives ? races.arrive(meeting, rank * 1024 + program, warp, lanes)
          : races.wait(meeting, rank * 1024 + program, warp, lanes);
}

} // namespace

/// The site of a read that counts as a write, as long as that says something.
static const AccessSite *siteToTake(const Block &block, const AccessSite *site) {
  bool mayWrite = site->order & OrderMayWrite;
  auto *launch = static_cast<const LaunchRaces *>(block.launch->check->races);
  return mayWrite && !launch->mayRace.load(std::memory_order_relaxed) ? writeOf(site) : site;
}

void raceOfRun(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site, uint8_t *first,
               int64_t stride, uint64_t length, const void *values) {
  if (site->order & OrderMaybeUnused)
    return;
  site = siteToTake(*block, site);
  if (stride == 0 && isReadEnough(*block, warp, *site, first, length))
    return;
  WarpAccess(block, warp, lanes, *site, length, values).run(first, stride);
}

void raceOfEach(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                uint8_t *const *pointers, uint64_t length, const void *values) {
  if (site->order & OrderMaybeUnused)
    return;
  site = siteToTake(*block, site);
  WarpAccess(block, warp, lanes, *site, length, values).each(pointers);
}

void orderThreads(Block *block, uint32_t program, uint32_t programLanes, OrderEvent event,
                  uint32_t detail, const void *more) {
  BlockRaces &races = BlockRaces::of(block);
  auto [warp, lanes] = inWarp(races, program, programLanes);
  switch (event) {
  case OrderEvent::WarpSync:
    return syncLanes(races, warp, lanes, detail, more);
  case OrderEvent::BlockSync:
    return races.syncBlock();
  case OrderEvent::Fence:
    if (static_cast<AccessScope>(detail) == AccessScope::System)
      races.launch->reachesAll.store(true, std::memory_order_relaxed);
    return races.fence(warp, lanes, static_cast<AccessScope>(detail));
  case OrderEvent::BarrierArrive:
    return races.arrive(races.meetings[meetingKey(Numbered, detail)], program, warp, lanes);
  case OrderEvent::BarrierWait:
    return races.wait(races.meetings[meetingKey(Numbered, detail)], program, warp, lanes);
  case OrderEvent::PieceArrive:
    return races.arrive(races.meetings[meetingKey(Pieces, 0)], program, warp, lanes);
  case OrderEvent::PieceWait:
    return races.wait(races.meetings[meetingKey(Pieces, 0)], program, warp, lanes);
  case OrderEvent::WarpArrive:
    return races.arrive(races.meetings[meetingKey(Lanes, detail, warp)], program, warp, lanes);
  case OrderEvent::WarpWait:
    return races.wait(races.meetings[meetingKey(Lanes, detail, warp)], program, warp, lanes);
  case OrderEvent::ClusterArrive:
    return syncCluster(races, program, warp, lanes, true);
  case OrderEvent::ClusterWait:
    return syncCluster(races, program, warp, lanes, false);
  case OrderEvent::GridSync:
    return races.syncGrid(warp);
  case OrderEvent::Atomic:
    if (detail) // whether it is a look
      endCopiesToldTo(block, programLanes, static_cast<uint8_t *const *>(more));
    return syncBarriers(races, warp, lanes, program * races.launch->width % WarpLanes, detail != 0,
                        more);
  case OrderEvent::Happened:
    return races.happened(warp, detail << program * races.launch->width % WarpLanes,
                          static_cast<const uint64_t *>(more));
  }
}

} // namespace heddle::check
