// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shape.h"
#include "simt/canonical/regular_sums.h"

#include "llvm/IR/ValueHandle.h"

namespace heddle::simt {

/// Extensions of exact sums go to the terms; see the top of distribute_extensions.cpp.
class ExactTerms {
public:
  ExactTerms(llvm::Function &thread, RegularSums &sums,
             llvm::SmallVectorImpl<llvm::WeakTrackingVH> &dead)
      : thread_(thread), sums_(sums), dead_(dead) {}

  /// Extends the terms of what is extended, if its sum is exact and goes regularly over the
  /// threads. The extension is dead then. With `all` only if nothing that may wrap around is left
  /// in its terms.
  void extend(llvm::CastInst &extension, bool all);

  /// The sum's extension, of its terms. It is exact.
  llvm::Value *extendedSum(llvm::BinaryOperator &, llvm::Type &, Sign, unsigned depth = DeepestSum);

  /// Where the value is made: one for all that use it.
  llvm::Value *plainExtension(llvm::Value &, llvm::Type &, Sign);

private:
  bool isAllExact(llvm::Value &, Sign, unsigned depth);
  void extendCounter(llvm::CastInst &extension, llvm::PHINode &, bool all);
  void extendChoice(llvm::CastInst &extension, llvm::SelectInst &choice);
  llvm::Value *extendedChoice(llvm::SelectInst &, llvm::Type &, Sign, unsigned depth);
  llvm::Value *extendedCounter(llvm::PHINode &, llvm::Type &, Sign, unsigned depth);
  llvm::Value *extended(llvm::Value &, llvm::Type &, Sign, unsigned depth);

  llvm::Function &thread_;
  RegularSums &sums_;
  llvm::SmallVectorImpl<llvm::WeakTrackingVH> &dead_; ///< extensions that nobody uses any more
  llvm::DenseMap<std::tuple<llvm::Value *, llvm::Type *, unsigned>, llvm::Value *>
      extended_; ///< by Sign, too
};

} // namespace heddle::simt
