// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/pipeline.h"

#include "llvm/MC/TargetRegistry.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

namespace heddle::opencl {

using namespace llvm;

namespace {

std::unique_ptr<TargetMachine> machineFor(const Module &module) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(module.getTargetTriple(), error);
  return std::unique_ptr<TargetMachine>(
      target ? target->createTargetMachine(module.getTargetTriple(), "sm_90", "+ptx78",
                                           TargetOptions(), std::nullopt)
             : nullptr);
}

PipelineTuningOptions tuning() {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = false;
  return tuning;
}

} // namespace

Pipeline::Pipeline(const Module &module)
    : machine_(machineFor(module)), builder_(machine_.get(), tuning()) {
  builder_.registerModuleAnalyses(modules_);
  builder_.registerCGSCCAnalyses(components_);
  builder_.registerFunctionAnalyses(functions_);
  builder_.registerLoopAnalyses(loops_);
  builder_.crossRegisterProxies(loops_, functions_, components_, modules_);
}

void Pipeline::inlineMarked(Module &module) {
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/true));
  passes.addPass(GlobalDCEPass());
  passes.run(module, modules_);
}

void Pipeline::optimize(Module &module, bool isDebug) {
  builder_.buildPerModuleDefaultPipeline(isDebug ? OptimizationLevel::O0 : OptimizationLevel::O2)
      .run(module, modules_);
}

} // namespace heddle::opencl
