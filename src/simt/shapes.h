// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/order.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"

#include <array>

namespace heddle::simt {

/// How a value varies over the lanes of a warp program. The lanes fall into aligned segments of
/// `segment` lanes, and repeat after `period` lanes (both powers of two). Inside a segment
///
///     value(lane) = value(first lane of the segment) + stride * (lane - first lane)
///
/// in the value's own modular arithmetic; for a pointer the stride is in bytes. If `regular`, the
/// first lanes of a period's segments lie `step` apart too, so that the value in lane 0 says all.
/// Otherwise nothing is known of them.
///
/// One segment as wide as the program with stride 0 is uniform, with another stride affine (a
/// pointer whose stride is its element's size is contiguous). The rest comes from 2D blocks and
/// from programs of several warps. A block of 16x16 threads as 256 lanes: `threadIdx.x` has stride
/// 1, segment 16 and period 16; `threadIdx.y` stride 0, segment 16, period 256 and step 1;
/// `threadIdx.y * n` is the same with unknown steps; an element of the row `p[threadIdx.x]` has
/// segment 1 and period 16.
///
/// A value is kept as its values in `parts()` lanes: lane 0, `segment`, 2 * `segment` and so on up
/// to the period.
struct Shape {
  unsigned segment = 0; ///< 0: not yet known (the top of the lattice)
  unsigned period = 0;
  int64_t stride = 0;
  int64_t step = 0; ///< if regular
  bool regular = false;
  unsigned align = 0; ///< 2^align divides the value in lane 0, or in the first lane of each segment

  bool known() const { return segment != 0; }
  bool uniform() const { return regular && stride == 0 && step == 0; }
  unsigned parts() const { return regular ? 1 : period / segment; }
  /// What is added to the value of the lane that stands for `lane`, and the number of that lane.
  int64_t offset(unsigned lane) const;
  unsigned part(unsigned lane) const { return regular ? 0 : lane % period / segment; }
  bool operator==(const Shape &) const = default;
  /// The greatest offset, or -1 where some are negative.
  int64_t span() const;
  /// No lane can wrap around in `bits` bits, whatever the values that others count from: the
  /// offsets only fill the zero bits below. (The flags nsw and nuw would not do: they say nothing
  /// about a lane that is inactive where the value is used, and lane 0 may be one.)
  bool cannotCarry(unsigned bits) const;
  /// All lanes of `lanes` consecutive ones from the start have the same value, `from` repeats.
  bool constantIn(unsigned lanes) const { return uniform() || (stride == 0 && segment >= lanes); }
};

/// What the launch says about the lanes.
struct LaneFacts {
  unsigned width;
  std::array<unsigned, 3> blockDim;
};

/// Shapes of all values of a thread program, found as the greatest fixed point over the lattice
/// above, together with the divergence of control flow: a branch on a value that is not uniform
/// splits the warp, and a phi where its ways meet again, or that carries a value out of a loop
/// which lanes leave in different iterations, loses its shape. (The sync dependences of Rosemann,
/// Moll and Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow
/// Graphs", POPL 2021, by labels.)
class Shapes {
public:
  Shapes(const BlockOrder &, llvm::LoopInfo &, llvm::PostDominatorTree &, const LaneFacts &,
         bool argumentsVary);

  Shape of(const llvm::Value *) const;
  /// One scalar stands for the value in all lanes.
  bool isScalar(const llvm::Value *v) const { return of(v).regular; }
  bool isUniform(const llvm::Value *v) const { return of(v).uniform(); }
  /// The block ends in a branch that may split the warp.
  bool isDivergent(const llvm::BasicBlock *) const;
  unsigned width() const { return facts_.width; }

private:
  void solve();
  Shape transfer(const llvm::Instruction &) const;
  Shape transferBinary(const llvm::BinaryOperator &) const;
  Shape transferCast(const llvm::CastInst &) const;
  Shape extension(const llvm::CastInst &, Shape) const;
  Shape transferCall(const llvm::CallInst &) const;
  Shape transferGep(const llvm::GetElementPtrInst &) const;
  Shape transferPhi(const llvm::PHINode &) const;
  Shape transferSelect(const llvm::SelectInst &) const;
  Shape elementwise(const llvm::User &) const;
  Shape threadIndex(unsigned dimension) const;
  Shape quotient(Shape, unsigned shift) const;
  Shape remainder(Shape, unsigned bits) const;
  void markJoins(const llvm::BasicBlock *branch);

  Shape uniform(unsigned align = 0) const { return {facts_.width, 1, 0, 0, true, align}; }
  Shape affine(int64_t stride, unsigned align) const;
  Shape varying() const { return normal({1, facts_.width, 0, 0, false, 0}); }
  Shape uniformInWarps() const;
  Shape refined(Shape, unsigned segment, unsigned period) const;
  Shape meet(Shape, Shape) const;
  Shape sum(Shape, Shape, int64_t sign) const;
  Shape scaled(Shape, int64_t factor) const;
  Shape normal(Shape) const;

  const BlockOrder &order_;
  llvm::LoopInfo &loops_;
  llvm::PostDominatorTree &postDominators_;
  LaneFacts facts_;
  bool argumentsVary_;
  llvm::DenseMap<const llvm::Value *, Shape> shapes_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> joins_;     ///< phis here see several ways
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_; ///< branches already followed
  llvm::SmallPtrSet<const llvm::Loop *, 8> divergentLoops_;   ///< lanes leave at different times
};

} // namespace heddle::simt
