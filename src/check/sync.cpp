// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled code cannot see of barriers: other warps of the block (simt/widen/warp/sync_checks).
//
// Barriers of the whole block are counted for each warp. Warps that wait for the same turn are at
// one barrier, or at several of which none is behind another (warps with different tasks, each with
// a barrier for the turn). If one is behind the other, a warp has gone around it. So has a warp that
// came to a place behind all barriers in fewer turns than others wait for, if the barrier of a turn
// that it missed lies before that place. Warps that have ended come to no such place.
#include "check/sync.h"

#include "base/abi/kernel_abi.h"
#include "check/findings.h"
#include "check/sites.h"
#include "check/sync_places.h"
#include "check/sync_steps.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace heddle::check {

namespace {

constexpr const char *Tool = "synccheck";
constexpr uint32_t KeptTurns = 64;

/// One block, as long as it runs.
struct Barriers {
  uint64_t launch = 0;
  uint32_t block[3] = {};
  bool isTold = false; ///< a warp has gone around a barrier: what turns are the same is not known
  struct Turn {
    uint32_t number = 0; ///< from 1 on; 0: none
    const SyncSite *site = nullptr;
    uint32_t warp = 0, lanes = 0;
  };
  struct Warp {
    uint32_t turns = 0;
    uint32_t turnsBefore = 0; ///< when it came to `past`
    const SyncSite *past = nullptr;
  };
  Turn turns[KeptTurns];
  uint32_t last = 0; ///< turn
  std::vector<Warp> warps;

  void begin(const Block &of) {
    launch = of.launch->launchId;
    std::copy_n(of.blockIdx, 3, block);
    isTold = false;
    std::fill_n(turns, std::min(last + 1, KeptTurns), Turn());
    last = 0;
    warps.assign(warps.size(), {});
  }
};

/// By where a block is while it runs: one worker at a time asks for it. Never destroyed.
struct Running {
  std::mutex mutex;
  std::unordered_map<const Block *, Barriers> blocks;
};

Barriers &barriersAt(const Block *block) {
  static Running &all = *new Running;
  std::lock_guard lock(all.mutex);
  return all.blocks[block];
}

Barriers &barriersOf(const Block *block, uint32_t warp) {
  thread_local std::pair<const Block *, Barriers *> known;
  if (known.first != block)
    known = {block, &barriersAt(block)};
  Barriers &all = *known.second;
  const uint32_t *index = block->blockIdx;
  if (all.launch != block->launch->launchId || !std::equal(index, index + 3, all.block))
    all.begin(*block);
  if (all.warps.size() <= warp)
    all.warps.resize(warp + 1);
  return all;
}

std::string hexadecimal(uint32_t mask) {
  char text[16];
  snprintf(text, sizeof(text), "0x%08x", mask);
  return text;
}

Finding divergent(const Block *block, uint32_t warp, uint32_t lanes, const SyncSite &site) {
  Finding finding = syncFinding(block, warp, lanes, site);
  finding.kind = "divergent-barrier";
  finding.text = nameOf(site) + " that not all threads reach";
  return finding;
}

void addBranch(Finding &finding, const SyncSite *branch) {
  if (branch && branch->frameCount)
    finding.notes.push_back({"they parted", framesOf(*branch)});
}

/// Threads at `site` wait, and others are at `other`, which is behind it.
void reportAround(const Block *block, Barriers &all, uint32_t warp, uint32_t lanes,
                  const SyncSite &site, uint32_t otherWarp, uint32_t otherLanes,
                  const SyncSite &other) {
  all.isTold = true;
  Finding finding = divergent(block, warp, lanes, site);
  finding.notes.push_back({threadsText(block, otherWarp, otherLanes) +
                               (otherLanes & (otherLanes - 1) ? " have" : " has") +
                               " gone around it and come here",
                           framesOf(other)});
  note(std::move(finding));
}

bool isBehind(const SyncSite &site, const SyncSite &other) {
  return other.number != NoSyncNumber && (site.behind >> other.number & 1);
}

/// Programs of one CUDA warp.
bool isSameWarp(const Block *block, uint32_t a, uint32_t b) {
  uint32_t lanes = device::lanesOf(block->launch);
  return a * lanes / 32 == b * lanes / 32;
}

void compare(const Block *block, Barriers &all, const Barriers::Turn &turn, uint32_t warp,
             uint32_t lanes, const SyncSite &site) {
  const SyncSite &first = *turn.site;
  if (&first == &site)
    return;
  if (isBehind(first, site))
    reportAround(block, all, turn.warp, turn.lanes, first, warp, lanes, site);
  else if (isBehind(site, first))
    reportAround(block, all, warp, lanes, site, turn.warp, turn.lanes, first);
  else if (first.isAligned && site.isAligned && isSameWarp(block, turn.warp, warp)) {
    Finding finding = divergent(block, turn.warp, turn.lanes, first);
    finding.notes.push_back(
        {threadsText(block, warp, lanes) + " of the same warp waits at another barrier",
         framesOf(site)});
    note(std::move(finding));
  }
}

} // namespace

void atBarrier(Block *block, uint32_t warp, uint32_t present, uint32_t absent, const SyncSite *site,
               const SyncSite *branch) {
  if (absent) {
    Finding finding = divergent(block, warp, present, *site);
    finding.notes.push_back({threadsText(block, warp, absent) + " of the warp " +
                                 (absent & (absent - 1) ? "are" : "is") + " elsewhere",
                             {}});
    addBranch(finding, branch);
    note(std::move(finding));
  }
  if (site->number == NoSyncNumber)
    return;
  Barriers &all = barriersOf(block, warp);
  if (all.isTold)
    return;
  uint32_t number = ++all.warps[warp].turns;
  all.last = std::max(all.last, number);
  Barriers::Turn &turn = all.turns[number % KeptTurns];
  if (turn.number == number)
    return compare(block, all, turn, warp, present, *site);
  turn = {number, site, warp, present};
  for (uint32_t other = 0; other < all.warps.size(); ++other) {
    const Barriers::Warp &gone = all.warps[other];
    if (gone.past && other != warp && gone.turnsBefore < number && isBehind(*site, *gone.past))
      return reportAround(block, all, warp, present, *site, other, 1, *gone.past);
  }
}

void pastBarriers(Block *block, uint32_t warp, uint32_t lanes, const SyncSite *site) {
  Barriers &all = barriersOf(block, warp);
  Barriers::Warp &own = all.warps[warp];
  if (own.past || all.isTold)
    return;
  own.past = site;
  own.turnsBefore = own.turns;
  const Barriers::Turn &next = all.turns[(own.turns + 1) % KeptTurns];
  if (next.number == own.turns + 1 && next.warp != warp && isBehind(*next.site, *site))
    reportAround(block, all, next.warp, next.lanes, *next.site, warp, lanes, *site);
}

static void reportStray(Block *block, uint32_t warp, uint32_t lanes, const SyncSite &site,
                        const SyncSite &use) {
  Finding finding = syncFinding(block, warp, lanes, site);
  finding.kind = "shuffle-from-absent-thread";
  finding.text = nameOf(site) + " that reads from a thread that has ended or is not there";
  finding.notes.push_back({"the value is used", framesOf(use)});
  note(std::move(finding));
}

void atWarpOperation(Block *block, uint32_t warp, uint32_t lanes, uint32_t absent, uint32_t mask,
                     const uint32_t *masks, const SyncSite *site, const SyncSite *branch) {
  if (site->kind == SyncKind::Shuffle)
    return reportStray(block, warp, lanes, *site, *branch);
  uint32_t width = device::lanesOf(block->launch), shift = warp * width % 32;
  auto maskOf = [&](uint32_t lane) { return masks ? masks[lane] : mask; };
  uint32_t outside = 0, waiting = 0, differing = 0, named = 0, other = 0;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    uint32_t own = maskOf(lane), missing = width == 32 ? own & absent : 0;
    if (!(own >> (lane + shift) & 1))
      outside |= 1u << lane;
    if (missing)
      waiting |= 1u << lane, named |= missing;
    for (uint32_t others = masks && width == 32 ? own & lanes : 0; others; others &= others - 1) {
      auto with = static_cast<uint32_t>(__builtin_ctz(others));
      if (masks[with] != own && (masks[with] >> lane & 1)) {
        other = differing ? other : with;
        differing |= 1u << lane;
      }
    }
  }
  auto report = [&](uint32_t who, const char *kind, const std::string &text, std::string more) {
    Finding finding = syncFinding(block, warp, who, *site);
    finding.kind = kind;
    finding.text = nameOf(*site) + text;
    finding.notes.push_back({std::move(more), {}});
    if (who == waiting && who != outside)
      addBranch(finding, branch);
    note(std::move(finding));
  };
  auto maskText = [&](uint32_t who) {
    return "the mask is " + hexadecimal(maskOf(static_cast<uint32_t>(__builtin_ctz(who))));
  };
  if (outside)
    report(outside, "mask-without-caller", " with a mask that leaves out the caller",
           maskText(outside));
  if (waiting)
    report(waiting, "mask-names-absent-threads", " with a mask that names threads elsewhere",
           maskText(waiting) + ": " + threadsText(block, warp, named) +
               (named & (named - 1) ? " do" : " does") + " not come to it");
  if (differing)
    report(differing, "masks-differ", " with different masks in threads that name each other",
           maskText(differing) + ", that of thread " + threadText(block, warp * width + other) +
               " is " + hexadecimal(masks[other]));
}

namespace {

Finding findingOf(const device::StuckLaunch &stuck) {
  Finding finding;
  finding.tool = Tool;
  finding.kind = stuck.kind;
  finding.text = stuck.text;
  finding.kernel = device::kernelNameOf(stuck.launch);
  const device::StuckThreads *first = stuck.threads.empty() ? nullptr : &stuck.threads[0];
  for (const device::StuckThreads &threads : stuck.threads)
    if (threads.where && (!first || !first->where))
      first = &threads;
  if (first) {
    finding.hasThread = true;
    std::copy(first->block, first->block + 3, finding.thread.block.begin());
    const uint32_t *dim = stuck.launch->blockDim;
    finding.thread.thread = {first->first % dim[0], first->first / dim[0] % dim[1],
                             first->first / (dim[0] * dim[1])};
    finding.threads = first->last - first->first + 1;
    if (first->where)
      finding.frames.push_back({"", first->where->file, first->where->line, first->where->column});
  }
  return finding;
}

} // namespace

void reportStuck(const device::StuckLaunch &stuck) {
  Finding finding = foreverOf(stuck.launch);
  if (finding.text.empty())
    finding = findingOf(stuck);
  for (const device::StuckThreads &threads : stuck.threads) {
    std::vector<Frame> frames;
    if (threads.where)
      frames.push_back({"", threads.where->file, threads.where->line, threads.where->column});
    const uint32_t *b = threads.block;
    finding.notes.push_back({"threads " + std::to_string(threads.first) + " to " +
                                 std::to_string(threads.last) + " of block (" +
                                 std::to_string(b[0]) + "," + std::to_string(b[1]) + "," +
                                 std::to_string(b[2]) + "): " + threads.what,
                             std::move(frames)});
  }
  note(std::move(finding));
}

} // namespace heddle::check
