// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Which bits of values come from memory that nothing has written: the shadow of a value is a number
/// of as many bits, of which those are 1.
///
/// A value that is only handed on (through casts, choices, masks, shuffles) has the shadow of what
/// it is made of. Anything else uses it. A load that is used in any case is looked at right behind
/// it, and its value counts as written from there on.
class UnwrittenValues {
public:
  explicit UnwrittenValues(llvm::Function &);

  /// The kinds of uses of a value.
  enum class UseKind { None, HandsOn, Uses };
  static UseKind kindOf(const llvm::Use &);

  /// Something depends on the loaded value whenever the load is made.
  bool isUsedAnyway(const llvm::Instruction &load) const;
  /// A load that is not looked at by itself.
  void addSource(llvm::Instruction &load, llvm::Value *shadow);
  /// Makes the shadows of all that is made of the sources. Then:
  void solve();
  /// Of a value; null if all was written.
  llvm::Value *shadowOf(llvm::Value *) const;
  /// The load that the value stems from; null if there are several.
  llvm::Instruction *originOf(llvm::Value *value) const { return origins_.lookup(value); }
  /// An instruction may use another one's value: that comes before, in no loop that was left.
  bool isAtHand(const llvm::Instruction &value, const llvm::Instruction &user) const;
  /// The uses that must be looked at, of values with a shadow.
  const std::vector<llvm::Use *> &uses() const { return uses_; }

private:
  void collect();
  llvm::Value *makeShadow(llvm::Instruction &);
  llvm::Value *shadowOr0(llvm::Value *) const;
  llvm::Value *ofAny(llvm::IRBuilder<> &, llvm::Instruction &) const;
  void findOrigins();

  llvm::Function &function_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::PostDominatorTree ends_;
  llvm::MapVector<llvm::Value *, llvm::Value *> shadows_; ///< null until it is made
  llvm::DenseMap<llvm::Value *, llvm::Instruction *> origins_;
  std::vector<llvm::Use *> uses_;
};

/// An integer type of as many bits; null for types that are not followed.
llvm::Type *shadowType(llvm::Type *, const llvm::DataLayout &);

} // namespace heddle::simt
