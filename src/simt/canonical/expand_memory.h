// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// Copies and fills of small objects become loads and stores:
///
///     call @llvm.memcpy(%d, %s, i64 8)      ->  %x = load i64, %s;  store i64 %x, %d
struct ExpandMemory : llvm::PassInfoMixin<ExpandMemory> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

/// Of objects of at most so many bytes. Beyond LargestCopy a call for each lane is cheaper than the
/// code.
inline constexpr uint64_t LargestCopy = 128;
void expandMemory(llvm::Function &, uint64_t largest = LargestCopy);

} // namespace heddle::simt
