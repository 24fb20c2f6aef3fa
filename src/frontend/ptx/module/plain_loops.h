// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Analysis/LoopInfo.h"

namespace heddle::frontend::ptx {

/// Gives loops the shape that they have in C++: one that ends by its last block counts up from zero,
/// and addresses are elements of what the loop begins with.
void makeLoopsPlain(llvm::LoopInfo &);

} // namespace heddle::frontend::ptx
