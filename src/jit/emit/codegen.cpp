// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/emit/codegen.h"

#include "frontend/error.h"
#include "jit/emit/back_end.h"
#include "jit/emit/large_loops.h"
#include "jit/steps.h"
#include "simt/analysis/launch_facts.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// clang writes attributes for the GPU, which would make the back end look for a CPU named sm_90.
void dropDeviceAttributes(Module &module) {
  for (Function &function : module)
    for (const char *name : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
      function.removeFnAttr(name);
}

/// For NVPTX clang asks for line directives only, which no ELF back end turns into a line table.
void wantLineTables(Module &module) {
  for (DICompileUnit *unit : module.debug_compile_units())
    if (unit->isDebugDirectivesOnly()) {
      stripNonLineTableDebugInfo(module); // it leaves units of kind LineTablesOnly
      return;
    }
}

ModulePassManager pipeline(PassBuilder &builder) {
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetimeIntrinsics=*/false));
  FunctionPassManager functions =
      builder.buildFunctionSimplificationPipeline(OptimizationLevel::O2, ThinOrFullLTOPhase::None);
  functions.addPass(UnrollSmallLoops());
  functions.addPass(EarlyCSEPass());
  functions.addPass(SimplifyCFGPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(functions)));
  passes.addPass(GlobalDCEPass());
  return passes;
}

} // namespace

PreservedAnalyses Simplify::run(Module &module, ModuleAnalysisManager &analyses) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(&analyses.getResult<simt::LaunchFactsAnalysis>(module).machine, tuning);
  pipeline(builder).run(module, analyses);
  return PreservedAnalyses::none();
}

// Legality (align-spills): none: a stack that is aligned to more holds what it held.
PreservedAnalyses AlignSpills::run(Function &function, FunctionAnalysisManager &) {
  constexpr uint64_t StackAlign = 16; // bytes, by the calling convention
  bool hasWide = any_of(instructions(function), [&](const Instruction &instruction) {
    return instruction.getType()->isVectorTy() &&
           function.getDataLayout().getTypeStoreSize(instruction.getType()) > StackAlign;
  });
  if (hasWide)
    function.addFnAttr("stackrealign");
  return simt::changedInBlocks(hasWide);
}

Expected<SmallVector<char, 0>> emitObject(Module &module, TargetMachine &machine) {
  dropDeviceAttributes(module);
  wantLineTables(module);
  SmallVector<char, 0> object;
  raw_svector_ostream stream(object);
  legacy::PassManager passes;
  if (!addBackEnd(passes, module, machine, stream))
    return frontend::fail("this machine's back end cannot write objects");
  BackEndLimits limits;
  if (Steps::timesPasses())
    TimePassesIsEnabled = true; // LLVM's, of all threads
  passes.run(module);
  if (Steps::timesPasses())
    reportAndResetTimings();
  return object;
}

} // namespace heddle::jit
