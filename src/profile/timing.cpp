// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/timing.h"

#include <algorithm>
#include <map>

namespace heddle::profile {

namespace {

/// Situations of one kernel and shape that are traced.
constexpr size_t TracedLaunches = 6;
/// Of all traces of a launch: of the blocks of one multiprocessor, and of the grid's front.
constexpr uint64_t OwnBytes = 96 << 20, FrontBytes = 48 << 20;

double instructionsOfBlock(const LaunchCounts &counts) {
  uint64_t blocks = counts.counts.countedBlocks;
  return blocks ? double(counts.warpInstructions()) / double(blocks) : 0;
}

/// Of what was counted, over what was kept of the traces of blocks that `has` names.
template <typename F> double lengthened(const LaunchCounts &counts, F &&has) {
  uint64_t kept = 0, blocks = 0;
  bool areWhole = true;
  for (const model::BlockTrace &trace : counts.traces) {
    if (!has(trace.block))
      continue;
    areWhole &= trace.isWhole;
    ++blocks;
    for (const model::WarpTrace &warp : trace.warps)
      for (const model::WarpEvent &event : warp.events)
        if (event.kind == model::EventKind::Block)
          kept += counts.code->blocks[event.number].count;
  }
  if (areWhole || !kept)
    return 1;
  return std::max(1.0, instructionsOfBlock(counts) * double(blocks) / double(kept));
}

/// Calls `take` with each access's first address of global memory, by warps of the blocks that are traced.
template <typename F> void forEachAddress(const LaunchCounts &counts, F &&take) {
  for (const model::BlockTrace &block : counts.traces)
    for (const model::WarpTrace &warp : block.warps)
      for (const model::WarpEvent &event : warp.events) {
        if (event.kind != model::EventKind::Access || !event.lanes)
          continue;
        const model::Space space = counts.code->accesses[event.number].space;
        const uint64_t address = warp.addresses[event.firstAddress];
        if (space == model::Space::Global ||
            (space == model::Space::Generic &&
             model::spaceOfAddress(address) == model::Space::Global))
          take(event.number, address);
      }
}

/// Of each access that is met, the lowest and the highest address.
std::vector<std::pair<uint64_t, uint64_t>> touchedBy(const LaunchCounts &counts) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> ranges;
  forEachAddress(counts, [&](uint32_t access, uint64_t address) {
    auto &range = ranges.try_emplace(access, address, address).first->second;
    range = {std::min(range.first, address), std::max(range.second, address)};
  });
  std::vector<std::pair<uint64_t, uint64_t>> found;
  for (const auto &[access, range] : ranges)
    found.push_back(range);
  return found;
}

} // namespace

double Timing::shareTouchedBefore(const LaunchCounts &counts) const {
  double all = 0, again = 0;
  forEachAddress(counts, [&](uint32_t, uint64_t address) {
    all += 1;
    again += std::ranges::any_of(last_.ranges, [&](const auto &range) {
      return range.first <= address && address <= range.second;
    });
  });
  return all > 0 ? again / all : 0;
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
  if (known.blocks.empty())
    for (size_t i = 0; i < gpus_.size(); ++i)
      known.blocks.push_back(model::sampleBlocks(*gpus_[i], machineOf(code, i), shape));
  uint64_t front = 0, own = 1;
  for (const model::SampledBlocks &blocks : known.blocks) {
    front = std::max(front, blocks.front);
    own += blocks.own.size();
  }
  const bool isTraced =
      known.traced.size() < TracedLaunches && known.traced.insert(situation).second;
  Treatment other = countsAll_ ? Treatment::Counts : Treatment::None;
  Treatments treatments;
  treatments.situation = situation;
  treatments.beginBytes = std::max<uint64_t>(FrontBytes / std::max<uint64_t>(front, 1), 4096);
  treatments.traceBytes = OwnBytes / own;
  treatments.ofBlock = [front, isTraced, other, all = known.blocks](uint64_t block) {
    for (const model::SampledBlocks &blocks : all)
      if (std::binary_search(blocks.own.begin(), blocks.own.end(), block))
        return isTraced ? Treatment::Trace : Treatment::Counts;
    if (block < front && isTraced)
      return Treatment::TraceBegin;
    return other;
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

TimedLaunch Timing::timeOf(const LaunchCounts &counts, size_t gpu, Known &known) {
  const model::MachineCode &machine = machineOf(*counts.code, gpu);
  const model::SampledBlocks &blocks = known.blocks[gpu];
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
  auto find = [&](uint64_t block) {
    auto at = std::ranges::lower_bound(counts.traces, block, {}, &model::BlockTrace::block);
    bool isThere = at != counts.traces.end() && at->block == block;
    return isThere ? *at : model::BlockTrace{block, {}, false};
  };
  model::MemoryState state;
  state.again = flushes_ ? 0 : shareTouchedBefore(counts);
  state.isFlushed = flushes_;
  state.bytesBefore = gpu < last_.bytes.size() ? last_.bytes[gpu] : 0;
  model::Effort effort;
  effort.traced = &blocks;
  effort.frontKept = 1 / lengthened(counts, [&](uint64_t block) { return block < blocks.front; });
  timed.time = model::simulate(*gpus_[gpu], machine, counts.shape, find, state, effort);
  if (mends_ && !known.mendings.contains(gpu))
    known.mendings[gpu] =
        model::mendLines(*gpus_[gpu], machine, counts.shape, find, timed.time, state, effort);
  if (mends_)
    timed.mendings = known.mendings[gpu];
  double factor = lengthened(counts, [&](uint64_t block) {
    return std::binary_search(blocks.own.begin(), blocks.own.end(), block);
  });
  model::LaunchTime &t = timed.time;
  // What is missing goes on as the second half did, which finds warm caches.
  const double longer = t.firstHalf + (1 - t.firstHalf) * (2 * factor - 1);
  t.seconds *= longer, t.cycles *= longer;
  for (double *sum : {&t.instructions, &t.l1Sectors, &t.l1Hits, &t.textureSectors, &t.textureHits,
                      &t.l2Sectors, &t.l2Hits, &t.l2Reads, &t.l2Writes, &t.l2ReadHits, &t.l2Fetched,
                      &t.dramRead, &t.dramWritten})
    *sum *= factor;
  return timed;
}

std::vector<TimedLaunch> Timing::timesOf(const LaunchCounts &counts) {
  std::lock_guard guard(mutex_);
  Known &known = known_[shapeOf(*counts.code, counts.shape)];
  if (known.blocks.empty()) { // it was not counted
    TimedLaunch none;
    none.id = counts.id, none.kernel = counts.kernel, none.shape = counts.shape;
    none.code = counts.code, none.unknown = counts.uncounted;
    std::vector<TimedLaunch> times(gpus_.size(), none);
    for (size_t i = 0; i < gpus_.size(); ++i)
      times[i].gpu = gpus_[i];
    return times;
  }
  double instructions = instructionsOfBlock(counts);
  if (counts.traces.empty() && !known.situations.empty()) {
    auto like = known.situations.find(counts.situation);
    const Situation &similar =
        like == known.situations.end() ? known.situations.at(known.latest) : like->second;
    std::vector<TimedLaunch> times = similar.times;
    const double factor = similar.instructions > 0 ? instructions / similar.instructions : 1;
    for (TimedLaunch &timed : times)
      timed.id = counts.id, timed.time.seconds *= factor, timed.time.cycles *= factor;
    last_ = similar.touched;
    return times;
  }
  Situation found;
  for (size_t i = 0; i < gpus_.size(); ++i)
    found.times.push_back(timeOf(counts, i, known));
  found.instructions = instructions;
  found.touched.ranges = touchedBy(counts);
  for (const TimedLaunch &timed : found.times)
    found.touched.bytes.push_back(timed.time.footprint);
  last_ = found.touched;
  known.latest = counts.situation;
  return (known.situations[counts.situation] = std::move(found)).times;
}

} // namespace heddle::profile
