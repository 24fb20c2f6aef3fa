// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// What .ftz does to a float: a mark, until the module is there (expandFlushes).
llvm::Value *markFlush(llvm::IRBuilder<> &, llvm::Value *);
/// The same where only bits are moved (abs, neg), which no mode of the processor flushes.
llvm::Value *markFlushOfBits(llvm::IRBuilder<> &, llvm::Value *);
/// An instruction without .ftz, of which a processor that flushes would make something else.
void markKeeps(llvm::Module &);
/// A number below the smallest normal one as a zero of its sign.
llvm::Value *emitFlush(llvm::IRBuilder<> &, llvm::Value *);

/// Makes code of the marks. True: no instruction keeps denormal numbers, `mayUseMode`, and what
/// computes has no flushes any more: it is to be compiled as by -ftz=true.
bool expandFlushes(llvm::Module &, bool mayUseMode);

} // namespace heddle::frontend::ptx
