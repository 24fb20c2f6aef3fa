// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device half as clang -O2 leaves that of CUDA C++ (tool/options/settings.cpp, addLanguage):
// variables in registers, short loops unrolled, and nothing that makes vectors, for the warp is
// one. Reports of registers and PTX text show this code.
#include "frontend/fortran/stages.h"
#include "frontend/own_lines.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace heddle::fortran {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

// The lowest GPU that clang compiles CUDA C++ for here.
constexpr const char *Processor = "sm_90";

std::unique_ptr<TargetMachine> createDeviceMachine(const Module &device) {
  InitializeAllTargetInfos();
  InitializeAllTargets();
  InitializeAllTargetMCs();
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(device.getTargetTriple(), error);
  if (!target)
    return nullptr;
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      device.getTargetTriple(), Processor, "", TargetOptions(), std::nullopt));
}

/// The index of a loop has 64 bits, a DO variable 32 (device_loops.cpp). What is truncated without
/// a loss and extended again is the index. LLVM 22's InstCombine masks it instead where it finds
/// that the variable is never negative, and then no address is seen to count threads.
struct FoldExtensions : PassInfoMixin<FoldExtensions> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    bool changed = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function))) {
      Value *index = nullptr;
      if (!match(&instruction, m_CombineOr(m_SExt(m_NSWTrunc(m_Value(index))),
                                           m_ZExt(m_NUWTrunc(m_Value(index))))) ||
          index->getType() != instruction.getType())
        continue;
      instruction.replaceAllUsesWith(index);
      instruction.eraseFromParent();
      changed = true;
    }
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

void foldIndices(ModulePassManager &passes, OptimizationLevel) {
  FunctionPassManager ofFunction;
  ofFunction.addPass(SROAPass(SROAOptions::ModifyCFG)); // variables are in memory
  ofFunction.addPass(FoldExtensions());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(ofFunction)));
}

/// CUDA's atomic functions order nothing (CUDA guide, "Atomic Functions"); Flang's order everything.
void relaxAtomics(Module &device) {
  for (Function &function : device)
    for (Instruction &instruction : instructions(function))
      if (auto *change = dyn_cast<AtomicRMWInst>(&instruction)) {
        change->setOrdering(AtomicOrdering::Monotonic);
      } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
        swap->setSuccessOrdering(AtomicOrdering::Monotonic);
        swap->setFailureOrdering(AtomicOrdering::Monotonic);
      }
}

} // namespace

void optimizeDevice(Module &device) {
  relaxAtomics(device);
  std::unique_ptr<TargetMachine> machine = createDeviceMachine(device);
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(machine.get(), tuning);
  builder.registerPipelineStartEPCallback(foldIndices);
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &passes, OptimizationLevel, ThinOrFullLTOPhase) {
        passes.addPass(createModuleToFunctionPassAdaptor(frontend::KeepLinesPass()));
      });
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graphs;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(device, modules);
}

} // namespace heddle::fortran
