// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// Calls of C's math functions that the module does not define become calls of the device
/// library's: `log1pf` of `__nv_log1pf`. clang makes such calls of its builtins (__builtin_log1pf),
/// which nvcc takes in device code.
void bindMathCalls(llvm::Module &);

} // namespace heddle::frontend
