// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/timing.h"

#include "profile/count/block_recorder.h"

#include <algorithm>
#include <map>

namespace heddle::profile {

namespace {

/// Situations of one kernel and shape that are traced.
constexpr size_t TracedLaunches = 6;
/// Of all traces of a launch: of the blocks of one multiprocessor, and of the grid's front.
constexpr uint64_t OwnBytes = 96 << 20, FrontBytes = 48 << 20;

/// Of launches that are not traced so many blocks are counted, wherever GPUs have theirs.
constexpr uint64_t CountedBlocks = 16;
bool isCountedLater(uint64_t block, uint64_t blocks) {
  return block % std::max<uint64_t>(blocks / CountedBlocks, 1) == 0;
}

using BlockTraces = std::vector<model::BlockTrace>; ///< by block

/// Of what the blocks did, over what was kept of it.
template <typename F>
double lengthened(const BlockTraces &traces, const model::KernelCode &code, F &&has) {
  uint64_t kept = 0, all = 0;
  for (const model::BlockTrace &trace : traces) {
    if (!has(trace.block))
      continue;
    all += trace.operations;
    for (const model::WarpTrace &warp : trace.warps)
      for (const model::WarpEvent &event : warp.events)
        if (event.kind == model::EventKind::Block)
          kept += code.blocks[event.number].count;
  }
  return kept ? std::max(1.0, double(all) / double(kept)) : 1;
}

/// Calls `take` with each access's first address of global memory, by warps.
template <typename F>
void forEachAddress(const BlockTraces &traces, const model::KernelCode &code, F &&take) {
  for (const model::BlockTrace &block : traces)
    for (const model::WarpTrace &warp : block.warps)
      for (const model::WarpEvent &event : warp.events) {
        if (event.kind != model::EventKind::Access || !event.lanes)
          continue;
        const model::Space space = code.accesses[event.number].space;
        const uint64_t address = warp.addresses[event.firstAddress];
        if (space == model::Space::Global ||
            (space == model::Space::Generic &&
             model::spaceOfAddress(address) == model::Space::Global))
          take(event.number, address);
      }
}

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>; ///< ends included

/// Of each access that is met, the lowest and the highest address.
Ranges touchedBy(const BlockTraces &traces, const model::KernelCode &code) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> ranges;
  forEachAddress(traces, code, [&](uint32_t access, uint64_t address) {
    auto &range = ranges.try_emplace(access, address, address).first->second;
    range = {std::min(range.first, address), std::max(range.second, address)};
  });
  Ranges found;
  for (const auto &[access, range] : ranges)
    found.push_back(range);
  return found;
}

/// Of the accesses those to memory that was touched before.
double shareWithin(const Ranges &before, const BlockTraces &traces, const model::KernelCode &code) {
  double all = 0, again = 0;
  forEachAddress(traces, code, [&](uint32_t, uint64_t address) {
    all += 1;
    again += std::ranges::any_of(before, [&](const auto &range) {
      return range.first <= address && address <= range.second;
    });
  });
  return all > 0 ? again / all : 0;
}

} // namespace

/// Of a block that is counted. A traced launch tells of the blocks that later ones count.
double Timing::operationsOfBlock(const LaunchCounts &counts) const {
  if (counts.traces.empty() || countsAll_ || model::readsClock(*counts.code)) {
    const uint64_t blocks = counts.counts.countedBlocks;
    return blocks ? double(counts.warpInstructions()) / double(blocks) : 0;
  }
  double operations = 0, blocks = 0;
  for (const model::BlockTrace &trace : counts.traces)
    if (isCountedLater(trace.block, counts.shape.blocks()))
      operations += double(trace.operations), blocks += 1;
  return blocks > 0 ? operations / blocks : 0;
}

uint64_t Timing::Sample::bytesOf(uint64_t block) const {
  if (std::ranges::binary_search(blocks.own, block))
    return ownBytes;
  return block < blocks.front ? frontBytes : 0;
}

Timing::Sample Timing::sampleOf(const model::Gpu &gpu, const model::MachineCode &code,
                                const model::LaunchShape &shape) {
  constexpr uint64_t Least = 4096;
  Sample sample{model::sampleBlocks(gpu, code, shape)};
  sample.frontBytes = std::max(FrontBytes / std::max<uint64_t>(sample.blocks.front, 1), Least);
  sample.ownBytes = OwnBytes / (1 + sample.blocks.own.size());
  return sample;
}

Timing::Shape Timing::shapeOf(const model::KernelCode &code, const model::LaunchShape &shape) {
  return {&code,
          {shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
           shape.block[2], shape.dynamicShared}};
}

const model::MachineCode &Timing::machineOf(const model::KernelCode &code, size_t gpu) {
  auto [at, isNew] = machines_.try_emplace({&code, gpu});
  if (isNew)
    at->second = model::makeMachineCode(code, *gpus_[gpu]);
  return at->second;
}

/// What the launch is and what it is given, behind what the one before it was.
uint64_t Timing::situationOf(const LaunchStart &launch) {
  const Shape shape = shapeOf(launch.code, launch.shape);
  const std::string_view params(reinterpret_cast<const char *>(launch.params.data()),
                                launch.params.size());
  uint64_t own = std::hash<std::string_view>()(params) ^ std::hash<const void *>()(shape.code);
  for (uint32_t number : shape.numbers)
    own = (own ^ number) * 0x9e3779b97f4a7c15;
  const uint64_t before = std::exchange(begun_, own);
  return own ^ (before >> 7 | before << 57);
}

Treatments Timing::ofLaunch(const LaunchStart &launch) {
  const model::KernelCode &code = launch.code;
  const model::LaunchShape &shape = launch.shape;
  std::lock_guard guard(mutex_);
  const uint64_t situation = situationOf(launch);
  Known &known = known_[shapeOf(code, shape)];
  if (known.samples.empty())
    for (size_t i = 0; i < gpus_.size(); ++i)
      known.samples.push_back(sampleOf(*gpus_[i], machineOf(code, i), shape));
  const bool isTraced =
      known.traced.size() < TracedLaunches && known.traced.insert(situation).second;
  Treatments treatments;
  treatments.situation = situation;
  treatments.ofBlock = [isTraced, countsAll = countsAll_, blocks = shape.blocks(),
                        samples = known.samples](uint64_t block) {
    const bool isCounted = isCountedLater(block, blocks);
    uint64_t bytes = isTraced && isCounted; // of which not a step is kept, but their number
    if (isTraced)
      for (const Sample &sample : samples)
        bytes = std::max(bytes, sample.bytesOf(block));
    return Treatment{isCounted || countsAll || bytes > 0, bytes};
  };
  return treatments;
}

std::unique_ptr<model::LaunchClock> Timing::clockOf(const LaunchStart &launch,
                                                    const model::Gpu *gpu) {
  auto at = std::ranges::find(gpus_, gpu);
  if (at == gpus_.end() || !model::readsClock(launch.code))
    return nullptr;
  std::lock_guard guard(mutex_);
  model::DeviceClock &clock = clocks_.try_emplace(launch.device, *gpu).first->second;
  return std::make_unique<model::LaunchClock>(
      *gpu, machineOf(launch.code, size_t(at - gpus_.begin())), launch.shape, clock);
}

TimedLaunch Timing::timeOf(const LaunchCounts &counts, size_t gpu, Known &known,
                           Situation &situation) {
  const model::MachineCode &machine = machineOf(*counts.code, gpu);
  const model::SampledBlocks &blocks = known.samples[gpu].blocks;
  TimedLaunch timed;
  timed.id = counts.id, timed.gpu = gpus_[gpu];
  timed.kernel = counts.kernel, timed.shape = counts.shape, timed.code = counts.code;
  timed.registers = machine.registers, timed.unknown = counts.uncounted;
  if (blocks.own.empty())
    timed.unknown = "a block does not fit on a multiprocessor";
  if (counts.isCancelled)
    timed.unknown = "the launch failed";
  if (!timed.unknown.empty())
    return timed;
  BlockTraces traces; // as they would be for this GPU alone
  for (const model::BlockTrace &trace : counts.traces)
    if (const uint64_t bytes = known.samples[gpu].bytesOf(trace.block))
      traces.push_back(cut(trace, bytes));
  auto find = [&](uint64_t block) {
    auto at = std::ranges::lower_bound(traces, block, {}, &model::BlockTrace::block);
    bool isThere = at != traces.end() && at->block == block;
    return isThere ? *at : model::BlockTrace{block, {}, false};
  };
  model::MemoryState state;
  const Touched before = gpu < last_.size() ? last_[gpu] : Touched();
  state.again = flushes_ ? 0 : shareWithin(before.ranges, traces, *counts.code);
  state.isFlushed = flushes_;
  state.bytesBefore = before.bytes;
  model::Effort effort;
  effort.traced = &blocks;
  effort.frontKept =
      1 / lengthened(traces, *counts.code, [&](uint64_t block) { return block < blocks.front; });
  timed.time = model::simulate(*gpus_[gpu], machine, counts.shape, find, state, effort);
  if (mends_ && !known.mendings.contains(gpu))
    known.mendings[gpu] =
        model::mendLines(*gpus_[gpu], machine, counts.shape, find, timed.time, state, effort);
  if (mends_)
    timed.mendings = known.mendings[gpu];
  const double factor = lengthened(traces, *counts.code, [&](uint64_t block) {
    return std::ranges::binary_search(blocks.own, block);
  });
  model::LaunchTime &t = timed.time;
  // What is missing goes on as the second half did, which finds warm caches.
  const double longer = t.firstHalf + (1 - t.firstHalf) * (2 * factor - 1);
  t.seconds *= longer, t.cycles *= longer;
  for (double *sum : {&t.instructions, &t.l1Sectors, &t.l1Hits, &t.textureSectors, &t.textureHits,
                      &t.l2Sectors, &t.l2Hits, &t.l2Reads, &t.l2Writes, &t.l2ReadHits, &t.l2Fetched,
                      &t.dramRead, &t.dramWritten})
    *sum *= factor;
  situation.touched[gpu] = {touchedBy(traces, *counts.code), t.footprint};
  return timed;
}

std::vector<TimedLaunch> Timing::timesOf(const LaunchCounts &counts) {
  std::lock_guard guard(mutex_);
  Known &known = known_[shapeOf(*counts.code, counts.shape)];
  if (known.samples.empty()) { // it was not counted
    TimedLaunch none;
    none.id = counts.id, none.kernel = counts.kernel, none.shape = counts.shape;
    none.code = counts.code, none.unknown = counts.uncounted;
    std::vector<TimedLaunch> times(gpus_.size(), none);
    for (size_t i = 0; i < gpus_.size(); ++i)
      times[i].gpu = gpus_[i];
    return times;
  }
  const double operations = operationsOfBlock(counts);
  if (counts.traces.empty() && !known.situations.empty()) {
    auto like = known.situations.find(counts.situation);
    const Situation &similar =
        like == known.situations.end() ? known.situations.at(known.latest) : like->second;
    std::vector<TimedLaunch> times = similar.times;
    const double factor = similar.operations > 0 ? operations / similar.operations : 1;
    for (TimedLaunch &timed : times)
      timed.id = counts.id, timed.time.seconds *= factor, timed.time.cycles *= factor;
    last_ = similar.touched;
    return times;
  }
  Situation found;
  found.touched.resize(gpus_.size());
  for (size_t i = 0; i < gpus_.size(); ++i)
    found.times.push_back(timeOf(counts, i, known, found));
  found.operations = operations;
  last_ = found.touched;
  known.latest = counts.situation;
  return (known.situations[counts.situation] = std::move(found)).times;
}

} // namespace heddle::profile
