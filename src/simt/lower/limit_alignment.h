// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::simt {

/// A GPU's accesses need no more alignment than their own 16 bytes, whatever the types of C++ say
/// (CUDA C++ Programming Guide, "Device Memory Accesses"). Programs get by with addresses that are
/// less aligned than a type asks for: CUB has structures of `__align__(32)` at a multiple of 16.
/// Forgets what accesses claim beyond that; variables keep their alignment.
void limitAlignment(llvm::Function &);

} // namespace heddle::simt
