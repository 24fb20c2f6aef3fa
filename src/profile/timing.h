// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long launches take on named GPUs: which of their blocks are traced, and what the model makes of
// the traces.
//
// Launches of a kernel with one shape are traced while their situations are new: the parameters, and the
// launch before. Of later ones only some blocks are counted, and their time is that of the traced one in
// their situation, by the operations that they executed. What a GPU's time is found from is its own, so that
// it does not depend on what others are asked for: a sample of blocks, and traces as long as for it alone.
#pragma once

#include "model/block_clock.h"
#include "model/mending.h"
#include "profile/count/launch_counts.h"
#include "profile/count/sampling.h"

#include <map>
#include <mutex>
#include <set>
#include <span>

namespace heddle::profile {

/// What the model says of a launch.
struct TimedLaunch {
  uint64_t id = 0;
  const model::Gpu *gpu = nullptr;
  std::string kernel;
  model::LaunchShape shape;
  std::shared_ptr<const model::KernelCode> code;
  int registers = 0;
  model::LaunchTime time;
  std::string unknown; ///< why there is none; empty: there is
  std::vector<model::Mending> mendings;
};

class Timing {
public:
  Timing(std::vector<const model::Gpu *> gpus, bool countsAll, bool mends, bool flushes)
      : gpus_(std::move(gpus)), countsAll_(countsAll), mends_(mends), flushes_(flushes) {}

  /// Sampling::ofLaunch. `countsAll_`: blocks that are not traced are counted. `mends_`: what mending lines
  /// gains is found, too.
  /// `flushes_`: each launch finds empty caches.
  Treatments ofLaunch(const LaunchStart &);
  /// Treatments::clock of a launch on a GPU, which stands for the device: null if the kernel reads none.
  std::unique_ptr<model::LaunchClock> clockOf(const LaunchStart &, const model::Gpu *);
  /// The times of a launch on each GPU.
  std::vector<TimedLaunch> timesOf(const LaunchCounts &);

private:
  struct Shape {
    const model::KernelCode *code;
    std::array<uint32_t, 7> numbers;
    auto operator<=>(const Shape &) const = default;
  };
  /// Memory that a launch touches, as far as its traces tell.
  struct Touched {
    std::vector<std::pair<uint64_t, uint64_t>> ranges; ///< of each access, ends included
    double bytes = 0;
  };
  struct Situation {       ///< what the model says of it
    double operations = 0; ///< of a block, in the mean
    std::vector<TimedLaunch> times;
    std::vector<Touched> touched; ///< by GPU
  };
  /// The blocks that a GPU's time is found from, whatever other GPUs are asked for.
  struct Sample {
    model::SampledBlocks blocks;
    uint64_t frontBytes = 0, ownBytes = 0; ///< that the trace of each may take
    uint64_t bytesOf(uint64_t block) const;
  };
  struct Known {
    std::vector<Sample> samples; ///< by GPU
    std::set<uint64_t> traced;   ///< situations whose launches have begun
    std::map<uint64_t, Situation> situations;
    uint64_t latest = 0;                                    ///< the situation that was traced last
    std::map<size_t, std::vector<model::Mending>> mendings; ///< by GPU, of the first launch
  };
  uint64_t situationOf(const LaunchStart &);
  static Shape shapeOf(const model::KernelCode &, const model::LaunchShape &);
  const model::MachineCode &machineOf(const model::KernelCode &, size_t gpu);
  static Sample sampleOf(const model::Gpu &, const model::MachineCode &,
                         const model::LaunchShape &);
  double operationsOfBlock(const LaunchCounts &) const;
  TimedLaunch timeOf(const LaunchCounts &, size_t gpu, Known &, Situation &);

  const std::vector<const model::Gpu *> gpus_;
  const bool countsAll_, mends_, flushes_;
  std::mutex mutex_;
  std::map<Shape, Known> known_;
  std::map<std::pair<const model::KernelCode *, size_t>, model::MachineCode> machines_;
  std::map<const void *, model::DeviceClock> clocks_; ///< by device
  uint64_t begun_ = 0;                                ///< the launch that has begun last
  std::vector<Touched> last_;                         ///< by the launch before, by GPU
};

} // namespace heddle::profile
