// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the warps of a block did, in the order in which each did it: the basic blocks that it came
// to, with the lanes that were active, and the addresses of its memory operations. The order between
// warps is not kept: the model makes its own.
#pragma once

#include "model/kernel.h"

namespace heddle::model {

enum class EventKind : uint8_t { Block, Access, Barrier };

/// One step of a warp.
struct WarpEvent {
  EventKind kind;
  uint32_t number; ///< Block: of KernelCode::blocks; Access: of KernelCode::accesses
  uint32_t lanes;  ///< active, a bit each
  uint32_t
      firstAddress; ///< Access: in WarpTrace::addresses; one for each active lane, from lane 0 up,
                    ///< but one for all if `isUniform`, and one if they are `stride` apart
  int32_t stride;   ///< bytes from lane to lane; IsGathered: each has its own
};
inline constexpr int32_t IsGathered = INT32_MIN;

/// Addresses of shared memory are offsets in that of the block. Of accesses whose space is not known at
/// compile time (Space::Generic) the address tells: those of shared and local memory lie in windows.
inline constexpr uint64_t SharedWindow = uint64_t(1) << 62, LocalWindow = uint64_t(1) << 61;
inline Space spaceOfAddress(uint64_t address) {
  return address & SharedWindow  ? Space::Shared
         : address & LocalWindow ? Space::Local
                                 : Space::Global;
}

/// A warp's steps.
struct WarpTrace {
  std::vector<WarpEvent> events;
  std::vector<uint64_t> addresses;
  bool isCut = false; ///< there were more
};

/// A block's warps, by their numbers.
struct BlockTrace {
  uint64_t block; ///< its number in the grid: x first
  std::vector<WarpTrace> warps;
  bool isWhole = true; ///< false: it was too long, and its end is missing
  /// Operations of all of its warps, as KernelCode has them, with what is missing.
  uint64_t operations = 0;
};

/// What was counted of a launch, of all blocks that were counted.
struct BlockCount {
  uint64_t warps;   ///< times that a warp came to the basic block
  uint64_t threads; ///< active lanes of those, summed
};
struct KernelCounts {
  uint64_t countedBlocks = 0, launchedBlocks = 0; ///< of the grid
  std::vector<BlockCount> blocks;                 ///< by KernelCode::blocks
};

} // namespace heddle::model
