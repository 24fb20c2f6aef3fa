// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/pending.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

PendingBlocks::PendingBlocks(const BlockOrder &order, const Shapes &shapes)
    : PendingBlocks(order, [&](const BasicBlock *block) { return shapes.isDivergent(block); }) {}

PendingBlocks::PendingBlocks(const BlockOrder &order,
                             function_ref<bool(const BasicBlock *)> isDivergent) {
  unsigned count = order.blocks.size();
  pending_.assign(count, BitVector(count));
  ever_.resize(count);
  bool changed = true;
  while (changed) {
    changed = false;
    for (unsigned i = 0; i < count; ++i) {
      auto *branch = dyn_cast<BranchInst>(order.blocks[i]->getTerminator());
      if (!branch)
        continue;
      if (isDivergent(order.blocks[i])) {
        BitVector candidates = pending_[i];
        for (BasicBlock *successor : successors(branch->getParent()))
          candidates.set(order.index(successor));
        flow(candidates, -1, changed);
        continue;
      }
      for (BasicBlock *successor : successors(branch->getParent())) {
        BitVector candidates = pending_[i];
        int index = order.index(successor);
        candidates.set(index);
        flow(candidates, index, changed);
      }
    }
  }
  for (const BitVector &set : pending_)
    ever_ |= set;
}

/// One dispatch: each candidate may be next, with those after it pending, up to one that certainly
/// has lanes.
void PendingBlocks::flow(const BitVector &candidates, int certain, bool &changed) {
  for (int next : candidates.set_bits()) {
    BitVector rest = candidates;
    rest.reset(0, next + 1);
    BitVector before = pending_[next];
    pending_[next] |= rest;
    changed |= pending_[next] != before;
    if (next == certain)
      return;
  }
}

bool PendingBlocks::isConvergent(unsigned index) const {
  unsigned exit = pending_.size() - 1;
  return all_of(pending_[index].set_bits(), [&](unsigned other) { return other == exit; });
}

bool isBarrier(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && (callKind(*call) == CallKind::BlockBarrier || isBarrierOfBlocks(*call));
}

bool mayPartAtBarrier(const BlockOrder &order, const Shapes &shapes) {
  PendingBlocks pending(order, shapes);
  bool exitIsEmpty = order.blocks.back()->size() == 1;
  return any_of(order.blocks, [&](BasicBlock *block) {
    unsigned index = order.index(block);
    return pending.at(index).any() && !(exitIsEmpty && pending.isConvergent(index)) &&
           any_of(*block, isBarrier);
  });
}

} // namespace heddle::simt
