// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the usual case all live warps wait at __syncthreads ("plain": barrier 0, the whole block).
// Waits are counted as warps stop, so that a phase costs one call per warp and nothing else. All
// other waits (named barriers, bar.arrive, warp operations below width 32) take the slow path,
// which looks at every warp.
//
// A warp that has ended counts as arrived at every barrier of the whole block, as on hardware. A
// barrier with a thread count waits for that many threads, and the rest for others; each warp counts with all of its
// threads, and the last part of an incomplete CUDA warp counts for the missing ones (PTX ISA,
// "barrier": the count goes up by the warp size, not by the number of active threads).
//
// The reduce cells: __syncthreads_count of phase p adds to cell p % 2 before it waits and reads it
// after the release. When the release starts phase n, cell n % 2 holds phase n - 2, which every
// warp has read before it reached this barrier, so it is cleared there. Only plain barriers count
// phases.
//
// After a barrier the first warp runs last. Many programs read a block's sum that the first warp
// has stored, and lack a barrier before that warp overwrites it:
//
//     sum = s[0]; ...; if (lane == 0) s[warp] = x;
//
// On a GPU all warps have read it long before. Here a warp runs to its next barrier alone, so the
// first one must not run ahead of the readers. Before the first barrier it does run first: it sets
// up what others use. (Running from the last warp down to the first made kmeans take 1.65 times as
// long, since warps that follow each other should read memory in ascending order.)
//
// A warp arrives at a split barrier, of the cluster or the block, by a note in its state and
// continues. When all warps have arrived, of all blocks of the cluster, the notes are cleared, and
// those that wait (WaitKind::Cluster, WaitKind::Arrived) continue; a warp that comes to wait later
// finds no note. For a block, or a cluster of one block, this is done here, otherwise in
// launch/cluster.cpp.
//
// A loop with a block barrier in each iteration does not poll (simt/progress/polls), but its exit
// may depend on other blocks:
//
//     while (k < n) { if (ready[k]) work(k), k += threads; __syncthreads(); }
//
// So a kernel that may wait for other blocks (KernelMaySpin) pauses at some barriers, so that its
// worker takes others in between (waiting/parked.cpp).
//
// Below width 32 the parts of a CUDA warp run one after the other. Where its lanes meet
// (WaitKind::Meet), for __activemask or for an access that counts on the others
// (simt/progress/keep_lockstep), each part waits until nothing else gets on. Then those at the
// lowest place go on together, as the lanes of a GPU do that are behind in the program, and catch
// up with the others. Those that poll are behind, too: the lanes that a GPU holds at the end of a
// loop are those that have left it. They wait until the others have left as well, or poll in vain.
// What those want may be up to a lane that waits, or to another block. One that tries to take
// something, a lock, mostly wants the first, if those that wait may have it. Others are worth some
// patience, in which no other block gets on either, and each time that it was in vain half of that.
//
// Threads that come to a breakpoint of a debugger (KernelDebugged) wait there like those that poll,
// and once for the other blocks of the launch.
//
// A warp that polls (WaitKind::Yield) may continue at any time, but what it polls for comes from
// another warp or block. So first everything else runs as far as it can, then all polling warps
// look once. If none got further before they would look again, the block is idle, and the worker
// gives its processor away, for longer each time. A warp operation alone is not progress: below
// width 32 a loop that ends by a vote (`while (__any_sync(~0u, !flag[lane]))`) waits for it in each
// iteration.
#include "device/cpu/block/block_runner.h"

#include "base/abi/debugger_abi.h"
#include "base/abi/meet_flags.h"
#include "base/machine/clock.h"
#include "device/cpu/futex.h"
#include "device/cpu/schedule/shuffled.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <sched.h>
#include <time.h>

namespace heddle::device::cpu {

namespace {

/// How often the warps of a block meet before others have a turn.
constexpr uint32_t BarriersPerTurn = 64;
/// Nanoseconds for which lanes look for a flag in vain before their warp parts: other blocks may
/// wait for a processor. So many times as long if no lane of the warp can do what is looked for.
constexpr uint64_t MostPatience = 500'000'000, FirmPatience = 8;
/// ... though other blocks get on.
constexpr uint64_t LongestWait = 10'000'000'000;
/// Times that a warp polls in vain before its lanes part, though other warps get on meanwhile.
constexpr uint32_t MostLooks = 1024;

/// Programs of one CUDA warp.
uint32_t partsOf(const KernelCode &code) { return code.width < 32 ? 32 / code.width : 1; }

uint32_t cudaWarps(const KernelCode &code) {
  return (code.warpsPerBlock + partsOf(code) - 1) / partsOf(code);
}

bool isOneBlock(const Launch &launch) {
  return launch.gridDim[0] == 1 && launch.gridDim[1] == 1 && launch.gridDim[2] == 1;
}

} // namespace

void findBlockIndex(uint32_t *index, const Launch &launch, const KernelCode &code,
                    uint64_t linear) {
  uint64_t band = std::max(code.band, 1u), columns = launch.gridDim[0], rows = launch.gridDim[1];
  uint64_t plane = columns * rows, inPlane = linear % plane;
  uint64_t top = inPlane / (columns * band) * band, inBand = inPlane % (columns * band);
  uint64_t height = std::min(band, rows - top);
  index[0] = static_cast<uint32_t>(inBand / height);
  index[1] = static_cast<uint32_t>(top + inBand % height);
  index[2] = static_cast<uint32_t>(linear / plane);
}

void setBlockIndex(Block &block, const Launch &launch, const KernelCode &code, uint64_t linear) {
  findBlockIndex(block.blockIdx, launch, code, linear);
}

void BlockRun::init(const KernelCode &code, Block &block, Fibers &fibers,
                    const std::atomic<bool> &cancelled, bool isAlone, WarpPatience *patience) {
  code_ = &code;
  block_ = &block;
  fibers_ = code.flags & KernelFibers ? &fibers : nullptr;
  cancelled_ = &cancelled;
  isAlone_ = isAlone;
  patience_ = patience ? patience : &ownPatience_;
  stepsNoted_ = 0;
  live_ = code.warpsPerBlock;
  plain_ = polling_ = idleRounds_ = 0;
  gathers_ = false;
  steps_ = 0;
  stepsAtPoll_ = NotLooked;
  std::fill(std::begin(arrived_), std::end(arrived_), 0);
  std::fill(looks_, looks_ + cudaWarps(code), Looks{});
}

void BlockRun::callStart(uint32_t warp) {
  block_->currentWarp = warp;
  if (fibers_)
    fibers_->start(*code_, *block_, warp);
  else
    code_->start(block_, warp);
}

void BlockRun::callResume(uint32_t warp) {
  block_->currentWarp = warp;
  if (fibers_)
    fibers_->resume(*block_, warp);
  else
    code_->resume(block_, warp);
}

BlockEnd BlockRun::start() {
  startWarps();
  return run();
}

void BlockRun::startWarps() {
  Block &b = *block_;
  std::memset(b.warps, 0, sizeof(WarpState) * code_->warpsPerBlock);
  for (int i = 0; i < 2; ++i)
    b.reduceTrue[i] = b.reduceFalse[i] = 0;
  b.phase = 0;
  for (uint32_t i = 0; i < code_->warpsPerBlock; ++i) {
    uint32_t w = inOrder(i);
    callStart(w);
    look(w);
  }
}

/// The warp whose turn is the i-th in this phase.
uint32_t BlockRun::inOrder(uint32_t i) const {
  if (!orderSeed)
    return i;
  const uint32_t *index = block_->blockIdx;
  uint64_t number = (uint64_t(index[2]) << 42) ^ (uint64_t(index[1]) << 21) ^ index[0];
  return static_cast<uint32_t>(
      shuffled(i, code_->warpsPerBlock, orderSeed + (number << 8) + block_->phase));
}

void BlockRun::releaseGrid() {
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    if (block_->warps[w].frame)
      resume(w);
}

BlockEnd BlockRun::continueFromGrid() {
  releaseGrid();
  return run();
}

BlockEnd BlockRun::run() {
  for (;;) {
    BlockEnd end = advance();
    if (end == BlockEnd::Idle)
      giveWay();
    else if (end != BlockEnd::Goes && end != BlockEnd::Paused)
      return end;
  }
}

BlockEnd BlockRun::advance() {
  if (live_ == 0) {
    if (code_->flags & KernelWarpWaits)
      noteProgress();
    return BlockEnd::Finished;
  }
  if (cancelled_->load(std::memory_order_relaxed))
    return BlockEnd::Cancelled;
  if (plain_ == live_) {
    releasePlain();
    if (code_->flags & KernelMaySpin && block_->phase % BarriersPerTurn == 0)
      return BlockEnd::Paused;
  } else if (plain_ + polling_ == live_ || !releaseOthers()) {
    if (polling_ > 0)
      return std::exchange(gathers_, false) ? BlockEnd::Paused : poll();
    if (!isAlone_ && waitsAtCluster())
      return BlockEnd::AtCluster;
    for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
      if (block_->warps[w].frame && block_->warps[w].wait != WaitKind::Grid)
        return BlockEnd::Deadlock;
    return BlockEnd::AtGrid;
  }
  return BlockEnd::Goes;
}

/// All that poll look once, unless they have just done so and no warp has got on since.
BlockEnd BlockRun::poll() {
  if (stepsAtPoll_ == steps_) {
    stepsAtPoll_ = NotLooked;
    if (releaseMeetings(true)) {
      idleRounds_ = 0;
      return BlockEnd::Goes;
    }
    ++idleRounds_;
    return BlockEnd::Idle;
  }
  if (stepsAtPoll_ != NotLooked)
    idleRounds_ = 0;
  stepsAtPoll_ = steps_;
  uint32_t parts = partsOf(*code_);
  if (code_->flags & KernelWarpWaits)
    noteProgress();
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    if (const WarpState &state = block_->warps[w]; state.frame && state.wait == WaitKind::Yield) {
      if (Looks &looks = looks_[w / parts]; code_->flags & KernelWarpWaits && !looks.count++)
        looks.first = looks.since = nowNanoseconds();
      resume(w);
    }
  return BlockEnd::Goes;
}

/// What an idle block polls for mostly comes soon, from another processor. If it does not, or there
/// are more threads than processors, the others need this one more.
void BlockRun::giveWay() const {
  constexpr uint32_t RoundsPerYield = 16, ShortRounds = 1024, LongestSleep = 100'000; // ns
  pauseCpu();
  if (idleRounds_ < ShortRounds) {
    if (idleRounds_ % RoundsPerYield == 0)
      sched_yield();
    return;
  }
  timespec time = {0, std::min(LongestSleep, (idleRounds_ - ShortRounds + 1) * 1000)};
  nanosleep(&time, nullptr);
}

bool BlockRun::isPlain(const WarpState &state) const {
  return state.wait == WaitKind::Block && state.barrierId == 0 && state.barrierThreads == 0 &&
         !state.arriveOnly;
}

void BlockRun::look(uint32_t warp) {
  const WarpState &state = block_->warps[warp];
  if (!state.frame) {
    --live_;
  } else if (isPlain(state)) {
    ++plain_;
  } else if (state.wait == WaitKind::Yield) {
    ++polling_;
    gathers_ |= (code_->flags & KernelDebugged) != 0;
  }
}

namespace {

/// The warp may be on its way round a loop that polls.
bool isInRound(const WarpState &state) {
  return state.wait == WaitKind::Yield || state.wait == WaitKind::Warp ||
         (state.wait == WaitKind::Meet && !(state.barrierThreads & MeetIsStep));
}

} // namespace

void BlockRun::resume(uint32_t warp) {
  WarpState &state = block_->warps[warp];
  if (isPlain(state))
    --plain_;
  else if (state.wait == WaitKind::Yield)
    --polling_;
  uint32_t polls = state.polls;
  bool polled = isInRound(state);
  state.wait = WaitKind::None;
  state.barrierId = state.barrierThreads = state.arriveOnly = 0;
  callResume(warp);
  look(warp);
  if (!state.frame || state.polls != polls || !polled || !isInRound(state)) {
    ++steps_;
    looks_[warp / partsOf(*code_)].count = 0;
  }
}

void BlockRun::releasePlain() {
  Block &b = *block_;
  uint32_t cell = ++b.phase % 2;
  b.reduceTrue[cell] = b.reduceFalse[cell] = 0;
  plain_ = 0;
  ++steps_;
  uint32_t warps = code_->warpsPerBlock;
  uint32_t first = partsOf(*code_) % warps; // behind those of warp 0
  for (uint32_t i = first; i < warps + first; ++i) {
    uint32_t w = inOrder(i < warps ? i : i - warps);
    WarpState &state = b.warps[w];
    if (!state.frame)
      continue;
    state.wait = WaitKind::None;
    callResume(w);
    look(w);
  }
}

bool BlockRun::releaseOthers() {
  bool progress = releaseWarps();
  static_assert(NamedBarriers <= 64);
  uint64_t waiting = 0; // a bit for each barrier
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    if (uint32_t id = barrierOf(w); id < NamedBarriers)
      waiting |= uint64_t(1) << id;
  if (waiting)
    progress |= releaseArrivals();
  for (uint32_t id = 0; id < NamedBarriers; ++id)
    if (waiting >> id & 1)
      progress |= releaseNamed(id);
  if (code_->flags & KernelNeedsCluster)
    progress |= releaseArrived(ClusterPieces, isAlone_);
  return releaseArrived(BlockPieces, true) || progress || releaseMeetings(false);
}

/// Of a barrier in two pieces: those that wait, if it is over; if all that take part are in this
/// block, first whether it is.
bool BlockRun::releaseArrived(const Pieces &pieces, bool isAlone) {
  if (!waitsAt(pieces))
    return false;
  if (isAlone && hasArrivedAt(pieces))
    clearArrivals(pieces);
  return releaseLateWaits(pieces);
}

bool BlockRun::waitsAt(const Pieces &pieces) const {
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    if (block_->warps[w].frame && block_->warps[w].wait == pieces.wait)
      return true;
  return false;
}

bool BlockRun::hasArrivedAt(const Pieces &pieces) const {
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    if (block_->warps[w].frame && !(block_->warps[w].hasArrived & pieces.arrived))
      return false;
  return true;
}

void BlockRun::clearArrivals(const Pieces &pieces) {
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w)
    block_->warps[w].hasArrived &= ~pieces.arrived;
}

void BlockRun::releaseCluster() {
  clearArrivals(ClusterPieces);
  releaseLateWaits(ClusterPieces);
}

/// Those that wait for a barrier that is over.
bool BlockRun::releaseLateWaits(const Pieces &pieces) {
  uint32_t waiting[MaxWarps], count = 0;
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w) {
    const WarpState &state = block_->warps[w];
    if (state.frame && state.wait == pieces.wait && !(state.hasArrived & pieces.arrived))
      waiting[count++] = w;
  }
  for (uint32_t i = 0; i < count; ++i)
    resume(waiting[i]);
  return count > 0;
}

/// The barrier that a warp waits at, or a number that is none.
uint32_t BlockRun::barrierOf(uint32_t warp) const {
  const WarpState &state = block_->warps[warp];
  return state.frame && state.wait == WaitKind::Block ? state.barrierId : ~0u;
}

uint32_t BlockRun::threadsOf(uint32_t warp) const {
  uint32_t first = warp * code_->width;
  const uint32_t *dim = block_->launch->blockDim;
  uint32_t end = (dim[0] * dim[1] * dim[2] + 31) / 32 * 32;
  return warp + 1 == code_->warpsPerBlock ? end - first : code_->width;
}

bool BlockRun::releaseArrivals() {
  bool progress = false;
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w) {
    uint32_t id = barrierOf(w);
    if (id >= NamedBarriers || !block_->warps[w].arriveOnly)
      continue;
    arrived_[id] += threadsOf(w);
    resume(w);
    progress = true;
  }
  return progress;
}

bool BlockRun::releaseNamed(uint32_t id) {
  // Warps that were released just now may have come to __syncthreads, whose phases count.
  if (id == 0 && live_ > 0 && plain_ == live_) {
    releasePlain();
    return true;
  }
  uint32_t waiting[MaxWarps];
  uint32_t count = 0, threads = arrived_[id], wanted = 0;
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w) {
    if (barrierOf(w) != id || block_->warps[w].arriveOnly)
      continue;
    waiting[count++] = w;
    threads += threadsOf(w);
    wanted = std::max(wanted, block_->warps[w].barrierThreads);
    if (wanted && threads == wanted)
      break; // others wait for the next one
  }
  if (count == 0 || (wanted == 0 ? count < live_ : threads < wanted))
    return false;
  arrived_[id] = 0;
  for (uint32_t i = 0; i < count; ++i)
    resume(waiting[i]);
  return true;
}

/// The lanes of `mask` that lie in this part of a CUDA warp.
uint32_t BlockRun::lanesIn(uint32_t warp, uint32_t mask) const {
  uint32_t width = code_->width;
  if (width == 32)
    return mask;
  uint32_t ones = (1u << width) - 1;
  return mask & (ones << (warp % (32 / width) * width));
}

bool BlockRun::releaseWarps() {
  if (!(code_->flags & KernelWarpWaits))
    return false;
  bool progress = false;
  uint32_t parts = partsOf(*code_);
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w) {
    WarpState &state = block_->warps[w];
    if (!state.frame || state.wait != WaitKind::Warp)
      continue;
    uint32_t mask = state.mask;
    if (!lanesIn(w, mask)) { // does not take part (undefined in CUDA): nothing to wait for
      resume(w);
      progress = true;
      continue;
    }
    uint32_t first = w / parts * parts;
    uint32_t last = std::min(first + parts, code_->warpsPerBlock);
    bool allHere = true;
    uint32_t group[32];
    uint32_t count = 0;
    for (uint32_t other = first; other < last; ++other) {
      const WarpState &o = block_->warps[other];
      if (!o.frame || !lanesIn(other, mask))
        continue;
      allHere &= o.wait == WaitKind::Warp && o.mask == mask;
      group[count++] = other;
    }
    if (!allHere)
      continue;
    for (uint32_t i = 0; i < count; ++i)
      resume(group[i]);
    progress = true;
  }
  return progress;
}

/// Lanes whose warp gets on nowhere else. `isIdle`: all that poll have done so in vain.
bool BlockRun::releaseMeetings(bool isIdle) {
  if (!(code_->flags & KernelWarpWaits))
    return false;
  bool progress = false;
  for (uint32_t first = 0; first < code_->warpsPerBlock; first += partsOf(*code_))
    progress |= releaseMeeting(first, isIdle);
  return progress;
}

/// Of the CUDA warp whose first part this is, those at the lowest place.
bool BlockRun::releaseMeeting(uint32_t first, bool isIdle) {
  uint32_t end = std::min(first + partsOf(*code_), code_->warpsPerBlock);
  uint32_t group[32], count = 0, place = ~0u, lanes = 0;
  for (uint32_t w = first; w < end; ++w) {
    const WarpState &state = block_->warps[w];
    if (!state.frame || state.wait != WaitKind::Meet || state.barrierId > place)
      continue;
    if (state.barrierId < place)
      count = lanes = 0;
    place = state.barrierId;
    lanes |= state.mask;
    group[count++] = w;
  }
  if (!count)
    return false;
  uint32_t flags = block_->warps[group[0]].barrierThreads;
  if (!(flags & MeetsWithoutPolls) && !mayPass(first, place, flags, isIdle))
    return false;
  for (uint32_t i = 0; i < count; ++i) {
    block_->warps[group[i]].mask = lanes;
    resume(group[i]);
  }
  return true;
}

/// Lanes of a CUDA warp go on at a place though others poll before that.
bool BlockRun::mayPass(uint32_t first, uint32_t place, uint32_t flags, bool isIdle) {
  uint32_t end = std::min(first + partsOf(*code_), code_->warpsPerBlock);
  bool waits = false;
  Wait wait = {};
  for (uint32_t w = first; w < end; ++w) {
    const WarpState &state = block_->warps[w];
    if (!state.frame || state.wait != WaitKind::Yield || state.barrierId >= place)
      continue;
    waits = true;
    Wait longer = waitFor(state.barrierThreads, flags);
    if (longer.nanoseconds > wait.nanoseconds)
      wait = longer;
  }
  if (!waits)
    return true;
  Looks &looks = looks_[first / partsOf(*code_)];
  if (!isIdle && looks.count <= MostLooks)
    return false;
  if (wait.nanoseconds == 0)
    return true;
  if (waitsLonger(looks, wait))
    return false;
  patience_->partings.fetch_add(1, std::memory_order_relaxed);
  return true;
}

/// How long those at a meeting wait for one that polls in vain.
BlockRun::Wait BlockRun::waitFor(uint32_t pollFlags, uint32_t meetFlags) const {
  uint32_t partings = patience_->partings.load(std::memory_order_relaxed);
  uint64_t patience = MostPatience >> std::min(partings, 30u);
  if (pollFlags & PollIsFirm)
    return {patience * FirmPatience, true};
  if (meetFlags / MeetGivesNothing >> pollFlags / PollLoop & 1)
    return {patience, true};
  bool waits = !(pollFlags & PollTakes) && !isOneBlock(*block_->launch);
  return {waits ? patience : 0, false};
}

bool BlockRun::waitsLonger(Looks &looks, Wait wait) const {
  uint64_t now = nowNanoseconds(), progress = patience_->progress.load(std::memory_order_relaxed);
  if (wait.countsProgress && std::exchange(looks.progress, progress) != progress)
    looks.since = now;
  return now - looks.since < wait.nanoseconds && now - looks.first < LongestWait;
}

/// Tells other blocks of the kernel that this one has got on.
void BlockRun::noteProgress() {
  if (std::exchange(stepsNoted_, steps_) != steps_)
    patience_->progress.fetch_add(1, std::memory_order_relaxed);
}

// ---------------------------------------------------------------------------------------------------
// The report of a deadlock.

namespace {

std::string describeWait(const WarpState &state) {
  std::string text;
  switch (state.wait) {
  case WaitKind::None:
    text = "has not started";
    break;
  case WaitKind::Block:
    text = state.barrierId < 16 ? "waits at barrier " + std::to_string(state.barrierId)
                                : std::string("waits at the barrier of a tile");
    if (state.barrierThreads)
      text += " for " + std::to_string(state.barrierThreads) + " threads";
    break;
  case WaitKind::Warp: {
    char mask[16];
    snprintf(mask, sizeof(mask), "0x%08x", state.mask);
    text = std::string("waits at a warp operation with mask ") + mask;
    break;
  }
  case WaitKind::Grid:
    text = "waits at a grid barrier";
    break;
  case WaitKind::Cluster:
    text = "waits at a cluster barrier";
    break;
  case WaitKind::Meet:
    text = "waits for the other threads of its warp";
    break;
  case WaitKind::Arrived:
    text = "waits for the block after its arrival";
    break;
  case WaitKind::Yield:
    text = "polls in a loop";
    break;
  }
  return text;
}

} // namespace

std::vector<BlockRun::Waiting> BlockRun::waits() const {
  std::vector<Waiting> all;
  const uint32_t *dim = block_->launch->blockDim;
  uint32_t threads = dim[0] * dim[1] * dim[2];
  for (uint32_t w = 0; w < code_->warpsPerBlock; ++w) {
    const WarpState &state = block_->warps[w];
    Waiting own = {w * code_->width, std::min((w + 1) * code_->width, threads) - 1, "has ended",
                   nullptr};
    if (state.frame) {
      own.what = describeWait(state);
      own.where = state.where && state.where->file ? state.where : nullptr;
    }
    auto isSamePlace = [&](const SourceLoc *a, const SourceLoc *b) {
      return a == b || (a && b && a->line == b->line && strcmp(a->file, b->file) == 0);
    };
    if (!all.empty() && all.back().what == own.what && isSamePlace(all.back().where, own.where))
      all.back().last = own.last;
    else
      all.push_back(std::move(own));
  }
  return all;
}

std::string BlockRun::describeWaits() const {
  std::string text;
  for (const Waiting &waiting : waits()) {
    text += "threads " + std::to_string(waiting.first) + " to " + std::to_string(waiting.last) +
            ": " + waiting.what;
    if (waiting.where)
      text += std::string(" at ") + waiting.where->file + ":" + std::to_string(waiting.where->line);
    text += "\n";
  }
  return text;
}

} // namespace heddle::device::cpu
