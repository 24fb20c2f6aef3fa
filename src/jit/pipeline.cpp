// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a pipeline of LLVM's pass manager.
#include "jit/pipeline.h"

#include "jit/carry_masks.h"
#include "jit/codegen.h"
#include "jit/count_pairs.h"
#include "jit/cut_shuffles.h"
#include "jit/dense_access.h"
#include "jit/depth_first.h"
#include "jit/far_first.h"
#include "jit/fixed_gathers.h"
#include "jit/group_sums.h"
#include "jit/hoist_choices.h"
#include "jit/load_shifted.h"
#include "jit/look_first.h"
#include "jit/lower_division.h"
#include "jit/lower_masked.h"
#include "jit/narrow_indices.h"
#include "jit/narrow_tests.h"
#include "jit/order_zeros.h"
#include "jit/prefetch_ahead.h"
#include "jit/prefetch_blocks.h"
#include "jit/prefetch_buckets.h"
#include "jit/prefetch_rows.h"
#include "jit/prefetch_steps.h"
#include "jit/prefetch_stores.h"
#include "jit/prefetch_walks.h"
#include "jit/regroup_sums.h"
#include "jit/reload_lanes.h"
#include "jit/share_rows.h"
#include "jit/slide_loads.h"
#include "jit/stagger_loads.h"
#include "jit/steps.h"
#include "jit/unroll_loops.h"
#include "jit/vector_sums.h"
#include "simt/pass_control.h"
#include "simt/stream_choices.h"
#include "simt/stream_stores.h"

#include "llvm/IR/PassManager.h"
#include "llvm/IR/PassTimingInfo.h"

namespace heddle::jit {

using namespace llvm;

namespace {

struct Target {
  TargetMachine &machine;
  const simt::Options &options;
};

#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  struct CLASS : PassInfoMixin<CLASS> {                                                            \
    Target target;                                                                                 \
    explicit CLASS(Target target) : target(target) {}                                              \
    static StringRef name() { return NAME; }                                                       \
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &) {                               \
      [[maybe_unused]] auto &[machine, options] = target;                                          \
      RUN;                                                                                         \
      return PreservedAnalyses::none();                                                            \
    }                                                                                              \
  };
#include "jit/passes.def"

constexpr PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, false},
#define HEDDLE_STEP(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, true},
#include "jit/passes.def"
};

} // namespace

ArrayRef<PassInfo> passes() { return Passes; }

bool runPasses(Module &module, TargetMachine &machine, const simt::Options &options) {
  simt::PassControl control(options);
  TimePassesHandler timer(Steps::timesPasses());
  PassInstrumentationCallbacks callbacks;
  control.registerCallbacks(callbacks);
  timer.registerCallbacks(callbacks);
  ModuleAnalysisManager analyses;
  analyses.registerPass([&] { return PassInstrumentationAnalysis(&callbacks); });
  ModulePassManager pipeline;
  Target target{machine, options};
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  control.add(NAME, simt::When::WHEN, /*isRequired=*/false);                                       \
  pipeline.addPass(CLASS(target));
#define HEDDLE_STEP(CLASS, NAME, WHEN, RUN, DOC)                                                   \
  control.add(NAME, simt::When::WHEN, /*isRequired=*/true);                                        \
  pipeline.addPass(CLASS(target));
#include "jit/passes.def"
  pipeline.run(module, analyses);
  return control.hasStopped();
}

} // namespace heddle::jit
