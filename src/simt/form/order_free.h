// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::simt {

/// Whether numbers may be taken by this operation in any order and grouping: integers, floats where
/// the program allows it (`reassoc nsz`), minima and maxima.
bool isOrderFree(const llvm::Instruction &);

/// A product that is added to a sum whose order is free; its sum is the last operand.
bool isOrderFreeProduct(const llvm::Instruction &);

/// What is subtracted from a number, which is the first operand, may be so in any order.
bool isOrderFreeSubtraction(const llvm::Instruction &);

/// What makes one number of two, in any order.
class Operation {
public:
  /// That of an instruction that is order-free; of a product and of a subtraction, the addition.
  explicit Operation(const llvm::Instruction &sample);

  bool is(const llvm::Instruction &) const;

  /// Taking a number twice is as good as once.
  bool isIdempotent() const;

  /// What a number may be taken with and stays the same; none if no number is known to be.
  llvm::Constant *neutral() const;

  bool isAddition() const;

  /// Zero changes nothing.
  bool isNeutralToZero() const;

  llvm::Value *apply(llvm::IRBuilderBase &, llvm::Value *left, llvm::Value *right) const;

  /// All lanes of a vector, of which there are a power of two.
  llvm::Value *acrossLanes(llvm::IRBuilderBase &, llvm::Value *vector) const;

private:
  llvm::Type *type_;    ///< of one number
  unsigned opcode_ = 0; ///< of a binary operator; 0: an intrinsic
  llvm::Intrinsic::ID intrinsic_ = llvm::Intrinsic::not_intrinsic;
  llvm::FastMathFlags flags_;
};

} // namespace heddle::simt
