// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a pipeline of LLVM's pass manager.
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"
#include "simt/entry/entry.h"
#include "simt/form/swizzle_blocks.h"
#include "simt/pass_control.h"
#include "simt/progress/polls.h"
#include "simt/thread/mark_streams.h"
#include "simt/thread/match_ranks.h"
#include "simt/thread/privatize_atomics.h"
#include "simt/thread/unroll_and_jam.h"
#include "simt/thread/version_guards.h"
#include "simt/thread/yield_before_reuse.h"
#include "simt/vector/strength_reduce_addresses.h"

#include "llvm/IR/PassManager.h"

#include <tuple>

using namespace llvm;

namespace heddle::simt {

namespace {

struct Run {
  Compilation &kernel;
  PassControl &control;
};

#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  struct CLASS##Pass : PassInfoMixin<CLASS##Pass> {                                                \
    Run it;                                                                                        \
    explicit CLASS##Pass(Run it) : it(it) {}                                                       \
    static StringRef name() { return NAME; }                                                       \
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {                               \
      Compilation &kernel = it.kernel;                                                             \
      [[maybe_unused]] auto [thread, options, machine] =                                           \
          std::tie(kernel.thread, kernel.options, kernel.machine);                                 \
      RUN;                                                                                         \
      if (kernel.hasFailed())                                                                      \
        it.control.stop();                                                                         \
      return PreservedAnalyses::none();                                                            \
    }                                                                                              \
  };
#include "simt/passes.def"

constexpr PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, When::WHEN, false},
#define HEDDLE_STEP(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, When::WHEN, true},
#include "simt/passes.def"
};

} // namespace

ArrayRef<PassInfo> passes() { return Passes; }

Error buildWarpProgram(Module &device, StringRef kernelName, const Options &options,
                       TargetMachine &machine) {
  Function *function = device.getFunction(kernelName);
  if (!function || function->isDeclaration())
    return createStringError(inconvertibleErrorCode(),
                             "no kernel named '" + kernelName + "' in the device module");
  Compilation kernel(device, *function, options, machine);
  PassControl control(kernel.options, Passes);
  Run it{kernel, control};
  ModulePassManager pipeline;
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC) pipeline.addPass(CLASS##Pass(it));
#include "simt/passes.def"
  control.run(pipeline, device, options.timesPasses);
  return kernel.takeFailure();
}

} // namespace heddle::simt
