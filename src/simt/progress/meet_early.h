// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// The ways of a branch meet in a block of their own before they come to one that others come to as
/// well, where that makes a value the same for all lanes. Wants loops in simplified form, and
/// leaves them so. True if anything was changed.
bool meetEarly(llvm::Function &);

} // namespace heddle::simt
