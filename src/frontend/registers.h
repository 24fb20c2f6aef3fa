// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::frontend {

/// An estimate of the 32-bit registers per thread that ptxas would give `kernel`, 16 to 255. See
/// the top of registers.cpp for what it counts.
unsigned estimateRegisters(const llvm::Function &kernel);

} // namespace heddle::frontend
