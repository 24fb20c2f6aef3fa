// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counted launch as a named GPU has it: what metrics are computed from.
#pragma once

#include "model/gpu.h"
#include "model/machine.h"
#include "model/occupancy.h"
#include "profile/activity.h"
#include "profile/count/launch_counts.h"
#include "profile/timing.h"

namespace heddle::profile {

class CountedLaunch {
public:
  /// `times`: null if no time was asked for.
  CountedLaunch(const LaunchCounts &, const Activity &, const model::Gpu &,
                const TimedLaunch *times);

  const LaunchCounts &counts;
  const Activity &activity;
  const model::Gpu &gpu;
  const model::MachineCode machine;
  const model::Occupancy occupancy;
  /// What the model says of it; null: nothing.
  const model::LaunchTime *const time;

  /// Executions by warps, or by threads, of instructions that `chooses` takes.
  template <typename F> double instructions(F &&chooses, bool byThreads = false) const {
    double sum = 0;
    for (size_t i = 0; i < machine.blocks.size(); ++i) {
      const model::CodeBlock &block = machine.blocks[i];
      uint64_t chosen = 0;
      for (uint32_t k = 0; k < block.count; ++k)
        chosen += chooses(machine.instructions[block.first + k]);
      sum += static_cast<double>(chosen) * times(machine.runsWith[i], byThreads);
    }
    return sum;
  }
  /// The same of operations, as PTX has them.
  template <typename F> double operations(F &&chooses, bool byThreads = false) const {
    const model::KernelCode &code = *counts.code;
    double sum = 0;
    for (size_t i = 0; i < code.blocks.size(); ++i) {
      const model::CodeBlock &block = code.blocks[i];
      uint64_t chosen = 0;
      for (uint32_t k = 0; k < block.count; ++k)
        chosen += chooses(code.operations[block.first + k]);
      sum += static_cast<double>(chosen) * times(i, byThreads);
    }
    return sum;
  }
  /// Sums over memory operations: `value` of those that `chooses` takes.
  template <typename C, typename V> double accesses(C &&chooses, V &&value) const {
    double sum = 0;
    for (size_t i = 0; i < counts.code->accesses.size(); ++i)
      if (chooses(counts.code->accesses[i]))
        sum += static_cast<double>(value(counts.code->accesses[i], counts.accesses[i]));
    return sum * scale();
  }

  model::MemoryRules rules() const;
  const MemorySums &memory(const AccessSums &) const;
  const SharedSums &shared(const AccessSums &) const;
  double warps() const; ///< of the grid
  /// Blocks of the grid over those that were counted.
  double scale() const;

private:
  double times(size_t block, bool byThreads) const {
    const model::BlockCount &count = counts.counts.blocks[block];
    return static_cast<double>(byThreads ? count.threads : count.warps) * scale();
  }
};

} // namespace heddle::profile
