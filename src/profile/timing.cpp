// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/timing.h"

#include <algorithm>

namespace heddle::profile {

namespace {

/// Launches of one kernel and shape that are traced.
constexpr uint64_t TracedLaunches = 2;
/// Of all traces of a launch: of the blocks of one multiprocessor, and of the grid's front.
constexpr uint64_t OwnBytes = 96 << 20, FrontBytes = 48 << 20;

double instructionsOfBlock(const LaunchCounts &counts) {
  uint64_t blocks = counts.counts.countedBlocks;
  return blocks ? double(counts.warpInstructions()) / double(blocks) : 0;
}

/// Of what was counted, over what was kept of the blocks' traces.
double lengthened(const LaunchCounts &counts, const std::vector<uint64_t> &own) {
  uint64_t kept = 0, blocks = 0;
  bool areWhole = true;
  for (const model::BlockTrace &trace : counts.traces) {
    if (!std::binary_search(own.begin(), own.end(), trace.block))
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

} // namespace

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

Treatments Timing::ofLaunch(const model::KernelCode &code, const model::LaunchShape &shape) {
  std::lock_guard guard(mutex_);
  Known &known = known_[shapeOf(code, shape)];
  if (known.launches++ == 0)
    for (size_t i = 0; i < gpus_.size(); ++i)
      known.blocks.push_back(model::sampleBlocks(*gpus_[i], machineOf(code, i), shape));
  uint64_t front = 0, own = 1;
  for (const model::SampledBlocks &blocks : known.blocks) {
    front = std::max(front, blocks.front);
    own += blocks.own.size();
  }
  bool isTraced = known.launches <= TracedLaunches;
  Treatment other = countsAll_ ? Treatment::Counts : Treatment::None;
  Treatments treatments;
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

std::unique_ptr<model::LaunchClock> Timing::clockOf(const model::KernelCode &code,
                                                    const model::LaunchShape &shape,
                                                    const model::Gpu *gpu, const void *device) {
  auto at = std::ranges::find(gpus_, gpu);
  if (at == gpus_.end() || !model::readsClock(code))
    return nullptr;
  std::lock_guard guard(mutex_);
  model::DeviceClock &clock = clocks_.try_emplace(device, *gpu).first->second;
  return std::make_unique<model::LaunchClock>(*gpu, machineOf(code, size_t(at - gpus_.begin())),
                                              shape, clock);
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
  state.isRepeated = last_ == counts.code.get();
  model::Effort effort;
  effort.traced = &blocks;
  timed.time = model::simulate(*gpus_[gpu], machine, counts.shape, find, state, effort);
  if (mends_ && !known.mendings.contains(gpu))
    known.mendings[gpu] =
        model::mendLines(*gpus_[gpu], machine, counts.shape, find, timed.time, state, effort);
  if (mends_)
    timed.mendings = known.mendings[gpu];
  double factor = lengthened(counts, blocks.own);
  timed.time.seconds *= factor, timed.time.cycles *= factor;
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
  if (counts.traces.empty() && !known.times.empty()) {
    std::vector<TimedLaunch> times = known.times;
    double factor = known.instructions > 0 ? instructions / known.instructions : 1;
    for (TimedLaunch &timed : times)
      timed.id = counts.id, timed.time.seconds *= factor, timed.time.cycles *= factor;
    last_ = counts.code.get();
    return times;
  }
  known.times.clear();
  for (size_t i = 0; i < gpus_.size(); ++i)
    known.times.push_back(timeOf(counts, i, known));
  known.instructions = instructions;
  last_ = counts.code.get();
  return known.times;
}

} // namespace heddle::profile
