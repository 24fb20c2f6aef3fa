// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Loops around a compare-and-swap that apply an operation become that atomic operation; see the
/// top of recognize_atomics.cpp.
struct RecognizeAtomics : llvm::PassInfoMixin<RecognizeAtomics> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
