// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// On a select: the value that it chooses is at most 1 or NaN, and only a NaN is replaced.
inline constexpr const char *ReplacesNan = "heddle.nan";

/// Loops that only sum up are run without replacing NaNs, and again with, if a sum is NaN at the
/// end.
void speculateNoNaNs(llvm::Module &);

} // namespace heddle::simt
