// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle {

/// What a note of asynchronous copies tells (simt/analysis/async_copies.h): cuda_pipeline_primitives.h
/// and the front end of PTX write it, racecheck reads it.
enum class AsyncStep : uint32_t {
  Begins,
  Commits,
  Waits,
  BulkReads,
  BulkCommits,
  BulkWaits,
  BulkBarrier,
  BulkWrites
};

} // namespace heddle
