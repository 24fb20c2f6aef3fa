// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/mending.h"

#include "model/mended_trace.h"

#include <algorithm>
#include <tuple>

namespace heddle::model {

namespace {

/// Of blocks that are looked at for flaws.
constexpr size_t MostBlocks = 64;

struct Candidate {
  uint32_t line;
  Flaw flaw;
  Waste waste;
  double excess() const { return waste.has - waste.ideal; }
};

/// Lines that cost most, with their flaws, and those that waste most of what they share.
std::vector<Candidate> candidatesOf(const std::vector<LineWaste> &wastes, const LaunchTime &time,
                                    const std::vector<uint32_t> &same, size_t count) {
  std::vector<Candidate> costly, wasteful;
  for (size_t i = 0; i < std::min(count, time.lines.size()); ++i)
    for (unsigned f = 0; f < FlawCount; ++f)
      if (uint32_t line = time.lines[i].line; line < same.size() && wastes[same[line]][f].isFlaw())
        costly.push_back({same[line], Flaw(f), wastes[same[line]][f]});
  for (uint32_t line = 0; line < wastes.size(); ++line)
    for (unsigned f = 0; f < unsigned(Flaw::Divergence); ++f)
      if (wastes[line][f].isFlaw())
        wasteful.push_back({line, Flaw(f), wastes[line][f]});
  std::ranges::sort(wasteful, [](const Candidate &a, const Candidate &b) {
    return std::tuple(-a.excess(), a.line, a.flaw) < std::tuple(-b.excess(), b.line, b.flaw);
  });
  for (const Candidate &c : costly) {
    bool isThere = std::ranges::any_of(
        wasteful, [&](const Candidate &w) { return w.line == c.line && w.flaw == c.flaw; });
    if (!isThere)
      wasteful.push_back(c);
  }
  if (wasteful.size() > count)
    wasteful.resize(count);
  return wasteful;
}

} // namespace

std::vector<Mending> mendLines(const Gpu &gpu, const MachineCode &machine, const LaunchShape &shape,
                               const Traces &traces, const LaunchTime &time,
                               const MemoryState &state, const Effort &effort, size_t count) {
  const KernelCode &code = *machine.kernel;
  const MemoryRules rules =
      memoryRulesOf(static_cast<unsigned>(gpu.major), static_cast<unsigned>(gpu.minor));
  WasteFinder finder(rules, code);
  if (effort.traced)
    for (size_t i = 0; i < std::min(MostBlocks, effort.traced->own.size()); ++i)
      finder.add(traces(effort.traced->own[i]));
  else
    for (uint64_t block = 0; block < std::min<uint64_t>(MostBlocks, shape.blocks()); ++block)
      finder.add(traces(block));
  std::vector<Mending> mendings;
  for (const Candidate &candidate : candidatesOf(finder.take(), time, sameLines(code), count)) {
    Mender mender(rules, code, candidate.line, candidate.flaw);
    auto mended = [&](uint64_t block) {
      BlockTrace trace = traces(block);
      mender.mend(trace);
      return trace;
    };
    const LaunchTime better = simulate(gpu, machine, shape, mended, state, effort);
    if (better.seconds <= 0)
      continue;
    const double requests = candidate.waste.requests;
    Mending mending = {candidate.line, candidate.flaw, candidate.waste.has / requests,
                       candidate.waste.ideal / requests, time.seconds / better.seconds};
    if (candidate.flaw == Flaw::Divergence)
      std::swap(mending.has, mending.ideal);
    mendings.push_back(mending);
  }
  std::ranges::sort(mendings, [](const Mending &a, const Mending &b) {
    return std::tuple(-a.gain, a.line, a.flaw) < std::tuple(-b.gain, b.line, b.flaw);
  });
  return mendings;
}

} // namespace heddle::model
