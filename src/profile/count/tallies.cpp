// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run of addresses costs follows from its lanes, its stride and the place of its first address
// in 256 bytes: no generation has larger segments. So each access keeps the last few runs and their
// costs, and most accesses of regular code are one addition. Addresses that are no run cost what their
// distances and the first one's place say: a warp that covers two rows of a matrix has the same ones
// again and again.
#include "profile/count/tallies.h"

#include <bit>
#include <cstring>
#include <utility>

namespace heddle::profile {

using model::Space;

constexpr uint64_t PlaceBytes = 256, WordBytes = 4;

LaneRun runOf(uint32_t lanes, uint64_t first, uint64_t second, int64_t stride) {
  constexpr uint32_t Low = (uint32_t(1) << HalfLanes) - 1;
  const auto lane = int64_t(std::countr_zero(lanes));
  const bool areBoth = lanes & Low && lanes & ~Low;
  const uint64_t begin = lane < HalfLanes ? first + uint64_t(lane * stride)
                                          : second + uint64_t((lane - HalfLanes) * stride);
  return {lanes, begin, stride, areBoth ? int64_t(second - first) : HalfLanes * stride};
}

void spreadRun(const LaneRun &run, uint64_t *addresses) {
  const auto first = int64_t(std::countr_zero(run.lanes));
  const uint64_t low = run.begin - uint64_t(first * run.stride);
  // From an upper lane the distance is that of one run.
  const uint64_t high = low + uint64_t(run.distance);
  for (int64_t lane = 0; lane < HalfLanes; ++lane) {
    addresses[lane] = low + uint64_t(lane * run.stride);
    addresses[lane + HalfLanes] = high + uint64_t(lane * run.stride);
  }
}

void placeLocal(uint32_t bytes, uint64_t *addresses) {
  for (unsigned lane = 0; lane < Lanes; ++lane)
    addresses[lane] = localAddress(addresses[lane], bytes, lane);
}

void AccessTally::addRun(const model::CodeAccess &access, Space space, const LaneRun &addressed,
                         uint32_t rules) {
  // Of what lies in a variable of the thread's own the place is the offset's.
  auto place = uint32_t(addressed.begin % PlaceBytes);
  const size_t at = place / WordBytes % Kept;
  Run &run = runs[at];
  if (run.lanes == addressed.lanes && run.stride == addressed.stride &&
      run.distance == addressed.distance && run.place == place && run.space == space) {
    ++run.times;
    return;
  }
  uint64_t addresses[Lanes];
  LaneRun placed = addressed;
  if (space == Space::Local)
    placed.begin = place;
  spreadRun(placed, addresses);
  if (space == Space::Local)
    placeLocal(access.bytes, addresses);
  if (run.times)
    sums.add(costs[at], run.times);
  run = {addressed.lanes, place, addressed.stride, addressed.distance, space, 1};
  costs[at] = costOf(access, space, addressed.lanes, addresses, rules);
}

void AccessTally::addEach(const model::CodeAccess &access, Space space, uint32_t lanes,
                          const uint64_t *addresses, uint32_t rules) {
  const uint64_t first = addresses[std::countr_zero(lanes)];
  std::array<int32_t, Lanes> distances;
  uint64_t far = 0; // what of a distance does not fit
  if (lanes == ~0u) {
    for (unsigned lane = 0; lane < Lanes; ++lane) {
      const uint64_t distance = addresses[lane] - first;
      distances[lane] = static_cast<int32_t>(distance);
      far |= (distance + (uint64_t(1) << 31)) >> 32;
    }
  } else {
    distances.fill(0);
    for (uint32_t left = lanes; left; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const uint64_t distance = addresses[lane] - first;
      distances[lane] = static_cast<int32_t>(distance);
      far |= (distance + (uint64_t(1) << 31)) >> 32;
    }
  }
  if (far) {
    sums.add(costOf(access, space, lanes, addresses, rules));
    return;
  }
  if (gathers.empty())
    gathers.resize(Kept);
  const auto place = uint32_t(first % PlaceBytes);
  Gather &gather = gathers[place / WordBytes % Kept];
  if (gather.lanes == lanes && gather.place == place && gather.space == space &&
      std::memcmp(gather.distances.data(), distances.data(), sizeof distances) == 0) {
    ++gather.times;
    return;
  }
  if (gather.times)
    sums.add(gather.cost, gather.times);
  gather = {lanes, place, space, distances, 1, costOf(access, space, lanes, addresses, rules)};
}

void AccessTally::settle() {
  for (size_t at = 0; at < Kept; ++at)
    if (runs[at].times)
      sums.add(costs[at], std::exchange(runs[at].times, 0));
  for (Gather &gather : gathers)
    if (gather.times)
      sums.add(gather.cost, std::exchange(gather.times, 0));
}

void WorkerCounts::addTo(LaunchCounts &launch) {
  launch.counts.countedBlocks += blocksOfGrid;
  for (size_t i = 0; i < blocks.size(); ++i) {
    launch.counts.blocks[i].warps += blocks[i].warps;
    launch.counts.blocks[i].threads += blocks[i].lanes;
  }
  for (size_t i = 0; i < accesses.size(); ++i) {
    accesses[i].settle();
    launch.accesses[i].add(accesses[i].sums);
  }
}

} // namespace heddle::profile
