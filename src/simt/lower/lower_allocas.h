// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// What gives a thread such memory and takes it back: calls of malloc's and free's services.
inline constexpr llvm::StringLiteral LocalAllocateName = "heddle.local_allocate",
                                     LocalReleaseName = "heddle.local_release";

/// Replaces memory of a size that is known only when the thread gets there (lower_allocas.cpp).
/// Before functions are inlined.
void lowerAllocas(llvm::Module &);

} // namespace heddle::simt
