// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes share. A pass is a class as in LLVM's pass manager:
//
//   struct ScalarizeGathers : llvm::PassInfoMixin<ScalarizeGathers> {
//     llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
//   };
//
// or a pass of the module, if it concerns more than one function. Passes that turn a kernel into a
// warp program work on that (compilation.h):
//
//   struct ChooseForm : llvm::PassInfoMixin<ChooseForm> {
//     llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
//   };
//
// A pass gets facts from the manager (loops, recurrences, costs; the machine and the options from
// launch_facts.h), and returns what it has preserved: PreservedAnalyses::all() only if it has
// changed no code. With Options::verifies (debug builds; HEDDLE_VERIFY=1) the loop that runs the
// passes detects most wrong claims (pass_control.h). Facts for later passes go through
// analysis/pass_notes.h or the Compilation.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::simt {

struct Compilation;

/// After a pass that has changed anything, or nothing.
llvm::PreservedAnalyses changed(bool isChanged);

/// The same of a pass that makes no blocks and no branches.
llvm::PreservedAnalyses changedInBlocks(bool isChanged);

/// What is known of a function that a pass has changed and goes on with, or that it leaves.
void forget(llvm::Function &, llvm::FunctionAnalysisManager &,
            const llvm::PreservedAnalyses & = llvm::PreservedAnalyses::none());

} // namespace heddle::simt
