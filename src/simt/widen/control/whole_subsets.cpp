// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: whole_subsets.h. The mask is a constant then, so an access needs none, and the
// branch asks one lane.
//
// Legality (whole-subsets):
//  1. What the branches on the way ask, besides the thread's index, is the same in all lanes of
//     the block that may come. [same in all]
//  2. All lanes that may come to the blocks before do, whatever way the warp takes. [whole before]
#include "simt/widen/control/whole_subsets.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned Deepest = 8; ///< operands looked at from a condition

class WholeSubsets {
public:
  WholeSubsets(const BlockOrder &order, const Shapes &shapes, LaneSubsets &subsets,
               const std::vector<unsigned> &sameMasks)
      : order_(order), shapes_(shapes), subsets_(subsets), sameMasks_(sameMasks),
        whole_(order.blocks.size(), true) {}

  std::vector<bool> run(bool entryIsWhole) {
    whole_[0] = entryIsWhole;
    for (bool changed = true; changed;) { // blocks only drop out
      changed = false;
      for (unsigned index = 1; index < whole_.size(); ++index)
        if (whole_[index] && !hasMaskOfWhole(index) && !comesWhole(index)) {
          whole_[index] = false;
          changed = true;
        }
    }
    return std::move(whole_);
  }

private:
  bool hasMaskOfWhole(unsigned index) const {
    unsigned same = sameMasks_[index];
    return same != index && whole_[same] && subsets_.at(same) == subsets_.at(index);
  }

  /// Whichever way the warp comes, all lanes that can come do.
  bool comesWhole(unsigned index) {
    BasicBlock *block = order_.blocks[index];
    return all_of(predecessors(block), [&](BasicBlock *from) {
      unsigned before = order_.index(from);
      auto *branch = dyn_cast<BranchInst>(from->getTerminator());
      if (!whole_[before] || !branch)
        return false;
      const BitVector &lanes = subsets_.at(index);
      if (!branch->isConditional() || !shapes_.isDivergent(from))
        return subsets_.at(before) == lanes;
      for (unsigned side : {0u, 1u}) {
        if (branch->getSuccessor(side) != block)
          continue;
        BitVector come = subsets_.along(*from, side);
        come &= subsets_.at(before);
        if (come != lanes || !isAlike(branch->getCondition(), lanes, 0))
          return false;
      }
      return true;
    });
  }

  /// The same in all these lanes.
  bool isAlike(Value *value, const BitVector &lanes, unsigned depth) {
    if (lanes.none() || isa<Constant>(value))
      return true;
    if (hasOnePart(shapes_.of(value), lanes) || subsets_.isSame(value, lanes))
      return true;
    auto *instruction = dyn_cast<Instruction>(value);
    return instruction && depth < Deepest &&
           isa<BinaryOperator, CastInst, ICmpInst, FCmpInst, SelectInst>(instruction) &&
           all_of(
               instruction->operands(),
               [&](Value *operand) { return isAlike(operand, lanes, depth + 1); });
  }

  static bool hasOnePart(Shape shape, const BitVector &lanes) {
    unsigned first = lanes.find_first();
    return shape.known() && all_of(lanes.set_bits(), [&](unsigned lane) {
             return shape.part(lane) == shape.part(first) &&
                    shape.offset(lane) == shape.offset(first);
           });
  }

  const BlockOrder &order_;
  const Shapes &shapes_;
  LaneSubsets &subsets_;
  const std::vector<unsigned> &sameMasks_;
  std::vector<bool> whole_;
};

} // namespace

std::vector<bool> findWholeSubsets(const BlockOrder &order, const Shapes &shapes,
                                   LaneSubsets &subsets, const std::vector<unsigned> &sameMasks,
                                   bool entryIsWhole) {
  return WholeSubsets(order, shapes, subsets, sameMasks).run(entryIsWhole);
}

} // namespace heddle::simt
