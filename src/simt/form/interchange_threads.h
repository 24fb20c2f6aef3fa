// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Lets the threads of a block that differ in y be neighbouring lanes, in the place of those that
/// differ in x, where that costs clearly less. It exchanges the two dimensions of the block, in the
/// thread program and in Options::blockDim, and notes that in ThreadProgram::interchanged.
///
///     row = blockIdx.x * blockDim.x + threadIdx.x;
///     column = blockIdx.y * blockDim.y + threadIdx.y;
///     out[row * n + column] = ...                          one column of a block is a vector
struct InterchangeThreads : llvm::PassInfoMixin<InterchangeThreads> {
  llvm::PreservedAnalyses run(Compilation &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
