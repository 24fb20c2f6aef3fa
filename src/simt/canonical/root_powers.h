// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::simt {

/// Products that hold the same reciprocal root twice or more are made from the root's estimate,
/// where the program allows another order of products, and no infinities (-ffast-math):
///
///     m * rsqrtf(x)^3    ->    y = estimate(x),  (1.5 * m) * y^3 * (5/3 - x * y^2)
///
/// One step of Newton's for the power in place of one for the root: five products for seven. The
/// one with 1.5 is often of numbers that all threads share.
/// The error is that of the roundings, as before: what the step leaves out is (k^2 / 8 + k / 4) *
/// 2^-26 for the k-th power. Powers up to the fourth. Where the machine's estimate has 12 bits
/// only (AVX), the step has a quadratic term, and roots by themselves, for which the library
/// divides there, are made from it too.
void powersOfRoots(llvm::Module &, const llvm::TargetMachine &);

} // namespace heddle::simt
