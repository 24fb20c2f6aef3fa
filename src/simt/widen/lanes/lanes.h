// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// Lanes 0, `step`, 2 * `step` and so on: those in which a vector of `count` elements has its
/// values. A single one is lane 0, and a scalar.
struct Lanes {
  unsigned step = 1, count = 1;
};

/// Elements [first, first + count) of a vector.
llvm::Value *slice(llvm::IRBuilder<> &, llvm::Value *vector, unsigned first, unsigned count);

/// Vectors of one type, one after the other.
llvm::Value *concatenate(llvm::IRBuilder<> &, llvm::ArrayRef<llvm::Value *>);

/// A structure or array of what `function` makes of each member of an aggregate.
llvm::Value *mapMembers(llvm::IRBuilder<> &, llvm::Value *aggregate,
                        llvm::function_ref<llvm::Value *(llvm::Value *)> function);

} // namespace heddle::simt
