// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// A GPU computes addresses of shared memory in 32 bits, so an unsigned index of 32 bits wraps
/// around there: `tile[~i]` is the element i + 1 places before `tile`. An index of an address in
/// shared memory that may be 2^31 or more becomes a signed one; all others are the same either way.
///
///     gep i32, %shared + 160, zext i32 %i to i64   ->   gep i32, %shared + 160, sext i32 %i to i64
void wrapSharedAddresses(llvm::Function &thread);

} // namespace heddle::simt
