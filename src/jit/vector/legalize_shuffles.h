// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Cuts shuffles of vectors that are wider than the machine's registers into shuffles of registers:
///
///     shuffle <64 x i32> %a, zero, <64, 0, ... 62>   ->   %a0 = lanes 0 to 15 of %a ...
///                                                         shuffle <16 x i32> %a0, %a1, <15, ...>
///
/// LLVM's legalizer takes many of them through memory, where a load that spans two stores waits for
/// both. Accesses to vectors of three, five, ... registers, which it takes element by element,
/// become those of registers, too.
struct LegalizeShuffles : llvm::PassInfoMixin<LegalizeShuffles> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
