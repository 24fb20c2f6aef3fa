// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/canonical/exact_terms.h"

#include "llvm/IR/IRBuilder.h"

namespace heddle::simt {

/// What is known of the threads is taken out of indices of accesses to objects that are too short
/// for these to wrap around; see the top of distribute_extensions.cpp.
class ShortIndices {
public:
  ShortIndices(llvm::Function &thread, const Options &options, RegularSums &sums, ExactTerms &exact,
               llvm::SmallVectorImpl<llvm::WeakTrackingVH> &dead)
      : thread_(thread), options_(options), sums_(sums), exact_(exact), dead_(dead) {}

  /// `index` is one of the address's. What it was is dead if it becomes another one.
  void extend(llvm::GetElementPtrInst &address, llvm::Use &index);

  /// The program counts on short objects (Options::hasLongObjects).
  bool trustsObjects() const { return trusts_; }

private:
  /// A term of an index: factor * value, or the extension of that value.
  struct Term {
    llvm::Value *value;
    llvm::CastInst *extension; ///< or null
    int64_t factor;
  };

  /// What an address adds to one that lies in the object, in bytes.
  struct Place {
    llvm::SmallVector<Term, 8> terms;
    int64_t constants = 0;       ///< at most, up or down
    llvm::Value *base = nullptr; ///< lies in the object
  };

  bool termsOf(llvm::Value &index, int64_t factor, llvm::SmallVectorImpl<Term> &, int64_t &constant,
               unsigned depth);
  static bool isNeverNegative(const Term &);
  bool mayWrap(llvm::Value &);
  bool canBeApart(llvm::Value &);
  bool isSmall(llvm::Value &, int64_t &most, unsigned depth);
  bool isSmall(llvm::Value &, int64_t factor);
  bool greatest(llvm::Value &, int64_t factor, unsigned depth, int64_t &most);
  llvm::Value *ofRest(llvm::Value &, int64_t factor, unsigned depth);
  llvm::Value *restOfCounter(llvm::PHINode &, int64_t factor, unsigned depth);
  llvm::Value *ofThreads(llvm::Value &, int64_t factor, llvm::IRBuilder<> &);
  bool staysShort(llvm::GetElementPtrInst &, const Term &);
  bool addPlace(llvm::GetElementPtrInst &, Place &);
  bool isGiven(const llvm::Value &base) const;
  bool isAccessedOnly(llvm::Value &address, Place &, unsigned depth);

  llvm::Function &thread_;
  const Options &options_;
  RegularSums &sums_;
  ExactTerms &exact_;
  llvm::SmallVectorImpl<llvm::WeakTrackingVH> &dead_; ///< indices that nobody uses any more
  llvm::DenseMap<std::pair<llvm::PHINode *, int64_t>, llvm::PHINode *> rests_; ///< by factors
  bool trusts_ = false;
};

} // namespace heddle::simt
