// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// passes.def as a table for the loop that runs it (simt/pass_control.h).
#include "jit/pipeline.h"

#include "frontend/error.h"
#include "jit/emit/bound_sums.h"
#include "jit/emit/codegen.h"
#include "jit/emit/large_loops.h"
#include "jit/memory/load_before_atomic.h"
#include "jit/memory/lower_masked.h"
#include "jit/memory/narrow_indices.h"
#include "jit/memory/near_gathers.h"
#include "jit/memory/row_gathers.h"
#include "jit/memory/scalarize_gathers.h"
#include "jit/memory/version_gathers.h"
#include "jit/prefetch/prefetch.h"
#include "jit/schedule/register_block_sums.h"
#include "jit/vector/legalize_masks.h"
#include "jit/vector/legalize_shuffles.h"
#include "jit/vector/lower_copysign.h"
#include "jit/vector/lower_division.h"
#include "jit/vector/order_merges.h"
#include "jit/vector/order_numbers.h"
#include "jit/vector/order_zeros.h"
#include "jit/vector/reduce_masks.h"
#include "jit/vector/vectorize_neighbours.h"
#include "jit/vector/vectorize_reductions.h"
#include "simt/analysis/analyses.h"
#include "simt/vector/stream_choices.h"
#include "simt/vector/stream_stores.h"

#include "llvm/ADT/StringExtras.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr simt::PassInfo Passes[] = {
#define HEDDLE_PASS(CLASS, NAME, WHEN, MODES, DOC)                                                 \
  {NAME, DOC, simt::When::WHEN, MODES, false, simt::runPass<CLASS>},
#define HEDDLE_STEP(CLASS, NAME, WHEN, MODES, DOC)                                                 \
  {NAME, DOC, simt::When::WHEN, MODES, true, simt::runPass<CLASS>},
#include "jit/passes.def"
};

} // namespace

bool isPass(StringRef name) { return simt::PassName(name).isIn(Passes); }

/// What HEDDLE_DISABLE may name beside passes.
static constexpr StringLiteral Choices[] = {
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "simt/passes.def"
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "jit/passes.def"
#define HEDDLE_CHOICE(NAME, DOC) NAME,
#include "device/switches.def"
};

/// Steps of compile.cpp behind which the IR is printed, too.
static constexpr StringLiteral StepNames[] = {"count", "library", "optimize"};

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
  auto isKnown = [](StringRef name) {
    return is_contained(StepNames, name) || isPass(name) ||
           simt::PassName(name).isIn(simt::passes());
  };
  for (auto [variable, name] : {std::pair("HEDDLE_PRINT_AFTER", StringRef(options.printAfter)),
                                std::pair("HEDDLE_STOP_AFTER", StringRef(options.stopAfter))})
    if (!name.empty() && name != "*" && !isKnown(name))
      return frontend::fail(Twine(variable) + ": no pass is named '" + name + "'");
  return Error::success();
}

bool runPasses(Module &module, TargetMachine &machine, const simt::Options &options) {
  simt::Analyses analyses(machine, options);
  leaveLargeLoops(analyses.callbacks);
  simt::PassControl control(options, Passes);
  control.run(module, analyses.modules);
  return control.hasStopped();
}

} // namespace heddle::jit
