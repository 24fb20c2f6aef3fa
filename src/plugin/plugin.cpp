// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry point that clang and opt look for in a plugin (-fpass-plugin, -load-pass-plugin).
#include "frontend/own_lines.h"
#include "plugin/full_unrolling.h"
#include "plugin/hide_narrow_steps.h"
#include "plugin/host_functions.h"
#include "plugin/kernel_names.h"
#include "plugin/mark_remainders.h"
#include "plugin/openmp/use_libgomp.h"
#include "plugin/register_first.h"
#include "plugin/settle_unset.h"
#include "plugin/static_references.h"
#include "plugin/test_bools.h"

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

using namespace llvm;
using heddle::plugin::HideNarrowStepsPass;
using heddle::plugin::HostFunctionsPass;
using heddle::plugin::KernelNamesPass;
using heddle::plugin::MarkRemaindersPass;
using heddle::plugin::RegisterFirstPass;
using heddle::plugin::SettleUnsetPass;
using heddle::plugin::StaticReferencesPass;
using heddle::plugin::TestBoolsPass;
using heddle::plugin::UseLibgompPass;

namespace {

/// The host's code has no checks.
struct KeepDeviceLines : PassInfoMixin<KeepDeviceLines> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    return function.getParent()->getTargetTriple().isNVPTX()
               ? heddle::frontend::KeepLinesPass().run(function, analyses)
               : PreservedAnalyses::all();
  }
};

/// Lanes that come to a printf together print in their order, as on a GPU: no pass may make two calls
/// of one, for lanes that were at different places before (`if (!lane) printf(a); printf(b);`).
struct PrintTogether : PassInfoMixin<PrintTogether> {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {
    if (Function *print = module.getFunction("vprintf"); print && module.getTargetTriple().isNVPTX())
      print->addFnAttr(Attribute::Convergent);
    return PreservedAnalyses::all();
  }
};

} // namespace

static void registerPasses(PassBuilder &builder) {
  heddle::plugin::unrollFullyOnly(builder);
  builder.registerPipelineStartEPCallback([](ModulePassManager &passes, OptimizationLevel) {
    passes.addPass(HostFunctionsPass());
    passes.addPass(KernelNamesPass());
    passes.addPass(RegisterFirstPass());
    passes.addPass(UseLibgompPass());
    passes.addPass(TestBoolsPass());
    passes.addPass(MarkRemaindersPass());
    passes.addPass(StaticReferencesPass());
    passes.addPass(SettleUnsetPass());
    passes.addPass(PrintTogether());
  });
  // When variables are in registers, and nothing is merged yet.
  builder.registerPipelineEarlySimplificationEPCallback(
      [](ModulePassManager &passes, OptimizationLevel level, ThinOrFullLTOPhase) {
        if (level != OptimizationLevel::O0)
          passes.addPass(createModuleToFunctionPassAdaptor(KeepDeviceLines()));
      });
  // In front of every pass that makes versions of a loop under assumptions: loop distribution,
  // vectorization, load elimination.
  builder.registerVectorizerStartEPCallback([](FunctionPassManager &passes, OptimizationLevel) {
    passes.addPass(HideNarrowStepsPass());
  });
  builder.registerPipelineParsingCallback(
      [](StringRef name, FunctionPassManager &passes, ArrayRef<PassBuilder::PipelineElement>) {
        if (name != "hide-narrow-steps")
          return false;
        passes.addPass(HideNarrowStepsPass());
        return true;
      });
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo();

PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "heddle-clang-plugin", LLVM_VERSION_STRING, registerPasses};
}
