// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device half as clang -O2 leaves that of CUDA C++ (driver/options/settings.cpp, addLanguage):
// variables in registers, short loops unrolled, and nothing that makes vectors, for the warp is
// one. Reports of registers and PTX text show this code.
#include "frontend/fortran/stages.h"

#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::fortran {

using namespace llvm;

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

} // namespace

void optimizeDevice(Module &device) {
  std::unique_ptr<TargetMachine> machine = createDeviceMachine(device);
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  PassBuilder builder(machine.get(), tuning);
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
