// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::jit {

/// Gathers and scatters get indices of 32 bits where these are enough; see the top of
/// narrow_indices.cpp.
void narrowIndices(llvm::Module &module);

} // namespace heddle::jit
