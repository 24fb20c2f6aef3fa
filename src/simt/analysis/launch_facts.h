// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

/// What code is made for: a machine, and launches of one block shape.
struct LaunchFacts {
  llvm::TargetMachine &machine;
  const Options &options;

  /// They stay as they are, whatever passes do.
  bool invalidate(llvm::Function &, const llvm::PreservedAnalyses &,
                  llvm::FunctionAnalysisManager::Invalidator &) {
    return false;
  }
  bool invalidate(llvm::Module &, const llvm::PreservedAnalyses &,
                  llvm::ModuleAnalysisManager::Invalidator &) {
    return false;
  }
};

/// Registered with the managers by who makes them (Analyses in analyses.h).
class LaunchFactsAnalysis : public llvm::AnalysisInfoMixin<LaunchFactsAnalysis> {
public:
  using Result = LaunchFacts;

  explicit LaunchFactsAnalysis(LaunchFacts facts) : facts_(facts) {}

  Result run(llvm::Function &, llvm::FunctionAnalysisManager &) { return facts_; }
  Result run(llvm::Module &, llvm::ModuleAnalysisManager &) { return facts_; }

private:
  friend llvm::AnalysisInfoMixin<LaunchFactsAnalysis>;
  static llvm::AnalysisKey Key;

  LaunchFacts facts_;
};

} // namespace heddle::simt
