// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/DataLayout.h"

namespace llvm {
class ScalarEvolution;
}

namespace heddle::simt {

struct Options;

/// The address, for an access of so many bytes, lies inside of a variable of known size that it is
/// computed from, and is a multiple of `align`, whatever the thread:
///
///     s[threadIdx.x]     of __shared__ int s[256], in blocks of 256 threads
///     s[threadIdx.x % 8 * 8 + 3]
bool isSurelyInside(const llvm::Value *pointer, uint64_t bytes, uint64_t align, const Options &,
                    llvm::ScalarEvolution &, const llvm::DataLayout &);

} // namespace heddle::simt
