// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/lane_subset.h"
#include "simt/analysis/pending.h"

#include "llvm/IR/Dominators.h"

namespace heddle::simt {

/// What is known of a thread function's control flow, by block index.
struct FlowFacts {
  FlowFacts(const BlockOrder &order, const Shapes &shapes, const llvm::DominatorTree &dominators,
            std::vector<unsigned> sameMasks, const LaneFacts &lanes)
      : order(order), dominators(dominators), sameMasks(std::move(sameMasks)),
        pending(order, shapes), subsets(order, lanes) {}

  const BlockOrder &order;
  const llvm::DominatorTree &dominators;
  const std::vector<unsigned> sameMasks; ///< same_mask.h
  const PendingBlocks pending;
  LaneSubsets subsets; ///< the lanes that can come to a block at all
};

} // namespace heddle::simt
