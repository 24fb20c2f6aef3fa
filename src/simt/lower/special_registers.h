// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// A field of a Launch or a Block (base/abi/kernel_abi.h). `invariant`: it stays as it is while the
/// kernel runs.
llvm::Value *loadField(llvm::IRBuilder<> &, llvm::Type *, llvm::Value *object, uint64_t offset,
                       bool invariant);

/// What a special register (PTX ISA, "Special Registers") is in a function with a thread's context
/// parameters. Null if it is another intrinsic, or a register that differs from thread to thread.
llvm::Value *specialRegister(llvm::Function &thread, llvm::IRBuilder<> &, llvm::Intrinsic::ID,
                             const Options &);

} // namespace heddle::simt
