// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes that part meet again, a phi takes different values for them, and is no longer the
// same for all (analysis/shapes). Where they meet in a block that other ways of the program come to
// as well, as at the end of a loop's turn with several `continue`, that is too strict: the values
// differ between the ways, not between the lanes.
//
//     while (work) {                        taken: ...; br (lane == 1), one, met
//       if (taken(node)) {                  one:   ...; br met
//         if (lane == 1)                    other: ...; br turn
//           release(node);           ->     met:   br turn
//         node = root;                      turn:
//         continue;                           node = phi [root, met], [next, other]
//       }
//       ...                                 (before: [root, taken], [root, one], [next, other])
//       node = next;
//     }
//
// LLVM may have made one block of what several branches do, like the releases of two places. Each
// gets a block of its own again, or its ways would meet those of the others there.
//
// What all lanes know to be the same, a lock's state or a node of a tree, decides where a warp
// goes. So this is done where a kernel that polls would need threads without it (thread_form.h):
// programs that walk a structure by warps count on the lanes of one to go together.
#include "simt/progress/meet_early.h"

#include "simt/analysis/function_facts.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The blocks before `end` from which a branch's ways come to it.
SmallVector<BasicBlock *, 4> waysTo(BasicBlock &branch, BasicBlock &end) {
  SmallPtrSet<const BasicBlock *, 16> seen = {&branch};
  SmallVector<const BasicBlock *, 16> work = {&branch};
  while (!work.empty())
    for (const BasicBlock *next : successors(work.pop_back_val()))
      if (next != &end && seen.insert(next).second)
        work.push_back(next);
  SmallVector<BasicBlock *, 4> ways;
  for (BasicBlock *before : predecessors(&end))
    if (seen.contains(before) && !is_contained(ways, before))
      ways.push_back(before);
  return ways;
}

/// A phi has one value for all these ways, and another one elsewhere.
bool hasCommonValue(BasicBlock &end, ArrayRef<BasicBlock *> ways) {
  return any_of(end.phis(), [&](const PHINode &phi) {
    const Value *common = phi.getIncomingValueForBlock(ways.front());
    return !phi.hasConstantValue() && all_of(ways, [&](const BasicBlock *way) {
      return phi.getIncomingValueForBlock(way) == common;
    });
  });
}

/// Only what follows right behind the block uses its values, and it is short and waits for nobody.
bool canCopy(const BasicBlock &block) {
  constexpr unsigned Longest = 24;
  const BasicBlock *next = block.getSingleSuccessor();
  return next && block.size() <= Longest && none_of(block, [&](const Instruction &instruction) {
           return isa<CallBase>(instruction) || any_of(instruction.users(), [&](const User *user) {
                    const auto *at = cast<Instruction>(user);
                    return at->getParent() != &block &&
                           !(isa<PHINode>(at) && at->getParent() == next);
                  });
         });
}

/// A way of the branch gets its own copy of a block that other branches come to as well.
void copyFor(BasicBlock &branch, BasicBlock &shared) {
  ValueToValueMapTy values;
  BasicBlock *copy = CloneBasicBlock(&shared, values, ".own", shared.getParent());
  for (PHINode &phi : shared.phis()) {
    auto *copied = cast<PHINode>(values[&phi]);
    values[&phi] = phi.getIncomingValueForBlock(&branch);
    copied->eraseFromParent();
  }
  for (Instruction &instruction : *copy)
    RemapInstruction(&instruction, values, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  for (PHINode &phi : shared.getSingleSuccessor()->phis()) {
    Value *value = phi.getIncomingValueForBlock(&shared);
    Value *mapped = values.lookup(value);
    phi.addIncoming(mapped ? mapped : value, copy);
  }
  branch.getTerminator()->replaceSuccessorWith(&shared, copy);
  shared.removePredecessor(&branch);
}

bool copyOnce(Function &function) {
  LoopFacts facts(function);
  for (BasicBlock &block : function)
    if (auto *branch = dyn_cast<BranchInst>(block.getTerminator());
        branch && branch->isConditional())
      for (BasicBlock *next : branch->successors()) {
        BasicBlock *other = branch->getSuccessor(branch->getSuccessor(0) == next);
        bool isArm = next != other && next->getSingleSuccessor() == other;
        if (isArm && !next->getSinglePredecessor() && canCopy(*next) &&
            facts.loops.getLoopFor(next) == facts.loops.getLoopFor(&block) &&
            facts.loops.getLoopFor(next) == facts.loops.getLoopFor(other)) {
          copyFor(block, *next);
          return true;
        }
      }
  return false;
}

bool meetOnce(Function &function) {
  LoopFacts facts(function);
  PostDominatorTree postDominators(function);
  for (BasicBlock &block : function) {
    const DomTreeNode *node = postDominators.getNode(&block);
    BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!end || succ_size(&block) < 2 || facts.loops.isLoopHeader(end) ||
        facts.loops.getLoopFor(end) != facts.loops.getLoopFor(&block))
      continue;
    SmallVector<BasicBlock *, 4> ways = waysTo(block, *end);
    if (ways.size() < 2 || ways.size() == pred_size(end) || !hasCommonValue(*end, ways))
      continue;
    SplitBlockPredecessors(end, ways, ".met", &facts.dominators, &facts.loops);
    return true;
  }
  return false;
}

} // namespace

bool meetEarly(Function &function) {
  bool changed = false;
  while (copyOnce(function))
    changed = true;
  while (meetOnce(function))
    changed = true;
  return changed;
}

} // namespace heddle::simt
