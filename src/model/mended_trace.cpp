// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: what would a launch take if one line did its work well? A formula (sectors saved, over the
// bandwidth) does not know what else the launch waits for. Method: the traces are changed, and the
// model runs again.
//
// Scattered accesses get addresses side by side. Requests for the same bytes get the same place and
// others a new one, so that the launch touches as many bytes as were asked for, and what met in caches
// within the line still does. Divergent steps of a block of threads are put together until all lanes are
// on: the accesses of the steps become one of all their lanes, and warps whose step went into
// another's do not have it. Basic blocks with a barrier stay as they are.
#include "model/mended_trace.h"

#include <algorithm>

namespace heddle::model {

namespace {

constexpr uint64_t SectorBytes = 32, LineBytes = 128;
/// Where nothing of a program lies (below LocalWindow).
constexpr uint64_t FirstPlace = uint64_t(1) << 60;

bool isAtomic(const CodeAccess &access) {
  return access.operation == Operation::Atomic || access.operation == Operation::Reduce;
}

bool isGlobal(Space space) { return space == Space::Global || space == Space::Texture; }

unsigned lanesIn(uint32_t lanes) { return static_cast<unsigned>(__builtin_popcount(lanes)); }

bool hasBarrier(const KernelCode &code, const CodeBlock &block) {
  for (uint32_t k = 0; k < block.count; ++k)
    if (code.operations[block.first + k].operation == Operation::Barrier)
      return true;
  return false;
}

/// Operations of a block by line.
std::map<uint32_t, uint32_t> linesOf(const KernelCode &code, const std::vector<uint32_t> &same,
                                     const CodeBlock &block) {
  std::map<uint32_t, uint32_t> lines;
  for (uint32_t k = 0; k < block.count; ++k)
    if (uint32_t line = code.operations[block.first + k].line; line < same.size())
      ++lines[same[line]];
  return lines;
}

/// Distinct words of the lanes, by the first that has each.
unsigned distinct(const LaneAccess &access, uint64_t (&rank)[32]) {
  unsigned count = 0;
  uint64_t seen[32];
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    auto *at = std::find(seen, seen + count, access.addresses[lane]);
    rank[lane] = static_cast<uint64_t>(at - seen);
    if (at == seen + count)
      seen[count++] = access.addresses[lane];
  }
  return count;
}

void setAddresses(WarpEvent &event, WarpTrace &trace, const LaneAccess &access) {
  event.firstAddress = static_cast<uint32_t>(trace.addresses.size());
  event.stride = IsGathered;
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1)
    trace.addresses.push_back(access.addresses[__builtin_ctz(rest)]);
}

/// Lanes that a warp has: those that are on in some step.
unsigned fullOf(const WarpTrace &warp) {
  uint32_t lanes = 0;
  for (const WarpEvent &event : warp.events)
    lanes |= event.kind == EventKind::Block ? event.lanes : 0;
  return lanesIn(lanes);
}

/// A step of a warp: the event of its basic block, and those behind it that belong to it.
struct Step {
  size_t begin, end;
};

/// Adds the lanes of an access to one of another warp.
void join(const CodeAccess &access, const WarpEvent &from, const WarpTrace &warp, WarpEvent &to,
          WarpTrace &toWarp) {
  LaneAccess all(access, to, toWarp);
  const LaneAccess more(access, from, warp);
  for (uint32_t rest = more.lanes; rest && all.lanes != ~0u; rest &= rest - 1) {
    const int free = __builtin_ctz(~all.lanes);
    all.addresses[free] = more.addresses[__builtin_ctz(rest)];
    all.lanes |= 1u << free;
  }
  to.lanes = all.lanes;
  setAddresses(to, toWarp, all);
}

/// Each access of a step goes into that of the same number of another, whose events are `there`.
void join(const KernelCode &code, const WarpTrace &warp, Step from, std::vector<WarpEvent> &there,
          Step to, WarpTrace &toWarp) {
  for (size_t k = from.begin + 1; k < from.end; ++k)
    for (size_t t = to.begin + 1; t < to.end; ++t)
      if (warp.events[k].kind == EventKind::Access && there[t].kind == EventKind::Access &&
          there[t].number == warp.events[k].number) {
        join(code.accesses[there[t].number], warp.events[k], warp, there[t], toWarp);
        break;
      }
}

} // namespace

LaneAccess::LaneAccess(const CodeAccess &access, const WarpEvent &event, const WarpTrace &trace)
    : access(access), space(access.space), lanes(event.lanes), addresses{} {
  const bool isRegular = event.stride != IsGathered;
  const int first = lanes ? __builtin_ctz(lanes) : 0;
  uint32_t next = event.firstAddress;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    addresses[lane] = isRegular ? trace.addresses[event.firstAddress] +
                                      static_cast<uint64_t>(int64_t(lane - first) * event.stride)
                                : trace.addresses[next++];
  }
  if (space == Space::Generic && lanes)
    space = spaceOfAddress(addresses[first]);
}

std::vector<uint32_t> sameLines(const KernelCode &code) {
  std::map<std::pair<std::string, uint32_t>, uint32_t> first;
  std::vector<uint32_t> same;
  for (uint32_t i = 0; i < code.lines.size(); ++i)
    same.push_back(first.try_emplace({code.lines[i].file, code.lines[i].line}, i).first->second);
  return same;
}

bool Waste::isFlaw() const { return requests > 0 && has > 1.05 * ideal; }

void WasteFinder::addAccess(const LaneAccess &lane) {
  if (!lane.lanes || lane.access.line >= lines_.size())
    return;
  LineWaste &line = lines_[same_[lane.access.line]];
  auto add = [&](Flaw flaw, double has, double ideal) {
    Waste &waste = line[static_cast<size_t>(flaw)];
    waste.requests += 1, waste.has += has, waste.ideal += ideal;
  };
  const WarpAccess warp = lane.warp();
  if (isAtomic(lane.access))
    add(Flaw::Collisions, atomicCost(warp).deepest, 1);
  if (lane.space == Space::Shared && !isAtomic(lane.access)) {
    const SharedCost cost = sharedCost(rules_, warp, lane.access.operation);
    add(Flaw::Conflicts, cost.passes, std::min(cost.passes, std::max(cost.ideal, 1u)));
  } else if (lane.space == Space::Constant) {
    add(Flaw::Constants, constantPasses(warp), 1);
  } else if (isGlobal(lane.space)) {
    const MemoryCost cost = globalCost(rules_, warp, lane.access.operation, true);
    const double ideal = double((cost.wanted + SectorBytes - 1) / SectorBytes);
    // Of 1.x what moves counts, in parts of sectors.
    const bool movesMore =
        rules_ == MemoryRules::InOrder && cost.bytes > cost.sectors * SectorBytes;
    const double has = movesMore ? double(cost.bytes) / SectorBytes : double(cost.sectors);
    add(Flaw::Scattered, has, std::min(has, ideal));
  }
}

void WasteFinder::add(const BlockTrace &trace) {
  for (const WarpTrace &warp : trace.warps) {
    const unsigned full = fullOf(warp);
    for (const WarpEvent &event : warp.events)
      if (event.kind == EventKind::Access) {
        addAccess(LaneAccess(code_.accesses[event.number], event, warp));
      } else if (event.kind == EventKind::Block && event.lanes &&
                 !hasBarrier(code_, code_.blocks[event.number])) {
        for (auto [line, count] : linesOf(code_, same_, code_.blocks[event.number])) {
          Waste &waste = lines_[line][static_cast<size_t>(Flaw::Divergence)];
          waste.requests += count, waste.has += count * double(full);
          waste.ideal += count * double(lanesIn(event.lanes));
        }
      }
  }
}

std::vector<LineWaste> WasteFinder::take() { return std::move(lines_); }

Mender::Mender(MemoryRules rules, const KernelCode &code, uint32_t line, Flaw flaw)
    : rules_(rules), code_(code), same_(sameLines(code)), line_(same_[line]), flaw_(flaw),
      divergent_(code.blocks.size()), nextPlace_(FirstPlace) {
  for (size_t b = 0; b < code.blocks.size(); ++b)
    divergent_[b] =
        !hasBarrier(code, code.blocks[b]) && linesOf(code, same_, code.blocks[b]).count(line_);
}

uint64_t Mender::placeOf(const LaneAccess &access) {
  uint64_t key = access.lanes * 0x9e3779b97f4a7c15u ^ access.access.bytes;
  for (uint32_t rest = access.lanes; rest; rest &= rest - 1)
    key = (key ^ access.addresses[__builtin_ctz(rest)]) * 0xbf58476d1ce4e5b9u, key ^= key >> 29;
  auto [at, isNew] = places_.try_emplace(key, nextPlace_);
  if (isNew) {
    uint64_t rank[32];
    const unsigned count = rules_ == MemoryRules::InOrder ? 32 : distinct(access, rank);
    const uint64_t bytes = uint64_t(count) * access.access.bytes;
    // So that no request has more sectors than its bytes take.
    const uint64_t grain = bytes % LineBytes == 0 ? LineBytes : SectorBytes;
    at->second = (nextPlace_ + grain - 1) / grain * grain;
    nextPlace_ = at->second + bytes;
  }
  return at->second;
}

void Mender::mendAccess(WarpEvent &event, WarpTrace &trace) {
  LaneAccess lane(code_.accesses[event.number], event, trace);
  if (!lane.lanes)
    return;
  uint64_t rank[32], first = lane.addresses[__builtin_ctz(lane.lanes)];
  const unsigned count = distinct(lane, rank);
  const bool isShared = lane.space == Space::Shared;
  uint64_t base = 0;
  switch (flaw_) {
  case Flaw::Scattered:
    if (!isGlobal(lane.space))
      return;
    base = placeOf(lane);
    if (rules_ == MemoryRules::InOrder) // each lane has its own word
      for (unsigned i = 0; i < 32; ++i)
        rank[i] = i;
    break;
  case Flaw::Conflicts:
    if (!isShared || isAtomic(lane.access))
      return;
    base = first & SharedWindow;
    break;
  case Flaw::Collisions:
    if (!isAtomic(lane.access) || count == lanesIn(lane.lanes))
      return;
    base = isShared ? first & SharedWindow : placeOf(lane);
    for (unsigned i = 0; i < 32; ++i)
      rank[i] = i;
    break;
  case Flaw::Constants:
    if (lane.space != Space::Constant)
      return;
    base = first, std::fill(rank, rank + 32, 0);
    break;
  case Flaw::Divergence:
    return;
  }
  for (unsigned i = 0; i < 32; ++i)
    lane.addresses[i] = base + rank[i] * lane.access.bytes;
  setAddresses(event, trace, lane);
}

/// Steps of the line's basic blocks, whole warps of them.
void Mender::gather(BlockTrace &trace) {
  struct Open { ///< a step that still has lanes to give away
    WarpTrace *warp = nullptr;
    Step step{};
    unsigned lanes = 0;
  };
  std::vector<Open> open(code_.blocks.size());
  for (WarpTrace &warp : trace.warps) {
    const unsigned full = fullOf(warp);
    std::vector<WarpEvent> kept;
    for (size_t i = 0; i < warp.events.size();) {
      const WarpEvent event = warp.events[i];
      size_t end = i + 1;
      if (event.kind == EventKind::Block)
        while (end < warp.events.size() && warp.events[end].kind != EventKind::Block)
          ++end;
      const unsigned lanes = lanesIn(event.lanes);
      const bool mayJoin =
          event.kind == EventKind::Block && divergent_[event.number] && lanes < full;
      Open *to = mayJoin ? &open[event.number] : nullptr;
      if (to && to->warp && to->lanes + lanes <= full) {
        std::vector<WarpEvent> &there = to->warp == &warp ? kept : to->warp->events;
        join(code_, warp, {i, end}, there, to->step, *to->warp);
        to->lanes += lanes;
      } else {
        if (to)
          *to = {&warp, {kept.size(), kept.size() + (end - i)}, lanes};
        kept.insert(kept.end(), warp.events.begin() + long(i), warp.events.begin() + long(end));
      }
      i = end;
    }
    warp.events = std::move(kept);
  }
}

void Mender::mend(BlockTrace &trace) {
  if (flaw_ == Flaw::Divergence)
    return gather(trace);
  for (WarpTrace &warp : trace.warps)
    for (WarpEvent &event : warp.events) {
      const uint32_t line =
          event.kind == EventKind::Access ? code_.accesses[event.number].line : None;
      if (line < same_.size() && same_[line] == line_)
        mendAccess(event, warp);
    }
}

} // namespace heddle::model
