// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// LLVM's clean-ups, once local arrays are variables.
struct SimplifyThread : llvm::PassInfoMixin<SimplifyThread> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// No structures that phis choose and no vector types; but programs of one lane keep long vectors.
struct Scalarize : llvm::PassInfoMixin<Scalarize> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// The form that `widen` counts on: a single exit block, two-way branches only, reducible loops in
/// simplified and loop-closed form, no unreachable blocks.
///
///     unreachable, after a trap             ->  br %exit
struct Normalize : llvm::PassInfoMixin<Normalize> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Brings thread programs into that form again after a pass that changed control flow.
void renormalize(llvm::Module &, llvm::TargetMachine &);

/// SROA, CSE, instcombine and CFG simplification on every function: before a coroutine is split, so
/// that fewer values live across a wait. Loops end in closed form: the coroutine keeps what a loop
/// computes once, behind the loop, and not in every iteration.
void simplify(llvm::Module &, llvm::TargetMachine &);

/// CSE, instcombine and CFG simplification of one function: what has become constant disappears.
void fold(llvm::Function &, llvm::TargetMachine &);

} // namespace heddle::simt
