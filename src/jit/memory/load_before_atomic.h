// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Looks before an atomic minimum, maximum, `and` or `or` whose old value nobody wants: where it
/// would change nothing, a load has seen that as well, and the line stays with all cores that read
/// it.
///
///     atomicrmw max %p, %x   ->   %seen = load atomic %p;  if (max(%seen, %x) != %seen)
///                                                            atomicrmw max %p, %x
///
/// Such an operation that changes nothing is a load in the order of all accesses to its place, so
/// relaxed ones only: those of CUDA's functions (CUDA guide, "Atomic Functions"). A pass of the
/// module: a fence in any of its functions forbids it in all.
struct LoadBeforeAtomic : llvm::PassInfoMixin<LoadBeforeAtomic> {
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &);
};

} // namespace heddle::jit
