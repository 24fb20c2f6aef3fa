// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/normalize.h"

#include "simt/analysis/own_vectors.h"

#include "simt/analysis/analyses.h"
#include "simt/analysis/launch_facts.h"
#include "simt/canonical/expand_reductions.h"
#include "simt/canonical/expand_vector_casts.h"
#include "simt/canonical/join_values.h"
#include "simt/canonical/kept_variables.h"
#include "simt/canonical/make_reducible.h"
#include "simt/canonical/split_struct_phis.h"
#include "simt/canonical/split_volatile.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;

namespace heddle::simt {

namespace {

template <typename Action> void onDefinitions(Module &module, Action action) {
  for (Function &function : module)
    if (!function.isDeclaration())
      action(function);
}

/// A path that ends in `unreachable` (after a trap or a failed assertion) returns instead: the
/// runtime does not come back there. Calls lose `noreturn`, by which later passes would put the
/// `unreachable` back.
void returnFromUnreachable(Function &function) {
  function.removeFnAttr(Attribute::NoReturn);
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      call->removeFnAttr(Attribute::NoReturn);
      if (Function *callee = call->getCalledFunction())
        callee->removeFnAttr(Attribute::NoReturn);
    }
  for (BasicBlock &block : function) {
    auto *unreachable = dyn_cast<UnreachableInst>(block.getTerminator());
    if (!unreachable)
      continue;
    Type *type = function.getReturnType();
    Value *value = type->isVoidTy() ? nullptr : PoisonValue::get(type);
    ReturnInst::Create(function.getContext(), value, unreachable->getIterator());
    unreachable->eraseFromParent();
  }
}

/// Lanes that wait at the exit count as returned, so a barrier must not stand there.
void isolateReturn(Function &function) {
  for (BasicBlock &block : make_early_inc_range(function)) {
    auto *exit = dyn_cast<ReturnInst>(block.getTerminator());
    if (!exit)
      continue;
    bool converges = any_of(block, [](const Instruction &instruction) {
      auto *call = dyn_cast<CallInst>(&instruction);
      return call && call->isConvergent();
    });
    if (converges)
      block.splitBasicBlock(exit, "exit");
  }
}

void canonicalizeControlFlow(Function &function, FunctionAnalysisManager &analyses) {
  returnFromUnreachable(function); // of loops that never end, too
  forget(function, analyses);
  FunctionPassManager passes;
  passes.addPass(LowerSwitchPass());
  passes.addPass(UnifyFunctionExitNodesPass());
  passes.addPass(MakeReduciblePass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.run(function, analyses);
  removeUnreachableBlocks(function);
  isolateReturn(function);
}

} // namespace

PreservedAnalyses SimplifyThread::run(Function &function, FunctionAnalysisManager &analyses) {
  const Options &options = analyses.getResult<LaunchFactsAnalysis>(function).options;
  if (options.mode == Mode::Checked) { // who waits for whom is told by comparing values
    hideVariables(function);
    forget(function, analyses);
    InstCombinePass().run(function, analyses);
    showVariables(function);
  }
  if (!options.isOptimised())
    return changed(options.mode == Mode::Checked);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)));
  passes.addPass(EarlyCSEPass());
  passes.run(function, analyses);
  joinValues(function);
  return PreservedAnalyses::none();
}

PreservedAnalyses Scalarize::run(Function &function, FunctionAnalysisManager &analyses) {
  returnFromUnreachable(function);
  splitStructPhis(function);
  expandReductions(function);
  splitVolatile(function);
  expandVectorCasts(function);
  forget(function, analyses);
  const Options &options = analyses.getResult<LaunchFactsAnalysis>(function).options;
  if (options.isOptimised() && hasOwnVectors(function)) {
    if (options.width == 1)
      return PreservedAnalyses::none();
    noteOwnVectors(function, options.registers.bits, options.costs.LoopFactor);
  }
  ScalarizerPassOptions scalars;
  scalars.ScalarizeLoadStore = true;
  scalars.ScalarizeVariableInsertExtract = true;
  ScalarizerPass(scalars).run(function, analyses);
  return PreservedAnalyses::none();
}

PreservedAnalyses Normalize::run(Function &function, FunctionAnalysisManager &analyses) {
  canonicalizeControlFlow(function, analyses);
  return PreservedAnalyses::none();
}

void renormalize(Module &module, TargetMachine &machine) {
  simplify(module, machine);
  Analyses analyses(machine);
  onDefinitions(module,
                [&](Function &function) { canonicalizeControlFlow(function, analyses.functions); });
}

void simplify(Module &module, TargetMachine &machine) {
  Analyses analyses(machine);
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::PreserveCFG));
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  onDefinitions(module, [&](Function &function) { passes.run(function, analyses.functions); });
}

void fold(Function &function, TargetMachine &machine) {
  Analyses analyses(machine);
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.run(function, analyses.functions);
}

} // namespace heddle::simt
