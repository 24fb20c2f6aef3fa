// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a debugger is told of threads, before device functions are inlined.
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Instructions.h"

namespace heddle::simt {

/// Whether a debugger looks at each thread, on a stack of its own.
inline bool isDebugged(const Options &options) {
  return options.mode == Mode::Debug && options.threadwise;
}

/// Gives each function of the user's the variables threadIdx, blockIdx, blockDim, gridDim and
/// warpSize, as the language of its source knows them: from 0, or in Fortran from 1 and in small
/// letters. They are the function's own, so a debugger that looks at another frame, or at the stack
/// of another thread, finds those of that thread.
void describeThreads(llvm::Module &);

/// Writes heddle.statement() in front of each statement of the user's, which `widen` makes a call of
/// DebugServices::atStatement.
void markStatements(llvm::Module &);
bool isStatement(const llvm::CallInst &);

} // namespace heddle::simt
