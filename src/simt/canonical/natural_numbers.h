// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/compilation.h"

namespace heddle::simt {

/// Quotients, remainders and shifts of threads' numbers that are never negative become unsigned;
/// see the top of natural_numbers.cpp.
struct NaturalNumbers : llvm::PassInfoMixin<NaturalNumbers> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
