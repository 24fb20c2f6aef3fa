// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Loops that count bits one by one become one instruction where the machine has it:
/// for (; x; ++n) x &= x - 1; for (; x; ++n) x >>= 1. clang leaves them to us: it knows no machine.
struct RecognizePopcount : llvm::PassInfoMixin<RecognizePopcount> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
