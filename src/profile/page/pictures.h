// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The drawings of the report.
#pragma once

#include "profile/launch_groups.h"
#include "profile/page/svg.h"

namespace heddle::profile {

/// What the report knows of a group's first launch beside its times.
struct GroupFacts {
  const LaunchGroup *group = nullptr;
  const LaunchCounts *counts = nullptr; ///< null: there are none
  double floats = 0, doubles = 0; ///< operations of the launch, in single and double precision
};

/// All kernels under the roof of a GPU.
Picture drawRoofline(const std::vector<GroupFacts> &, size_t gpu);
/// Warps of a multiprocessor by registers of a thread, threads and shared memory of a block, as
/// the charts of NVIDIA's occupancy spreadsheet have them.
Picture drawOccupancy(const GroupFacts &, size_t gpu);
/// Times of all kernels on all GPUs.
Picture drawBoards(const std::vector<GroupFacts> &);
/// What warps wait for, by GPU.
Picture drawWaits(const GroupFacts &);
/// Lines and sectors, or banks, that a warp's access comes to.
Picture drawAccess(const AccessSample &, const model::KernelCode &, model::MemoryRules);
/// Streams, threads of the host, and ranges.
Picture drawTimeline(const Recording &);
/// Streams, as they would run on a GPU for which the program is predicted.
Picture drawTimeline(const Recording &, const model::Gpu &, size_t board);

} // namespace heddle::profile
