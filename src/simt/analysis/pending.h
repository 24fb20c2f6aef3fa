// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/shapes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::simt {

/// The blocks at which lanes may wait while others run a block: a forward may-analysis over the
/// dispatches, which always go on at the lowest numbered block with a lane (widen.cpp).
class PendingBlocks {
public:
  PendingBlocks(const BlockOrder &, const Shapes &);
  /// The same where more is known of the blocks that lanes may part at.
  PendingBlocks(const BlockOrder &, llvm::function_ref<bool(const llvm::BasicBlock *)> isDivergent);

  /// By block index; the bits are block indices.
  const llvm::BitVector &at(unsigned index) const { return pending_[index]; }
  /// Lanes may wait at the block while another runs.
  bool ever(unsigned index) const { return ever_.test(index); }
  /// All lanes that have not ended come to the block together.
  bool isConvergent(unsigned index) const;

private:
  void flow(const llvm::BitVector &candidates, int certain, bool &changed);

  std::vector<llvm::BitVector> pending_;
  llvm::BitVector ever_;
};

/// Waits for the threads of the block or the grid.
bool isBarrier(const llvm::Instruction &);

/// Lanes may have something left to do elsewhere while others are at a barrier.
bool mayPartAtBarrier(const BlockOrder &, const Shapes &);

} // namespace heddle::simt
