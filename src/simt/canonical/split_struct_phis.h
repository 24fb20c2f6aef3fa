// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// LLVM joins the members of what a compare-and-swap gives in a loop, `while ((seen = atomicCAS(p, old,
/// f(old))) != old) old = seen`, whose test stands before the loop, too. What follows looks at values.
///
///   %both = phi { i32, i1 } [ %first, %entry ], [ %again, %loop ];  %old = extractvalue %both, 0
///   ->  %old = phi i32 [ extractvalue %first, 0 ], [ extractvalue %again, 0 ]
void splitStructPhis(llvm::Function &function);

} // namespace heddle::simt
