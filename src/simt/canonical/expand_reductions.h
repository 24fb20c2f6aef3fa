// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Vectors become scalars next (LLVM's Scalarizer), which leaves calls that make one number of a vector,
/// as of OpenCL's any(v): they become operations on the elements, in their order.
///
///   %r = call i32 @llvm.vector.reduce.or(<2 x i32> %v)
///   ->  %r = or (extractelement %v, 0), (extractelement %v, 1)
void expandReductions(llvm::Function &function);

} // namespace heddle::simt
