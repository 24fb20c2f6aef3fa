// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/block_values.h"
#include "simt/analysis/recompute.h"

namespace heddle::simt {

/// Values of a loop as they will be in one of its rounds, computed in front of it: what follows
/// from the header's phis and from outside by instructions that may run at any time.
class RoundValues {
public:
  /// `phis`: what the header's phis will be. Null: it is not known in front of the round.
  RoundValues(const llvm::Loop &loop, llvm::IRBuilder<> &builder,
              std::function<llvm::Value *(llvm::PHINode &)> phis)
      : loop_(loop), phis_(std::move(phis)),
        values_(builder, [this](llvm::Value &value) { return input(value); }) {}
  RoundValues(const RoundValues &) = delete;

  /// Null if it cannot be computed in front of the round.
  llvm::Value *of(llvm::Value &);
  llvm::IRBuilder<> &builder() { return values_.builder(); }

private:
  llvm::Value *input(llvm::Value &) const;

  const llvm::Loop &loop_;
  std::function<llvm::Value *(llvm::PHINode &)> phis_;
  Recomputation values_;
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
