// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/loop_unroller.h"

#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

constexpr unsigned CheapExpansion = 4; ///< instructions

LoopUnroller::LoopUnroller(Function &function, FunctionAnalysisManager &analyses)
    : loops_(analyses.getResult<LoopAnalysis>(function)),
      evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
      dominators_(analyses.getResult<DominatorTreeAnalysis>(function)),
      assumptions_(analyses.getResult<AssumptionAnalysis>(function)),
      costs_(analyses.getResult<TargetIRAnalysis>(function)), remarks_(&function) {}

LoopUnrollResult LoopUnroller::unroll(Loop &loop, const UnrollLoopOptions &how) {
  simplifyLoop(&loop, &dominators_, &loops_, &evolution_, &assumptions_, nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(loop, dominators_, &loops_, &evolution_);
  return UnrollLoop(&loop, how, &loops_, &evolution_, &dominators_, &assumptions_, &costs_,
                    &remarks_, /*PreserveLCSSA=*/true);
}

LoopUnrollResult LoopUnroller::unroll(Loop &loop, unsigned turns) {
  UnrollLoopOptions how = {};
  how.Count = turns;
  how.Force = true;
  return unroll(loop, how);
}

LoopUnrollResult LoopUnroller::unrollButRest(Loop &loop, unsigned turns) {
  UnrollLoopOptions how = {};
  how.Count = turns;
  how.Runtime = true;
  how.SCEVExpansionBudget = CheapExpansion;
  return unroll(loop, how);
}

} // namespace heddle::simt
