// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Volatile loads of local variables become plain, where the variable itself is not volatile and
/// only loads and stores know its address. So a variable that just a volatile member function
/// reads (as libcu++ 1's atomic_ref reads its pointer) need not be in memory.
void readPlainly(llvm::Function &);

} // namespace heddle::simt
