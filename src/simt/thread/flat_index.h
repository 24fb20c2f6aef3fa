// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of kernels whose threads have one number: cut_rows.cpp explains it.
#pragma once

#include "simt/lower/lower_device.h"
#include "simt/simt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// A branch that goes on only where some number is below a bound.
struct Guard {
  llvm::BranchInst *branch;
  llvm::Value *number, *bound;
  bool isSigned;
  bool goesOnIf; ///< what the condition is then
};
/// If it goes to `next` there.
std::optional<Guard> guardBefore(llvm::BasicBlock &, const llvm::BasicBlock *next);

/// A loop over the grid: `for (i = number; i < bound; i += gridDim.x * blockDim.x)`, around all that
/// has an effect.
struct Rounds {
  llvm::PHINode *number;
  Guard guard; ///< in front of it: of the first number
  llvm::BasicBlock *latch, *exit;
};
std::optional<Rounds> roundsOf(llvm::Function &thread, unsigned threads); ///< of a block

/// A kernel in which `blockIdx.x` and `threadIdx.x` are only parts of the sum `blockIdx.x *
/// blockDim.x + threadIdx.x`, the thread's number.
struct FlatIndex {
  llvm::SetVector<llvm::Instruction *> firsts; ///< blockIdx.x * blockDim.x
  llvm::DenseMap<llvm::Value *, int64_t> sums; ///< multiples of the number, and which
  std::optional<Rounds> rounds;                ///< the number is that of the round
};
std::optional<FlatIndex> flatIndexOf(const ThreadProgram &, const Options &);

/// How a value goes along a piece of the range of threads in which no quotient changes.
struct AlongRow {
  enum Kind { Unknown, Fixed, Uniform, Line };
  Kind kind = Unknown;
  int64_t step = 0;     ///< of a line
  bool isSmall = false; ///< never below 0, and fits in the type if it is read as signed
  const llvm::Value *length = nullptr; ///< of a line: what it is a remainder by, or sums of one
};

/// How values go along such pieces, and which divisions end them.
class RowForms {
public:
  RowForms(llvm::Function &, const FlatIndex &);

  AlongRow of(llvm::Value *);
  /// Divisions of lines by what all threads share: pieces end where these quotients change.
  const llvm::SetVector<llvm::BinaryOperator *> &cuts() const { return cuts_; }
  /// Divisions that are the same all along a piece.
  const llvm::SetVector<llvm::BinaryOperator *> &fixed() const { return fixed_; }
  /// Comparisons of lines with what all threads share: pieces end where the answers change.
  const llvm::SetVector<llvm::ICmpInst *> &comparisons() const { return comparisons_; }
  /// Pieces are only made where this division is by a number above zero.
  bool hasPositiveDivisor(llvm::BinaryOperator &);
  /// Divisions of places in a row by some other number (`x / scale`): they stay. Lanes creep
  /// (analysis/near_lanes.h).
  const llvm::SetVector<llvm::BinaryOperator *> &steps() const { return steps_; }
  /// Choices that come with divisions, and what they are for divisors above zero.
  const llvm::DenseMap<llvm::SelectInst *, llvm::Value *> &arms() const { return arms_; }
  /// What it is where choices are decided so.
  llvm::Value *decided(llvm::Value *) const;
  bool isThreadsNumber(llvm::Value *);
  /// Divisions by what all threads share that pieces do not end by: of what loops count, or memory
  /// holds. They would need copies of both forms (version_clamps.cpp).
  bool leaveDivisions();
  /// An access of memory at an address that depends on where pieces are cut.
  bool reachAccess() const;
  /// An access at a distance from lane to lane that the launch gives, or at what lanes have loaded.
  bool goByLanes();
  /// What all of the kernel is behind: `if (number < bound)`.
  std::optional<Guard> guard();

private:
  AlongRow find(llvm::Instruction &);
  AlongRow ofDivision(llvm::BinaryOperator &);
  AlongRow ofSum(llvm::BinaryOperator &, AlongRow left, AlongRow right);
  static bool isAddressFrom(llvm::SetVector<const llvm::Value *>);
  llvm::Value *decidedArm(llvm::SelectInst &);
  bool isNumber(const llvm::Instruction &sum) const;
  bool isParameter(const llvm::LoadInst &) const;

  llvm::Function &thread_;
  const FlatIndex &flat_;
  llvm::DenseMap<llvm::Value *, AlongRow> known_;
  void findComparisons();
  bool chooseSteps(llvm::Value &condition);

  llvm::SetVector<llvm::BinaryOperator *> cuts_, fixed_, steps_;
  llvm::SetVector<llvm::ICmpInst *> comparisons_;
  llvm::DenseMap<llvm::SelectInst *, llvm::Value *> arms_;
};

} // namespace heddle::simt
