// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Vectors become scalars next (LLVM's Scalarizer), which leaves casts between a vector and elements of
/// another size, as of as_char4(n): they become shifts.
///
///   %v = bitcast i64 %x to <2 x i32>
///   ->  %low = trunc i64 %x to i32;  %high = trunc (lshr i64 %x, 32) to i32;  insertelement ...
void expandVectorCasts(llvm::Function &function);

} // namespace heddle::simt
