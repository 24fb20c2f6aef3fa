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
//     fence, then an atomic object     the same, attached to the object's address
//     a barrier of the grid            a number in the access
//     an earlier launch                the order of launches
//
// Blocks run one after the other on a worker, and warps of a block in turn, so the times of a block
// need no locks. Records in global memory are read and written by several workers without one: a
// record that is lost so is one that is not compared, and never one too many.
//
// What orders threads, if in doubt, does so. In particular:
//  - Collectives order memory as __syncwarp does, though CUDA only promises that lanes meet.
//  - A thread that reads an atomic object or a volatile variable knows what was released there; the
//    fence behind it is not asked for. The one before the write is.
//  - Threads that have ended count as come to all barriers of the block.
//  - A fence reaches what other threads did before a barrier in front of it, and what they fenced
//    themselves before a barrier behind it.
//  - A read that the compiler may have brought in front of its branch is not looked at.
// Two volatile accesses order nothing and do not race, as they are atomic in PTX's memory model; but
// between lanes of a warp they do, unless one is a loop that polls: sums of a warp without
// __syncwarp, as one wrote them for old GPUs.
//
// Of three records a word not all of the accesses are kept that could race with a later one: of
// readers that nothing orders two, of different blocks or warps where there are such.
#include "check/race.h"

#include "base/abi/kernel_abi.h"
#include "check/race_block.h"
#include "check/settings.h"
#include "device/checks.h"
#include "device/cpu/futex.h"

#include <cstring>

namespace heddle::check {

namespace {

bool isRead(const AccessSite &site) { return site.kind == AccessKind::Read; }
bool isStrong(const AccessSite &site) { return site.order & OrderStrong; }

/// All that race needs of one access of a warp.
class WarpAccess {
public:
  WarpAccess(Block *block, uint32_t program, uint32_t lanes, const AccessSite &site,
             uint64_t length, const void *values)
      : block_(*block), races_(BlockRaces::of(block)), site_(site), lanes_(lanes), length_(length),
        values_(static_cast<const uint8_t *>(values)),
        firstThread_(program * races_.launch->width) {
    races_.warps[firstThread_ / WarpLanes].isDirty = true;
    if (values_ && lanes_)
      findValue();
  }

  /// `addressOf`: of a lane of the program.
  template <class AddressOf> void run(AddressOf &&addressOf) {
    for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
      auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      lane_ = lane;
      thread_ = firstThread_ + lane;
      touch(addressOf(lane), addressOf);
      done_ |= 1u << lane;
    }
    if (!isStrong(site_))
      return;
    for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
      auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
      uint32_t thread = firstThread_ + lane;
      races_.syncAt(reinterpret_cast<uintptr_t>(addressOf(lane)), site_, thread / WarpLanes,
                    thread % WarpLanes);
    }
    if (site_.order & OrderRelease)
      ++races_.time;
  }

private:
  enum class Order : uint8_t { Behind, Apart, AskThread };
  struct Seen {
    uint32_t number = 0;
    Order order;
    const Happening *happening;
  };

  template <class AddressOf> void touch(uint8_t *address, AddressOf &&addressOf) {
    auto at = reinterpret_cast<uintptr_t>(address), end = at + length_;
    uint64_t offset = at - reinterpret_cast<uintptr_t>(block_.shared);
    bool isShared = offset < block_.launch->sharedBytes;
    if (isShared != isShared_ || !isKnownKind_) {
      isShared_ = isShared;
      isKnownKind_ = true;
      for (Seen &seen : seen_)
        seen.number = 0;
      for (uint32_t &number : numbers_)
        number = 0;
    }
    while (at < end) {
      Words words = isShared ? races_.shared.at(at - reinterpret_cast<uintptr_t>(block_.shared))
                             : GlobalShadow::get().at(at);
      size_t index = 0;
      for (; at < end && index < words.count; ++index) {
        uintptr_t next = (at & ~uintptr_t(3)) + 4;
        unsigned from = at & 3, to = end < next ? 4 - unsigned(next - end) : 4;
        if (words.first)
          touchWord(words, index, at, uint8_t((0xf << from) & (0xf >> (4 - to))), addressOf);
        at = next;
      }
    }
  }

  Happening &happening(uint32_t number) const {
    return isShared_ ? races_.shared.happening(number) : GlobalShadow::get().happening(number);
  }

  /// The number of this access.
  uint32_t number(uint8_t bytes) {
    uint32_t &known = numbers_[bytes];
    if (known)
      return known;
    auto hash = reinterpret_cast<uintptr_t>(&site_) / 32 + bytes;
    BlockRaces::Recent &recent =
        (isShared_ ? races_.recentShared : races_.recentGlobal)[hash % BlockRaces::RecentSites];
    bool isRecent = recent.site == &site_ && recent.bytes == bytes && recent.time == races_.time &&
                    recent.phase == races_.gridPhase &&
                    (!isShared_ || recent.number >= races_.shared.floor());
    if (!isRecent) {
      Happening happening = {&site_,  races_.launchNumber, races_.number, races_.time,
                             value_,  races_.gridPhase,    bytes,         isOneValue_,
                             IsStored};
      recent = {&site_, races_.time,
                isShared_ ? races_.shared.add(happening) : GlobalShadow::get().add(happening),
                races_.gridPhase, bytes};
    }
    known = recent.number;
    if (values_ && known)
      noteValue(happening(known));
    return known;
  }

  /// If all lanes store one value, in a word.
  void findValue() {
    uint64_t first = 0, each = 0;
    std::memcpy(&first, values_ + __builtin_ctz(lanes_) * length_, length_);
    for (uint32_t rest = lanes_; rest; rest &= rest - 1) {
      std::memcpy(&each, values_ + __builtin_ctz(rest) * length_, length_);
      if (each != first)
        return;
    }
    value_ = static_cast<uint32_t>(first);
    isOneValue_ = length_ <= 4 || value_ == first >> 32;
  }

  void noteValue(Happening &own) {
    if (own.isOneValue && !(isOneValue_ && own.value == value_))
      __atomic_store_n(&own.isOneValue, 0, __ATOMIC_RELEASE);
    if (!isShared_)
      races_.storesTo(own);
  }

  Order orderOf(const Happening &other) const {
    if (other.launch != races_.launchNumber)
      return isOrdered(*races_.launch, other.launch) ? Order::Behind : Order::Apart;
    if (other.phase < races_.gridPhase)
      return Order::Behind;
    if (other.block != races_.number)
      return races_.hasClocks ? Order::AskThread : Order::Apart;
    return other.time < races_.barrierTime ? Order::Behind : Order::AskThread;
  }

  const Seen &look(uint32_t number) {
    Seen &seen = seen_[number % SeenNumbers];
    if (seen.number != number) {
      const Happening &other = happening(number);
      seen = {number, orderOf(other), &other};
    }
    return seen;
  }

  bool isBehind(const Seen &seen, uint32_t thread) const {
    if (seen.order != Order::AskThread)
      return seen.order == Order::Behind;
    const Happening &other = *seen.happening;
    if (other.block != races_.number)
      return races_.knowsOfBlock(thread_, other.block, thread, other.time);
    if (settings().lockstep && thread / WarpLanes == thread_ / WarpLanes)
      return true;
    return races_.knows(thread_, thread, other.time);
  }

  /// Whatever races with the other one races with this.
  bool covers(const Happening &other, uint8_t bytes) const {
    if (other.bytes & ~bytes)
      return false;
    if (isStrong(site_) && !isStrong(*other.site))
      return false;
    return !isRead(site_) || isRead(*other.site);
  }

  bool conflicts(const Happening &other, uint32_t thread, uint8_t bytes) const {
    const AccessSite &site = *other.site;
    if (!(other.bytes & bytes) || (isRead(site_) && isRead(site)))
      return false;
    if (!isStrong(site_) || !isStrong(site))
      return true;
    if (other.block != races_.number)
      return site_.scope == AccessScope::Block || site.scope == AccessScope::Block;
    return site.isVolatile && site_.isVolatile && site.kind != AccessKind::Atomic &&
           site_.kind != AccessKind::Atomic && !((site.order | site_.order) & OrderPolled) &&
           thread / WarpLanes == thread_ / WarpLanes;
  }

  template <class AddressOf>
  void touchWord(Words words, size_t index, uintptr_t at, uint8_t bytes, AddressOf &&addressOf) {
    uint32_t own = number(bytes);
    Record record = recordOf(own, thread_);
    Record known[3];
    bool isFree[3];
    uint32_t floor = isShared_ ? races_.shared.floor() : races_.launch->floor;
    bool isKept = false;
    for (unsigned i = 0; i < 3; ++i) {
      known[i] = readRecord(words.slot(i) + index);
      uint32_t number = happeningOf(known[i]);
      isKept |= known[i] == record;
      isFree[i] = number < floor || known[i] == record;
      if (isFree[i])
        continue;
      const Seen &seen = look(number);
      const Happening &other = *seen.happening;
      uint32_t thread = threadOf(known[i]);
      if (isBehind(seen, thread))
        isFree[i] = covers(other, bytes);
      else if (conflicts(other, thread, bytes))
        report(other, thread, at, bytes, addressOf);
    }
    if (own)
      keep(words, index, record, known, isFree, isKept);
  }

  void keep(Words words, size_t index, Record record, const Record (&known)[3],
            const bool (&isFree)[3], bool isKept) {
    static constexpr uint8_t Writes[] = {0, 1, 2}, Reads[] = {1, 2, 0};
    const uint8_t (&order)[3] = isRead(site_) ? Reads : Writes;
    unsigned to = 3;
    for (unsigned i : order)
      if (to == 3 && (isKept ? known[i] == record : isFree[i]))
        to = i;
    for (unsigned i = 0; i < 3; ++i)
      if (isFree[i] && i != to && known[i])
        writeRecord(words.slot(i) + index, 0);
    if (to == 3 && !isRead(site_))
      to = 0;
    if (to == 3 && isMoreVaried(known[1], known[2]))
      to = 2;
    if (to != 3 && known[to] != record)
      writeRecord(words.slot(to) + index, record);
  }

  /// Of two readers the second had better give way to this thread.
  bool isMoreVaried(Record first, Record second) {
    const Happening &a = *look(happeningOf(first)).happening;
    uint32_t blockA = a.block, blockB = look(happeningOf(second)).happening->block;
    if (blockA != blockB)
      return false;
    if (blockA != races_.number)
      return true;
    uint32_t warpA = threadOf(first) / WarpLanes, warpB = threadOf(second) / WarpLanes;
    return warpA == warpB && warpA != thread_ / WarpLanes;
  }

  /// Both write, and the same.
  template <class AddressOf>
  bool isSameValue(const Happening &other, uint32_t thread, uintptr_t at, uint8_t bytes,
                   AddressOf &&addressOf) const {
    if (!values_ || other.site->kind != AccessKind::Write || site_.kind != AccessKind::Write ||
        other.bytes != bytes)
      return false;
    uint64_t offset = at - reinterpret_cast<uintptr_t>(addressOf(lane_));
    unsigned count = static_cast<unsigned>(__builtin_popcount(bytes));
    const void *mine = values_ + lane_ * length_ + offset;
    uint32_t lane = thread - firstThread_;
    if (lane < WarpLanes && done_ >> lane & 1) { // in this very instruction?
      uint64_t its = at - reinterpret_cast<uintptr_t>(addressOf(lane));
      if (its < length_ && its + count <= length_)
        return !std::memcmp(mine, values_ + lane * length_ + its, count);
    }
    if (__atomic_load_n(&other.isOneValue, __ATOMIC_ACQUIRE))
      return !std::memcmp(mine, &other.value, count);
    return !std::memcmp(mine, reinterpret_cast<const void *>(at), count) ||
           (!mayCompare(other) || !std::memcmp(mine, reinterpret_cast<const void *>(at), count));
  }

  /// What another block has written is in memory, or comes there now. If its worker does not run, it
  /// is not known what that is.
  bool mayCompare(const Happening &other) const {
    constexpr unsigned Tries = 2000;
    auto *stored = const_cast<uint8_t *>(&other.stored);
    for (unsigned i = 0; i < Tries; ++i) {
      uint8_t now = __atomic_load_n(stored, __ATOMIC_ACQUIRE);
      if (now != NotStored)
        return now == IsStored;
      device::cpu::pauseCpu();
    }
    __atomic_store_n(stored, uint8_t(StoredIsUnknown), __ATOMIC_RELAXED);
    return false;
  }

  template <class AddressOf>
  void report(const Happening &other, uint32_t thread, uintptr_t at, uint8_t bytes,
              AddressOf &&addressOf) {
    RaceSide mine = {&site_, races_.launchNumber, races_.number, thread_};
    RaceSide its = {other.site, other.launch, other.block, thread};
    Relation relation = other.launch != races_.launchNumber         ? Relation::Launches
                        : other.block != races_.number              ? Relation::Grid
                        : thread / WarpLanes != thread_ / WarpLanes ? Relation::Block
                                                                    : Relation::Warp;
    races_.launch->add(mine, its, relation, isSameValue(other, thread, at, bytes, addressOf),
                       isShared_, at, length_);
  }

  static constexpr unsigned SeenNumbers = 8;
  Block &block_;
  BlockRaces &races_;
  const AccessSite &site_;
  uint32_t lanes_, done_ = 0, lane_ = 0;
  uint64_t length_;
  const uint8_t *values_;
  uint32_t value_ = 0;
  bool isOneValue_ = false;
  uint32_t firstThread_, thread_ = 0;
  bool isShared_ = false, isKnownKind_ = false;
  Seen seen_[SeenNumbers] = {};
  uint32_t numbers_[16] = {}; ///< by the bytes of a word
};

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

/// Changes of mbarriers: all that arrive release what they know, and know what others did.
void syncBarriers(BlockRaces &races, uint32_t warp, uint32_t lanes, uint32_t shift,
                  const void *more) {
  static constexpr AccessSite Site = {nullptr,
                                      0,
                                      8,
                                      AccessKind::Atomic,
                                      AccessSpace::Shared,
                                      3,
                                      0,
                                      OrderStrong | OrderAcquire | OrderRelease,
                                      AccessScope::Cluster,
                                      nullptr};
  auto *pointers = static_cast<uint8_t *const *>(more);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    races.syncAt(reinterpret_cast<uintptr_t>(pointers[lane - shift]), Site, warp, lane);
  }
  ++races.time;
}

enum MeetingKind : uint32_t { Numbered, Pieces, Lanes };
uint64_t meetingKey(MeetingKind kind, uint64_t number, uint32_t warp = 0) {
  return uint64_t(kind) << 60 | uint64_t(warp) << 32 | number;
}

void syncCluster(BlockRaces &races, uint32_t program, uint32_t warp, uint32_t lanes, bool arrives) {
  LaunchRaces &launch = *races.launch;
  uint32_t cluster = 0, rank = 0;
  for (int d = 2; d >= 0; --d) {
    uint32_t size = launch.clusterDim[d];
    cluster = cluster * (launch.gridDim[d] / size) + races.blockIdx[d] / size;
    rank = rank * size + races.blockIdx[d] % size;
  }
  std::lock_guard lock(launch.mutex);
  Meeting &meeting = launch.clusters[cluster];
  arrives ? races.arrive(meeting, rank * 1024 + program, warp, lanes)
          : races.wait(meeting, rank * 1024 + program, warp, lanes);
}

} // namespace

void raceOfRun(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site, uint8_t *first,
               int64_t stride, uint64_t length, const void *values) {
  if (site->order & OrderMaybeUnused)
    return;
  WarpAccess(block, warp, lanes, *site, length, values).run([=](uint32_t lane) {
    return first + stride * lane;
  });
}

void raceOfEach(Block *block, uint32_t warp, uint32_t lanes, const AccessSite *site,
                uint8_t *const *pointers, uint64_t length, const void *values) {
  if (site->order & OrderMaybeUnused)
    return;
  WarpAccess(block, warp, lanes, *site, length, values).run([=](uint32_t lane) {
    return pointers[lane];
  });
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
    return syncBarriers(races, warp, lanes, program * races.launch->width % WarpLanes, more);
  }
}

} // namespace heddle::check
