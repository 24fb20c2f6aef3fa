// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// What the call of an NVVM intrinsic with a plain meaning for one thread computes, in LLVM's
/// generic instructions. Null: it is none, and nothing was made.
llvm::Value *lowerIntrinsic(llvm::CallInst &, llvm::IRBuilder<> &);

} // namespace heddle::simt
