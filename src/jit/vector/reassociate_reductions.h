// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// One number made of all lanes of registers by an operation whose order is free (integers; floats
/// where the program says so: -ffast-math, -fassociative-math) is made register by register first
/// and across lanes last, whatever tree the threads have walked:
///
///     %e = shufflevector %a, %b, <0, 2, 4, 6>
///     %o = shufflevector %a, %b, <1, 3, 5, 7>         %s = add %a, %b
///     %s = add %e, %o                           ->    %r = llvm.vector.reduce.add(%s)
///     ... three shuffles and two sums
///
/// Registers are joined by halves of their order in memory, which bounds the time of a chain of
/// sums.
struct ReassociateReductions : llvm::PassInfoMixin<ReassociateReductions> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
