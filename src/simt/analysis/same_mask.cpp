// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/same_mask.h"

#include "llvm/IR/CFG.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Blocks between the two beyond which nothing is claimed, so that the search stays short.
constexpr unsigned LongestWay = 64;

/// All ways from `before` lead to `block` in the same iteration of `loop`. (Postdominance does not
/// say that: a way may come to the block one iteration later.)
bool leadTo(const BasicBlock *before, const BasicBlock *block, const Loop &loop) {
  SmallPtrSet<const BasicBlock *, 32> seen = {before};
  SmallVector<const BasicBlock *, 16> work = {before};
  while (!work.empty()) {
    for (const BasicBlock *next : successors(work.pop_back_val())) {
      if (next == loop.getHeader() || !loop.contains(next) || seen.size() > LongestWay)
        return false;
      if (next != block && seen.insert(next).second)
        work.push_back(next);
    }
  }
  return true;
}

} // namespace

std::vector<unsigned> findSameMasks(const BlockOrder &order, const LoopInfo &loops,
                                    const DominatorTree &dominators,
                                    const PostDominatorTree &postDominators) {
  dominators.updateDFSNumbers();
  postDominators.updateDFSNumbers();
  std::vector<unsigned> same;
  for (BasicBlock *block : order.blocks) {
    same.push_back(order.index(block));
    if (order.isEnd(block)) // lanes come in several turns
      continue;
    const Loop *loop = loops.getLoopFor(block);
    const DomTreeNode *node = dominators.getNode(block)->getIDom();
    for (; node; node = node->getIDom()) {
      const BasicBlock *before = node->getBlock();
      if (loops.getLoopFor(before) != loop || !postDominators.dominates(block, before) ||
          (loop && !leadTo(before, block, *loop)))
        continue;
      same.back() = same[order.index(before)];
      break;
    }
  }
  return same;
}

} // namespace heddle::simt
