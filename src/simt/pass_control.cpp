// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/pass_control.h"

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::simt {

void PassControl::run(ModulePassManager &pipeline, Module &module, bool isTimed) {
  PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback([this](StringRef name, Any) {
    const PassInfo *pass = find(name);
    return !pass || runs(*pass);
  });
  // A pass that has nothing to do is one that may be printed and stopped after, too.
  callbacks.registerBeforeSkippedPassCallback(
      [this](StringRef pass, Any unit) { ran(pass, unit); });
  callbacks.registerAfterPassCallback(
      [this](StringRef pass, Any unit, const PreservedAnalyses &) { ran(pass, unit); });
  TimePassesHandler timer(isTimed);
  timer.registerCallbacks(callbacks);
  ModuleAnalysisManager analyses;
  analyses.registerPass([&] { return PassInstrumentationAnalysis(&callbacks); });
  pipeline.run(module, analyses);
}

const PassInfo *PassControl::find(StringRef name) const {
  auto pass = find_if(passes_, [&](const PassInfo &pass) { return pass.name == name; });
  return pass == passes_.end() ? nullptr : pass;
}

bool PassControl::runs(const PassInfo &pass) const {
  if (hasStopped_ || (!pass.isRequired && !options_.isEnabled(pass.name)))
    return false;
  switch (pass.when) {
  case When::Always:
    return true;
  case When::Optimised:
    return !options_.debug;
  case When::Vectors:
    return !options_.debug && options_.width != 1;
  case When::SeveralPrograms:
    return !options_.debug && !options_.isWholeBlock();
  case When::WholeBlock:
    return options_.isWholeBlock();
  case When::WholeBlockOptimised:
    return !options_.debug && options_.isWholeBlock();
  }
  llvm_unreachable("all cases handled");
}

void PassControl::ran(StringRef pass, Any unit) {
  const auto *of = any_cast<const Module *>(&unit);
  if (!of || !find(pass) || hasStopped_)
    return;
  const Module &module = **of;
#ifndef NDEBUG
  if (verifyModule(module, &errs())) {
    errs() << "after " << pass << ":\n" << module;
    report_fatal_error("heddle: invalid IR");
  }
#endif
  if (options_.printAfter == pass || options_.printAfter == "*")
    errs() << "; after " << pass << '\n' << module;
  hasStopped_ = options_.stopAfter == pass;
}

} // namespace heddle::simt
