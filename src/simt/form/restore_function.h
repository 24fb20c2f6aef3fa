// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// A copy of a function in no module, to go back to.
std::unique_ptr<llvm::Function> copyAside(llvm::Function &);

/// Gives a function the body of its copy.
void restore(llvm::Function &, std::unique_ptr<llvm::Function> copy);

} // namespace heddle::simt
