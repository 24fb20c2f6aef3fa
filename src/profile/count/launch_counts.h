// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was counted of one launch.
#pragma once

#include "model/trace.h"
#include "profile/count/sums.h"

#include <array>
#include <memory>
#include <string>

namespace heddle::profile {

/// What one warp asked for, for pictures: of each access the one with the most lanes that was met first.
struct AccessSample {
  uint32_t access; ///< of KernelCode::accesses
  uint32_t lanes;
  std::array<uint64_t, 32> addresses; ///< by lane
};

/// A finished launch.
struct LaunchCounts {
  uint64_t id = 0;    ///< Launch::launchId
  std::string kernel; ///< demangled
  std::shared_ptr<const model::KernelCode> code;
  model::LaunchShape shape = {}; ///< nothing of what was not counted
  model::KernelCounts counts;
  std::vector<AccessSums> accesses; ///< by KernelCode::accesses
  std::vector<model::BlockTrace> traces;
  std::vector<AccessSample> samples; ///< where a report with pictures is asked for
  uint64_t situation = 0;            ///< tells launches of one shape apart whose times may differ
  /// Why the counts are not those of a GPU; empty if they are.
  std::string uncounted;
  bool isCancelled = false;                       ///< a block faulted
  const void *queue = nullptr, *device = nullptr; ///< tell streams and devices apart
  uint64_t began = 0, ended = 0; ///< when the host ran it, in nanoseconds (nowNanoseconds)

  /// Instructions, as PTX has them, that warps and threads executed.
  uint64_t warpInstructions() const;
  uint64_t threadInstructions() const;
};

/// Of the launch's traces.
std::vector<AccessSample> samplesOf(const LaunchCounts &);

/// By source line, for people and tests.
std::string describe(const LaunchCounts &);

} // namespace heddle::profile
