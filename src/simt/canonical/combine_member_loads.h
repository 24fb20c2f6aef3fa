// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/pass.h"

namespace heddle::simt {

/// The members of a small structure (the colours of a pixel, a `uchar4`) are loaded and stored as
/// one number:
///
///     store i8 %x, %p, align 4              %xy = or (zext %x), (shl (zext %y), 8)
///     store i8 %y, %p + 1             ->    ...
///     store i8 %z, %p + 2                   store i32 %xyzw, %p, align 4
///     store i8 %w, %p + 3
///
/// Neighbouring threads' numbers are a vector of 32-bit elements, where their bytes would be
/// scattered. So are bytes that fill a word of an array whose first address may be any
/// (`pixels[4 * i + 1]`). Only what the program touches is stored; of four members that are known
/// to lie in an aligned word, loads may leave one out.
struct CombineMemberLoads : llvm::PassInfoMixin<CombineMemberLoads> {
  llvm::PreservedAnalyses run(llvm::Function &, llvm::FunctionAnalysisManager &);
};

} // namespace heddle::simt
