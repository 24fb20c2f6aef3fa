// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes have in common. A pass is a class of LLVM's pass manager:
//
//   struct ScalarizeGathers : llvm::PassInfoMixin<ScalarizeGathers> {
//     llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
//   };
//
// or one of the module, where it is about more than one function. What makes a warp program of a
// kernel works on that (compilation.h):
//
//   struct ChooseForm : llvm::PassInfoMixin<ChooseForm> {
//     llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
//   };
//
// A pass takes what it must know from the manager (loops, recurrences, costs; the machine and the
// options from launch_facts.h), and says what is still true behind it: PreservedAnalyses::all()
// only if it has changed no code. With Options::verifies (debug builds; HEDDLE_VERIFY=1) the loop
// that runs the passes finds most that say so and are wrong (pass_control.h). What a pass tells a
// later one goes through analysis/pass_notes.h, or is in the Compilation.
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
