// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps are events in time: the one that can issue first does so, on the scheduler that it belongs to.
// What an instruction takes (a scheduler, a pipeline, the load and store units, the way to L2, memory)
// is a server with a time from which it is free; who comes first is served first. Results have a time
// from which they can be read. Times are whole numbers, 1/1024 cycles.
#include "model/multiprocessor.h"

#include "model/cache.h"
#include "model/warp_memory.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>

namespace heddle::model {
namespace {

using Ticks = int64_t;

Ticks ticks(double cycles) { return static_cast<Ticks>(std::llround(cycles * TicksPerCycle)); }
double cyclesOf(Ticks time) { return double(time) / TicksPerCycle; }

/// Cycles of work that the load and store units take in before a warp cannot issue to them.
constexpr double LoadStoreQueue = 48;
/// For how long a multiprocessor's unused part is kept for it: as long as it waits for data and for
/// the next block.
constexpr double CreditLatencies = 2, BlockCredit = 1;
/// Cycles from one block of the grid to the next, on whatever multiprocessor: one unit hands them out, one each
/// cycle of its slower clock. [fit] what ncu tells of grids of small blocks on an H200, of 32 threads as of 256. Of
/// other boards it is the only measure that there is. It shows where a multiprocessor has less to do for a block than
/// the unit has for all of them: some 15 cycles of a K20, 100 of a V100, 170 of an H200.
constexpr double GridGap = 1.27;
/// How much longer memory takes when it is fully used, without what waits in line (Esmaili-Dokht et al., "A Mess
/// of Memory System Benchmarking, Simulation and Application Profiling").
constexpr double LoadedLatency = 1;

/// Serves one after the other.
struct Server {
  Ticks free = 0, busy = 0;
  /// From when on; then it is taken for `length`.
  Ticks take(Ticks from, Ticks length) {
    const Ticks start = std::max(from, free);
    free = start + length;
    busy += length;
    return start;
  }
};

/// A part of what all multiprocessors share. They are not in step: what one leaves to the others for a
/// while it gets back from them, as much as `credit`.
struct SharedServer {
  Ticks free = 0, busy = 0, credit = 0;
  /// When it is done.
  Ticks finish(Ticks from, Ticks length) {
    free = std::max(free, from - credit) + length;
    busy += length;
    return std::max(free, from);
  }
};

struct Block {
  BlockTrace trace;
  unsigned live = 0, arrived = 0;
  std::vector<uint32_t> waiting; ///< warps at the barrier
  Ticks lastArrival = 0, begin = 0;
};

struct Warp {
  const WarpTrace *trace = nullptr;
  uint32_t block = 0, scheduler = 0;
  size_t event = 0;       ///< behind the block's event
  size_t accessesEnd = 0; ///< of the events of the basic block
  size_t firstAccess = 0;
  uint32_t root = None;              ///< the basic block whose condition predicates others,
  size_t arm = 0;                    ///< and of these the next one
  uint32_t instruction = 0, end = 0; ///< of the machine code
  Ticks begin = 0, half = 0;         ///< when it began, and had half of its steps behind it
  Ticks last = 0;                    ///< when it issued last
  Ticks floor = 0;                   ///< it does not issue before
  Wait floorReason = Wait::Issue;
  bool isPaired = false;    ///< the last instruction was the second of a pair
  bool hasPipe = false;     ///< the next one has its place in the pipeline, from `floor` on
  uint64_t used = 0;        ///< accesses of the basic block that are done, first 64
  std::vector<Ticks> ready; ///< by virtual register
  std::vector<Wait> reasons;
};

class Multiprocessor {
public:
  Multiprocessor(const Gpu &gpu, const MachineCode &code, uint64_t resident, uint64_t l1Bytes,
                 const ChipTraffic &traffic, const SharedRates &rates, const MemoryState &state)
      : gpu_(gpu), p_(gpu.parameters()), code_(code), traffic_(traffic), rates_(rates),
        memory_(gpu, *code.kernel, state), l1_(l1Bytes, gpu.major == 2),
        readOnly_(l1Bytes && p_.readOnlyKb <= 0 ? 0 : uint64_t(p_.readOnlyKb) * 1024, false) {
    schedulers_.resize(static_cast<size_t>(p_.schedulers));
    pipes_.resize(schedulers_.size() * PipeCount);
    cores_.resize(schedulers_.size()), liveOf_.resize(schedulers_.size());
    issueTicks_ = ticks(p_.issueCycles);
    coreTicks_ = ticks(32 * p_.schedulers / p_.fp32);
    blocks_.resize(resident);
    l2Error_.resize(code.kernel->accesses.size());
    arms_.resize(code.runsWith.size());
    for (uint32_t b = 0; b < code.runsWith.size(); ++b)
      if (code.runsWith[b] != b)
        arms_[code.runsWith[b]].push_back(b);
    result_.lines.resize(code.kernel->lines.size() + 1);
    linkTicks_ = ticks(SectorBytes / (p_.linkBytes * p_.l2Clock));
    l2Ticks_ = ticks(SectorBytes / rates.l2);
    dramTicks_ = ticks(SectorBytes * traffic.partitionFactor / rates.dram);
    l2_.credit = dram_.credit = ticks(CreditLatencies * p_.latencyL2 + BlockCredit * p_.blockStart);
    l1Latency_ = ticks(p_.latencyL1), l2Latency_ = ticks(p_.latencyL2);
    dramLatency_ = ticks(p_.latencyDramNs * 1e-6 * gpu.sustainedKhz);
    blockGap_ = ticks(std::max(p_.blockGap, GridGap * rates.multiprocessors));
  }

  SampledRun run(const std::vector<uint64_t> &numbers, const Traces &traces, uint64_t most) {
    numbers_ = &numbers, traces_ = &traces;
    for (uint32_t slot = 0; slot < blocks_.size() && nextBlock_ < numbers.size(); ++slot)
      begin(slot, 0);
    while (result_.instructions < double(most)) {
      // A warp that is the first again does not go through the queue.
      if (next_.second == None || (!queue_.empty() && queue_.top() < next_)) {
        if (next_.second != None)
          queue_.push(next_);
        if (queue_.empty())
          break;
        next_ = queue_.top();
        queue_.pop();
      }
      const uint32_t warp = next_.second;
      next_.second = None;
      step(warp);
    }
    if (next_.second != None)
      queue_.push(next_);
    finish();
    return std::move(result_);
  }

private:
  void begin(uint32_t slot, Ticks from) {
    Block &block = blocks_[slot];
    block.trace = (*traces_)((*numbers_)[nextBlock_++]);
    const Ticks start = launcher_.take(from + ticks(p_.blockStart), blockGap_);
    block.live = static_cast<unsigned>(block.trace.warps.size());
    block.arrived = 0;
    block.lastArrival = 0;
    block.begin = start;
    block.waiting.clear();
    for (const WarpTrace &trace : block.trace.warps)
      add(trace, slot, start);
    if (!block.live)
      end(slot, start);
  }

  void add(const WarpTrace &trace, uint32_t slot, Ticks start) {
    // Warps of a block go to the schedulers in turn: the next one to the scheduler that has fewest.
    const auto scheduler =
        static_cast<uint32_t>(std::ranges::min_element(liveOf_) - liveOf_.begin());
    ++liveOf_[scheduler];
    auto place =
        std::ranges::find(free_, scheduler, [&](uint32_t free) { return warps_[free].scheduler; });
    uint32_t index = static_cast<uint32_t>(warps_.size());
    if (place != free_.end()) {
      index = *place;
      free_.erase(place);
    } else {
      warps_.emplace_back();
    }
    Warp &warp = warps_[index];
    std::vector<Ticks> ready = std::move(warp.ready);
    std::vector<Wait> reasons = std::move(warp.reasons);
    ready.assign(code_.registerCount, start);
    reasons.assign(code_.registerCount, Wait::Issue);
    warp = Warp{};
    warp.trace = &trace, warp.block = slot, warp.scheduler = scheduler;
    warp.begin = warp.last = warp.floor = start;
    warp.ready = std::move(ready), warp.reasons = std::move(reasons);
    if (enterBlock(warp))
      queue_.push({readyTime(warp), index});
    else
      leave(index, start);
  }

  /// Moves to the next basic block that has instructions. False at the end of the trace.
  bool enterBlock(Warp &warp) {
    const std::vector<WarpEvent> &events = warp.trace->events;
    for (;;) {
      const WarpEvent *next = warp.event < events.size() ? &events[warp.event] : nullptr;
      if (next && next->kind != EventKind::Block) {
        ++warp.event;
        continue;
      }
      const uint32_t skipped = skippedArm(warp, next);
      if (skipped == None && !next)
        return false;
      const uint32_t number = skipped == None ? next->number : skipped;
      warp.event += skipped == None;
      warp.firstAccess = warp.event;
      while (skipped == None && warp.event < events.size() &&
             events[warp.event].kind != EventKind::Block)
        ++warp.event;
      warp.accessesEnd = warp.event;
      warp.used = 0;
      const CodeBlock &block = code_.blocks[number];
      warp.instruction = block.first, warp.end = block.first + block.count;
      if (block.count)
        return true;
    }
  }

  /// The instructions of a predicated arm are issued whether or not a lane wants them: the arm that comes
  /// before the trace's next block, or None.
  uint32_t skippedArm(Warp &warp, const WarpEvent *next) const {
    if (warp.root != None) {
      const std::vector<uint32_t> &arms = arms_[warp.root];
      if (warp.arm < arms.size() && next && arms[warp.arm] == next->number) {
        ++warp.arm;
        return None;
      }
      if (warp.arm < arms.size())
        return arms[warp.arm++];
    }
    warp.root = next && !arms_[next->number].empty() ? next->number : None;
    warp.arm = 0;
    return None;
  }

  const WarpEvent *eventOf(Warp &warp, uint32_t access) {
    for (size_t i = warp.firstAccess; i < warp.accessesEnd; ++i) {
      const WarpEvent &event = warp.trace->events[i];
      const size_t bit = i - warp.firstAccess;
      if (event.kind != EventKind::Access || event.number != access ||
          (bit < 64 && warp.used >> bit & 1))
        continue;
      if (bit < 64)
        warp.used |= uint64_t(1) << bit;
      return &event;
    }
    return nullptr;
  }

  Ticks readyTime(const Warp &warp) const {
    Ticks time = std::max(warp.last, warp.floor);
    for (uint32_t source : code_.instructions[warp.instruction].sources)
      if (source != None)
        time = std::max(time, warp.ready[source]);
    return time;
  }

  /// Issues a warp's next instruction, and puts the warp where its next one is ready.
  void step(uint32_t index) {
    Warp &warp = warps_[index];
    const MachineInstruction &in = code_.instructions[warp.instruction];
    const Ticks ready = readyTime(warp);
    if (!warp.hasPipe) {
      if (ready > std::max(warp.last, warp.floor))
        account(warp, in, ready - std::max(warp.last, warp.floor), reasonOf(warp, in, ready));
      else if (warp.floor > warp.last)
        account(warp, in, warp.floor - warp.last, warp.floorReason);
      // It waits for its place apart, so that the scheduler has others go on.
      if (const Ticks from = takePipe(warp, in, ready); from > ready) {
        warp.floor = from, warp.hasPipe = true;
        wake({from, index});
        return;
      }
    }
    warp.hasPipe = false;
    const Ticks start = issue(warp, in, ready);
    ++result_.instructions;
    ++warp.instruction;
    if (in.operation == Operation::Barrier) {
      arrive(index, start);
      return;
    }
    advance(index, start);
  }

  void advance(uint32_t index, Ticks now) {
    Warp &warp = warps_[index];
    if (warp.instruction == warp.end && !enterBlock(warp)) {
      leave(index, now);
      return;
    }
    if (!warp.half && 2 * warp.event >= warp.trace->events.size())
      warp.half = now;
    wake({readyTime(warp), index});
  }

  void wake(const std::pair<Ticks, uint32_t> &warp) {
    if (next_.second != None)
      queue_.push(next_);
    next_ = warp;
  }

  Wait reasonOf(const Warp &warp, const MachineInstruction &in, Ticks ready) const {
    for (uint32_t source : in.sources)
      if (source != None && warp.ready[source] == ready)
        return warp.reasons[source];
    return Wait::Dependence;
  }

  void account(const Warp &, const MachineInstruction &in, Ticks time, Wait reason) {
    const double cycles = cyclesOf(time);
    result_.waits[static_cast<unsigned>(reason)] += cycles;
    result_.lines[in.line == None ? result_.lines.size() - 1 : in.line] += cycles;
  }

  /// From when on it has the pipeline.
  Ticks takePipe(Warp &warp, const MachineInstruction &in, Ticks ready) {
    const bool isMemory = in.pipe == Pipe::Memory || in.pipe == Pipe::Texture;
    Server *const units = &pipes_[warp.scheduler * PipeCount];
    Server &first = units[static_cast<unsigned>(unitOf(in.pipe, gpu_))];
    Server &other = units[static_cast<unsigned>(otherUnitOf(in.pipe, gpu_))];
    Server &pipe = other.free < first.free ? other : first;
    const bool takesCore = model::takesCore(in.pipe, gpu_);
    Ticks from = std::max(ready, pipe.free);
    if (takesCore)
      from = std::max(from, cores_[warp.scheduler].free);
    if (isMemory)
      from = std::max(from, loadStore_.free - ticks(LoadStoreQueue));
    if (from > ready)
      account(warp, in, from - ready, isMemory ? Wait::LoadStore : Wait::Pipe);
    if (in.ticks)
      pipe.take(from, in.ticks);
    if (takesCore)
      cores_[warp.scheduler].take(from, coreTicks_);
    return from;
  }

  Ticks issue(Warp &warp, const MachineInstruction &in, Ticks from) {
    const bool isMemory = in.pipe == Pipe::Memory || in.pipe == Pipe::Texture;
    Server &scheduler = schedulers_[warp.scheduler];
    // The second of a pair comes with the first, at no time of the scheduler.
    const bool pairs = p_.issueWidth > 1 && !warp.isPaired && from == warp.last &&
                       scheduler.free == warp.last + issueTicks_;
    const Ticks start = pairs ? from : scheduler.take(from, issueTicks_);
    warp.isPaired = pairs;
    account(warp, in, start - from + issueTicks_, Wait::Issue);
    warp.last = p_.issueWidth > 1 ? start : start + issueTicks_;
    warp.floor = warp.last;
    Ticks done = start + std::max<Ticks>(Ticks(in.latency) * TicksPerCycle, in.ticks);
    Wait reason = Wait::Dependence;
    if (isMemory)
      done = access(warp, in, start, reason);
    for (uint32_t r : in.results)
      if (r != None)
        warp.ready[r] = done, warp.reasons[r] = reason;
    return start;
  }

  /// When the data are there.
  Ticks access(Warp &warp, const MachineInstruction &in, Ticks start, Wait &reason) {
    const WarpEvent *event = in.access == None ? nullptr : eventOf(warp, in.access);
    if (!event) { // no lane is on, and it goes its way
      loadStore_.take(start, TicksPerCycle);
      return start + ticks(p_.latencyAlu);
    }
    const WarpRequest request = memory_.request(*event, *warp.trace);
    switch (request.traffic) {
    case Traffic::None:
      return start + ticks(p_.latencyAlu);
    case Traffic::Shared:
      return sharedAccess(request, start, reason);
    case Traffic::Constant:
      reason = Wait::Constant; // a unit of its own has them (ADU: Nsight Compute's "Pipelines")
      return constants_.take(start, ticks(request.cycles)) + ticks(request.cycles) +
             ticks(p_.latencyConstant);
    default:
      return globalAccess(request, event->number, start, reason);
    }
  }

  Ticks sharedAccess(const WarpRequest &request, Ticks start, Wait &reason) {
    reason = Wait::Shared;
    Ticks length = ticks(request.cycles);
    if (request.deepest)
      length += ticks(p_.sharedAtomicCycles * request.deepest);
    // Before 5.0 each pass is an issue again.
    if (gpu_.major <= 3 && request.passes > 1)
      replay(request.passes - 1);
    return loadStore_.take(start, length) + length + ticks(p_.latencyShared);
  }

  /// An instruction that is issued again for each further pass.
  void replay(uint32_t times) {
    if (gpu_.major < 2)
      return;
    replays_ += times;
  }

  Ticks globalAccess(const WarpRequest &request, uint32_t number, Ticks start, Wait &reason) {
    const Ticks length = ticks(request.cycles);
    Ticks now = loadStore_.take(start, length) + length;
    const bool isLoad = request.traffic == Traffic::Load;
    uint32_t missing = 0;
    SectorCache &cache = request.isReadOnly && p_.readOnlyKb > 0 ? readOnly_ : l1_;
    const bool isByTextures = request.isTexture || &cache == &readOnly_;
    for (uint64_t sector : request.sectors) {
      result_.l1Sectors += isLoad;
      result_.textureSectors += isByTextures;
      if (request.usesL1 && cache.read(sector)) {
        result_.l1Hits += 1;
        result_.textureHits += isByTextures;
        continue;
      }
      missing += request.usesL1 && &cache == &l1_ && gpu_.major == 2 ? LineBytes / SectorBytes : 1;
    }
    if (!missing) {
      reason = Wait::L1;
      return now + (request.isReadOnly && gpu_.major < 5 ? ticks(p_.latencyTexture) : l1Latency_);
    }
    return beyond(request, number, missing, now, reason);
  }

  Ticks beyond(const WarpRequest &request, uint32_t number, uint32_t missing, Ticks now,
               Wait &reason) {
    const AccessTraffic &traffic = traffic_.accesses[number];
    const double sectors = missing * request.weight;
    // As many sectors as the chip's share of hits says, and the rounding error goes on.
    double &error = l2Error_[number];
    error += sectors * (1 - traffic.hitRate());
    const double fromDram = std::min(std::floor(error + 1e-9), sectors);
    error -= fromDram;
    now = waitForPlace(now, sectors);
    const bool isWrite = request.traffic == Traffic::Store;
    const auto way = static_cast<Ticks>(std::llround(sectors * double(linkTicks_)));
    const double least = gpu_.major > 1 ? p_.partialWrite * request.partialLines : 0;
    const auto length =
        static_cast<Ticks>(std::llround(std::max(sectors, least) * double(l2Ticks_)));
    Ticks arrived = l2_.finish(link_.take(now, way) + way, length);
    if (request.traffic == Traffic::Atomic)
      arrived = atomic(request, traffic, arrived);
    Ticks done = arrived + l2Latency_;
    reason = request.traffic == Traffic::Atomic ? Wait::Atomic : Wait::L2;
    result_.l2Sectors += sectors, result_.l2Hits += sectors - fromDram;
    const bool isLoad = request.traffic == Traffic::Load;
    if (isLoad)
      result_.l2Reads += sectors, result_.l2ReadHits += sectors - fromDram;
    (isWrite ? result_.l2Writes : result_.l2Fetched) += isWrite ? sectors : fromDram;
    if (fromDram > 0) {
      const double moved = fromDram * (isLoad ? 1 : traffic_.writtenBack);
      const auto busy = static_cast<Ticks>(std::llround(moved * double(dramTicks_)));
      done = dram_.finish(arrived, busy) + l2Latency_ + (isWrite ? 0 : loadedLatency(arrived));
      (isLoad ? result_.dramRead : result_.dramWritten) += moved * SectorBytes;
      if (reason == Wait::L2)
        reason = Wait::Dram;
    }
    flying_.push_back({done, sectors});
    inFlight_ += sectors;
    return done;
  }

  /// Of memory that was used so far as it was.
  Ticks loadedLatency(Ticks now) const {
    const double used = std::min(1.0, double(dram_.busy) / double(std::max<Ticks>(now, 1)));
    return static_cast<Ticks>(double(dramLatency_) * (1 + LoadedLatency * used));
  }

  /// Operations on one address follow each other, those of all multiprocessors, and so do the steps of one slice of
  /// L2, whatever their addresses.
  Ticks atomic(const WarpRequest &request, const AccessTraffic &traffic, Ticks arrived) {
    const double all = rates_.multiprocessors; // which do the same
    const double ofAddress = p_.atomicCycles * request.deepest * traffic.hotShare * all;
    const double ofSlice = p_.sliceAtomicCycles * request.steps * traffic.sliceShare * all;
    const Ticks length = ticks(std::max(ofAddress, ofSlice) / p_.l2Clock);
    return atomics_.take(arrived, length) + length;
  }

  /// There are places for so many sectors that are on their way.
  Ticks waitForPlace(Ticks now, double sectors) {
    while (!flying_.empty() && flying_.front().first <= now) {
      inFlight_ -= flying_.front().second;
      flying_.pop_front();
    }
    while (!flying_.empty() && inFlight_ + sectors > p_.inFlight) {
      now = std::max(now, flying_.front().first);
      inFlight_ -= flying_.front().second;
      flying_.pop_front();
    }
    // Nothing behind gets ahead, and the units wait.
    loadStore_.free = std::max(loadStore_.free, now);
    return now;
  }

  void arrive(uint32_t index, Ticks now) {
    Block &block = blocks_[warps_[index].block];
    block.waiting.push_back(index);
    block.lastArrival = std::max(block.lastArrival, now);
    releaseIfAll(block);
  }

  void releaseIfAll(Block &block) {
    if (block.waiting.empty() || block.waiting.size() < block.live)
      return;
    const Ticks from = block.lastArrival + ticks(p_.latencyBarrier);
    std::vector<uint32_t> waiting = std::move(block.waiting);
    block.waiting.clear();
    block.lastArrival = 0;
    for (uint32_t index : waiting) {
      warps_[index].floor = from;
      warps_[index].floorReason = Wait::Barrier;
      advance(index, from);
    }
  }

  void leave(uint32_t index, Ticks now) {
    const uint32_t slot = warps_[index].block;
    Block &block = blocks_[slot];
    result_.residentWarps += cyclesOf(now - block.begin);
    if (warps_[index].half) {
      firstHalves_ += warps_[index].half - warps_[index].begin;
      wholes_ += now - warps_[index].begin;
    }
    free_.push_back(index);
    --liveOf_[warps_[index].scheduler];
    last_ = std::max(last_, now);
    if (--block.live == 0)
      end(slot, now);
    else
      releaseIfAll(block);
  }

  void end(uint32_t slot, Ticks now) {
    result_.ends.push_back(cyclesOf(now));
    if (nextBlock_ < numbers_->size())
      begin(slot, now);
  }

  void finish() {
    // Stores that are on their way belong to the kernel.
    Ticks end = last_;
    for (const Warp &warp : warps_)
      end = std::max(end, warp.last);
    end = std::max({end, dram_.free, link_.free, l2_.free, atomics_.free});
    result_.cycles = cyclesOf(end);
    if (wholes_ > 0)
      result_.firstHalf = double(firstHalves_) / double(wholes_);
    std::ranges::sort(result_.ends);
    auto &busy = result_.busy;
    for (const Server &scheduler : schedulers_)
      busy[unsigned(Resource::Issue)] += cyclesOf(scheduler.busy) / double(schedulers_.size());
    for (size_t s = 0; s < schedulers_.size(); ++s) {
      Ticks most = cores_[s].busy;
      for (unsigned pipe = 0; pipe < PipeCount; ++pipe)
        most = std::max(most, pipes_[s * PipeCount + pipe].busy);
      busy[unsigned(Resource::Arithmetic)] += cyclesOf(most) / double(schedulers_.size());
    }
    busy[unsigned(Resource::LoadStore)] = cyclesOf(loadStore_.busy);
    busy[unsigned(Resource::L2)] = cyclesOf(std::max(link_.busy, l2_.busy));
    busy[unsigned(Resource::Dram)] = cyclesOf(dram_.busy);
    busy[unsigned(Resource::Atomics)] = cyclesOf(atomics_.busy);
    busy[unsigned(Resource::Launch)] = cyclesOf(launcher_.busy);
    if (!queue_.empty()) { // not all: how much of the blocks that began is done
      double done = 0, all = 0;
      for (const auto &[d, a] : {progressOf()})
        done += d, all += a;
      result_.progress = all > 0 ? done / all : 1;
    }
  }

  /// Events of the blocks that run, done and all, and those of the blocks that ended.
  std::pair<double, double> progressOf() {
    double done = 0, all = 0;
    for (uint32_t w = 0; w < warps_.size(); ++w) {
      const Warp &warp = warps_[w];
      if (!warp.trace || std::ranges::find(free_, w) != free_.end())
        continue;
      done += double(warp.event), all += double(warp.trace->events.size());
    }
    const double perBlock = all / std::max<double>(1, double(blocks_.size()));
    const double ended = double(result_.ends.size()) * perBlock;
    return {done + ended, perBlock * double(numbers_->size())};
  }

  const Gpu &gpu_;
  const Parameters &p_;
  const MachineCode &code_;
  const ChipTraffic &traffic_;
  const SharedRates rates_;
  WarpMemory memory_;
  SectorCache l1_, readOnly_;
  std::vector<Server> schedulers_, pipes_, cores_;
  Server loadStore_, constants_, link_, atomics_, launcher_;
  SharedServer l2_, dram_;
  std::pair<Ticks, uint32_t> next_{0, None};
  Ticks issueTicks_, coreTicks_, linkTicks_, l2Ticks_, dramTicks_, l1Latency_, l2Latency_,
      dramLatency_, blockGap_;
  std::vector<Block> blocks_;
  std::deque<Warp> warps_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> liveOf_; ///< warps of each scheduler
  std::vector<double> l2Error_;
  std::vector<std::vector<uint32_t>>
      arms_; ///< of each basic block: those that its condition predicates
  std::deque<std::pair<Ticks, double>> flying_;
  double inFlight_ = 0;
  uint64_t replays_ = 0;
  Ticks firstHalves_ = 0, wholes_ = 0; ///< of the warps that have ended
  Ticks last_ = 0;
  size_t nextBlock_ = 0;
  const std::vector<uint64_t> *numbers_ = nullptr;
  const Traces *traces_ = nullptr;
  std::priority_queue<std::pair<Ticks, uint32_t>, std::vector<std::pair<Ticks, uint32_t>>,
                      std::greater<>>
      queue_;
  SampledRun result_;
};

} // namespace

/// From 7.0 on one unit has all integer operations but products, and these go where those in single
/// precision do, as long as there are as many places for them (Nsight Compute's "Pipelines"). Assemblers
/// make products of sums and moves (IMAD.IADD, IMAD.MOV), so that both units have as much to do.
Pipe unitOf(Pipe pipe, const Gpu &gpu) {
  if (pipe == Pipe::Sum)
    return Pipe::Integer;
  // Few units for double precision have its conversions, too.
  if (pipe == Pipe::Convert64 && gpu.fp64PerClock() <= gpu.parameters().convert64)
    return Pipe::Fp64;
  if (gpu.major < 7)
    return pipe;
  if (pipe == Pipe::Shift || pipe == Pipe::Compare)
    return Pipe::Integer;
  const Parameters &p = gpu.parameters();
  return pipe == Pipe::Multiplier && p.multiplier == p.fp32 ? Pipe::Fp32 : pipe;
}

Pipe otherUnitOf(Pipe pipe, const Gpu &gpu) {
  return unitOf(pipe == Pipe::Sum && gpu.major >= 7 ? Pipe::Multiplier : pipe, gpu);
}

bool takesCore(Pipe pipe, const Gpu &gpu) {
  return gpu.parameters().ownInteger <= 0 &&
         (pipe == Pipe::Fp32 || pipe == Pipe::Integer || pipe == Pipe::Multiplier ||
          pipe == Pipe::Sum || pipe == Pipe::Shift || pipe == Pipe::Compare || pipe == Pipe::Half);
}

SampledRun runMultiprocessor(const Gpu &gpu, const MachineCode &code,
                             const std::vector<uint64_t> &blocks, uint64_t resident,
                             uint64_t l1Bytes, const ChipTraffic &traffic, const SharedRates &rates,
                             const Traces &traces, const MemoryState &state,
                             uint64_t mostInstructions) {
  return Multiprocessor(gpu, code, resident, l1Bytes, traffic, rates, state)
      .run(blocks, traces, mostInstructions);
}

} // namespace heddle::model
