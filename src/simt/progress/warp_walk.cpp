// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/progress/warp_walk.h"

#include "simt/analysis/same_mask.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

unsigned threadsOf(const Options &options) {
  return options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
}

BlockOrder orderOfWarp(const BlockOrder &plain, const Shapes &shapes) {
  BlockOrder order = plain;
  if (mayPartAtBarrier(plain, shapes))
    order.takeEndsFirst();
  return order;
}

bool isOneOfEachWarp(const BitVector &threads) {
  unsigned lastWarp = ~0u;
  for (unsigned thread : threads.set_bits()) {
    if (thread / WarpSize == lastWarp)
      return false;
    lastWarp = thread / WarpSize;
  }
  return true;
}

} // namespace

unsigned WarpWalk::widthFor(const Options &options) {
  return options.width ? std::min<unsigned>(options.width, WarpSize) : WarpSize;
}

WarpWalk::WarpWalk(Function &thread, const Options &options)
    : LoopFacts(thread), LaneShapes(thread, *this, {widthFor(options), options.blockDim}),
      walkOrder(orderOfWarp(order, shapes)),
      threads(walkOrder,
              {std::max<unsigned>(WarpSize, PowerOf2Ceil(threadsOf(options))), options.blockDim}),
      alone(findAlone()),
      pending(walkOrder, [&](const BasicBlock *block) { return isDivergent(block); }),
      sameMasks(findSameMasks(walkOrder, loops, dominators, postDominators)) {}

bool WarpWalk::lanesAreElsewhere(unsigned index) const {
  unsigned exit = walkOrder.blocks.size() - 1;
  bool exitIsEmpty = walkOrder.blocks[exit]->size() == 1;
  return any_of(pending.at(index).set_bits(),
                [&](unsigned held) { return !exitIsEmpty || held != exit; });
}

bool WarpWalk::isForSameLane(const BasicBlock *block, const BasicBlock *other) const {
  const BitVector &lanes = threads.at(walkOrder.index(block));
  return isOneOfEachWarp(lanes) && !threads.at(walkOrder.index(other)).test(lanes);
}

/// `lane == same in all lanes`.
bool WarpWalk::picksOneLane(const Value *condition, bool holds) const {
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || compare->getPredicate() != (holds ? ICmpInst::ICMP_EQ : ICmpInst::ICMP_NE))
    return false;
  Shape left = shapes.of(compare->getOperand(0)), right = shapes.of(compare->getOperand(1));
  auto differs = [&](const Shape &shape) {
    return shape.segment == shapes.width() && shape.stride != 0;
  };
  return (differs(left) && right.uniform()) || (differs(right) && left.uniform());
}

/// By conditions that a lane has come through, and by constants. A lane that picked itself in one
/// turn of a loop may still be there in the next, so the pick counts in its own loop only.
std::vector<bool> WarpWalk::findAlone() {
  std::vector<bool> found;
  for (BasicBlock *block : walkOrder.blocks) {
    found.push_back(isOneOfEachWarp(threads.at(walkOrder.index(block))));
    auto *node = dominators.getNode(block);
    for (node = node ? node->getIDom() : nullptr; node && !found.back(); node = node->getIDom()) {
      BasicBlock *before = node->getBlock();
      const auto *branch = dyn_cast<BranchInst>(before->getTerminator());
      const Loop *loop = loops.getLoopFor(before);
      if (!branch || !branch->isConditional() || (loop && !loop->contains(block)))
        continue;
      for (unsigned side : {0u, 1u})
        if (dominators.dominates(BasicBlockEdge(before, branch->getSuccessor(side)), block))
          found.back() = found.back() || picksOneLane(branch->getCondition(), side == 0);
    }
  }
  return found;
}

} // namespace heddle::simt
