// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's statistics count how often a pass changes something; TrackingStatistics do so in release
// builds too. One is made for each pass when it first changes a function.
//
// A pass that claims to have preserved what it has changed makes a later pass, which relies on the
// claim, compile wrong code. So with Options::verifies each function that a pass claims to have
// left alone is compared with its earlier state, and so are the blocks of one whose branches it
// claims to have kept.
#include "simt/pass_control.h"

#include "base/coverage.h"
#include "simt/analysis/launch_facts.h"

#include "llvm/ADT/Statistic.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>

using namespace llvm;

namespace heddle::simt {

AnalysisKey LaunchFactsAnalysis::Key;

PreservedAnalyses changed(bool isChanged) {
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses changedInBlocks(bool isChanged) {
  if (!isChanged)
    return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

void forget(Function &function, FunctionAnalysisManager &analyses, const PreservedAnalyses &kept) {
  if (kept.areAllPreserved())
    return;
  // It is never invalidated, for who copies an assumption is to tell it; we have others do that.
  if (auto *assumptions = analyses.getCachedResult<AssumptionAnalysis>(function))
    assumptions->clear();
  analyses.invalidate(function, kept);
}

namespace {

/// Of a pass, for the process; compilations may run at the same time.
TrackingStatistic &changesOf(const PassInfo &pass) {
  static std::mutex mutex;
  static auto &all = *new StringMap<std::unique_ptr<TrackingStatistic>>; // LLVM may keep them
  std::lock_guard lock(mutex);
  auto &statistic = all[pass.name];
  if (!statistic)
    statistic = std::make_unique<TrackingStatistic>(pass.name.data(), "Changes",
                                                    "times that it changed a function");
  return *statistic;
}

/// The name of a pass as LLVM's instrumentation wants it.
struct Named {
  StringRef text;
  StringRef name() const { return text; }
  static bool isRequired() { return true; }
};

/// The blocks of a function, each with those that follow it.
std::vector<const BasicBlock *> blocksOf(const Function &function) {
  std::vector<const BasicBlock *> blocks;
  for (const BasicBlock &block : function) {
    blocks.push_back(&block);
    append_range(blocks, successors(&block));
    blocks.push_back(nullptr);
  }
  return blocks;
}

} // namespace

PassName::PassName(StringRef text) : name(text) {
  auto [before, after] = text.rsplit(':');
  if (unsigned number; !after.getAsInteger(10, number) && number > 0)
    name = before, line = number;
}

bool PassName::names(const PassInfo &pass, ArrayRef<PassInfo> table) const {
  if (pass.name != name)
    return false;
  auto before = ArrayRef(table.begin(), &pass);
  return line == 0 ||
         line == 1 + count_if(before, [&](const PassInfo &one) { return one.name == name; });
}

bool PassName::isIn(ArrayRef<PassInfo> table) const {
  return any_of(table, [&](const PassInfo &pass) { return names(pass, table); });
}

void PassControl::run(Module &module, ModuleAnalysisManager &analyses,
                      function_ref<bool()> hasFailed) {
  if (options_.counts)
    EnableStatistics(/*DoPrintOnExit=*/false);
  PassInstrumentation listeners = analyses.getResult<PassInstrumentationAnalysis>(module);
  for (const PassInfo &pass : passes_) {
    if (runs(pass)) {
      current_ = &pass;
      changes_ = 0;
      listeners.runBeforePass(Named{pass.name}, module);
      PreservedAnalyses kept = pass.run(module, analyses, *this);
      listeners.runAfterPass(Named{pass.name}, module, kept);
      analyses.invalidate(module, kept);
      if (options_.counts)
        changesOf(pass) += changes_;
      if (changes_)
        logCovered(("pass " + pass.name + " " + Twine(options_.width)).str());
    }
    ran(pass, module); // what has nothing to do may be printed and stopped after, too
    hasStopped_ |= hasFailed && hasFailed();
    if (hasStopped_)
      break;
  }
  if (options_.counts) {
    PrintStatistics(errs());
    ResetStatistics();
  }
}

PreservedAnalyses PassControl::onFunctions(Module &module, ModuleAnalysisManager &analyses,
                                           FunctionPass pass) {
  auto &functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  PreservedAnalyses all = PreservedAnalyses::all();
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    stable_hash before = 0;
    std::vector<const BasicBlock *> blocks;
    if (options_.verifies) {
      before = StructuralHash(function, /*DetailedHash=*/true);
      blocks = blocksOf(function);
    }
    PreservedAnalyses kept = pass(function, functions);
    forget(function, functions, kept);
    changes_ += !kept.areAllPreserved();
    if (options_.verifies) {
      if (kept.areAllPreserved() && StructuralHash(function, true) != before)
        lies("has changed " + function.getName());
      if (kept.allAnalysesInSetPreserved<CFGAnalyses>() && blocksOf(function) != blocks)
        lies("has changed the branches of " + function.getName());
    }
    all.intersect(std::move(kept));
  }
  // What did not stay is forgotten already.
  all.preserveSet<AllAnalysesOn<Function>>();
  all.preserve<FunctionAnalysisManagerModuleProxy>();
  return all;
}

PreservedAnalyses PassControl::onModule(Module &module, ModuleAnalysisManager &analyses,
                                        ModulePass pass) {
  stable_hash before = options_.verifies ? StructuralHash(module, /*DetailedHash=*/true) : 0;
  PreservedAnalyses kept = pass(module, analyses);
  changes_ += !kept.areAllPreserved();
  if (options_.verifies && kept.areAllPreserved() && StructuralHash(module, true) != before)
    lies("has changed the module");
  return kept;
}

/// Most of these do not know what they have changed, and keep nothing; so who counts compares.
PreservedAnalyses PassControl::onKernel(Module &module, ModuleAnalysisManager &analyses,
                                        KernelPass pass) {
  bool compares = options_.verifies || options_.counts || logsCoverage();
  stable_hash before = compares ? StructuralHash(module, /*DetailedHash=*/true) : 0;
  PreservedAnalyses kept =
      pass(compilationOf(module, analyses),
           analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager());
  bool isChanged = compares && StructuralHash(module, true) != before;
  changes_ += isChanged;
  if (options_.verifies && kept.areAllPreserved() && isChanged)
    lies("has changed the module");
  return kept;
}

void PassControl::lies(const Twine &how) const {
  report_fatal_error("heddle: " + current_->name + " says that it changes nothing, and " + how);
}

bool PassControl::runs(const PassInfo &pass) const {
  if (!pass.modes.has(options_.mode) || (!pass.isRequired && !options_.isEnabled(pass.name)))
    return false;
  switch (pass.when) {
  case When::Always:
    return true;
  case When::Vectors:
    return options_.width != 1;
  case When::SeveralPrograms:
    return !options_.isWholeBlock();
  case When::WholeBlock:
    return options_.isWholeBlock();
  }
  llvm_unreachable("all cases handled");
}

void PassControl::ran(const PassInfo &pass, const Module &module) {
  if (options_.verifies && verifyModule(module, &errs())) {
    errs() << "after " << pass.name << ":\n" << module;
    report_fatal_error("heddle: invalid IR");
  }
  if (options_.printAfter == "*" || PassName(options_.printAfter).names(pass, passes_)) {
    errs() << "; after " << pass.name;
    if (options_.width) // is known
      errs() << ", for " << options_.width << " lanes";
    errs() << '\n' << module;
  }
  hasStopped_ = PassName(options_.stopAfter).names(pass, passes_);
}

} // namespace heddle::simt
