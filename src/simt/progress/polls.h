// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Marks the loops that poll, in all functions, so that they give way at each turn. Wants loops in
/// simplified form, and leaves them so.
///
///     br wait                                  call void @heddle.poll(); br wait
///   wait:                                    wait:
///     %v = load volatile i32, ptr %p    ->     %v = load volatile i32, ptr %p
///     %done = icmp ne i32 %v, 0                %done = icmp ne i32 %v, 0
///     br i1 %done, exit, wait                  br i1 %done, exit, again
///                                            again:
///                                              call void @heddle.yield(); br wait
///
/// Where a program polls, __nanosleep gives way as well.
struct MarkPolls : llvm::PassInfoMixin<MarkPolls> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

/// Fences for the compiler alone (an empty asm) and non-temporal loads (__ldcg, which programs poll
/// with; the headers of this project put an empty asm behind it) matter in loops that poll, where
/// the loads become volatile. Elsewhere the fences go, and the loads are like all others.
struct RelaxCachedLoads : llvm::PassInfoMixin<RelaxCachedLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
