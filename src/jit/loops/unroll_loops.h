// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::jit {

/// Makes one turn of four, of short loops of known length without branches. What an N-body program
/// does for a body is a chain of seventy cycles, for two registers of lanes; the processor overlaps
/// turns only as far as its schedulers reach, and the compiler, in a longer turn, puts instructions
/// that do not wait for each other side by side.
struct UnrollLoops : llvm::PassInfoMixin<UnrollLoops> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::jit
