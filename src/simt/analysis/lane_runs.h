// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that go along a row of a tile whose length is no power of two. Programs copy tiles with a
// rim to shared memory thread by thread:
//
//     for (i = threadIdx.y * 16 + threadIdx.x; i < 18 * 18; i += 256)
//       tile[i / 18][i % 18] = in[(top + i / 18) * pitch + left + i % 18];
//
// With the loop unrolled (unroll-barrier-loops), in a program that is the block, each lane's row
// and column are numbers. Between the lanes 0 and 17, 18 and 35 and so on the address goes from one
// element to the next, in shared memory between all of them. Shapes (shapes.h), whose segments have
// 2^n lanes, do not know that; the sums of thread_sums.h do.
//
// The address of a run is that sum, computed with 64 bits for one of its lanes, active or not: what
// other lanes would compute, wrapped around or not, does not matter.
#pragma once

#include "simt/analysis/thread_sums.h"
#include "simt/simt.h"

#include "llvm/ADT/BitVector.h"

namespace heddle::simt {

/// What an access needs to be made run by run. All factors of the address are scalars, and one of
/// its products is a pointer.
struct LaneRuns {
  ThreadSum address;
  llvm::BitVector firstLanes; ///< of the runs; a thread of the block each

  explicit operator bool() const { return firstLanes.any(); }
  /// Parts of runs that lie within `count` lanes from a multiple of `count` on.
  unsigned pieces(unsigned count) const;
};

/// The runs of an address with elements of `size` bytes; none if they are short, or the program is
/// not the whole block.
LaneRuns runsOf(const llvm::Value *address, int64_t size, const Shapes &, const Options &);

/// The same for a load or store; none where the shapes know a better form.
LaneRuns runsOf(const llvm::Instruction &access, const Shapes &, const Options &);

} // namespace heddle::simt
