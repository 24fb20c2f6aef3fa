// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::fortran {

/// Lets loops of the host's half sum and multiply in any order.
void sumInAnyOrder(llvm::Module &host);
/// Makes denormal results zero where the host's half has the main program.
void flushDenormals(llvm::Module &host);
/// Makes exceptions of the host's arithmetic signals where the host's half has the main program.
/// `exceptions`: bits as MXCSR has them: invalid 1, denormal 2, division by zero 4, overflow 8,
/// underflow 16, inexact 32.
void trapExceptions(llvm::Module &host, unsigned exceptions);

} // namespace heddle::fortran
