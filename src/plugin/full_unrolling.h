// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace heddle::plugin {

/// Loops of device code are unrolled as a whole, or as a pragma says, and not otherwise.
void unrollFullyOnly(llvm::PassBuilder &);

} // namespace heddle::plugin
