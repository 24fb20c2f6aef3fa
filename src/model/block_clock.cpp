// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem: a kernel that reads a clock goes on with what it has read, so the time must be known while
// the kernel runs here, where warps run one after the other and others' steps are not known yet.
//
// Method: each warp has a clock of its own, which its instructions put forward as they would if it
// were alone on its multiprocessor: issue, dependences, pipelines, and memory by what L1 and L2 hold of
// what was accessed before. When it reads the clock, the time since it last did (or since a barrier)
// becomes what the fullest unit needs for all warps beside it, if that is more: they are taken to do
// the same. At a barrier warps wait for the last. A block begins when one before it ends, as many as fit
// run at a time. A launch begins when the last one that has read a clock has ended.
//
// So what one warp measures of itself is the model's time; what many measure of throughput is as near
// as they are alike. Warps that do less than the one that measures make it too long.
#include "model/block_clock.h"

#include "model/occupancy.h"

#include <algorithm>
#include <cmath>

namespace heddle::model {
namespace {

/// Sectors that DeviceClock remembers.
constexpr size_t MostSectors = 1 << 21;

int64_t ticks(double cycles) { return std::llround(cycles * TicksPerCycle); }

} // namespace

bool readsClock(const KernelCode &kernel) {
  return std::ranges::any_of(kernel.operations, [](const CodeOperation &operation) {
    return operation.operation == Operation::Clock;
  });
}

DeviceClock::DeviceClock(const Gpu &gpu)
    : now(ticks(gpu.sustainedKhz * 1e3)), // a second after the device's start
      l2(gpu.l2Bytes * gpu.parameters().l2Share) {}

LaunchClock::LaunchClock(const Gpu &gpu, const MachineCode &code, const LaunchShape &shape,
                         DeviceClock &device)
    : gpu_(gpu), code_(code), device_(device), memory_(gpu, *code.kernel, state_) {
  const Parameters &p = gpu.parameters();
  const Occupancy occupancy =
      occupancyOf(gpu.architecture(), {static_cast<int>(shape.threads()), code.registers,
                                       code.kernel->staticShared, shape.dynamicShared});
  const uint64_t blocks = std::max<uint64_t>(shape.blocks(), 1);
  const uint64_t used = std::min(blocks, static_cast<uint64_t>(gpu.multiprocessors));
  const uint64_t resident =
      std::min((blocks + used - 1) / used, static_cast<uint64_t>(std::max(occupancy.blocks, 1)));
  slots_ = used * resident;
  l1Bytes_ = l1BytesOf(gpu, (code.kernel->staticShared + shape.dynamicShared) * resident, state_) /
             resident;
  ofMultiprocessor_ = static_cast<int64_t>(resident * shape.warps());
  const auto schedulers = static_cast<int64_t>(p.schedulers);
  ofScheduler_ = (ofMultiprocessor_ + schedulers - 1) / schedulers;
  issue_ = ticks(p.issueCycles);
  core_ = ticks(32 * p.schedulers / p.fp32);
  const SharedRates rates = sharedRates(gpu, double(used), /*writeShare=*/0, state_);
  link_ = ticks(SectorBytes / (p.linkBytes * p.l2Clock));
  l2_ = ticks(SectorBytes / rates.l2);
  dram_ = ticks(SectorBytes / rates.dram);
  l1Latency_ = ticks(p.latencyL1), l2Latency_ = ticks(p.latencyL2);
  dramLatency_ = ticks(p.latencyDramNs * 1e-6 * gpu.sustainedKhz);
  std::lock_guard lock(device.mutex);
  begin_ = end_ = device.now;
  if (device.l2.size() > MostSectors)
    device.l2.clear();
}

LaunchClock::~LaunchClock() {
  std::lock_guard lock(device_.mutex);
  const double between = gpu_.parameters().kernelUs * 1e-3 * gpu_.sustainedKhz;
  device_.now = std::max(device_.now, end_ + ticks(between));
}

/// When the next block begins.
LaunchClock::Ticks LaunchClock::place() {
  Ticks from = begin_;
  if (begun_++ >= slots_ && !free_.empty()) {
    from = free_.top();
    free_.pop();
  }
  return from + ticks(gpu_.parameters().blockStart);
}

void LaunchClock::leave(Ticks end) {
  free_.push(end);
  end_ = std::max(end_, end);
}

BlockClock::BlockClock(LaunchClock &launch, uint32_t warps)
    : launch_(launch), l1_(launch.l1Bytes_, launch.gpu_.major == 2), warps_(warps) {
  const Ticks begin = launch.place();
  for (Warp &warp : warps_) {
    warp.last = warp.settled = begin;
    warp.ready.assign(launch.code_.registerCount, begin);
  }
}

BlockClock::~BlockClock() {
  Ticks end = 0;
  for (Warp &warp : warps_) {
    advance(warp);
    settle(warp);
    end = std::max(end, warp.last);
  }
  launch_.leave(end);
}

void BlockClock::add(uint32_t number, const WarpEvent &event, std::span<const uint64_t> addresses) {
  if (number >= warps_.size())
    return;
  Warp &warp = warps_[number];
  if (event.kind == EventKind::Block) {
    advance(warp);
    warp.trace.events.clear();
    warp.trace.addresses.clear();
    warp.used = 0;
    const CodeBlock &block = launch_.code_.blocks[event.number];
    warp.instruction = block.first, warp.end = block.first + block.count;
    return;
  }
  warp.trace.events.push_back(event);
  warp.trace.events.back().firstAddress = static_cast<uint32_t>(warp.trace.addresses.size());
  warp.trace.addresses.insert(warp.trace.addresses.end(), addresses.begin(), addresses.end());
}

BlockClock::Ticks BlockClock::now(uint32_t number) {
  if (number >= warps_.size())
    return launch_.begin_;
  settle(warps_[number]);
  return warps_[number].last;
}

uint64_t BlockClock::cycles(uint32_t warp) {
  return static_cast<uint64_t>(now(warp)) / TicksPerCycle;
}

uint64_t BlockClock::nanoseconds(uint32_t warp) {
  const double nanoseconds = double(now(warp)) / TicksPerCycle * 1e6 / launch_.gpu_.sustainedKhz;
  return static_cast<uint64_t>(std::llround(nanoseconds));
}

/// Through the instructions that it has come to.
void BlockClock::advance(Warp &warp) {
  while (runToBarrier(warp))
    meet(warp);
}

/// Whether it waits at a barrier.
bool BlockClock::runToBarrier(Warp &warp) {
  while (!warp.waits && warp.instruction < warp.end) {
    const MachineInstruction &in = launch_.code_.instructions[warp.instruction++];
    step(warp, in);
    if (in.operation != Operation::Barrier)
      continue;
    settle(warp);
    ++warp.barriers;
    warp.waits = true;
  }
  return warp.waits;
}

/// A warp goes on behind a barrier, so others have come to it, too: those that are before it here are
/// put there.
void BlockClock::meet(Warp &warp) {
  const uint64_t number = warp.barriers;
  Ticks from = warp.last;
  for (Warp &other : warps_)
    if (runToBarrier(other) && other.barriers == number)
      from = std::max(from, other.last);
  for (Warp &other : warps_)
    if (other.waits && other.barriers == number) {
      other.last = other.settled = from + ticks(launch_.gpu_.parameters().latencyBarrier);
      other.waits = false;
    }
}

/// Others take their part of the time since it was settled last.
void BlockClock::settle(Warp &warp) {
  const int64_t beside = launch_.ofScheduler_, all = launch_.ofMultiprocessor_;
  Ticks busiest = std::max(warp.issue.busy, warp.cores.busy) * beside;
  for (const Unit &pipe : warp.pipes)
    busiest = std::max(busiest, pipe.busy * beside);
  for (const Unit *unit : {&warp.loadStore, &warp.link, &warp.l2, &warp.dram})
    busiest = std::max(busiest, unit->busy * all);
  warp.last = std::max(warp.last, warp.settled + busiest);
  warp.settled = warp.last;
  for (Unit &pipe : warp.pipes)
    pipe.busy = 0;
  for (Unit *unit : {&warp.issue, &warp.cores, &warp.loadStore, &warp.link, &warp.l2, &warp.dram})
    unit->busy = 0;
}

BlockClock::Ticks BlockClock::Unit::take(Ticks from, Ticks length) {
  const Ticks start = std::max(from, free);
  free = start + length;
  busy += length;
  return start;
}

void BlockClock::step(Warp &warp, const MachineInstruction &in) {
  const Parameters &p = launch_.gpu_.parameters();
  Ticks from = warp.last;
  for (uint32_t source : in.sources)
    if (source != None)
      from = std::max(from, warp.ready[source]);
  const bool isMemory = in.pipe == Pipe::Memory || in.pipe == Pipe::Texture;
  if (in.ticks) {
    Unit &first = warp.pipes[static_cast<unsigned>(unitOf(in.pipe, launch_.gpu_))];
    Unit &other = warp.pipes[static_cast<unsigned>(otherUnitOf(in.pipe, launch_.gpu_))];
    from = (other.free < first.free ? other : first).take(from, in.ticks);
  }
  if (takesCore(in.pipe, launch_.gpu_))
    from = warp.cores.take(from, launch_.core_);
  const bool pairs = p.issueWidth > 1 && !warp.isPaired && from == warp.last &&
                     warp.issue.free == warp.last + launch_.issue_;
  const Ticks start = pairs ? from : warp.issue.take(from, launch_.issue_);
  warp.isPaired = pairs;
  warp.last = p.issueWidth > 1 ? start : start + launch_.issue_;
  const Ticks done = isMemory
                         ? access(warp, in, start)
                         : start + std::max<Ticks>(Ticks(in.latency) * TicksPerCycle, in.ticks);
  for (uint32_t result : in.results)
    if (result != None)
      warp.ready[result] = done;
}

const WarpEvent *BlockClock::eventOf(Warp &warp, uint32_t access) {
  const std::vector<WarpEvent> &events = warp.trace.events;
  for (size_t i = 0; i < events.size(); ++i) {
    if (events[i].number != access || (i < 64 && warp.used >> i & 1))
      continue;
    if (i < 64)
      warp.used |= uint64_t(1) << i;
    return &events[i];
  }
  return nullptr;
}

/// When the data are there.
BlockClock::Ticks BlockClock::access(Warp &warp, const MachineInstruction &in, Ticks start) {
  const Parameters &p = launch_.gpu_.parameters();
  const WarpEvent *event = in.access == None ? nullptr : eventOf(warp, in.access);
  if (!event)
    return warp.loadStore.take(start, TicksPerCycle) + ticks(p.latencyAlu);
  const WarpRequest request = launch_.memory_.request(*event, warp.trace);
  const Ticks length = ticks(request.cycles);
  switch (request.traffic) {
  case Traffic::None:
    return start + ticks(p.latencyAlu);
  case Traffic::Shared: {
    const Ticks atomic = ticks(p.sharedAtomicCycles * request.deepest);
    return warp.loadStore.take(start, length + atomic) + length + atomic + ticks(p.latencyShared);
  }
  case Traffic::Constant:
    return warp.loadStore.take(start, length) + length + ticks(p.latencyConstant);
  default:
    return global(warp, request, start);
  }
}

BlockClock::Ticks BlockClock::global(Warp &warp, const WarpRequest &request, Ticks start) {
  const Parameters &p = launch_.gpu_.parameters();
  const Ticks length = ticks(request.cycles);
  const Ticks now = warp.loadStore.take(start, length) + length;
  const bool isLoad = request.traffic == Traffic::Load;
  int64_t toL2 = 0, toMemory = 0;
  for (uint64_t sector : request.sectors) {
    if (request.usesL1 && l1_.read(sector))
      continue;
    ++toL2;
    const FillCache::Found found = launch_.device_.l2.use(sector, !isLoad);
    if (launch_.gpu_.l2Bytes == 0 || found == FillCache::Found::Aged ||
        found == FillCache::Found::Never)
      ++toMemory;
  }
  if (!toL2)
    return now + (request.isReadOnly && launch_.gpu_.major < 5 ? ticks(p.latencyTexture)
                                                               : launch_.l1Latency_);
  Ticks arrived = warp.link.take(now, toL2 * launch_.link_) + toL2 * launch_.link_;
  arrived = warp.l2.take(arrived, toL2 * launch_.l2_);
  if (request.traffic == Traffic::Atomic)
    arrived += ticks(p.atomicCycles / p.l2Clock * std::max<double>(request.steps, 1));
  Ticks done = arrived + launch_.l2Latency_;
  if (toMemory) {
    warp.dram.take(arrived, toMemory * launch_.dram_);
    done += isLoad ? launch_.dramLatency_ : 0;
  }
  return done;
}

} // namespace heddle::model
