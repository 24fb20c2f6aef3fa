// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend::ptx {

/// Inlines the functions whose asm statements take the carry flag from their callers, or leave it
/// to them. Before the statements are lowered.
void inlineCarryFunctions(llvm::Module &);

} // namespace heddle::frontend::ptx
