// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/timing.h"

#include "model/multiprocessor.h"
#include "model/warp_memory.h"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

/// What is left of the bandwidth of GDDR memory when an eighth of it are codes.
constexpr double EccShare = 0.86;

bool isGddr(Dram dram) { return dram < Dram::Hbm2; }

/// Bytes a second that this mix of reads and writes reaches.
double dramRate(const Gpu &gpu, double writeShare, const MemoryState &state) {
  const Parameters &p = gpu.parameters();
  const bool hasEcc = state.ecc >= 0 ? state.ecc : gpu.ecc;
  const double turn = 1 + p.dramTurn * 4 * writeShare * (1 - writeShare);
  return gpu.peakBandwidth() * p.dramRead * (hasEcc && isGddr(gpu.dram) ? EccShare : 1) / turn;
}

double l2Rate(const Gpu &gpu) {
  const Parameters &p = gpu.parameters();
  if (!gpu.l2Slices)
    return gpu.multiprocessors * p.linkBytes * p.l2Clock;
  return gpu.l2Slices * p.sliceBytes * p.sliceShare * p.l2Clock;
}

uint64_t instructionsOf(const MachineCode &code, const BlockTrace &block) {
  uint64_t total = 1;
  for (const WarpTrace &warp : block.warps)
    for (const WarpEvent &event : warp.events)
      if (event.kind == EventKind::Block)
        total += code.blocks[event.number].count;
  return total;
}

struct Plan {
  uint64_t multiprocessors = 1, resident = 1, perSm = 1, simulated = 1;
};

struct Length {
  double cycles, error;
};

/// From the blocks that were simulated to all of the multiprocessor's: those in the middle, while
/// others run beside them, tell how long each further one takes. Blocks that do the same end together, so that only
/// whole generations tell.
Length extrapolate(const SampledRun &run, const Plan &plan) {
  if (run.progress < 1)
    return {run.cycles / std::max(run.progress, 1e-9) * double(plan.perSm) / double(plan.simulated),
            0.05};
  if (plan.simulated == plan.perSm)
    return {run.cycles, 0};
  const size_t resident = plan.resident, begin = resident / 2;
  if (run.ends.size() < begin + 2 * resident)
    return {run.cycles * double(plan.perSm) / double(plan.simulated), 0.05};
  const size_t generations = (run.ends.size() - resident - begin) / resident;
  auto rateOf = [&](size_t count) {
    return (run.ends[begin + count * resident] - run.ends[begin]) / double(count * resident);
  };
  const double rate = rateOf(generations), early = rateOf((generations + 1) / 2);
  return {run.cycles + rate * double(plan.perSm - plan.simulated),
          rate > 0 ? std::abs(early - rate) / rate / 2 : 0};
}

/// Blocks end before what they have stored, or added without a result, is done. It piles up only so
/// far: all of it takes the time for which it keeps the busiest of the units.
double leastCycles(const SampledRun &run, const Plan &plan) {
  double busiest = 0;
  for (unsigned r = 0; r < unsigned(Resource::Latency); ++r)
    busiest = std::max(busiest, run.busy[r]);
  return busiest / std::max(run.progress, 1e-9) * double(plan.perSm) / double(plan.simulated);
}

Resource boundOf(const LaunchTime &time) {
  constexpr double Full = 0.6;
  Resource most = Resource::Issue;
  for (unsigned r = 0; r < unsigned(Resource::Latency); ++r)
    if (time.used[r] > time.used[unsigned(most)])
      most = static_cast<Resource>(r);
  return time.used[unsigned(most)] >= Full ? most : Resource::Latency;
}

/// Where blocks differ, the launch ends with the multiprocessor that has the longest warps: its blocks,
/// if all of the grid are traced and it has much more to do than the one in the middle.
std::vector<uint64_t> busiestBlocks(uint64_t blocks, const Plan &plan, const Traces &traces) {
  constexpr double MuchMore = 1.25;
  std::vector<double> events(plan.multiprocessors);
  for (uint64_t b = 0; b < blocks; ++b) {
    const BlockTrace block = traces(b);
    if (!block.isWhole)
      return {};
    size_t longest = 0;
    for (const WarpTrace &warp : block.warps)
      longest = std::max(longest, warp.events.size());
    events[b % plan.multiprocessors] += double(longest);
  }
  const auto most = std::ranges::max_element(events);
  std::vector<uint64_t> busiest;
  if (*most > MuchMore * events[plan.multiprocessors / 2])
    for (auto b = static_cast<uint64_t>(most - events.begin()); b < blocks;
         b += plan.multiprocessors)
      busiest.push_back(b);
  return busiest;
}

void fillLines(const SampledRun &run, LaunchTime &time) {
  double all = 0;
  for (double cycles : run.lines)
    all += cycles;
  for (uint32_t line = 0; line + 1 < run.lines.size(); ++line)
    if (run.lines[line] > 0)
      time.lines.push_back({line, run.lines[line] / all});
  std::ranges::sort(time.lines, [](const LineCost &a, const LineCost &b) {
    return a.share != b.share ? a.share > b.share : a.line < b.line;
  });
}

} // namespace

std::string_view nameOf(Wait wait) {
  static constexpr std::string_view names[WaitCount] = {
      "issue",  "arithmetic", "pipeline", "load and store units", "shared memory", "L1", "L2",
      "memory", "atomics",    "barrier",  "constant memory"};
  return names[static_cast<unsigned>(wait)];
}

std::string_view nameOf(Resource resource) {
  static constexpr std::string_view names[ResourceCount] = {
      "issue",   "arithmetic", "load and store units", "L2", "memory", "atomics",
      "latency", "launch"};
  return names[static_cast<unsigned>(resource)];
}

SharedRates sharedRates(const Gpu &gpu, double multiprocessors, double writeShare,
                        const MemoryState &state) {
  const double clock = gpu.sustainedKhz * 1e3;
  return {l2Rate(gpu) / multiprocessors, dramRate(gpu, writeShare, state) / clock / multiprocessors,
          multiprocessors};
}

LaunchTime simulate(const Gpu &gpu, const MachineCode &code, const LaunchShape &shape,
                    const Traces &traces, const MemoryState &state, const Effort &effort) {
  LaunchTime time;
  time.isKnown = hasParameters(gpu.major, gpu.minor);
  const Parameters &p = gpu.parameters();
  time.occupancy =
      occupancyOf(gpu.architecture(), {static_cast<int>(shape.threads()), code.registers,
                                       code.kernel->staticShared, shape.dynamicShared});
  const uint64_t blocks = shape.blocks();
  if (time.occupancy.blocks <= 0 || !blocks)
    return time;
  Plan plan;
  plan.multiprocessors = std::min<uint64_t>(blocks, static_cast<uint64_t>(gpu.multiprocessors));
  plan.perSm = (blocks + plan.multiprocessors - 1) / plan.multiprocessors;
  plan.resident = std::min<uint64_t>(plan.perSm, static_cast<uint64_t>(time.occupancy.blocks));
  const SampledBlocks *traced = effort.traced;
  const uint64_t perBlock =
      instructionsOf(code, traces(traced ? traced->own[traced->own.size() / 2] : blocks / 2));
  plan.simulated = std::min(plan.perSm, std::max(effort.instructions / perBlock, plan.resident));
  if (traced)
    plan.simulated = traced->own.size();
  const uint64_t shared = (code.kernel->staticShared + shape.dynamicShared) * plan.resident;
  const uint64_t l1Bytes = l1BytesOf(gpu, shared, state);

  const ChipTraffic traffic = trafficOf(
      gpu, code, shape, {plan.multiprocessors, plan.resident, l1Bytes}, traces, state, effort);
  const double clock = gpu.sustainedKhz * 1e3, sms = double(plan.multiprocessors);
  const SharedRates rates = sharedRates(gpu, sms, traffic.writeShare, state);
  auto runOf = [&](const std::vector<uint64_t> &own) {
    return runMultiprocessor(gpu, code, own, plan.resident, l1Bytes, traffic, rates, traces, state,
                             effort.instructions * 4);
  };
  SampledRun run = runOf(blocksOfOne(blocks, plan.multiprocessors, plan.simulated));

  Length length = extrapolate(run, plan);
  length.cycles = std::max(length.cycles, leastCycles(run, plan));
  if (traced && traced->front == blocks && plan.simulated == plan.perSm)
    if (const std::vector<uint64_t> own = busiestBlocks(blocks, plan, traces); !own.empty())
      if (SampledRun busiest = runOf(own);
          busiest.progress == 1 && busiest.cycles > length.cycles) {
        length.cycles = busiest.cycles;
        run.waits = busiest.waits, run.lines = std::move(busiest.lines);
      }
  for (unsigned r = 0; r < ResourceCount; ++r)
    time.used[r] = run.cycles > 0 ? run.busy[r] / run.cycles : 0;
  // The last blocks do not fill all multiprocessors: those have more of what all share.
  const double full = double(blocks) / sms, ceiled = double(plan.perSm);
  const double sharedUse = std::min(
      1.0, std::max(time.used[unsigned(Resource::Dram)], time.used[unsigned(Resource::L2)]));
  const double part = 1 - sharedUse * (1 - full / ceiled);
  time.cycles = length.cycles * part;
  time.error = length.error;
  time.seconds = time.cycles / clock + p.kernelUs * 1e-6;

  const double scale = double(blocks) / (double(plan.simulated) * std::max(run.progress, 1e-9));
  time.instructions = run.instructions * scale;
  time.l1Sectors = run.l1Sectors * scale, time.l1Hits = run.l1Hits * scale;
  time.textureSectors = run.textureSectors * scale, time.textureHits = run.textureHits * scale;
  time.l2Sectors = run.l2Sectors * scale, time.l2Hits = run.l2Hits * scale;
  time.l2Reads = run.l2Reads * scale, time.l2ReadHits = run.l2ReadHits * scale;
  time.l2Writes = run.l2Writes * scale, time.l2Fetched = run.l2Fetched * scale;
  time.dramRead = run.dramRead * scale, time.dramWritten = run.dramWritten * scale;
  time.footprint = traffic.footprint;
  time.firstHalf = run.firstHalf;
  time.partitionFactor = traffic.partitionFactor;
  double waits = 0;
  for (double w : run.waits)
    waits += w;
  for (unsigned w = 0; w < WaitCount; ++w)
    time.waits[w] = waits > 0 ? run.waits[w] / waits : 0;
  time.achievedOccupancy =
      run.cycles > 0 ? run.residentWarps / run.cycles / gpu.architecture().warpsPerSm : 0;
  // The launch of the kernel, and of its blocks, which begin one after the other.
  double &launch = time.used[unsigned(Resource::Launch)];
  const double alone = p.kernelUs * 1e-6 / time.seconds;
  launch = std::min(1.0, alone + (1 - alone) * launch);
  time.bound = time.used[unsigned(Resource::Launch)] > 0.5 ? Resource::Launch : boundOf(time);
  fillLines(run, time);
  return time;
}

} // namespace heddle::model
