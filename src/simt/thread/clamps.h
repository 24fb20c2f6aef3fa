// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What version_clamps.cpp takes for a clamp, and how values go from lane to lane where none binds.
#pragma once

#include "simt/analysis/shapes.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

#include <optional>

namespace heddle::simt {

/// A value, and what it is where it does not bind: `line`, where `left predicate right`. Of a
/// division, what it is has to be computed.
struct Clamp {
  llvm::Value *line;
  llvm::CmpInst::Predicate predicate;
  llvm::Value *left, *right;
  llvm::BinaryOperator *division = nullptr;
};

/// The clamp that a value is.
std::optional<Clamp> clampOf(llvm::Value *, const Shapes &);

/// A division of a number of each lane by one that all share, and that is not known to be less than
/// there are lanes; or null.
llvm::BinaryOperator *asDivision(llvm::Value *, const Shapes &);

/// What a division divides by if that is above zero: not the choice of 1 for 0 and -1.
llvm::Value *dividesBy(const llvm::BinaryOperator &division);
bool isRemainder(const llvm::BinaryOperator &division);

/// What a comparison says of a number above zero, if it is one with such a number.
std::optional<bool> ofPositive(const llvm::Value *condition,
                               llvm::function_ref<bool(const llvm::Value *)> positive);

/// How values go from lane to lane once clamps do not bind.
class Lines {
public:
  enum Kind { Bent, Straight, Uniform };

  explicit Lines(const Shapes &shapes) : shapes_(shapes) {}

  /// `clamps` are those that have to be replaced for what is said.
  Kind of(llvm::Value *, llvm::SmallVectorImpl<llvm::Instruction *> &clamps);

  /// Of the choice that comes with a division: what it is for a divisor above zero.
  llvm::Value *dividedArm(llvm::SelectInst &) const;

private:
  Kind find(llvm::Instruction &, llvm::SmallVectorImpl<llvm::Instruction *> &clamps);

  const Shapes &shapes_;
  llvm::DenseMap<llvm::Instruction *, Kind> known_;
};

} // namespace heddle::simt
