// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// The operand that changes nothing, or null where lanes cannot be combined.
llvm::Constant *neutralOperand(llvm::AtomicRMWInst::BinOp, llvm::Type *);

/// The lanes of a vector combined, by an operation that has a neutral operand.
llvm::Value *reduceLanes(llvm::IRBuilder<> &, llvm::AtomicRMWInst::BinOp, llvm::Value *lanes);
llvm::Value *sumOfLanes(llvm::IRBuilder<> &, llvm::Value *lanes);

/// Lane l: the sum of the lanes below l.
llvm::Value *sumBelow(llvm::IRBuilder<> &, llvm::Value *lanes);

} // namespace heddle::simt
