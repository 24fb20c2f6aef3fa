// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Vectors become scalars next (LLVM's Scalarizer), which leaves volatile accesses: a volatile vector is
/// read and written element by element.
///
///   store volatile <2 x float> %v, %p  ->  store volatile float %v0, %p;  store volatile float %v1, %p + 4
void splitVolatile(llvm::Function &function);

} // namespace heddle::simt
