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

/// How a value varies over the lanes of a warp. The warp falls into aligned segments of `segment`
/// lanes (a power of two), and inside each
///
///     value(lane) = value(first lane of the segment) + stride * (lane - first lane)
///
/// in the value's own modular arithmetic; for a pointer the stride is in bytes. One segment as wide
/// as the warp means that one scalar, the value in lane 0, stands for all: stride 0 is uniform,
/// anything else affine (a pointer whose stride is its element's size is contiguous). Segments of
/// one lane mean that nothing is known. Segments between are what 2D blocks give: with blockDim.x =
/// 16 `threadIdx.x` has stride 1 and `threadIdx.y` stride 0 in segments of 16.
struct Shape {
  unsigned segment = 0; ///< 0: not yet known (the top of the lattice)
  int64_t stride = 0;
  unsigned align = 0; ///< 2^align divides the value in the first lane of each segment

  bool known() const { return segment != 0; }
  bool constantIn(unsigned lanes) const { return segment >= lanes && stride == 0; }
  bool operator==(const Shape &) const = default;
  /// No lane can wrap around in `bits` bits, whatever the value in the first lane is: the strides
  /// only fill the zero bits below it. (The flags nsw and nuw would not do: they say nothing about
  /// a lane that is inactive where the value is used, and the first lane may be one.)
  bool cannotCarry(unsigned bits) const;
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
  bool isScalar(const llvm::Value *v) const { return of(v).segment == facts_.width; }
  bool isUniform(const llvm::Value *v) const { return of(v).constantIn(facts_.width); }
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
  void markJoins(const llvm::BasicBlock *branch);

  Shape uniform(unsigned align = 0) const { return {facts_.width, 0, align}; }
  Shape varying(unsigned segment = 1) const { return {segment, 0, 0}; }
  Shape meet(Shape, Shape) const;
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
