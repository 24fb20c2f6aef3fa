// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/launch_facts.h"

#include "llvm/IR/PassTimingInfo.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::simt {

/// The analysis managers that passes want, with each other and the target's costs known to all.
struct Analyses {
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::TimePassesHandler timer; ///< prints at the end (Options::timesPasses)
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;

  /// For LLVM's passes alone.
  explicit Analyses(llvm::TargetMachine &machine) : timer(false) { add(&machine, nullptr); }

  /// For ours, too.
  Analyses(llvm::TargetMachine &machine, const Options &options) : timer(options.timesPasses) {
    timer.registerCallbacks(callbacks);
    LaunchFacts facts{machine, options};
    functions.registerPass([&] { return LaunchFactsAnalysis(facts); });
    modules.registerPass([&] { return LaunchFactsAnalysis(facts); });
    add(&machine, &callbacks);
  }

private:
  void add(llvm::TargetMachine *machine, llvm::PassInstrumentationCallbacks *listeners) {
    auto instrument = [&] { return llvm::PassInstrumentationAnalysis(listeners); };
    loops.registerPass(instrument); // before LLVM's, of which only the first one counts
    functions.registerPass(instrument);
    components.registerPass(instrument);
    modules.registerPass(instrument);
    llvm::PassBuilder builder(machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
  }
};

} // namespace heddle::simt
