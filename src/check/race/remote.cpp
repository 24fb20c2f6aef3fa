// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/race/remote.h"

#include "check/findings.h"
#include "check/race/block.h"
#include "check/sites.h"

#include <algorithm>
#include <iterator>

namespace heddle::check {

/// Whose memory it is: the rank of another block of the cluster; none: -1.
static int rankOf(const Block &block, uintptr_t address) {
  auto isIn = [&](const uint8_t *shared) {
    return shared && address - reinterpret_cast<uintptr_t>(shared) < block.launch->sharedBytes;
  };
  if (isIn(block.shared))
    return -1;
  auto at = std::find_if(std::begin(block.clusterShared), std::end(block.clusterShared), isIn);
  return at == std::end(block.clusterShared) ? -1 : int(at - std::begin(block.clusterShared));
}

static uint32_t numberOfRank(const LaunchRaces &launch, const BlockRaces &own, uint32_t rank) {
  uint32_t number = 0, index[3];
  for (int d = 0; d < 3; ++d) {
    uint32_t dim = launch.clusterDim[d];
    index[d] = own.blockIdx[d] / dim * dim + rank % dim;
    rank /= dim;
  }
  for (int d = 2; d >= 0; --d)
    number = number * launch.gridDim[d] + index[d];
  return number;
}

static Finding findingOf(const Block &block, uint32_t program, uint32_t lane,
                         const AccessSite &site) {
  Finding finding;
  finding.tool = "racecheck";
  finding.kind = "race-with-end";
  const char *what = site.kind == AccessKind::Read    ? "read"
                     : site.kind == AccessKind::Write ? "write"
                                                      : "atomic operation";
  finding.text = std::string("Race between ") + what + " of another block's shared memory" +
                 (site.variable ? " '" + std::string(site.variable) + "'" : "") +
                 " and the end of that block";
  placeFinding(finding, &block, program, lane, site);
  finding.notes.push_back({"no barrier of the cluster lets it wait for this", {}});
  return finding;
}

void noteRemoteUse(const Block &block, const BlockRaces &own, uint32_t program, uint32_t lanes,
                   const AccessSite &site, const uintptr_t *addresses) {
  LaunchRaces &launch = *own.launch;
  uint32_t first = program * launch.width;
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = static_cast<uint32_t>(__builtin_ctz(rest));
    int rank = rankOf(block, addresses[lane]);
    if (rank < 0)
      continue;
    std::lock_guard lock(launch.mutex);
    std::vector<RemoteUse> &uses = launch.remote[numberOfRank(launch, own, uint32_t(rank))];
    auto known = std::ranges::find_if(uses, [&](const RemoteUse &use) {
      return use.block == own.number && use.warp == first / WarpLanes && use.site == &site;
    });
    if (known == uses.end()) {
      uses.push_back(
          {own.number, first / WarpLanes, &site, {}, 0, findingOf(block, program, lane, site)});
      known = uses.end() - 1;
    }
    known->time[(first + lane) % WarpLanes] = own.time;
    known->gridPhase = own.gridPhase;
  }
}

/// Some thread of the block knows that the other thread has done it, or has seen a sign of that.
static bool isKnown(const BlockRaces &own, const RemoteUse &use, uint32_t lane) {
  uint32_t other = use.warp * WarpLanes + lane;
  for (uint32_t thread = 0; thread < own.threads; ++thread)
    if (own.knowsOfBlock(thread, use.block, other, use.time[lane]) ||
        own.sees(thread, use.block, other, use.time[lane]).first != SeenBy::Nobody)
      return true;
  return false;
}

void endRemoteUses(const BlockRaces &own) {
  std::vector<RemoteUse> uses;
  {
    std::lock_guard lock(own.launch->mutex);
    auto known = own.launch->remote.find(own.number);
    if (known == own.launch->remote.end())
      return;
    uses = std::move(known->second);
    own.launch->remote.erase(known);
  }
  for (RemoteUse &use : uses) {
    uint32_t wrong = 0;
    for (uint32_t lane = 0; lane < WarpLanes && use.gridPhase >= own.gridPhase; ++lane)
      if (use.time[lane] && !isKnown(own, use, lane))
        ++wrong;
    use.finding.threads = wrong;
    if (wrong)
      note(std::move(use.finding));
  }
}

} // namespace heddle::check
