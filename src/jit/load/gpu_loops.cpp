// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of a GPU's code. A GPU hides the latency of one step behind the next, so more steps of a loop
// are in flight if its body has several; LLVM's costs for NVPTX unroll what stays small. Three things
// are decided here, and LLVM's own passes carry them out:
//
// 1. A local array whose indices are constants once its loops are unrolled has no address then, and
//    lies in registers:
//      int row[30]; for (j < 29) row[j + 1] = min(row[j], row[j + 1]);      all 29 steps
// 2. Innermost loops are unrolled by four, short ones and those of many constant trips by eight; also
//    where the number of trips is a maximum, which LLVM takes for too dear to compute:
//      for (k = i + 1; k < n; k++) ...          max(n, i + 2) - (i + 1) trips
//    Loops around others only where the trips are constant.
// 3. ptxas unrolls further, and overlaps loads of later steps, what ends with a branch back:
//      %done = icmp eq %i, %n                   %more = icmp ne %i, %n
//      br %done, exit, body              ->     br %more, body, exit
#include "jit/load/gpu_loops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// The program says how.
bool isDecided(const Loop *loop) {
  return any_of(ArrayRef<StringRef>{"disable", "count", "full", "enable"}, [&](StringRef how) {
    return findOptionMDForLoop(loop, ("llvm.loop.unroll." + how).str());
  });
}

/// Adds `!{!"llvm.loop.unroll.count", i32 steps}`, and that the result may be unrolled again, by ptxas:
/// LLVM says "nounroll" of it otherwise.
void unrollBy(Loop &loop, unsigned steps) {
  addStringMetadataToLoop(&loop, "llvm.loop.unroll.count", steps);
  LLVMContext &context = loop.getHeader()->getContext();
  MDNode *made = MDNode::get(context, MDString::get(context, "heddle.loop.unrolled"));
  MDNode *followup =
      MDNode::get(context, {MDString::get(context, "llvm.loop.unroll.followup_unrolled"), made});
  loop.setLoopID(makePostTransformationMetadata(context, loop.getLoopID(), {}, {followup}));
}

size_t sizeOf(const Loop &loop) {
  size_t size = 0;
  for (BasicBlock *block : loop.blocks())
    size += block->sizeWithoutDebug();
  return size;
}

/// Local arrays of few elements and the loops that must go for their indices to be constants.
class LocalArrays {
public:
  LocalArrays(Function &function, ScalarEvolution &evolution)
      : function(function), evolution(evolution) {}

  void mark() {
    SetVector<const Loop *> chosen;
    for (Instruction &one : instructions(function))
      if (auto *array = dyn_cast<AllocaInst>(&one))
        if (SetVector<const Loop *> around; isSmall(*array) && collect(*array, around))
          chosen.insert_range(around);
    for (const Loop *loop : chosen)
      if (!chosen.contains(loop->getParentLoop()) && unrolledSize(*loop, chosen) > MostInstructions)
        return;
    for (const Loop *loop : chosen)
      addStringMetadataToLoop(const_cast<Loop *>(loop), "llvm.loop.unroll.full");
  }

private:
  static constexpr unsigned MostBytes = 512, MostTrips = 128, MostInstructions = 2048;

  bool isSmall(const AllocaInst &array) const {
    std::optional<TypeSize> size = array.getAllocationSize(function.getDataLayout());
    return size && !size->isScalable() && *size <= MostBytes && *size > 16;
  }

  /// The loops whose counters are in the indices; false if an index is anything else, or the address
  /// goes elsewhere.
  bool collect(Instruction &address, SetVector<const Loop *> &around) {
    for (User *user : address.users()) {
      auto *one = cast<Instruction>(user);
      if (isa<GetElementPtrInst, AddrSpaceCastInst>(one)) {
        if (!collect(*one, around))
          return false;
      } else if (isa<LoadInst>(one) ||
                 (isa<StoreInst>(one) && cast<StoreInst>(one)->getValueOperand() != &address)) {
        if (!takeIndex(address, around))
          return false;
      } else if (!one->isLifetimeStartOrEnd() && !isa<MemSetInst>(one)) {
        return false;
      }
    }
    return true;
  }

  bool takeIndex(Instruction &address, SetVector<const Loop *> &around) {
    const SCEV *index = evolution.removePointerBase(evolution.getSCEV(&address));
    if (isa<SCEVCouldNotCompute>(index))
      return false;
    bool known = true;
    auto visit = [&](const SCEV *part) {
      if (isa<SCEVUnknown>(part))
        known = false;
      if (auto *counter = dyn_cast<SCEVAddRecExpr>(part))
        known = known && take(*counter->getLoop(), around);
      return !known;
    };
    SCEVExprContains(index, visit);
    return known;
  }

  bool take(const Loop &loop, SetVector<const Loop *> &around) {
    const unsigned trips = evolution.getSmallConstantTripCount(&loop);
    if (trips == 0 || trips > MostTrips || isDecided(&loop))
      return false;
    around.insert(&loop);
    return true;
  }

  size_t unrolledSize(const Loop &loop, const SetVector<const Loop *> &chosen) {
    size_t size = sizeOf(loop);
    for (const Loop *inner : loop.getSubLoops())
      size += unrolledSize(*inner, chosen) - sizeOf(*inner);
    return chosen.contains(&loop) ? size * evolution.getSmallConstantTripCount(&loop) : size;
  }

  Function &function;
  ScalarEvolution &evolution;
};

struct UnrollLocalArrays : PassInfoMixin<UnrollLocalArrays> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    LocalArrays(function, analyses.getResult<ScalarEvolutionAnalysis>(function)).mark();
    return PreservedAnalyses::all();
  }
};

/// Innermost loops, before LLVM decides by how many steps it unrolls them.
struct UnrollInnermost : PassInfoMixin<UnrollInnermost> {
  static constexpr unsigned Steps = 4, LongSteps = 8, LongTrips = 64;
  static constexpr size_t FewInstructions = 12, LongInstructions = 320, MostUncounted = 112,
                          MostInstructions = 640, MostBlocks = 8;

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (const unsigned steps = stepsOf(*loop, evolution))
        unrollBy(*loop, steps);
      else if (!loop->isInnermost() && !isDecided(loop))
        addStringMetadataToLoop(loop, "llvm.loop.unroll.runtime.disable");
    return PreservedAnalyses::all();
  }

private:
  /// 0: LLVM decides.
  static unsigned stepsOf(Loop &loop, ScalarEvolution &evolution) {
    if (!loop.isInnermost() || loop.getNumBlocks() > MostBlocks || isDecided(&loop) ||
        !loop.getExitingBlock() || loop.getExitingBlock() != loop.getLoopLatch() ||
        hasCalls(loop) || !evolution.hasLoopInvariantBackedgeTakenCount(&loop))
      return 0;
    const size_t size = sizeOf(loop);
    const unsigned trips = evolution.getSmallConstantTripCount(&loop);
    if (trips == 0 && size <= FewInstructions)
      return LongSteps;
    if (trips == 0)
      return size * Steps <= MostUncounted ? Steps : size * 2 <= MostUncounted ? 2 : 0;
    if (trips >= LongTrips && trips % LongSteps == 0 && size * LongSteps <= LongInstructions)
      return LongSteps;
    return trips > Steps && trips % Steps == 0 && size * Steps <= MostInstructions &&
                   size * trips > LongInstructions // else LLVM unrolls it whole
               ? Steps
               : 0;
  }

  /// What threads do together, and functions.
  static bool hasCalls(const Loop &loop) {
    return any_of(loop.blocks(), [](const BasicBlock *block) {
      return any_of(*block, [](const Instruction &one) {
        auto *call = dyn_cast<CallBase>(&one);
        return call && (call->isConvergent() || !isa<IntrinsicInst>(call)) && !call->isInlineAsm();
      });
    });
  }
};

} // namespace

void addLoopHints(PassBuilder &builder) {
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    passes.addPass(createModuleToFunctionPassAdaptor(UnrollLocalArrays()));
  });
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager &passes, OptimizationLevel) { passes.addPass(UnrollInnermost()); });
}

PreservedAnalyses LatchesContinue::run(Function &function, FunctionAnalysisManager &analyses) {
  bool changed = false;
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    BasicBlock *latch = loop->getLoopLatch();
    auto *branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getSuccessor(1) != loop->getHeader())
      continue;
    auto *compare = dyn_cast<ICmpInst>(branch->getCondition());
    if (!compare || !compare->hasOneUse())
      continue;
    compare->setPredicate(compare->getInversePredicate());
    branch->swapSuccessors();
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::jit
