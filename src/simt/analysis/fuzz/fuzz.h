// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: random thread programs, blocks of many shapes, and programs of many widths. Longer:
// base/test_fuzz.h.
#pragma once

#include "simt/analysis/fuzz/random_program.h"
#include "simt/analysis/shape.h"

#include "llvm/IR/LLVMContext.h"

namespace heddle::simt {

/// One random program, its block and how many lanes it has.
struct FuzzCase {
  llvm::LLVMContext context;
  llvm::Module module{"fuzz", context};
  RandomProgram program;
  LaneFacts facts;
  Random random;

  explicit FuzzCase(uint64_t seed);
  unsigned threads() const { return facts.blockDim[0] * facts.blockDim[1] * facts.blockDim[2]; }
  /// Of the thread program; numbers that arithmetic is near its bounds with, too.
  std::vector<uint64_t> randomArguments();
};

/// Runs `test` on random programs until there were enough; it says what is wrong, or nothing.
/// `first`: the thread that is lane 0.
void fuzz(llvm::function_ref<std::string(FuzzCase &, unsigned first)> test);

} // namespace heddle::simt
