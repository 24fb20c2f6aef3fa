// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the device asks about launches of counted code. Each worker has tallies of its own in a launch;
// they are summed when it is over. Blocks that are to be left out and run counted code all the same
// (of kernels that wait for other blocks) are counted where nobody looks.
#include "base/machine/clock.h"
#include "device/counts.h"
#include "device/service_guard.h"
#include "model/code_bytes.h"
#include "profile/count/block_recorder.h"
#include "profile/count/counting.h"
#include "profile/count/tallies.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace heddle::profile {

namespace {

using model::Space;

/// A launch that runs.
struct RunningLaunch {
  LaunchCounts counts;
  std::mutex mutex;
  std::map<unsigned, std::unique_ptr<WorkerCounts>> workers, leftOut;
  Treatments treatments;
};

struct Collector {
  Sampling sampling;
  std::function<void(LaunchCounts &&)> take;
  std::mutex delivery, mutex;
  std::map<const CountedCode *, std::shared_ptr<const model::KernelCode>> codes;
  std::vector<LaunchCounts> finished;
};

Collector &collector() {
  static auto &all = *new Collector; // workers run until the process ends
  return all;
}

/// Block::trace of a block that is left out.
char leftOut;

RunningLaunch &launchOf(const Block *block) {
  return *static_cast<RunningLaunch *>(block->launch->count->state);
}

/// Where an address lies. Those of shared memory become offsets.
Space resolve(const Block *block, Space space, uint64_t &address) {
  if (space != Space::Generic && space != Space::Shared)
    return space;
  uint64_t offset;
  switch (device::kindOf(block, address, offset)) {
  case device::AddressKind::Shared:
    address = offset;
    return Space::Shared;
  case device::AddressKind::Local:
    return Space::Local;
  case device::AddressKind::Parameter:
    return Space::Parameter;
  case device::AddressKind::Global:
    return Space::Global;
  }
  return Space::Global;
}

/// As a trace has it.
uint64_t tracedAddress(const BlockRecorder &recorder, const model::CodeAccess &access, Space space,
                       uint32_t warp, uint64_t address) {
  if (space == Space::Local)
    return recorder.localAddress(warp, address);
  return access.space == Space::Generic && space == Space::Shared ? address | model::SharedWindow
                                                                  : address;
}

void record(const Block *block, const model::CodeAccess &access, const Space *spaces, uint32_t warp,
            uint32_t lanes, uint32_t number, uint64_t *addresses, bool isRun, int64_t stride) {
  auto &recorder = *static_cast<BlockRecorder *>(block->trace);
  for (unsigned lane = 0; lane < Lanes; ++lane)
    if (lanes >> lane & 1)
      addresses[lane] =
          tracedAddress(recorder, access, spaces[isRun ? 0 : lane], warp, addresses[lane]);
  recorder.access(warp, lanes, number, addresses, isRun, stride);
}

/// Whether nobody asks about an access: no transactions are wanted, and the block is not traced, or its
/// trace is full.
bool isIgnored(const Block *block, const WorkerCounts &counts) {
  return !counts.rules &&
         (!block->isTraced || static_cast<const BlockRecorder *>(block->trace)->isFull());
}

/// Where all lanes are if it is one space, and their addresses in it; Generic: several, or unknown.
Space resolveAll(const Block *block, Space space, uint32_t lanes, const uint64_t *addresses,
                 uint64_t *resolved) {
  if (space != Space::Generic && space != Space::Shared) {
    std::copy_n(addresses, Lanes, resolved);
    return space;
  }
  const auto base = reinterpret_cast<uint64_t>(block->shared);
  const uint64_t bytes = block->launch->sharedBytes;
  uint32_t inShared = 0;
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    resolved[lane] = addresses[lane] - base;
    inShared |= uint32_t(resolved[lane] < bytes) << lane;
  }
  return (inShared & lanes) == lanes ? Space::Shared : Space::Generic;
}

void accessEach(Block *block, uint32_t warp, uint32_t lanes, uint32_t number,
                const uint64_t *addresses) {
  auto &counts = *static_cast<WorkerCounts *>(block->counter);
  if (!lanes || isIgnored(block, counts))
    return;
  const model::CodeAccess &access = counts.code->accesses[number];
  AccessTally &tally = counts.accesses[number];
  uint64_t resolved[Lanes];
  std::array<Space, Lanes> spaces;
  if (Space all = resolveAll(block, access.space, lanes, addresses, resolved);
      all != Space::Generic) {
    if (all == Space::Local)
      placeLocal(access.bytes, resolved);
    tally.addEach(access, all, lanes, resolved, counts.rules);
    if (!block->isTraced)
      return;
    spaces.fill(all);
    return record(block, access, spaces.data(), warp, lanes, number, resolved, /*isRun=*/false, 0);
  }
  std::copy_n(addresses, Lanes, resolved);
  spaces.fill(access.space);
  std::array<uint32_t, 8> in = {}; ///< lanes, by Space
  for (unsigned lane = 0; lane < Lanes; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    spaces[lane] = resolve(block, access.space, resolved[lane]);
    in[size_t(spaces[lane])] |= 1u << lane;
  }
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i])
      continue;
    auto space = static_cast<Space>(i);
    if (space == Space::Local)
      placeLocal(access.bytes, resolved);
    tally.addEach(access, space, in[i], resolved, counts.rules);
  }
  if (block->isTraced)
    record(block, access, spaces.data(), warp, lanes, number, resolved, /*isRun=*/false, 0);
}

void accessRun(Block *block, uint32_t warp, uint32_t lanes, uint32_t number, uint64_t first,
               uint64_t second, int64_t stride) {
  auto &counts = *static_cast<WorkerCounts *>(block->counter);
  if (!lanes || isIgnored(block, counts))
    return;
  const model::CodeAccess &access = counts.code->accesses[number];
  LaneRun run = runOf(lanes, first, second, stride);
  const bool isLine = run.distance == HalfLanes * stride;
  uint64_t addresses[Lanes];
  if (!isLine && access.space == Space::Generic) { // the halves may lie in different spaces
    spreadRun(run, addresses);
    return accessEach(block, warp, lanes, number, addresses);
  }
  Space space = resolve(block, access.space, run.begin);
  counts.accesses[number].addRun(access, space, run, counts.rules);
  if (!block->isTraced)
    return;
  spreadRun(run, addresses);
  const bool isRun = isLine && space != Space::Local;
  if (space == Space::Local)
    placeLocal(access.bytes, addresses);
  std::array<Space, Lanes> spaces;
  spaces.fill(space);
  record(block, access, spaces.data(), warp, lanes, number, addresses, isRun, stride);
}

void came(Block *block, uint32_t warp, uint32_t lanes, uint32_t number) {
  if (lanes)
    static_cast<BlockRecorder *>(block->trace)->came(warp, lanes, number);
}

uint64_t readClock(Block *block, uint32_t warp, uint32_t isTimer) {
  const Services &services = *block->launch->services;
  // It also tells those who look for a kernel that hangs.
  const uint64_t ofProcessor = isTimer ? services.globalTimer() : services.clock();
  auto *clock = block->isTraced ? static_cast<BlockRecorder *>(block->trace)->clock() : nullptr;
  if (!clock)
    return ofProcessor;
  return isTimer ? clock->nanoseconds(warp) : clock->cycles(warp);
}

std::shared_ptr<const model::KernelCode> codeOf(const CountedCode &counted) {
  Collector &all = collector();
  std::lock_guard guard(all.mutex);
  auto &known = all.codes[&counted];
  if (!known) {
    auto code = model::codeOf({counted.bytes, counted.size});
    known = std::make_shared<model::KernelCode>(code ? std::move(*code) : model::KernelCode());
  }
  return known;
}

RunningLaunch *newLaunch(const Launch &launch, const device::KernelInfo &kernel) {
  auto *running = new RunningLaunch;
  LaunchCounts &counts = running->counts;
  counts.id = launch.launchId;
  counts.kernel = kernel.name;
  counts.code = codeOf(*kernel.code->counted);
  counts.began = nowNanoseconds();
  device::placeOfLaunch(&launch, counts.queue, counts.device);
  for (unsigned i = 0; i < 3; ++i) {
    counts.shape.grid[i] = launch.gridDim[i];
    counts.shape.block[i] = launch.blockDim[i];
    counts.shape.cluster[i] = launch.clusterDim[i];
  }
  counts.shape.dynamicShared = launch.dynamicSharedBytes;
  counts.counts.launchedBlocks = counts.shape.blocks();
  if (const Sampling &sampling = collector().sampling; sampling.ofLaunch)
    running->treatments = sampling.ofLaunch(
        {*counts.code, counts.shape, counts.device, {launch.params, counts.code->paramBytes}});
  counts.situation = running->treatments.situation;
  if (kernel.code->width != Lanes && counts.shape.threads() > 1)
    counts.uncounted = "its threads run one by one, and not in warps";
  if (!counts.uncounted.empty())
    running->treatments.clock = nullptr;
  return running;
}

WorkerCounts &countsOf(RunningLaunch &launch, unsigned worker, bool isLeftOut) {
  std::lock_guard guard(launch.mutex);
  auto &counts = (isLeftOut ? launch.leftOut : launch.workers)[worker];
  if (!counts)
    counts = std::make_unique<WorkerCounts>(*launch.counts.code, collector().sampling.rules);
  return *counts;
}

void take(Block *block, WorkerCounts &counts) {
  block->counter = &counts;
  block->tallies = counts.blocks.data();
}

/// A program may launch for hours.
void deliverMany() {
  constexpr size_t Many = 256;
  Collector &all = collector();
  bool areMany;
  {
    std::lock_guard guard(all.mutex);
    areMany = all.finished.size() >= Many;
  }
  if (areMany)
    deliverCounts();
}

void bind(Block *block, CountedLaunch &counted, const device::KernelInfo &kernel, unsigned worker) {
  if (!counted.state)
    deliverMany();
  {
    static std::mutex mutex;
    std::lock_guard guard(mutex);
    if (!counted.state)
      counted.state = newLaunch(*block->launch, kernel);
  }
  take(block, countsOf(launchOf(block), worker, block->trace == &leftOut));
}

Treatment treatmentOf(const RunningLaunch &launch, uint64_t number) {
  if (!launch.treatments.ofBlock)
    return {};
  Treatment treatment = launch.treatments.ofBlock(number);
  treatment.isCounted |= launch.treatments.clock != nullptr;
  return treatment;
}

bool isCounted(const Launch *launch, uint64_t number) {
  const auto *running = static_cast<const RunningLaunch *>(launch->count->state);
  return treatmentOf(*running, number).isCounted;
}

void blockBegins(Block *block, uint64_t number, unsigned worker) {
  RunningLaunch &launch = launchOf(block);
  const Treatment treatment = treatmentOf(launch, number);
  const bool isLeftOut = !treatment.isCounted;
  block->trace = isLeftOut ? &leftOut : nullptr;
  if (launch.treatments.ofBlock)
    take(block, countsOf(launch, worker, isLeftOut));
  if (!isLeftOut)
    ++static_cast<WorkerCounts *>(block->counter)->blocksOfGrid;
  model::LaunchClock *clock = launch.treatments.clock.get();
  block->isTraced = treatment.traceBytes || clock;
  if (block->isTraced)
    block->trace = new BlockRecorder(*launch.counts.code, number, launch.counts.shape.warps(),
                                     treatment.traceBytes, clock);
}

void blockEnds(Block *block) {
  if (!block->isTraced)
    return;
  RunningLaunch &launch = launchOf(block);
  std::unique_ptr<BlockRecorder> recorder(static_cast<BlockRecorder *>(block->trace));
  block->isTraced = 0;
  block->trace = nullptr;
  if (!recorder->keepsTrace())
    return;
  std::lock_guard guard(launch.mutex);
  launch.counts.traces.push_back(recorder->take());
}

void launchOver(CountedLaunch &counted, bool isCancelled) {
  std::unique_ptr<RunningLaunch> running(static_cast<RunningLaunch *>(counted.state));
  counted.state = nullptr;
  LaunchCounts &counts = running->counts;
  counts.isCancelled = isCancelled;
  counts.ended = nowNanoseconds();
  counts.counts.blocks.resize(counts.code->blocks.size());
  counts.accesses.resize(counts.code->accesses.size());
  for (auto &[worker, its] : running->workers)
    its->addTo(counts);
  std::ranges::sort(counts.traces, {}, &model::BlockTrace::block);
  Collector &all = collector();
  std::lock_guard guard(all.mutex);
  all.finished.push_back(std::move(counts));
}

using device::guarded;
const device::Counter services = {
    {guarded<came>, guarded<accessRun>, guarded<accessEach>, guarded<readClock>},
    bind,
    isCounted,
    guarded<blockBegins>,
    guarded<blockEnds>,
    launchOver};

void write(LaunchCounts &&launch, const std::string &path) {
  FILE *file = path.empty() ? stderr : std::fopen(path.c_str(), "a");
  if (!file)
    return;
  std::fputs(describe(launch).c_str(), file);
  if (!path.empty())
    std::fclose(file);
}

/// When objects of the program are gone that launch kernels.
__attribute__((destructor)) void finish() {
  if (counts())
    deliverCounts();
}

} // namespace

void startCounting() {
  const char *text = std::getenv("HEDDLE_COUNT");
  if (!text || !*text)
    return;
  std::string path = std::string(text) == "1" ? "" : text;
  Sampling sampling;
  unsigned long long counted, traced = 0;
  if (const char *blocks = std::getenv("HEDDLE_COUNT_BLOCKS");
      blocks && std::sscanf(blocks, "%llu,%llu", &counted, &traced) >= 1)
    sampling = everyNth(counted, traced);
  startCounting(std::move(sampling),
                [=](LaunchCounts &&launch) { write(std::move(launch), path); });
}

void startCounting(Sampling sampling, std::function<void(LaunchCounts &&)> take) {
  Collector &all = collector();
  all.sampling = std::move(sampling);
  all.take = std::move(take);
  device::setCounter(&services);
  isCounting = true;
}

void deliverCounts() {
  Collector &all = collector();
  std::lock_guard one(all.delivery);
  std::vector<LaunchCounts> finished;
  {
    std::lock_guard guard(all.mutex);
    finished.swap(all.finished);
  }
  std::ranges::sort(finished, {}, &LaunchCounts::id);
  for (LaunchCounts &launch : finished)
    all.take(std::move(launch));
}

bool isCounting = false;

bool countsLaunch(const std::string &kernel) {
  const Sampling &sampling = collector().sampling;
  return !sampling.countsLaunch || sampling.countsLaunch(kernel);
}

void noteUncounted(const std::string &kernel, const std::string &reason) {
  LaunchCounts counts;
  counts.kernel = kernel;
  counts.uncounted = reason;
  counts.code = std::make_shared<model::KernelCode>();
  counts.began = counts.ended = nowNanoseconds();
  Collector &all = collector();
  std::lock_guard guard(all.mutex);
  all.finished.push_back(std::move(counts));
}

bool leavesOutBlocks() { return bool(collector().sampling.ofLaunch); }

} // namespace heddle::profile
