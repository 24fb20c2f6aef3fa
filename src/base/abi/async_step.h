// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle {

/// What a note of asynchronous copies tells (simt/analysis/async_copies.h): cuda_pipeline_primitives.h
/// and the front end of PTX write it, racecheck reads it. (Also of the device library: no headers.)
enum class AsyncStep : unsigned {
  Begins,
  Commits,
  Waits,
  BulkReads,
  BulkCommits,
  BulkWaits,
  BulkBarrier,
  BulkWrites,
  Tensor, ///< before a tensor copy: a TensorCopy (tensor_map.h); the address of its mbarrier
};

} // namespace heddle
