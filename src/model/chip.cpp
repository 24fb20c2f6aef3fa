// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: whether a sector is in L2 depends on what all multiprocessors did before, and there are far
// too many warps to follow. Method: the blocks that run side by side go through their accesses in step,
// a round being one access of each warp; as many rounds as the effort allows. Then the blocks after
// them do the same. What the second group finds of the first, and what warps find of each other,
// gives each access's share of hits. A sector is found if less than the size of L2 was brought in since
// it was used; rounds that are not followed put that clock forward. In 1.x the bytes of a round by
// channel tell how well the channels share the work.
#include "model/chip.h"

#include "model/cache.h"
#include "model/warp_memory.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace heddle::model {
namespace {

constexpr uint64_t MostEvents = 3'000'000, ChannelBytes = 256, RowBytes = 2048;
/// Memory side by side whose atomic operations one slice of L2 has. [fit] histograms of 512 bins on boards of 7.5,
/// 8.6 and 9.0, in one bin and as sums of blocks' own.
constexpr uint64_t AtomicBytes = 512;
/// What opening a row takes of a channel of GDDR3, beside what other banks hide of it.
constexpr double RowNs = 6;

/// A warp on its way through its accesses: those of a basic block in the order of the machine code, so
/// that the one which brings a sector is the one that waits for it.
struct Cursor {
  const WarpTrace *trace;
  uint64_t block;
  bool isCut; ///< its end is missing
  size_t event = 0;
  std::vector<const WarpEvent *> ofBlock = {};
  size_t done = 0;

  /// `places`: of each access in the machine code.
  const WarpEvent *next(const std::vector<uint32_t> &places) {
    while (done == ofBlock.size() && event < trace->events.size()) {
      ofBlock.clear(), done = 0;
      for (; event < trace->events.size(); ++event) {
        const WarpEvent &e = trace->events[event];
        if (e.kind == EventKind::Block && !ofBlock.empty())
          break;
        if (e.kind == EventKind::Access && e.lanes)
          ofBlock.push_back(&e);
      }
      std::ranges::sort(ofBlock, {},
                        [&](const WarpEvent *e) { return std::pair(places[e->number], e); });
    }
    return done < ofBlock.size() ? ofBlock[done++] : nullptr;
  }
};

struct Outcome {
  std::vector<AccessTraffic> accesses;
  /// Sectors of each access that nobody had used before, or written: an earlier launch may have.
  std::vector<double> never;
  double newBytes = 0, dramRead = 0, dramWritten = 0;
  double filled = 0; ///< bytes that were brought into L2
  double share = 1;  ///< of the rounds that were followed
};

class Chip {
public:
  Chip(const Gpu &gpu, const MachineCode &code, const Residency &residency, const Traces &traces,
       const MemoryState &state, const Effort &effort)
      : gpu_(gpu), kernel_(*code.kernel), residency_(residency), traces_(traces), effort_(effort),
        memory_(gpu, kernel_, state), l2_(gpu.l2Bytes * gpu.parameters().l2Share) {
    channels_.resize(static_cast<size_t>(gpu.channels));
    places_.resize(kernel_.accesses.size());
    for (uint32_t i = 0; i < code.instructions.size(); ++i)
      if (code.instructions[i].access != None)
        places_[code.instructions[i].access] = i;
  }

  /// Follows blocks [first, first + count).
  Outcome run(uint64_t first, uint64_t count) {
    Outcome outcome;
    outcome.accesses.resize(kernel_.accesses.size());
    outcome.never.resize(kernel_.accesses.size());
    l1_.clear();
    std::vector<BlockTrace> blocks;
    std::vector<Cursor> warps;
    for (uint64_t b = first; b < first + count; ++b)
      blocks.push_back(traces_(b));
    uint64_t events = 0, cut = 0, missing = 0;
    for (const BlockTrace &block : blocks)
      for (const WarpTrace &warp : block.warps) {
        warps.push_back({&warp, block.block, !block.isWhole});
        cut += !block.isWhole;
        for (const WarpEvent &event : warp.events)
          events += event.kind == EventKind::Access && event.lanes;
      }
    uint64_t done = 0;
    const double before = l2_.clock();
    // Where most traces end too early, those that go on would find nothing of their neighbours.
    for (bool isBusy = true; isBusy && 2 * missing <= cut &&
                             sectors_ < effort_.sectors * (1 + runs_) && done < MostEvents;) {
      isBusy = false;
      for (Cursor &warp : warps)
        if (const WarpEvent *event = warp.next(places_)) {
          access(*event, *warp.trace, warp.block, outcome);
          isBusy = true, ++done;
        } else {
          missing += std::exchange(warp.isCut, false);
        }
      endRound();
    }
    ++runs_;
    outcome.share = (events ? double(done) / double(events) : 1) * effort_.frontKept;
    outcome.filled = l2_.clock() - before;
    l2_.pass((l2_.clock() - before) * (1 / std::max(outcome.share, 1e-6) - 1));
    for (AccessTraffic &access : outcome.accesses)
      if (access.hotShare > 0) {
        access.hotShare = mostOf(hits_) / std::max(1.0, atomics_);
        access.sliceShare = std::max(mostOf(ofSlices_) / std::max(1.0, atomics_),
                                     1.0 / std::max({1, gpu_.l2Slices, gpu_.channels}));
      }
    return outcome;
  }

  double partitionFactor() const {
    return totalBytes_ > 0 ? std::max(1.0, busiestBytes_ * double(channels_.size()) / totalBytes_)
                           : 1;
  }

private:
  SectorCache &l1Of(uint64_t block) {
    std::unique_ptr<SectorCache> &cache = l1_[block % residency_.multiprocessors];
    if (!cache)
      cache = std::make_unique<SectorCache>(residency_.l1Bytes, gpu_.major == 2);
    return *cache;
  }

  void access(const WarpEvent &event, const WarpTrace &trace, uint64_t block, Outcome &outcome) {
    const WarpRequest request = memory_.request(event, trace);
    if (request.traffic != Traffic::Load && request.traffic != Traffic::Store &&
        request.traffic != Traffic::Atomic)
      return;
    AccessTraffic &traffic = outcome.accesses[event.number];
    traffic.requests += 1;
    sectors_ += request.sectors.size();
    for (uint64_t sector : request.sectors) {
      if (request.usesL1 && l1Of(block).read(sector))
        continue;
      const bool isWrite = request.traffic != Traffic::Load;
      if (request.usesL1 && gpu_.major == 2) { // the line that L1 asks for
        for (uint64_t other = sector / 4 * 4; other < sector / 4 * 4 + 4; ++other)
          toL2(other, event.number, false, 1, outcome);
        continue;
      }
      if (request.traffic == Traffic::Atomic)
        ++hits_[sector], ++ofSlices_[sector * SectorBytes / AtomicBytes], ++atomics_,
            traffic.hotShare = 1;
      toL2(sector, event.number, isWrite, request.weight, outcome);
    }
  }

  void toL2(uint64_t sector, uint32_t access, bool isWrite, double weight, Outcome &outcome) {
    AccessTraffic &traffic = outcome.accesses[access];
    traffic.sectors += weight;
    if (gpu_.l2Bytes == 0)
      return toMemory(sector, weight, isWrite, outcome);
    switch (l2_.use(sector, isWrite)) {
    case FillCache::Found::Hit:
      traffic.hits += 1;
      break;
    case FillCache::Found::Dirtied:
      outcome.never[access] += 1;
      toMemory(sector, 1, isWrite, outcome);
      break;
    case FillCache::Found::Never:
      outcome.never[access] += 1;
      outcome.newBytes += SectorBytes;
      [[fallthrough]];
    case FillCache::Found::Aged:
      toMemory(sector, 1, isWrite, outcome);
      break;
    }
  }

  void toMemory(uint64_t sector, double weight, bool isWrite, Outcome &outcome) {
    const double bytes = SectorBytes * weight;
    (isWrite ? outcome.dramWritten : outcome.dramRead) += bytes;
    if (gpu_.major > 1) // hashed, so that all have as much
      return;
    // Of a number that is no power of two all take part in every stride (6 of G80: CUDA Fortran for
    // Scientists and Engineers, "Partition camping").
    const uint64_t piece = sector * SectorBytes / ChannelBytes, count = channels_.size();
    const uint64_t channel = (count & (count - 1) ? piece + piece / 16 : piece) % count;
    channels_[channel] += bytes;
    rows_.insert(sector * SectorBytes / (RowBytes * channels_.size()) * channels_.size() + channel);
  }

  /// All wait for the channel that has most to do: its bytes, and opening its rows.
  void endRound() {
    if (gpu_.major > 1)
      return;
    const double rowBytes = RowNs * 1e-9 * gpu_.peakBandwidth() / double(channels_.size());
    for (double bytes : channels_)
      totalBytes_ += bytes * (1 + rowBytes / RowBytes);
    for (uint64_t row : rows_)
      channels_[row % channels_.size()] += rowBytes;
    busiestBytes_ += *std::ranges::max_element(channels_);
    std::ranges::fill(channels_, 0.0);
    rows_.clear();
  }

  static double mostOf(const std::unordered_map<uint64_t, uint64_t> &counts) {
    uint64_t most = 0;
    for (const auto &[place, count] : counts)
      most = std::max(most, count);
    return double(most);
  }

  const Gpu &gpu_;
  const KernelCode &kernel_;
  const Residency residency_;
  const Traces &traces_;
  const Effort effort_;
  WarpMemory memory_;
  FillCache l2_;
  std::unordered_map<uint64_t, std::unique_ptr<SectorCache>> l1_;
  std::unordered_map<uint64_t, uint64_t> hits_,
      ofSlices_;                      ///< of atomics, by sector, and AtomicBytes
  std::unordered_set<uint64_t> rows_; ///< of a round, with their channels
  std::vector<uint32_t> places_;      ///< of accesses in the machine code
  std::vector<double> channels_;
  double totalBytes_ = 0, busiestBytes_ = 0, atomics_ = 0;
  uint64_t sectors_ = 0, runs_ = 0;
};

uint64_t eventsOf(const BlockTrace &block) {
  uint64_t events = 1;
  for (const WarpTrace &warp : block.warps)
    events += warp.events.size();
  return events;
}

/// The share of what nobody used before that an earlier launch left in L2.
double warmShare(const Gpu &gpu, double footprint, const MemoryState &state) {
  if (state.again <= 0 || gpu.l2Bytes == 0)
    return 0;
  const double all = std::max(footprint, state.bytesBefore);
  const double over = all / (gpu.l2Bytes * gpu.parameters().l2Share);
  return state.again * std::clamp((1.2 - over) / 0.4, 0.0, 1.0);
}

/// A sector that was written goes to memory when others have taken its place. Of all that is brought in
/// as much stays as L2 holds, what was written like the rest.
double writtenBack(const Gpu &gpu, double filled) {
  const double holds = gpu.l2Bytes * gpu.parameters().l2Share;
  return gpu.l2Bytes == 0 ? 1 : filled > holds ? 1 - holds / filled : 0;
}

} // namespace

ChipTraffic trafficOf(const Gpu &gpu, const MachineCode &code, const LaunchShape &shape,
                      const Residency &residency, const Traces &traces, const MemoryState &state,
                      const Effort &effort) {
  const KernelCode &kernel = *code.kernel;
  const uint64_t blocks = shape.blocks();
  const uint64_t wave = std::min(blocks, residency.multiprocessors * residency.blocks);
  const uint64_t fits = std::max<uint64_t>(1, MostEvents / eventsOf(traces(0)));
  // Blocks that run side by side find what the others have brought: all of them, if not to their ends.
  uint64_t group = std::min(wave, fits);
  if (effort.traced)
    group = std::min(wave, effort.traced->front == blocks ? blocks : effort.traced->front / 2);
  Chip chip(gpu, code, residency, traces, state, effort);
  Outcome first = chip.run(0, group), later = first;
  const double groups = double(blocks) / double(group);
  const bool hasLater =
      blocks >= 2 * group && (!effort.traced || effort.traced->front >= 2 * group);
  if (hasLater)
    later = chip.run(group, group);
  ChipTraffic result;
  result.footprint = (first.newBytes / first.share + (groups - 1) * later.newBytes / later.share);
  if (state.footprint)
    result.footprint = double(state.footprint);
  const double warm = warmShare(gpu, result.footprint, state);
  result.accesses.resize(kernel.accesses.size());
  const double rest = hasLater ? groups - 1 : 0;
  double newRead = 0, newWritten = 0;
  for (size_t a = 0; a < kernel.accesses.size(); ++a) {
    AccessTraffic &to = result.accesses[a];
    auto add = [&](const Outcome &from, double weight) {
      to.requests += from.accesses[a].requests * weight;
      to.sectors += from.accesses[a].sectors * weight;
      to.hits += (from.accesses[a].hits + warm * from.never[a]) * weight;
      to.hotShare = std::max(to.hotShare, from.accesses[a].hotShare);
      to.sliceShare = std::max(to.sliceShare, from.accesses[a].sliceShare);
      const bool isLoad = kernel.accesses[a].operation == Operation::Load ||
                          kernel.accesses[a].operation == Operation::Texture;
      (isLoad ? newRead : newWritten) +=
          (from.accesses[a].sectors - from.accesses[a].hits - warm * from.never[a]) * weight;
    };
    add(first, 1 / first.share);
    add(later, rest / later.share);
  }
  // Those that no block has come to so far find as much as the others.
  double sectors = 0, hits = 0;
  for (const AccessTraffic &access : result.accesses)
    sectors += access.sectors, hits += access.hits;
  for (AccessTraffic &access : result.accesses)
    if (access.sectors == 0 && sectors > 0)
      access.sectors = sectors, access.hits = hits;
  const double filled = first.filled / first.share + rest * later.filled / later.share;
  if (state.isFlushed)
    result.writtenBack = writtenBack(gpu, filled);
  newWritten *= result.writtenBack;
  const double all = newRead + newWritten;
  result.writeShare = all > 0 ? newWritten / all : 0;
  result.partitionFactor = gpu.major == 1 ? chip.partitionFactor() : 1;
  return result;
}

} // namespace heddle::model
