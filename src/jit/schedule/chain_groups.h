// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

/// A sum and the products that are added to it, one after the other, in one block.
struct SumChain {
  llvm::SmallVector<llvm::IntrinsicInst *, 16> products;
  unsigned registers;              ///< for the sum
  llvm::StoreInst *back = nullptr; ///< to the frame, that may be made as soon as the sum is there
  llvm::Value *first() const { return products.front()->getArgOperand(2); }
};

/// Vector registers of the processor.
struct RegisterFile {
  unsigned bits, count;

  /// Registers for all sums, beside those for what is added to them.
  unsigned most() const { return count * 3 / 4; }
  /// Registers for the sums of a group.
  unsigned room() const { return std::min(most(), LargestGroup); }

private:
  /// What two multipliers need that take four cycles, and half as many again.
  static constexpr unsigned LargestGroup = 12;
};

/// Chains that go through the whole slice together: all of their registers, or some.
struct ChainGroup {
  llvm::SmallVector<SumChain *, 8> chains;
  unsigned first = 0, end = 0; ///< registers of each chain; 0, 0: all, not one by one
  bool isTight = false;        ///< the factors fit in one order only, that of inOrder()

  bool isCut() const { return end > 0; }

  /// Each register of each chain, so that what shares one of the many factors follows each other,
  /// and the few ones stay in registers. For groups that are cut.
  llvm::SmallVector<std::pair<SumChain *, unsigned>, 16> inOrder() const;
};

/// Puts chains together that share the wider of their factors, as many as there are registers for.
llvm::SmallVector<ChainGroup, 8> groupChains(llvm::MutableArrayRef<SumChain> chains,
                                             const RegisterFile &registers);

} // namespace heddle::jit
