// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Gives gathers and scatters whose addresses may turn out to be neighbours at run time a second
/// form, and merges accesses to both halves of 8 bytes (version_gathers.cpp).
void versionGathers(llvm::Module &module);

} // namespace heddle::jit
