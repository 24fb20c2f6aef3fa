// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/order.h"
#include "simt/analysis/shape.h"
#include "simt/analysis/thread_tables.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// From a local variable of one lane to that of the next: its size, rounded up to its alignment.
uint64_t laneDistance(const llvm::AllocaInst &);

/// Shapes of all values of a thread program, found as the greatest fixed point over the lattice
/// of Shape, together with the divergence of control flow: a branch on a value that is not uniform
/// splits the warp, and a phi where its ways meet again, or that carries a value out of a loop
/// which lanes leave in different iterations, loses its shape. (The sync dependences of Rosemann,
/// Moll and Hack, "An Abstract Interpretation for SPMD Divergence on Reducible Control Flow
/// Graphs", POPL 2021, by labels.)
class Shapes : ShapeAlgebra {
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
  /// A number of each thread that follows from its index alone.
  bool followsIndex(const llvm::Value *value) const {
    return tables_.of(const_cast<llvm::Value *>(value));
  }
  /// A condition that only the thread's index decides cannot give `expected` in all lanes of any
  /// program.
  bool neverInAllLanes(const llvm::Value *condition, bool expected) const;

private:
  void solve();
  Shape transfer(const llvm::Instruction &) const;
  Shape transferBinary(const llvm::BinaryOperator &) const;
  Shape transferCast(const llvm::CastInst &) const;
  Shape transferCompare(const llvm::ICmpInst &) const;
  Shape extension(const llvm::CastInst &, Shape) const;
  bool isKnown(const llvm::Instruction &, const Shape &) const;
  Shape ofChecked(Shape pointer) const;
  Shape ofMbarrierChange(const llvm::CallInst &) const;
  Shape transferCall(const llvm::CallInst &) const;
  Shape transferGep(const llvm::GetElementPtrInst &) const;
  Shape transferPhi(const llvm::PHINode &) const;
  Shape transferSelect(const llvm::SelectInst &) const;
  Shape alike(Shape) const;
  Shape elementwise(const llvm::User &) const;
  const llvm::BasicBlock *meetingPoint(const llvm::BasicBlock *branch) const;
  void markJoins(const llvm::BasicBlock *branch);

  mutable ThreadTables tables_; ///< of what is extended
  const BlockOrder &order_;
  llvm::LoopInfo &loops_;
  llvm::PostDominatorTree &postDominators_;
  bool argumentsVary_;
  llvm::DenseMap<const llvm::Value *, Shape> shapes_;
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> joins_;     ///< phis here see several ways
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> divergent_; ///< branches already followed
  llvm::SmallPtrSet<const llvm::Loop *, 8> divergentLoops_;   ///< lanes leave at different times
};

/// The shapes know a form for a load or store that is better than a gather or scatter, or it is not
/// one of plain numbers of whole bytes.
bool hasOwnForm(const llvm::Instruction &access, const Shapes &);

} // namespace heddle::simt
