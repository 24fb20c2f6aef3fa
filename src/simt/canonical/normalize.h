// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"
#include "simt/simt.h"

namespace heddle::simt {

/// Brings thread programs into the form that `widen` counts on: no vector types, copies of small
/// objects as loads and stores, a single exit block, two-way branches only, reducible loops in
/// simplified and loop-closed form, no unreachable blocks.
///
///     call @llvm.memcpy(%d, %s, i64 8)      ->  %x = load i64, %s;  store i64 %x, %d
///     unreachable, after a trap             ->  br %exit
struct Normalize : llvm::PassInfoMixin<Normalize> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
};

/// Copies and fills of objects of at most so many bytes as loads and stores. Beyond LargestCopy a call
/// for each lane is cheaper than the code.
inline constexpr uint64_t LargestCopy = 128;
void expandMemory(llvm::Function &, uint64_t largest = LargestCopy);

/// Brings them into that form again after a pass that changed control flow.
void renormalize(llvm::Module &, llvm::TargetMachine &);

/// SROA, CSE, instcombine and CFG simplification on every function: before a coroutine is split, so
/// that fewer values live across a wait. Loops end in closed form: the coroutine keeps what a loop
/// computes once, behind the loop, and not in every iteration.
void simplify(llvm::Module &, llvm::TargetMachine &);

/// CSE, instcombine and CFG simplification of one function: what has become constant disappears.
void fold(llvm::Function &, llvm::TargetMachine &);

} // namespace heddle::simt
