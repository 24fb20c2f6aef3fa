// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/analyses.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace heddle::simt {

/// LLVM's unrolling of chosen loops of a function, with what it must know. The passes that choose
/// have reasons that LLVM's own cost model does not see.
class LoopUnroller {
public:
  LoopUnroller(llvm::Function &, llvm::FunctionAnalysisManager &);

  llvm::LoopInfo &loops() { return loops_; }
  llvm::ScalarEvolution &evolution() { return evolution_; }
  const llvm::TargetTransformInfo &costs() const { return costs_; }

  /// Makes one turn of `turns`; none is left if the loop has no more. Brings the loop into the form
  /// that this needs.
  llvm::LoopUnrollResult unroll(llvm::Loop &, unsigned turns);
  /// The same of straight turns: the rest goes in a loop of its own. Does nothing where the number
  /// of turns is not cheap to compute in front of the loop.
  llvm::LoopUnrollResult unrollButRest(llvm::Loop &, unsigned turns);

private:
  llvm::LoopUnrollResult unroll(llvm::Loop &, const llvm::UnrollLoopOptions &);

  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  llvm::DominatorTree &dominators_;
  llvm::AssumptionCache &assumptions_;
  const llvm::TargetTransformInfo &costs_;
  llvm::OptimizationRemarkEmitter remarks_;
};

} // namespace heddle::simt
