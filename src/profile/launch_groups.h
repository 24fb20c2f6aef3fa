// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modelled launches of one kernel and shape, which reports tell together.
#pragma once

#include "profile/activity.h"

namespace heddle::profile {

struct LaunchGroup {
  std::string kernel;
  model::LaunchShape shape;
  std::vector<std::vector<const TimedLaunch *>> byGpu; ///< at least one launch each
  size_t count() const { return byGpu[0].size(); }
  double meanSeconds(size_t gpu) const;
  /// "kernel (32, 32, 1) blocks of (32, 8, 1), 2 launches".
  std::string title() const;
};

/// In the order in which each ran first.
std::vector<LaunchGroup> groupLaunches(const Recording &);

/// "(32, 8, 1)".
std::string tripleText(const uint32_t (&)[3]);
/// What limits occupancy: "registers".
std::string limitText(const model::Occupancy &);
/// A line that costs much, or that gains if it is mended.
struct LineReport {
  uint32_t line;                           ///< of the KernelCode
  double share = 0;                        ///< of the warps' time
  const model::Mending *mending = nullptr; ///< that gains most; null: it has no flaw
};
/// The most important ones first.
std::vector<LineReport> linesToTell(const TimedLaunch &, size_t count);
/// "32 sectors a request where 4 would do: 6.1 times".
std::string mendingText(const model::Mending &);

} // namespace heddle::profile
