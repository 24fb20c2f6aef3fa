// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/check/proof/guards.h"
#include "simt/check/proof/proof_nodes.h"
#include "simt/simt.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

#include <optional>

namespace heddle::simt {

/// Between which numbers values of a thread program lie, in all threads of a launch: nodes of a
/// proof, in which parameters and the grid stay open.
///
/// An integer counts with its sign, whatever the program makes of it, and a single bit without.
class Extremes {
public:
  Extremes(llvm::Function &, const Options &, const llvm::LoopInfo &, llvm::ScalarEvolution &,
           Guards &, ProofNodes &);

  /// Of an integer, in threads that come to a block.
  uint32_t of(llvm::Value *, const llvm::BasicBlock *at);
  /// Of a sum, product or shift before it is cut to its bits; of anything else the same.
  uint32_t exact(llvm::Value *, const llvm::BasicBlock *at);
  /// How far a pointer lies behind what it is computed from, in bytes.
  std::optional<uint32_t> offset(llvm::Value *pointer, const llvm::Value *root,
                                 const llvm::BasicBlock *at);
  /// How often a loop goes back at most.
  std::optional<uint32_t> repeats(const llvm::Loop &);

  /// The same number in all threads of all blocks: made of parameters and what describes the launch.
  bool isOfLaunch(llvm::Value *, unsigned depth = 12);
  /// The dimension of a number of the thread (0 to 2) or block (3 to 5).
  std::optional<uint32_t> dimensionOf(const llvm::Value *) const;

private:
  uint32_t computed(llvm::Value *, const llvm::BasicBlock *);
  uint32_t ofLoad(llvm::LoadInst &);
  uint32_t difference(llvm::BinaryOperator &, const llvm::BasicBlock *);
  uint32_t ofBinary(llvm::BinaryOperator &, const llvm::BasicBlock *);
  uint32_t ofIntrinsic(llvm::IntrinsicInst &, const llvm::BasicBlock *);
  uint32_t ofComparison(llvm::ICmpInst &, const llvm::BasicBlock *);
  uint32_t ofPhi(llvm::PHINode &, const llvm::BasicBlock *);
  uint32_t ofLoopValue(llvm::PHINode &, const llvm::Loop &);
  uint32_t limited(uint32_t node, llvm::Value *, const GuardList &, const llvm::BasicBlock *);
  uint32_t limited(uint32_t node, const Guard &, const llvm::BasicBlock *);
  uint32_t unsigned_(llvm::Value *, const llvm::BasicBlock *);
  std::optional<uint32_t> added(const llvm::GEPOperator &, const llvm::BasicBlock *);
  std::optional<uint32_t> ofPointer(llvm::PHINode &, const llvm::Value *root);
  std::optional<uint32_t> ofChoices(const llvm::SCEVAddExpr &, const llvm::BasicBlock *);
  std::optional<uint32_t> ofScev(const llvm::SCEV *, const llvm::BasicBlock *);

  llvm::Function &function_;
  const Options &options_;
  const llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &scev_;
  Guards &guards_;
  ProofNodes &nodes_;
  std::map<std::pair<llvm::Value *, const llvm::BasicBlock *>, uint32_t> known_;
  unsigned depth_ = 0;
};

} // namespace heddle::simt
