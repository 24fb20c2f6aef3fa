// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that loads its next tile ahead does so "if there is a next round", and the loop asks the
// same question again when it comes to its end:
//
//     loop:  store %tile; barrier                  loop:  store %tile; barrier
//            br %more, load, work                         br %more, load, work
//     load:  %new = load ...                 =>    load:  %new = load ...
//     work:  %next = phi [%new], [%tile]           work:  %next = phi [%new], [poison]
//            ...; br %more, loop, end                     ...; br %more, loop, end
//
// On the way around the load nobody comes to see the old tile. Without it the tile need not live
// through the barrier: it is neither saved there nor loaded again.
//
// The input of an edge is unused if the edge is only taken where a condition has one value, and all
// uses of the phi lie behind a branch where the same condition has the other. The condition must
// dominate the phi and the phi that branch: then the last decision before a use comes after the
// phi, and about the same value of the condition. (The phi at the head of a loop is behind the
// condition of the round before.)
//
// Only beside loads: the shape of an index would be lost.
//
// Legality (unused-inputs):
//  1. All uses of the phi lie behind a branch where the condition has the other value than on the
//     edge. [not used]
//  2. It is the same condition, computed once before the phi and that branch. [same condition]
#include "simt/canonical/unused_inputs.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// What is known on an edge into a block: `condition` is `value`.
struct Known {
  Value *condition;
  bool value;
};

/// Null if the edge comes from no branch, itself or over one block of nothing but that way.
std::optional<Known> knownOn(BasicBlock *from, BasicBlock *to) {
  auto *branch = dyn_cast<BranchInst>(from->getTerminator());
  if (branch && branch->isUnconditional()) {
    to = from;
    from = from->getSinglePredecessor();
    branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
  }
  if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
    return std::nullopt;
  return Known{branch->getCondition(), branch->getSuccessor(0) == to};
}

/// All uses of `phi` are behind branches that the condition goes through with the other value.
bool isUnused(const PHINode &phi, const Known &known, const DominatorTree &dominators) {
  if (!dominators.dominates(known.condition, &phi))
    return false;
  SmallVector<BasicBlockEdge, 4> others;
  for (User *user : known.condition->users()) {
    auto *branch = dyn_cast<BranchInst>(user);
    if (branch && branch->getSuccessor(0) != branch->getSuccessor(1) &&
        dominators.dominates(phi.getParent(), branch->getParent()))
      others.push_back({branch->getParent(), branch->getSuccessor(known.value ? 1 : 0)});
  }
  return all_of(phi.uses(), [&](const Use &use) {
    return any_of(others,
                  [&](const BasicBlockEdge &edge) { return dominators.dominates(edge, use); });
  });
}

} // namespace

PreservedAnalyses UnusedInputs::run(Function &function, FunctionAnalysisManager &analyses) {
  const auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool isChanged = false;
  for (BasicBlock &block : function)
    for (PHINode &phi : block.phis()) {
      if (!any_of(phi.incoming_values(), IsaPred<LoadInst>))
        continue;
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
        std::optional<Known> known = knownOn(phi.getIncomingBlock(i), &block);
        if (known && !isa<LoadInst, Constant>(phi.getIncomingValue(i)) &&
            isUnused(phi, *known, dominators)) {
          phi.setIncomingValue(i, PoisonValue::get(phi.getType()));
          isChanged = true;
        }
      }
    }
  return changedInBlocks(isChanged);
}

} // namespace heddle::simt
