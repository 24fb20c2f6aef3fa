// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Before functions are inlined: notes the operations of the program's own code, and looks at the
/// results of the library functions that it calls (float_checks.cpp).
void noteFloats(llvm::Module &);

/// Whether an operation has been noted.
bool isNotedFloat(const llvm::Instruction &);
/// Hands the note on to what an operation has become.
void copyFloatNote(const llvm::Instruction &from, llvm::Instruction &to);

/// The value, which is wrong where `isBad` holds: of conversions and of integer division.
llvm::Value *checkWhere(llvm::IRBuilder<> &, llvm::Value *value, FloatOperation, llvm::Value *isBad,
                        llvm::ArrayRef<llvm::Value *> operands);

/// The conversions to small types that headers note: looked at, or taken away.
void lowerNarrowed(llvm::Module &, bool checks);

/// When products and sums have become one, and before small types are computed in others: looks at
/// noted operations of these, lane by lane of vectors.
void checkSmallFloats(llvm::Function &);

/// When products and sums have become one: looks at the results of noted operations.
void checkFloats(llvm::Function &);

} // namespace heddle::simt
