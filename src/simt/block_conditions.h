// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/block_values.h"

#include "llvm/IR/IRBuilder.h"

#include <functional>

namespace heddle::simt {

/// Values of a loop as they will be in one of its rounds, computed in front of it: what follows
/// from the header's phis and from outside by instructions that may run at any time.
class RoundValues {
public:
  /// `phis`: what the header's phis will be. Null: it is not known in front of the round.
  RoundValues(const llvm::Loop &loop, llvm::IRBuilder<> &builder,
              std::function<llvm::Value *(llvm::PHINode &)> phis)
      : loop_(loop), builder_(builder), phis_(std::move(phis)) {}

  /// Null if it cannot be computed in front of the round.
  llvm::Value *of(llvm::Value &);
  llvm::IRBuilder<> &builder() { return builder_; }

private:
  const llvm::Loop &loop_;
  llvm::IRBuilder<> &builder_;
  std::function<llvm::Value *(llvm::PHINode &)> phis_;
  llvm::DenseMap<llvm::Value *, llvm::Value *> known_;
};

/// Conditions that threads ask each for itself, asked for all threads of a block at once, in values
/// that they have in common:
///
///     threadIdx.x + start < n    ->    start <= INT_MAX - 31 && start + 31 < n
class BlockConditions {
public:
  explicit BlockConditions(BlockValues &block) : block_(block) {}

  /// True only if the condition is `expected` in all threads in that round; poison only if it is
  /// poison in some. Null if there is no such value.
  llvm::Value *holdsInAll(llvm::Value &condition, bool expected, RoundValues &);

private:
  /// In each thread what all have in common and a number of its own, modulo 2^bits.
  struct Spread {
    llvm::Value *common;
    ThreadTable own;
    bool isCommon() const;
  };
  std::optional<Spread> spread(llvm::Value &, RoundValues &);
  std::optional<Spread> sum(const llvm::BinaryOperator &, RoundValues &);
  std::optional<Spread> extension(const llvm::CastInst &, RoundValues &);
  llvm::Value *comparison(const llvm::ICmpInst &, bool expected, RoundValues &);
  llvm::Value *staysInRange(const Spread &, bool isSigned, llvm::IRBuilder<> &);

  BlockValues &block_;
  llvm::SmallVector<llvm::Value *, 4> inRange_; ///< what the comparison at hand counts on
};

} // namespace heddle::simt
