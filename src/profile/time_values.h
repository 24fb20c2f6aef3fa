// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What metrics of times, caches and memory are made of: the model's run of a launch. Nothing where it
// has none. And branches, which are counted.
#pragma once

#include "profile/metric_values.h"

#include <algorithm>
#include <cmath>

namespace heddle::profile {

/// A value of the model's result.
template <typename F> Value ofTime(const CountedLaunch &l, F &&value) {
  return l.time && l.time->seconds > 0 ? Value(value(*l.time)) : std::nullopt;
}

inline Value cycles(const CountedLaunch &l) {
  return ofTime(l, [](const model::LaunchTime &t) { return t.cycles; });
}
/// With what a launch itself takes.
inline Value cyclesElapsed(const CountedLaunch &l) {
  return ofTime(l, [](const model::LaunchTime &t) {
    return t.cycles / (1 - t.used[unsigned(model::Resource::Launch)]);
  });
}
/// What goes on in a second.
inline Value perSecond(const CountedLaunch &l, double amount) {
  return ofTime(l, [=](const model::LaunchTime &t) { return amount / t.seconds; });
}
/// Multiprocessors that have blocks.
inline double busyMultiprocessors(const CountedLaunch &l) {
  return std::min<double>(l.gpu.multiprocessors, double(l.counts.shape.blocks()));
}
/// The same, of whose schedulers only a part has warps if blocks are small.
inline double busySchedulers(const CountedLaunch &l) {
  const double busy = busyMultiprocessors(l);
  const double blocks =
      std::min<double>(l.occupancy.blocks, double(l.counts.shape.blocks()) / busy);
  return busy * std::min(1.0, blocks * l.counts.shape.warps() / l.gpu.parameters().schedulers);
}
/// Instructions of a multiprocessor and cycle: of those that have blocks, or of all.
inline Value ipc(const CountedLaunch &l, bool ofAll) {
  return ofTime(l, [&](const model::LaunchTime &t) {
    return warpInstructions(l) / (ofAll ? l.gpu.multiprocessors : busyMultiprocessors(l)) /
           t.cycles;
  });
}
/// Of what the schedulers could issue, in percent.
inline Value issueShare(const CountedLaunch &l, bool ofAll) {
  auto each = ipc(l, ofAll);
  const model::Parameters &p = l.gpu.parameters();
  return each ? Value(100 * *each * p.issueCycles / p.schedulers) : each;
}
inline Value activeWarps(const CountedLaunch &l) {
  return ofTime(l, [&](const model::LaunchTime &t) {
    return t.achievedOccupancy * l.gpu.architecture().warpsPerSm;
  });
}
/// How full the fullest of some resources is, in percent.
inline Value fullest(const CountedLaunch &l, std::initializer_list<model::Resource> resources) {
  return ofTime(l, [&](const model::LaunchTime &t) {
    double most = 0;
    for (model::Resource resource : resources)
      most = std::max(most, t.used[unsigned(resource)]);
    const double launch = t.used[unsigned(model::Resource::Launch)];
    return 100 * std::min(1.0, most * (1 - launch));
  });
}
/// Of memory's peak bandwidth, in percent.
inline Value ofPeak(const CountedLaunch &l, Value bytesPerSecond) {
  return bytesPerSecond ? Value(100 * *bytesPerSecond / l.gpu.peakBandwidth()) : std::nullopt;
}
inline Value dramShare(const CountedLaunch &l) {
  return ofPeak(l, ofTime(l, [](const model::LaunchTime &t) { return t.bandwidth(); }));
}
inline Value times(Value value, double factor) {
  return value ? Value(*value * factor) : std::nullopt;
}
inline Value difference(Value a, Value b) { return a && b ? Value(*a - *b) : std::nullopt; }
inline double waitsFor(const model::LaunchTime &t, std::initializer_list<model::Wait> causes) {
  double share = 0;
  for (model::Wait cause : causes)
    share += t.waits[unsigned(cause)];
  return share;
}
/// Of the warps' time, in percent.
inline Value stallShare(const CountedLaunch &l, std::initializer_list<model::Wait> causes) {
  return ofTime(l, [&](const model::LaunchTime &t) { return 100 * waitsFor(t, causes); });
}
/// Cycles that a warp waits for each instruction that it issues.
inline Value stallCycles(const CountedLaunch &l, std::initializer_list<model::Wait> causes) {
  auto warps = activeWarps(l), each = ipc(l, false);
  if (!warps || !each || *each <= 0)
    return std::nullopt;
  return *warps / *each * waitsFor(*l.time, causes);
}

/// L2 of 8.0 and 9.0 has two halves: what a multiprocessor of the one asks of the other passes both, half of
/// all sectors, and counters see it twice.
inline double halvesOfL2(const CountedLaunch &l) {
  return (l.gpu.major == 8 || l.gpu.major == 9) && l.gpu.minor == 0 ? 1.5 : 1;
}
inline Value l2Sectors(const CountedLaunch &l) {
  return ofTime(
      l, [&](const model::LaunchTime &t) { return std::round(t.l2Sectors * halvesOfL2(l)); });
}
inline Value l2Reads(const CountedLaunch &l) {
  return ofTime(l,
                [&](const model::LaunchTime &t) { return std::round(t.l2Reads * halvesOfL2(l)); });
}
inline Value l2Writes(const CountedLaunch &l) {
  return ofTime(l,
                [&](const model::LaunchTime &t) { return std::round(t.l2Writes * halvesOfL2(l)); });
}
/// Stores are hits: L2 takes them with a mask of bytes, and fetches nothing (an H200's counters in
/// bench/ncu_h200.csv).
inline Value l2Hits(const CountedLaunch &l) {
  return ofTime(l, [&](const model::LaunchTime &t) {
    return std::round((t.l2Sectors - t.l2Fetched) * halvesOfL2(l));
  });
}
/// In percent.
inline Value l2HitRate(const CountedLaunch &l) {
  return l.time ? ratio(l.time->l2Sectors - l.time->l2Fetched, l.time->l2Sectors, 100)
                : std::nullopt;
}
inline Value l2ReadHitRate(const CountedLaunch &l) {
  return l.time ? ratio(l.time->l2ReadHits, l.time->l2Reads, 100) : std::nullopt;
}
inline Value l1HitRate(const CountedLaunch &l) {
  return l.time ? ratio(l.time->l1Hits, l.time->l1Sectors, 100) : std::nullopt;
}
/// Without what goes by the cache of textures.
inline Value loadHitRate(const CountedLaunch &l) {
  return l.time ? ratio(l.time->l1Hits - l.time->textureHits,
                        l.time->l1Sectors - l.time->textureSectors, 100)
                : std::nullopt;
}
inline Value textureHitRate(const CountedLaunch &l) {
  return l.time ? ratio(l.time->textureHits, l.time->textureSectors, 100) : std::nullopt;
}
inline Value l2ReadHits(const CountedLaunch &l) {
  return ofTime(
      l, [&](const model::LaunchTime &t) { return std::round(t.l2ReadHits * halvesOfL2(l)); });
}
inline Value l2Misses(const CountedLaunch &l) {
  return ofTime(
      l, [&](const model::LaunchTime &t) { return std::round(t.l2Fetched * halvesOfL2(l)); });
}

/// Branches that warps execute; `isDivergent`: those whose lanes go both ways. After a branch of two ways
/// each has a block of its own, so a warp that comes to both has diverged. Lanes that leave a loop
/// earlier than others are not seen.
inline double branches(const CountedLaunch &l, bool isDivergent) {
  const model::KernelCode &code = *l.counts.code;
  double sum = 0;
  for (size_t b = 0; b < l.machine.blocks.size() && b < code.successors.size(); ++b) {
    const model::CodeBlock &block = l.machine.blocks[b];
    bool branches = false;
    for (uint32_t k = 0; k < block.count; ++k)
      branches |= l.machine.instructions[block.first + k].operation == Operation::Branch;
    if (!branches)
      continue;
    const double came = double(l.counts.counts.blocks[b].warps);
    double went = 0;
    for (uint32_t next : code.successors[b])
      went += double(l.counts.counts.blocks[next].warps);
    if (!isDivergent)
      sum += came;
    else if (code.successors[b].size() == 2)
      sum += std::clamp(went - came, 0.0, came);
  }
  return sum * l.scale() + (isDivergent ? 0 : furtherRounds(l));
}

/// In percent; all of none.
inline double uniformBranches(const CountedLaunch &l) {
  const double all = branches(l, false);
  return all > 0 ? 100 * (all - branches(l, true)) / all : 100;
}

} // namespace heddle::profile
