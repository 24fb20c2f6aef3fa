// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::simt {

/// Loops that only sum up are run without replacing NaNs (ReplacesNan in pass_notes.h), and again with, if a sum is NaN at the
/// end.
void speculateNoNaNs(llvm::Module &);

} // namespace heddle::simt
