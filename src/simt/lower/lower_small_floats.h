// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Replaces the arithmetic of half and bfloat16 numbers (fadd, fsub, fmul, fdiv, fneg, fma) by that
/// of float and one rounding, and the conversions between bfloat16 and float by integer arithmetic.
/// Every NaN result is 0x7fff, as on a GPU. With `hasHalves` the machine does what it can of halves
/// (native.h), with the same results.
///
///     %r = fadd half %a, %b   ->   %f = fadd float (fpext %a), (fpext %b)
///                                  %r = select (isnan %f), 0x7fff, (fptrunc %f)
void lowerSmallFloats(llvm::Function &, bool hasHalves);

} // namespace heddle::simt
