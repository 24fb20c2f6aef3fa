// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/mended_trace.h"
#include "profile/count/launch_counts.h"

#include <algorithm>
#include <map>

namespace heddle::profile {

std::vector<AccessSample> samplesOf(const LaunchCounts &counts) {
  std::map<uint32_t, AccessSample> samples;
  auto lanesIn = [](uint32_t lanes) { return __builtin_popcount(lanes); };
  for (const model::BlockTrace &block : counts.traces)
    for (const model::WarpTrace &warp : block.warps)
      for (const model::WarpEvent &event : warp.events) {
        if (event.kind != model::EventKind::Access || !event.lanes)
          continue;
        auto [at, isNew] = samples.try_emplace(event.number);
        if (!isNew && lanesIn(event.lanes) <= lanesIn(at->second.lanes))
          continue;
        const model::LaneAccess access(counts.code->accesses[event.number], event, warp);
        at->second = {event.number, event.lanes, {}};
        std::copy_n(access.addresses, 32, at->second.addresses.begin());
      }
  std::vector<AccessSample> list;
  for (auto &[number, sample] : samples)
    list.push_back(sample);
  return list;
}

} // namespace heddle::profile
