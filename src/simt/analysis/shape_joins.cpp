// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes that a branch parts meet again, and which loops some of them leave before others.
#include "simt/analysis/shapes.h"

using namespace llvm;

namespace heddle::simt {

/// The blocks that a lane may be at after the branch before it comes to `end`.
static SmallPtrSet<const BasicBlock *, 16> reachableBefore(const BasicBlock *branch,
                                                           const BasicBlock *end) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *, 16> work = {branch};
  while (!work.empty())
    for (const BasicBlock *successor : successors(work.pop_back_val()))
      if (successor != end && seen.insert(successor).second)
        work.push_back(successor);
  return seen;
}

/// The first block at which the lanes of a branch meet again, or null: its immediate postdominator.
/// Where a way goes round a loop before it comes there, the others do not wait for it at a block
/// of the loop, but behind the loop:
///
///     head:  br i1 %done, label %leave, label %next   ; all ways lead to %leave, but %next runs
///     leave: br i1 %all, label %exit, label %next     ; with the lanes that come from both
///     next:  br label %head
const BasicBlock *Shapes::meetingPoint(const BasicBlock *branch) const {
  auto postDominator = [&](const BasicBlock *block) -> const BasicBlock * {
    const DomTreeNode *node = postDominators_.getNode(block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  };
  const BasicBlock *end = postDominator(branch);
  for (const Loop *loop = loops_.getLoopFor(branch); loop && end; loop = loop->getParentLoop())
    if (loop->contains(end) && reachableBefore(branch, end).contains(loop->getHeader()))
      while (end && loop->contains(end))
        end = postDominator(end);
  return end;
}

/// Follows the ways that lanes take from a divergent branch, in block order. Each block on a way
/// carries the label of the way; where two labels meet is a join, and a way of its own from there
/// on. The ways end where all lanes meet. Only blocks up to the last one with a label are looked
/// at: of a kernel of thousands of branches, each has but a few.
void Shapes::markJoins(const BasicBlock *branch) {
  const BasicBlock *end = meetingPoint(branch);
  DenseMap<const BasicBlock *, unsigned>
      labels;        // the branch's ways: 0, 1; the way that starts at a join: 2 + its index
  unsigned last = 0; // of the blocks with a label
  auto ownLabel = [&](const BasicBlock *block) { return 2 + order_.index(block); };
  auto reach = [&](const BasicBlock *block, unsigned label) {
    last = std::max(last, order_.index(block));
    auto [entry, fresh] = labels.try_emplace(block, label);
    if (fresh || entry->second == label || entry->second == ownLabel(block))
      return;
    entry->second = ownLabel(block);
    joins_.insert(block);
  };
  // The loops that some lanes may leave while others go on: those that the ways leave before they
  // meet, if only to come back by an outer loop, and those that they may go round before they meet.
  auto reachable = reachableBefore(branch, end);
  for (const Loop *loop = loops_.getLoopFor(branch); loop; loop = loop->getParentLoop()) {
    bool staysInside =
        all_of(reachable, [&](const BasicBlock *block) { return loop->contains(block); });
    if (end && loop->contains(end) && staysInside && !reachable.contains(loop->getHeader()))
      continue;
    divergentLoops_.insert(loop);
    SmallVector<BasicBlock *, 4> exits;
    loop->getExitBlocks(exits);
    for (BasicBlock *exit : exits) {
      joins_.insert(exit);
      labels[exit] = ownLabel(exit);
      last = std::max(last, order_.index(exit));
    }
  }
  for (auto [way, successor] : enumerate(successors(branch)))
    reach(successor, way);
  for (unsigned i = order_.index(branch) + 1; i <= last; ++i) {
    const BasicBlock *block = order_.blocks[i];
    auto label = labels.find(block);
    if (label == labels.end() || block == end)
      continue;
    unsigned way = label->second;
    for (const BasicBlock *successor : successors(block))
      if (order_.index(successor) > i)
        reach(successor, way);
  }
}

} // namespace heddle::simt
