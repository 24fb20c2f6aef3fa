// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. LLVM makes one access of those that begin or end the two arms of a condition, and one
// access of two lines has no line, so an error there could not be shown:
//
//     if (c)                  if.then:                      join:
//       x[i] = 1;               store i32 1, ptr %a           %p = phi ptr [%a], [%b]
//     else                    if.else:                 ->     %v = phi i32 [1], [2]
//       y[j] = 2;               store i32 2, ptr %b           store i32 %v, ptr %p, line 0
//
// Method. A call that does nothing and must not be merged (nomerge) ends, and begins, all but one
// of the arms that access memory. Loads whose values meet move past that: one value is frozen, which
// makes it another thing than the others. Checked code keeps both to the end, so that each access has
// its line. Other code drops them and merges when the kernel is compiled (simt/lower/merge_arms).
#include "frontend/own_lines.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::frontend {

namespace {

bool isMark(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::sideeffect && call->cannotMerge();
}

constexpr StringLiteral FrozenNote = "heddle.own_line";

bool accessesMemory(const BasicBlock &block) {
  return any_of(block, [](const Instruction &instruction) {
    return instruction.mayReadOrWriteMemory() && !instruction.isLifetimeStartOrEnd() &&
           !isa<AssumeInst>(instruction) && !isMark(instruction);
  });
}

void mark(Instruction &before) {
  IRBuilder<> builder(&before);
  builder.CreateIntrinsic(Intrinsic::sideeffect, ArrayRef<Value *>())
      ->addFnAttr(Attribute::NoMerge);
}

using Edge = std::pair<const BasicBlock *, const BasicBlock *>;
using Edges = SmallVector<Edge, 8>;

/// Arms that end here, but one: what follows a condition with one arm counts as the other.
void markEnds(BasicBlock &join, const Edges &back) {
  SmallPtrSet<BasicBlock *, 8> arms;
  for (BasicBlock *before : predecessors(&join))
    if (accessesMemory(*before) && !is_contained(back, Edge(before, &join)))
      arms.insert(before);
  size_t unmarked = arms.size();
  for (BasicBlock *arm : predecessors(&join))
    if (unmarked > 1 && arms.contains(arm) && arm->getSingleSuccessor()) {
      mark(*arm->getTerminator());
      --unmarked;
    }
}

void freezeLoads(BasicBlock &join) {
  for (PHINode &phi : join.phis()) {
    auto isLoad = [](const Use &use) { return isa<LoadInst>(use) && use->hasOneUse(); };
    if (count_if(phi.incoming_values(), isLoad) < 2)
      continue;
    Use &use = *find_if(phi.incoming_values(), isLoad);
    auto *load = cast<LoadInst>(use);
    auto *frozen = new FreezeInst(load, "", std::next(load->getIterator()));
    frozen->setDebugLoc(load->getDebugLoc());
    frozen->setMetadata(FrozenNote, MDNode::get(load->getContext(), {}));
    use = frozen;
  }
}

/// Arms that begin behind `fork`, but one.
void markBeginnings(BasicBlock &fork) {
  auto isArm = [](const BasicBlock *arm) {
    return arm->getSinglePredecessor() && accessesMemory(*arm);
  };
  if (succ_size(&fork) < 2 || !all_of(successors(&fork), isArm))
    return;
  for (BasicBlock *arm : drop_begin(successors(&fork)))
    mark(*arm->getFirstInsertionPt());
}

} // namespace

PreservedAnalyses KeepLinesPass::run(Function &function, FunctionAnalysisManager &) {
  if (!function.getSubprogram())
    return PreservedAnalyses::all();
  Edges back;
  FindFunctionBackedges(function, back);
  for (BasicBlock &block : function) {
    if (pred_size(&block) > 1) {
      markEnds(block, back);
      freezeLoads(block);
    }
    markBeginnings(block);
  }
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

bool dropLineMarks(Function &function) {
  bool hadAny = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (isMark(instruction) || instruction.hasMetadata(FrozenNote)) {
      if (isa<FreezeInst>(instruction))
        instruction.replaceAllUsesWith(instruction.getOperand(0));
      instruction.eraseFromParent();
      hadAny = true;
    }
  return hadAny;
}

} // namespace heddle::frontend
