// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: unroll_arrays.h.
//
// Legality (unroll-arrays): none: it marks loops for LLVM's unroller, which leaves those alone that
// cannot be unrolled.
#include "simt/canonical/unroll_arrays.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostIterations = 128;
constexpr uint64_t MostInstructions = 6000; ///< after unrolling
constexpr uint64_t LargestArray = 1024;     ///< bytes: more stays in memory whatever we do

/// An access in the loop to a small local variable, at an address that the loop changes.
bool walksArray(const Instruction &access, const Loop &loop) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  if (!pointer || loop.isLoopInvariant(pointer))
    return false;
  const auto *array = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
  if (!array)
    return false;
  auto size = array->getAllocationSize(access.getModule()->getDataLayout());
  return size && !size->isScalable() && size->getFixedValue() <= LargestArray;
}

class Marker {
public:
  Marker(LoopInfo &loops, ScalarEvolution &evolution) : loops_(loops), evolution_(evolution) {}

  /// Whether there is one more.
  bool run() {
    for (Loop *loop : loops_)
      visit(*loop);
    return anyMarked_;
  }

private:
  /// The most iterations of a loop of which they are known once those around it are unrolled; 0 of
  /// others.
  unsigned iterationsLater(Loop &loop) {
    const SCEV *taken = evolution_.getBackedgeTakenCount(&loop);
    if (isa<SCEVCouldNotCompute>(taken))
      return 0;
    bool follows =
        SCEVExprContains(taken, [](const SCEV *part) { return isa<SCEVAddRecExpr>(part); }) &&
        !SCEVExprContains(taken, [](const SCEV *part) { return isa<SCEVUnknown>(part); });
    return follows ? evolution_.getSmallConstantMaxTripCount(&loop) : 0;
  }

  /// Instructions of the loop once it and the loops in it that are marked are unrolled.
  uint64_t visit(Loop &loop) {
    uint64_t size = 0;
    for (Loop *inner : loop)
      size += visit(*inner);
    bool walks = false;
    for (BasicBlock *block : loop.blocks()) {
      bool own = loops_.getLoopFor(block) == &loop;
      for (Instruction &instruction : *block) {
        size += own && !instruction.isDebugOrPseudoInst();
        walks |= walksArray(instruction, loop);
      }
    }
    bool forbidden = findStringMetadataForLoop(&loop, "llvm.loop.unroll.disable").has_value();
    if (!walks || forbidden)
      return size;
    unsigned count = evolution_.getSmallConstantTripCount(&loop);
    if (count == 0)
      return size * std::max(1u, iterationsLater(loop));
    if (count > MostIterations || count * size > MostInstructions)
      return size;
    if (!findStringMetadataForLoop(&loop, "llvm.loop.unroll.full")) {
      addStringMetadataToLoop(&loop, "llvm.loop.unroll.full", 1);
      anyMarked_ = true;
    }
    return count * size;
  }

  LoopInfo &loops_;
  ScalarEvolution &evolution_;
  bool anyMarked_ = false;
};

/// Marks such loops for LLVM's unroller. Expects loops in simplified form.
struct MarkArrayLoops : PassInfoMixin<MarkArrayLoops> {
  /// `anyMarked` becomes true if a loop was that was not before.
  explicit MarkArrayLoops(bool &anyMarked) : anyMarked(anyMarked) {}

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    anyMarked |= Marker(analyses.getResult<LoopAnalysis>(function),
                        analyses.getResult<ScalarEvolutionAnalysis>(function))
                     .run();
    return PreservedAnalyses::all();
  }

  bool &anyMarked;
};

bool hasLocalArray(Function &function) {
  return any_of(instructions(function), [](Instruction &instruction) {
    auto *alloca = dyn_cast<AllocaInst>(&instruction);
    return alloca && alloca->getAllocatedType()->isAggregateType();
  });
}

/// Whether loops were unrolled that were not marked for it before.
bool unrollOnce(Function &function, FunctionAnalysisManager &analyses) {
  bool anyMarked = false;
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(MarkArrayLoops(anyMarked));
  passes.addPass(LoopUnrollPass(LoopUnrollOptions(2, /*OnlyWhenForced=*/true)));
  // What SROA wants: constant indices, and the loop's blocks as one.
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)));
  // What an unrolled loop read at its counter is invariant in the loop around it.
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  passes.run(function, analyses);
  return anyMarked;
}

} // namespace

PreservedAnalyses UnrollArrays::run(Function &function, FunctionAnalysisManager &analyses) {
  if (!hasLocalArray(function))
    return PreservedAnalyses::all();
  while (unrollOnce(function, analyses) && hasLocalArray(function))
    ;
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
