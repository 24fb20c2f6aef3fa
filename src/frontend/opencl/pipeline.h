// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::opencl {

/// LLVM's passes as for CUDA C++.
class Pipeline {
public:
  explicit Pipeline(const llvm::Module &);
  /// Inlines what is marked so, and drops what nothing calls.
  void inlineMarked(llvm::Module &);
  void optimize(llvm::Module &, bool isDebug);

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager components_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

} // namespace heddle::opencl
