// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: recognize_popcount.h.
//
// Legality (recognize-popcount): none: it is LLVM's LoopIdiomRecognize, of which only what counts
// bits is on.
#include "simt/canonical/recognize_popcount.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Of LLVM's LoopIdiomRecognize only what counts bits is wanted. Fills, copies and checksums are of
/// loops whose number of turns is known before, and those that count bits are not; and there are no
/// functions of C's library to call.
struct CountBits : PassInfoMixin<CountBits> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results, LPMUpdater &updater) {
    if (results.SE.hasLoopInvariantBackedgeTakenCount(&loop))
      return PreservedAnalyses::all();
    TargetLibraryInfoImpl none(loop.getHeader()->getModule()->getTargetTriple());
    none.disableAllFunctions();
    TargetLibraryInfo library(none);
    LoopStandardAnalysisResults ours = {results.AA, results.AC, results.DT,  results.LI,
                                        results.SE, library,    results.TTI, results.MSSA};
    return LoopIdiomRecognizePass().run(loop, analyses, ours, updater);
  }
};

} // namespace

PreservedAnalyses RecognizePopcount::run(Function &function, FunctionAnalysisManager &analyses) {
  LoopPassManager loops;
  loops.addPass(CountBits());
  loops.addPass(LoopDeletionPass());
  return createFunctionToLoopPassAdaptor(std::move(loops)).run(function, analyses);
}

} // namespace heddle::simt
