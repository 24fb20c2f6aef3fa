// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/counted_launch.h"

namespace heddle::profile {

static model::Occupancy occupancyOf(const LaunchCounts &counts, const model::Gpu &gpu,
                                    const model::MachineCode &machine) {
  return model::occupancyOf(gpu.architecture(),
                            {static_cast<int>(counts.shape.threads()), machine.registers,
                             counts.code->staticShared, counts.shape.dynamicShared});
}

CountedLaunch::CountedLaunch(const LaunchCounts &counts, const Activity &activity,
                             const model::Gpu &gpu, const TimedLaunch *times)
    : counts(counts), activity(activity), gpu(gpu),
      machine(model::makeMachineCode(*counts.code, gpu)),
      occupancy(occupancyOf(counts, gpu, machine)),
      time(times && times->unknown.empty() ? &times->time : nullptr) {}

model::MemoryRules CountedLaunch::rules() const {
  return model::memoryRulesOf(static_cast<unsigned>(gpu.major), static_cast<unsigned>(gpu.minor));
}

const MemorySums &CountedLaunch::memory(const AccessSums &sums) const {
  return sums.memory[static_cast<size_t>(rules())];
}

const SharedSums &CountedLaunch::shared(const AccessSums &sums) const {
  return sums.shared[static_cast<size_t>(rules())];
}

double CountedLaunch::warps() const {
  return static_cast<double>(counts.shape.blocks()) * counts.shape.warps();
}

double CountedLaunch::scale() const {
  uint64_t counted = counts.counts.countedBlocks;
  return counted ? static_cast<double>(counts.counts.launchedBlocks) / static_cast<double>(counted)
                 : 0;
}

} // namespace heddle::profile
