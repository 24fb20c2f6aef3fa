// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a pipeline of LLVM's pass manager.
#include "jit/pipeline.h"

#include "frontend/error.h"
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
#include "jit/unroll_loops.h"
#include "jit/vector_sums.h"
#include "simt/stream_choices.h"
#include "simt/stream_stores.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/PassManager.h"

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

constexpr simt::PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, simt::When::WHEN, false},
#define HEDDLE_STEP(CLASS, NAME, WHEN, RUN, DOC) {NAME, DOC, simt::When::WHEN, true},
#include "jit/passes.def"
};

} // namespace

bool isPass(StringRef name) {
  return any_of(Passes, [&](const simt::PassInfo &pass) { return pass.name == name; });
}

/// What HEDDLE_DISABLE may name beside passes.
static constexpr StringLiteral Choices[] = {
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "simt/passes.def"
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "jit/passes.def"
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "device/switches.def"
};

Error checkNames(const simt::Options &options) {
  auto find = [](StringRef name) -> const simt::PassInfo * {
    for (ArrayRef<simt::PassInfo> table : {ArrayRef(Passes), simt::passes()})
      for (const simt::PassInfo &pass : table)
        if (pass.name == name)
          return &pass;
    return nullptr;
  };
  for (StringRef name : split(options.disabled, ',')) {
    const simt::PassInfo *pass = find(name);
    if (pass && pass->isRequired)
      return frontend::fail("HEDDLE_DISABLE: '" + name + "' cannot be left out");
    if (!name.empty() && !pass && !is_contained(Choices, name))
      return frontend::fail("HEDDLE_DISABLE: no pass is named '" + name + "'");
  }
  for (auto [variable, name] : {std::pair("HEDDLE_PRINT_AFTER", StringRef(options.printAfter)),
                                std::pair("HEDDLE_STOP_AFTER", StringRef(options.stopAfter))})
    if (!name.empty() && name != "*" && name != "optimize" && !find(name))
      return frontend::fail(Twine(variable) + ": no pass is named '" + name + "'");
  return Error::success();
}

bool runPasses(Module &module, TargetMachine &machine, const simt::Options &options) {
  ModulePassManager pipeline;
  Target target{machine, options};
#define HEDDLE_PASS(CLASS, NAME, WHEN, RUN, DOC) pipeline.addPass(CLASS(target));
#include "jit/passes.def"
  simt::PassControl control(options, Passes);
  control.run(pipeline, module, options.timesPasses);
  return control.hasStopped();
}

} // namespace heddle::jit
