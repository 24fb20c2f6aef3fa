// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// Calls of C's functions that the module does not define become calls of the device library's:
/// `log1pf` of `__nv_log1pf`, `memcmp` of `__heddle_memcmp`. clang makes such calls of its builtins
/// (__builtin_log1pf), which nvcc takes in device code; libstdc++'s std::equal, std::string_view
/// and their like use them. cudaCGSynchronize and its like get bodies.
void bindLibraryCalls(llvm::Module &);

} // namespace heddle::frontend
