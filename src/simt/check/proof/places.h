// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/check/proof/extremes.h"

#include <array>
#include <map>

namespace heddle::simt {

/// A number as a sum over those that tell threads and iterations apart:
///
///     constant + base + sum of factor * i
struct Place {
  int64_t constant = 0;
  std::optional<uint32_t> base;         ///< a node: the same number in the whole launch
  std::map<uint32_t, uint32_t> factors; ///< nodes, by ProvenDim::thread
  bool isTooLarge = false;              ///< the constant
  std::vector<ProvenFit> fits = {};     ///< on which it depends
  bool isSame(const Place &other) const {
    return constant == other.constant && base == other.base && factors == other.factors &&
           isTooLarge == other.isTooLarge;
  }
};

/// Finds such sums.
class Places {
public:
  Places(Extremes &extremes, ProofNodes &nodes, const llvm::LoopInfo &loops,
         const llvm::BasicBlock &entry, const std::array<unsigned, 3> &blockDim)
      : extremes_(extremes), nodes_(nodes), loops_(loops), entry_(entry), blockDim_(blockDim) {}

  /// Of an integer of 2 to 64 bits. What is no sum is one number that may be anything between its bounds.
  std::optional<Place> of(llvm::Value *, const llvm::BasicBlock *at, unsigned depth = 12);
  /// Of a pointer, in bytes behind what it is computed from.
  std::optional<Place> ofPointer(llvm::Value *pointer, const llvm::Value *root,
                                 const llvm::BasicBlock *at);
  /// The loop that a dimension stands for.
  const llvm::Loop *loopOf(uint32_t dimension) const { return numbered_[dimension - FirstLoopDim]; }
  const std::vector<PartOfDims> &parts() const { return parts_; }

private:
  std::optional<Place> ofSum(llvm::Value *, const llvm::BasicBlock *at, unsigned depth);
  std::optional<Place> ofBinary(llvm::BinaryOperator &, const llvm::BasicBlock *at, unsigned depth);
  std::optional<Place> ofPart(llvm::BinaryOperator &, const llvm::BasicBlock *at, unsigned depth);
  std::optional<Place> ofMasked(llvm::Value *, llvm::Value *mask, const llvm::BasicBlock *at,
                                unsigned depth);
  std::optional<Place> ofRest(llvm::BinaryOperator &, const llvm::BasicBlock *at, unsigned depth);
  std::optional<Place> part(llvm::Value *, PartOfDims, uint32_t factor, const llvm::BasicBlock *at,
                            unsigned depth);
  std::optional<uint32_t> orderOf(const Place &);
  uint32_t behindMask(llvm::Value *mask);
  std::optional<Place> ofJoin(llvm::PHINode &, unsigned depth);
  std::optional<Place> ofLoopValue(llvm::PHINode &, unsigned depth);
  void add(Place &, const Place &, int64_t times);
  Place scaled(const Place &, uint32_t factor);
  uint32_t dimensionOf(const llvm::Loop &);

  Extremes &extremes_;
  ProofNodes &nodes_;
  const llvm::LoopInfo &loops_;
  const llvm::BasicBlock &entry_;
  const std::array<unsigned, 3> &blockDim_;
  std::vector<const llvm::Loop *> numbered_;
  std::vector<PartOfDims> parts_;
};

} // namespace heddle::simt
