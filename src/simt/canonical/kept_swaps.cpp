// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima, minima and choices that programs make of atomicCAS.
//
//     old = *p;                                        old = *p;
//     do {                                             do {
//       assumed = old;                                   assumed = old;
//       new = bits(fmaxf(v, value(assumed)));    ->      new = ...;
//                                                        if (new == assumed) break;
//       old = atomicCAS(p, assumed, new);                old = atomicCAS(p, assumed, new);
//     } while (assumed != old);                        } while (assumed != old);
//
// Few of them change what is there, and a compare-and-swap that would store what it expects is no
// more than a load: a thousand lanes that wait for their turn at one address all leave at once.
// Sums have a form of their own (added_swaps.h).
//
// Legality (kept-swaps):
//  1. The loop does nothing else. [nothing else]
//  2. What is expected first is what the place held right before, not a guess. [looked]
//  3. The compare-and-swap is relaxed and not volatile: it orders nothing, and nothing waits for it
//     to be done. [relaxed]
#include "simt/canonical/kept_swaps.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// A loop of one block around a compare-and-swap that stores a function of what it expects.
struct SwapLoop {
  BasicBlock *block = nullptr, *exit = nullptr;
  AtomicCmpXchgInst *swap = nullptr;
  PHINode *assumed = nullptr;
  ExtractValueInst *old = nullptr;
};

/// In front of the compare-and-swap the block only computes.
bool onlyComputes(const SwapLoop &loop) {
  auto before = make_range(loop.block->begin(), loop.swap->getIterator());
  return all_of(before, [](const Instruction &i) {
    return isa<PHINode>(i) || !(i.mayHaveSideEffects() || i.mayReadFromMemory());
  });
}

/// The loop begins with what the place held, and nothing has written since.
bool beginsWithLook(const SwapLoop &loop) {
  const BasicBlock *before = nullptr;
  for (const BasicBlock *from : predecessors(loop.block))
    if (from != loop.block)
      before = before ? nullptr : from;
  const Value *first = before ? loop.assumed->getIncomingValueForBlock(before) : nullptr;
  if (const auto *cast = dyn_cast_or_null<BitCastInst>(first))
    first = cast->getOperand(0);
  const auto *look = dyn_cast_or_null<LoadInst>(first);
  return look && look->getParent() == before &&
         look->getPointerOperand() == loop.swap->getPointerOperand() &&
         none_of(make_range(look->getIterator(), before->end()),
                 [](const Instruction &i) { return i.mayWriteToMemory(); });
}

/// Behind the compare-and-swap is only the question whether it succeeded.
bool endsWithTest(SwapLoop &loop) {
  auto *branch = dyn_cast<BranchInst>(loop.block->getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  for (User *user : loop.swap->users()) {
    auto *part = dyn_cast<ExtractValueInst>(user);
    if (!part || part->getParent() != loop.block)
      return false;
    if (part->getIndices()[0] == 0)
      loop.old = part;
  }
  unsigned again = branch->getSuccessor(0) == loop.block ? 0 : 1;
  loop.exit = branch->getSuccessor(1 - again);
  Value *condition = branch->getCondition();
  auto wanted = again == 0 ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  bool isTest =
      match(condition, m_c_SpecificICmp(wanted, m_Specific(loop.assumed), m_Specific(loop.old))) ||
      (again == 1 && match(condition, m_ExtractValue<1>(m_Specific(loop.swap)))) ||
      (again == 0 && match(condition, m_Not(m_ExtractValue<1>(m_Specific(loop.swap)))));
  auto nothingElse = make_range(std::next(loop.swap->getIterator()), branch->getIterator());
  return isTest && loop.exit != loop.block && all_of(nothingElse, [&](Instruction &i) {
           return isa<ExtractValueInst>(i) || isa<ICmpInst>(i) || i.isDebugOrPseudoInst() ||
                  match(&i, m_Not(m_Value()));
         });
}

std::optional<SwapLoop> swapLoopIn(BasicBlock &block) {
  if (!is_contained(successors(&block), &block))
    return std::nullopt;
  SwapLoop loop;
  loop.block = &block;
  for (Instruction &instruction : block)
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (loop.swap)
        return std::nullopt;
      loop.swap = swap;
    }
  auto phis = block.phis();
  if (!loop.swap || std::distance(phis.begin(), phis.end()) != 1 || loop.swap->isWeak())
    return std::nullopt;
  loop.assumed = &*phis.begin();
  bool isOfPhi = loop.swap->getCompareOperand() == loop.assumed;
  if (!isOfPhi || !onlyComputes(loop) || !endsWithTest(loop) || !loop.old ||
      loop.assumed->getIncomingValueForBlock(&block) != loop.old || !beginsWithLook(loop))
    return std::nullopt;
  return loop;
}

/// A maximum or minimum of floats, or a choice between what is there and something else.
bool mayKeep(const SwapLoop &loop) {
  Value *result = loop.swap->getNewValOperand();
  match(result, m_BitCast(m_Value(result)));
  auto *call = dyn_cast<IntrinsicInst>(result);
  auto kinds = {Intrinsic::maxnum,  Intrinsic::minnum,     Intrinsic::maximum,
                Intrinsic::minimum, Intrinsic::maximumnum, Intrinsic::minimumnum};
  return isa<SelectInst>(result) || (call && is_contained(kinds, call->getIntrinsicID()));
}

/// Of what the compare-and-swap says only the old value is used behind the loop.
bool onlyOldIsUsed(const SwapLoop &loop) {
  auto behind = make_range(loop.swap->getIterator(), loop.block->end());
  return all_of(behind, [&](Instruction &i) {
    return all_of(i.users(), [&](const User *user) {
      const BasicBlock *where = cast<Instruction>(user)->getParent();
      return where == loop.block || (&i == loop.old && isa<PHINode>(user) && where == loop.exit);
    });
  });
}

/// Leaves the loop in front of a compare-and-swap that would change nothing.
bool leaveEarly(const SwapLoop &loop) {
  AtomicCmpXchgInst &swap = *loop.swap;
  if (!mayKeep(loop) || !onlyOldIsUsed(loop) || swap.isVolatile() ||
      swap.getSuccessOrdering() != AtomicOrdering::Monotonic)
    return false;
  BasicBlock *head = loop.block, *tail = head->splitBasicBlock(swap.getIterator(), "swap");
  for (PHINode &phi : loop.exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(tail);
    phi.addIncoming(value == loop.old ? loop.assumed : value, head);
  }
  IRBuilder<> builder(head->getTerminator());
  builder.SetCurrentDebugLocation(swap.getDebugLoc());
  Value *same = builder.CreateICmpEQ(swap.getNewValOperand(), loop.assumed);
  builder.CreateCondBr(same, loop.exit, tail);
  head->getTerminator()->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses KeptSwaps::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool isChanged = false;
  for (Loop *outermost : loops)
    isChanged |= formLCSSARecursively(*outermost, dominators, &loops, nullptr);
  for (BasicBlock &block : make_early_inc_range(function))
    if (std::optional<SwapLoop> loop = swapLoopIn(block))
      isChanged |= leaveEarly(*loop);
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
