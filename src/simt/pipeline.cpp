// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a table for the loop that runs it (pass_control.h).
#include "simt/analysis/analyses.h"
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

#include "llvm/IR/StructuralHash.h"

#include <tuple>

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

/// A pass of one statement. It keeps nothing that the manager knows, since it asks for nothing; only
/// who counts wants to know whether it has changed the program.
template <class Statement> struct StatementPass {
  PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses) {
    Compilation &kernel = analyses.getResult<CompilationAnalysis>(module).kernel;
    bool isCounted = kernel.options.counts;
    stable_hash before = isCounted ? StructuralHash(module, /*DetailedHash=*/true) : 0;
    Statement::run(module, kernel);
    return changed(!isCounted || StructuralHash(module, true) != before);
  }
};

#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  struct CLASS {                                                                                   \
    static void run([[maybe_unused]] Module &module, Compilation &kernel) {                        \
      [[maybe_unused]] auto [thread, options, machine] =                                           \
          std::tie(kernel.thread, kernel.options, kernel.machine);                                 \
      RUN;                                                                                         \
    }                                                                                              \
  };
#include "simt/passes.def"

constexpr PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  {NAME, DOC, When::WHEN, false, runPass<StatementPass<CLASS>>},
#define HEDDLE_STEP(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  {NAME, DOC, When::WHEN, true, runPass<StatementPass<CLASS>>},
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
  Analyses analyses(machine, kernel.options);
  analyses.modules.registerPass([&] { return CompilationAnalysis(kernel); });
  PassControl(kernel.options, Passes).run(device, analyses.modules, [&] {
    return kernel.hasFailed();
  });
  return kernel.takeFailure();
}

} // namespace heddle::simt
