// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/order.h"

namespace heddle::simt {

/// Whether a warp operation names all lanes of the warp, for certain.
bool namesWholeWarp(const llvm::CallInst &);

/// How many operations of the whole warp lanes come to before they wait for the block, and what
/// follows from it about where they may be at the same time (operations_ahead.cpp).
class OperationsAhead {
public:
  explicit OperationsAhead(const BlockOrder &);

  /// In no valid program some lanes of a warp are at the beginning of one basic block and others at
  /// that of the other, having done the same number of operations up to there.
  bool exclude(unsigned one, unsigned other) const;

private:
  /// From the beginning of a basic block to the first barrier of the block of threads, or the end.
  struct Way {
    unsigned least, most; ///< operations; `most` is many_ if it has no bound
    bool mayEnd;          ///< without a barrier
  };
  Way through(const llvm::BasicBlock &) const;

  const BlockOrder &order_;
  unsigned many_ = 1;     ///< more than there are instructions that count
  std::vector<Way> ways_; ///< by block index
};

} // namespace heddle::simt
