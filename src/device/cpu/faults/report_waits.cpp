// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the user reads when the threads of a kernel wait for ever.
#include "device/checks.h"
#include "device/cpu/engine/cpu_device.h"
#include "device/cpu/engine/threads.h"
#include "device/cpu/faults/report.h"
#include "device/cpu/launch/grid_run.h"
#include "device/cpu/waiting/hang.h"

#include <algorithm>

namespace heddle::device::cpu {

namespace {

void addWaits(StuckLaunch &stuck, const BlockRun &run) {
  const uint32_t *b = run.block().blockIdx;
  for (BlockRun::Waiting &waiting : run.waits())
    stuck.threads.push_back(
        {{b[0], b[1], b[2]}, waiting.first, waiting.last, std::move(waiting.what), waiting.where});
}

bool waitsForGrid(const BlockRun &run) {
  std::vector<BlockRun::Waiting> all = run.waits();
  return std::all_of(all.begin(), all.end(), [](const BlockRun::Waiting &waiting) {
    return waiting.what == "has ended" || waiting.what == "waits at a grid barrier";
  });
}

/// Those who check the launch tell of it in their way.
bool tellsChecker(const Op &op, const StuckLaunch &stuck) {
  if (!op.launch.checked)
    return false;
  checker()->stuck(stuck);
  return true;
}

} // namespace

void reportDeadlock(Worker &, Op &op, const BlockRun &run) {
  reportOnce(op, Fault::Trap, [&](Report &report) {
    StuckLaunch stuck = {
        &op.launch.abi, "deadlock", "Deadlock: no thread of the block can go on", {}};
    if (!op.launch.cooperative && waitsForGrid(run)) {
      stuck.kind = "grid-barrier-not-cooperative";
      stuck.text = "Barrier of the grid in a launch that is not cooperative";
    }
    addWaits(stuck, run);
    if (tellsChecker(op, stuck))
      return;
    const uint32_t *b = run.block().blockIdx;
    report.line("deadlock in kernel %s: no thread of block (%u,%u,%u) can go on",
                op.launch.kernel->name, b[0], b[1], b[2]);
    report.lines("    ", run.describeWaits());
    sayLost(report);
  });
}

void reportUnevenGrid(Op &op, uint64_t atGrid, uint64_t ended) {
  reportOnce(op, Fault::Trap, [&](Report &report) {
    StuckLaunch stuck = {&op.launch.abi,
                         "grid-barrier-not-reached",
                         "Deadlock: " + std::to_string(atGrid) +
                             " blocks wait at a grid barrier and " + std::to_string(ended) +
                             " have ended without it",
                         {}};
    for (const BlockSlot &slot : op.launch.grid->slots)
      if (!slot.over && stuck.threads.empty())
        addWaits(stuck, slot.run);
    if (tellsChecker(op, stuck))
      return;
    report.line(
        "deadlock in kernel %s: %llu blocks wait at a grid barrier and %llu have ended without it",
        op.launch.kernel->name, static_cast<unsigned long long>(atGrid),
        static_cast<unsigned long long>(ended));
    sayLost(report);
  });
}

namespace {

/// Blocks whose threads wait at the same places.
struct WaitingBlocks {
  std::string waits;
  const Block *first;
  const BlockRun *run; ///< of `first`
  uint64_t count;
};

bool isBefore(const Block &a, const Block &b) {
  return std::lexicographical_compare(std::rbegin(a.blockIdx), std::rend(a.blockIdx),
                                      std::rbegin(b.blockIdx), std::rend(b.blockIdx));
}

std::vector<WaitingBlocks> groupByWaits(const ParkedBlocks *parked) {
  std::vector<WaitingBlocks> groups;
  if (parked)
    parked->forEach([&](const BlockSlot &slot) {
      std::string waits = slot.run.describeWaits();
      auto same = std::find_if(groups.begin(), groups.end(),
                               [&](auto &group) { return group.waits == waits; });
      if (same == groups.end()) {
        groups.push_back({std::move(waits), &slot.block, &slot.run, 1});
        return;
      }
      ++same->count;
      if (isBefore(slot.block, *same->first)) {
        same->first = &slot.block;
        same->run = &slot.run;
      }
    });
  std::sort(groups.begin(), groups.end(),
            [](auto &a, auto &b) { return isBefore(*a.first, *b.first); });
  return groups;
}

} // namespace

void reportHang(Op &op, const ParkedBlocks *parked) {
  constexpr size_t MostGroups = 6;
  reportOnce(op, Fault::LaunchTimeout, [&](Report &report) {
    std::vector<WaitingBlocks> groups = groupByWaits(parked);
    StuckLaunch stuck = {
        &op.launch.abi, "endless-wait", "Endless wait: nothing changes any more", {}};
    for (size_t i = 0; i < groups.size() && i < MostGroups; ++i)
      addWaits(stuck, *groups[i].run);
    if (tellsChecker(op, stuck))
      return;
    report.line(
        "kernel %s waits for ever: nothing has changed for %g seconds (HEDDLE_HANG_SECONDS)",
        op.launch.kernel->name, static_cast<double>(EngineThreads::hangTime()) / 1e9);
    for (size_t i = 0; i < groups.size() && i < MostGroups; ++i) {
      const WaitingBlocks &group = groups[i];
      std::string more =
          group.count > 1 ? ", and " + std::to_string(group.count - 1) + " more like it" : "";
      const uint32_t *b = group.first->blockIdx;
      report.line("    block (%u,%u,%u)%s:", b[0], b[1], b[2], more.c_str());
      report.lines("        ", group.waits);
    }
    if (groups.size() > MostGroups)
      report.line("    and blocks that wait at other places");
    if (uint64_t atGrid = op.launch.grid ? op.launch.grid->atGrid.load() : 0)
      report.line("    %llu blocks wait at a grid barrier",
                  static_cast<unsigned long long>(atGrid));
    sayLost(report);
  });
}

} // namespace heddle::device::cpu
