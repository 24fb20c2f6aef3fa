// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Divides vectors of integers of up to 32 bits as floating point numbers (lower_division.cpp);
/// what is left to the back end is divided lane by lane. Where floats of all lanes are divided by
/// one number and the program allows it (arcp), they are multiplied by its reciprocal; small natural
/// numbers are so divided by a constant, with the same bits.
struct LowerDivision : llvm::PassInfoMixin<LowerDivision> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
