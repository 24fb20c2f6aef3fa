// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::jit {

/// What addresses in a loop will be when one of its variables has moved on and all else is as it is
/// now.
class LaterAddress {
public:
  LaterAddress(const llvm::Loop &loop, llvm::PHINode *variable)
      : loop_(loop), variable_(variable) {}

  /// The address depends on the variable, by what can be computed again: some instructions, none
  /// of which can trap.
  bool isKnown(llvm::Value *address);

  /// The address, or a value that it is computed from, for `variable` = `later`. It must be known.
  llvm::Value *make(llvm::IRBuilder<> &, llvm::Value *, llvm::Value *later);

private:
  bool depends(llvm::Value &, unsigned depth);

  const llvm::Loop &loop_;
  llvm::PHINode *variable_;
  /// On the variable; for all addresses that were asked for.
  llvm::DenseMap<llvm::Value *, bool> depends_;
};

} // namespace heddle::jit
