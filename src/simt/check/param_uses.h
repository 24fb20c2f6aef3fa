// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/check_abi.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Value.h"

#include <array>
#include <optional>

namespace heddle::simt {

/// How a kernel uses the memory behind its pointer parameters, for racecheck: what it only reads, and
/// of what each thread has an element of its own, cannot race (ParamUse).
class ParamUses {
public:
  /// `blockDim`: of the kernel's form. `parameters`: of the thread function, from the block's numbers.
  ParamUses(std::array<unsigned, 3> blockDim, std::array<llvm::Value *, 3> blockIdx)
      : blockDim_(blockDim), blockIdx_(blockIdx) {}

  /// An access at a pointer that is computed from a parameter's value.
  void add(unsigned param, llvm::Value *pointer, llvm::Value *root, AccessKind, uint64_t bytes);
  /// An access of memory that may be that of any.
  void addUnknown(AccessKind);
  ParamUse of(unsigned param) const;

private:
  /// constant + thread * threadIdx.x + block * blockIdx.x
  struct Affine {
    int64_t constant = 0, thread = 0, block = 0;
  };
  struct Use {
    bool isWritten = false, isOwn = true;
    int64_t step = 0; ///< bytes from one thread's to the next one's; 0: no access yet
    int64_t low = 0, high = 0;
  };
  std::optional<Affine> affine(llvm::Value *, unsigned depth) const;
  std::optional<Affine> offsetOf(llvm::Value *pointer, llvm::Value *root) const;
  void addOwn(Use &, std::optional<Affine>, uint64_t bytes) const;

  std::array<unsigned, 3> blockDim_;
  std::array<llvm::Value *, 3> blockIdx_;
  llvm::DenseMap<unsigned, Use> uses_;
  bool readsUnknown_ = false, writesUnknown_ = false;
};

} // namespace heddle::simt
