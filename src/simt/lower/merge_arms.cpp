// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lower/merge_arms.h"

#include "frontend/own_lines.h"
#include "simt/analysis/analyses.h"

#include "llvm/Transforms/Scalar/MergedLoadStoreMotion.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace heddle::simt {

// No InstCombine: it would make one of roundings that must stay apart until they are lowered
// (float_checks.h). It comes later for all code.
void mergeArms(Module &module, TargetMachine &machine, bool merges) {
  Analyses analyses(machine);
  FunctionPassManager passes;
  passes.addPass(MergedLoadStoreMotionPass());
  passes.addPass(SimplifyCFGPass(
      SimplifyCFGOptions().convertSwitchToLookupTable(false).hoistCommonInsts(true).sinkCommonInsts(
          true)));
  for (Function &function : module)
    if (frontend::dropLineMarks(function) && merges)
      passes.run(function, analyses.functions);
}

} // namespace heddle::simt
