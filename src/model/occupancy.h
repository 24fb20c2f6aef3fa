// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks a multiprocessor runs at a time. It runs as many as its scarcest resource allows,
// and gives each resource in units: registers to a warp (before compute capability 2.0: to a block),
// shared memory to a block. The rules are those of NVIDIA's public occupancy calculator; the units
// are in architectures.def.
#pragma once

#include "model/architecture.h"

#include <cstddef>

namespace heddle::model {

/// What one block of a kernel takes.
struct BlockNeeds {
  int threads = 0;
  int registers = 0;       ///< per thread
  size_t staticShared = 0; ///< bytes
  size_t dynamicShared = 0;
};

enum class OccupancyLimit : uint8_t { Warps, Blocks, Registers, Shared, TooLarge };

struct Occupancy {
  int blocks = 0; ///< of a multiprocessor; 0: one is too large
  int byWarps = 0, byBlocks = 0, byRegisters = 0, byShared = 0;
  OccupancyLimit limit = OccupancyLimit::TooLarge;
  double share = 0; ///< resident warps of those that are possible
};
Occupancy occupancyOf(const Architecture &, const BlockNeeds &);

/// How many such blocks fit on one multiprocessor, by the rules of the CUDA Occupancy Calculator.
/// Shared memory over the per-block limit is the caller's to refuse.
int blocksPerMultiprocessor(const Architecture &, const BlockNeeds &);
/// By registers alone.
int blocksByRegisters(const Architecture &, const BlockNeeds &);

/// Dynamic shared memory that each of `blocks` blocks can have when they share a multiprocessor;
/// for a number of blocks that fits without any.
size_t dynamicSharedFor(const Architecture &, const BlockNeeds &, int blocks);

} // namespace heddle::model
