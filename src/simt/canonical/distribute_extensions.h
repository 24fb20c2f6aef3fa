// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/simt.h"

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// Extends the terms of sums that the thread's index is a term of, in place of the sums; see the
/// top of distribute_extensions.cpp. Returns whether the program counts on short objects
/// (Options::hasLongObjects).
bool distributeExtensions(llvm::Function &thread, const Options &);

} // namespace heddle::simt
