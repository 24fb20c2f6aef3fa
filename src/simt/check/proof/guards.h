// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstrTypes.h"

#include <map>

namespace heddle::simt {

/// value + added PREDICATE bound, of numbers that do not overflow.
struct Guard {
  llvm::Value *value;
  int64_t added;
  llvm::CmpInst::Predicate predicate;
  llvm::Value *bound;
};
using GuardList = llvm::SmallVector<Guard, 4>;

/// What branches say of values.
class Guards {
public:
  explicit Guards(const llvm::DominatorTree &dominators) : dominators_(dominators) {}

  /// What holds in a block, whichever way leads there.
  const GuardList &at(const llvm::BasicBlock *);
  /// What holds besides where a block's branch goes to another one.
  GuardList onEdge(const llvm::BasicBlock *from, const llvm::BasicBlock *to) const;

private:
  const llvm::DominatorTree &dominators_;
  std::map<const llvm::BasicBlock *, GuardList> known_;
};

} // namespace heddle::simt
