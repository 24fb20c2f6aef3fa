// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Function.h"

#include <array>

namespace heddle::simt {

/// The variables in shared memory of which no thread can read what was not written: before each
/// read there is a barrier of the block, and before that all threads have stored, each to its own
/// place, what any thread may read.
///
///     tile[threadIdx.y][threadIdx.x] = ...;  __syncthreads();  ... tile[k][threadIdx.x] ...
class WrittenShared {
public:
  WrittenShared(llvm::Function &, const std::array<unsigned, 3> &blockDim);
  bool holds(llvm::StringRef variable) const { return written_.contains(variable); }
  /// In launches with at most so much dynamic shared memory.
  uint32_t dynamicBytes() const { return dynamicBytes_; }

private:
  llvm::StringSet<> written_;
  uint32_t dynamicBytes_ = ~0u;
};

} // namespace heddle::simt
