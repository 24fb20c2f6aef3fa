// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a table for the loop that runs it (pass_control.h).
#include "base/coverage.h"
#include "simt/analysis/analyses.h"
#include "simt/canonical/added_swaps.h"
#include "simt/canonical/combine_member_loads.h"
#include "simt/canonical/expand_memory.h"
#include "simt/canonical/kept_swaps.h"
#include "simt/canonical/natural_numbers.h"
#include "simt/canonical/normalize.h"
#include "simt/canonical/recognize_popcount.h"
#include "simt/canonical/unroll_arrays.h"
#include "simt/canonical/unused_inputs.h"
#include "simt/check/insert_checks.h"
#include "simt/check/insert_init_checks.h"
#include "simt/check/proof/prove_launches.h"
#include "simt/compilation.h"
#include "simt/entry/entry.h"
#include "simt/form/interchange_threads.h"
#include "simt/form/swizzle_blocks.h"
#include "simt/pass_control.h"
#include "simt/progress/keep_lockstep.h"
#include "simt/progress/polls.h"
#include "simt/progress/warp_order.h"
#include "simt/shared/promote_shared.h"
#include "simt/thread/cut_rows.h"
#include "simt/thread/mark_streams.h"
#include "simt/thread/narrow_sums.h"
#include "simt/thread/prefetch_next_round.h"
#include "simt/thread/privatize_atomics.h"
#include "simt/thread/unroll_and_jam.h"
#include "simt/thread/unroll_rows.h"
#include "simt/thread/version_clamps.h"
#include "simt/thread/version_guards.h"
#include "simt/thread/yield_before_reuse.h"
#include "simt/vector/eliminate_dead_lanes.h"
#include "simt/vector/pack_structs.h"
#include "simt/vector/strength_reduce_addresses.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Hands the compilation to its passes.
class CompilationAnalysis : public AnalysisInfoMixin<CompilationAnalysis> {
public:
  struct Result {
    Compilation &kernel;
    bool invalidate(Module &, const PreservedAnalyses &, ModuleAnalysisManager::Invalidator &) {
      return false;
    }
  };

  explicit CompilationAnalysis(Compilation &kernel) : kernel_(kernel) {}
  Result run(Module &, ModuleAnalysisManager &) { return {kernel_}; }

private:
  friend AnalysisInfoMixin<CompilationAnalysis>;
  static AnalysisKey Key;

  Compilation &kernel_;
};

AnalysisKey CompilationAnalysis::Key;

constexpr PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, MODES, DOC)                                                 \
  {NAME, DOC, When::WHEN, MODES, false, runPass<CLASS>},
#define HEDDLE_STEP(CLASS, NAME, WHEN, MODES, DOC)                                                 \
  {NAME, DOC, When::WHEN, MODES, true, runPass<CLASS>},
#include "simt/passes.def"
};

} // namespace

ArrayRef<PassInfo> passes() { return Passes; }

Compilation &compilationOf(Module &module, ModuleAnalysisManager &analyses) {
  return analyses.getResult<CompilationAnalysis>(module).kernel;
}

/// As `Options::stopAfter` says. How many lanes a program has in the end.
static Expected<unsigned> runAll(Module &device, StringRef kernelName, const Options &options,
                                 TargetMachine &machine) {
  Function *function = device.getFunction(kernelName);
  if (!function || function->isDeclaration())
    return createStringError(inconvertibleErrorCode(),
                             "no kernel named '" + kernelName + "' in the device module");
  Compilation kernel(device, *function, options, machine);
  Analyses analyses(machine, kernel.options);
  analyses.modules.registerPass([&] { return CompilationAnalysis(kernel); });
  PassControl(kernel.options, Passes).run(device, analyses.modules, [&] {
    return kernel.hasFailed();
  });
  if (Error error = kernel.takeFailure())
    return error;
  return kernel.options.width;
}

Error buildWarpProgram(Module &device, StringRef kernel, const Options &options,
                       TargetMachine &machine) {
  Expected<unsigned> lanes = runAll(device, kernel, options, machine);
  if (lanes)
    logCovered(("lanes " + Twine(*lanes) + " " + machine.getTargetCPU()).str());
  return lanes.takeError();
}

Expected<unsigned> chooseLanes(Module &device, StringRef kernel, const Options &options,
                               TargetMachine &machine) {
  Options stopped = options;
  stopped.stopAfter = "choose-form";
  return runAll(device, kernel, stopped, machine);
}

} // namespace heddle::simt
