// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: thread programs of random integer arithmetic.
#pragma once

#include "llvm/IR/Module.h"

#include <random>

namespace heddle::simt {

using Random = std::mt19937_64;

/// A thread program of a fixed form, filled with random expressions over the thread's index, the
/// block's, parameters, constants and a loop's counters, of 1 to 64 bits
/// (lane_interpreter.h runs it):
///
///     entry:  ...                 br %c, then, join
///     then:   ...                 br join
///     join:   phis ...            br loop
///     loop:   phis ...            br %more, loop, exit
///     exit:   phis ...            ret void
struct RandomProgram {
  llvm::Function *thread;
  llvm::BasicBlock *entry, *then, *join, *loop, *exit;
  unsigned expressions = 0;
};

/// In a new function of `module`. `parameters` behind the context's are i8, i16, i32, i64 and ptr.
RandomProgram makeRandomProgram(llvm::Module &module, Random &random, unsigned expressions);

} // namespace heddle::simt
