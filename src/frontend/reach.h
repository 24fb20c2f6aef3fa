// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend {

/// What a function can execute and touch, itself included. Declarations are listed too.
struct Reach {
  llvm::SetVector<llvm::Function *> functions;
  llvm::SetVector<llvm::GlobalVariable *> globals; ///< named by the code, not through other globals
  bool callsIndirectly = false;
};

/// Follows calls from `root`, loading bodies from lazily read bitcode on the way. An indirect call
/// may go to any function of `numbered` (see functions.h) that has the type of the call and is no
/// kernel.
llvm::Expected<Reach> findReach(llvm::Function &root, llvm::ArrayRef<llvm::Function *> numbered);

} // namespace heddle::frontend
