// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::frontend::ptx {

/// Makes pointers of addresses that are counted as numbers from something known.
void recoverPointers(llvm::Function &);

} // namespace heddle::frontend::ptx
