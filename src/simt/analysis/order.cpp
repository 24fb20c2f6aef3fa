// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/order.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace heddle::simt {

namespace {

/// Reverse postorder of one loop level, inner loops taken as single nodes and expanded in place.
class Placer {
public:
  Placer(LoopInfo &loops, std::vector<BasicBlock *> &out) : loops_(loops), out_(out) {}

  void place(BasicBlock *entry, Loop *level) {
    std::vector<BasicBlock *> postorder;
    SmallPtrSet<BasicBlock *, 16> seen;
    visit(entry, level, seen, postorder);
    for (BasicBlock *node : llvm::reverse(postorder)) {
      Loop *inner = innerLoop(node, level);
      if (inner)
        place(inner->getHeader(), inner);
      else
        out_.push_back(node);
    }
  }

private:
  /// The loop right inside `level` that holds `block`, or null if `block` lies in `level` itself.
  Loop *innerLoop(BasicBlock *block, Loop *level) const {
    Loop *loop = loops_.getLoopFor(block);
    if (loop == level)
      return nullptr;
    while (loop->getParentLoop() != level)
      loop = loop->getParentLoop();
    return loop;
  }

  void visit(BasicBlock *block, Loop *level, SmallPtrSetImpl<BasicBlock *> &seen,
             std::vector<BasicBlock *> &postorder) {
    Loop *inner = innerLoop(block, level);
    BasicBlock *node = inner ? inner->getHeader() : block;
    if (!seen.insert(node).second)
      return;
    SmallVector<BasicBlock *, 4> next;
    if (inner)
      inner->getExitBlocks(next);
    else
      append_range(next, successors(node));
    for (BasicBlock *successor : next)
      if ((!level || level->contains(successor)) && !(level && successor == level->getHeader()))
        visit(successor, level, seen, postorder);
    postorder.push_back(node);
  }

  LoopInfo &loops_;
  std::vector<BasicBlock *> &out_;
};

bool isConvergent(const BasicBlock &block) {
  return any_of(block, [](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !call->isConvergent())
      return false;
    return !is_contained(
        {CallKind::AllLanes, CallKind::NoLane, CallKind::FirstLane, CallKind::Print},
        callKind(*call));
  });
}

/// The blocks that can come to a barrier or warp operation, themselves included.
SmallPtrSet<const BasicBlock *, 16> beforeConvergent(ArrayRef<BasicBlock *> blocks) {
  SmallPtrSet<const BasicBlock *, 16> found;
  SmallVector<const BasicBlock *, 16> work;
  for (const BasicBlock *block : blocks)
    if (isConvergent(*block) && found.insert(block).second)
      work.push_back(block);
  while (!work.empty())
    for (const BasicBlock *before : predecessors(work.pop_back_val()))
      if (found.insert(before).second)
        work.push_back(before);
  return found;
}

} // namespace

BlockOrder::BlockOrder(Function &function, LoopInfo &loops) {
  Placer(loops, blocks).place(&function.getEntryBlock(), nullptr);
  for (auto [index, block] : enumerate(blocks))
    indices[block] = index;
}

void BlockOrder::takeEndsFirst() {
  auto before = beforeConvergent(blocks);
  std::vector<BasicBlock *> first = {blocks.front()}, rest;
  for (BasicBlock *block : ArrayRef(blocks).drop_front().drop_back())
    (before.contains(block) ? rest : first).push_back(block);
  rest.push_back(blocks.back());
  ends = first.size() - 1;
  append_range(first, rest);
  blocks = std::move(first);
  for (auto [index, block] : enumerate(blocks))
    indices[block] = index;
}

std::vector<unsigned> BlockOrder::definitionsFirst() const {
  std::vector<unsigned> found(blocks.size());
  std::iota(found.begin(), found.end(), 0);
  if (ends > 0) // the ends before the exit, all others before them
    std::rotate(found.begin() + 1, found.begin() + 1 + ends, found.end() - 1);
  return found;
}

} // namespace heddle::simt
