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

#include "simt/canonical/swap_test.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// A loop of one block around a compare-and-swap that stores a function of what it expects.
struct SwapLoop : SwapTest {
  BasicBlock *block = nullptr;
  PHINode *assumed = nullptr;
};

bool isOld(const Value *value, const SwapLoop &loop) {
  return swapOf(const_cast<Value *>(value), 0) == loop.swap;
}

/// In front of the compare-and-swap the block only computes, behind it stands only the question.
bool onlyTries(const SwapLoop &loop) {
  return all_of(*loop.block, [&](const Instruction &i) {
    return &i == loop.swap || isa<PHINode>(i) || !(i.mayHaveSideEffects() || i.mayReadFromMemory());
  });
}

/// The loop begins with what the place held, and nothing has written since.
bool beginsWithLook(const SwapLoop &loop, const BasicBlock &before) {
  const Value *first = loop.assumed->getIncomingValueForBlock(&before);
  if (const auto *cast = dyn_cast<BitCastInst>(first))
    first = cast->getOperand(0);
  const auto *look = dyn_cast<LoadInst>(first);
  return look && look->getParent() == &before &&
         look->getPointerOperand() == loop.swap->getPointerOperand() &&
         none_of(make_range(look->getIterator(), before.end()),
                 [](const Instruction &i) { return i.mayWriteToMemory(); });
}

std::optional<SwapLoop> swapLoopOf(const Loop &inner) {
  BasicBlock *block = inner.getHeader(), *before = inner.getLoopPredecessor();
  SwapLoop loop{swapTestOf(*block), block};
  if (inner.getNumBlocks() != 1 || !before || !loop.swap || loop.swap->isWeak() ||
      loop.onFailure != block)
    return std::nullopt;
  loop.assumed = dyn_cast<PHINode>(loop.swap->getCompareOperand());
  if (!loop.assumed || loop.assumed->getParent() != block || !hasSingleElement(block->phis()) ||
      !isOld(loop.assumed->getIncomingValueForBlock(block), loop) || !onlyTries(loop) ||
      !beginsWithLook(loop, *before))
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
      return where == loop.block ||
             (isOld(&i, loop) && isa<PHINode>(user) && where == loop.onSuccess);
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
  for (PHINode &phi : loop.onSuccess->phis()) {
    Value *value = phi.getIncomingValueForBlock(tail);
    phi.addIncoming(isOld(value, loop) ? loop.assumed : value, head);
  }
  IRBuilder<> builder(head->getTerminator());
  builder.SetCurrentDebugLocation(swap.getDebugLoc());
  Value *same = builder.CreateICmpEQ(swap.getNewValOperand(), loop.assumed);
  builder.CreateCondBr(same, loop.onSuccess, tail);
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
  for (const Loop *inner : loops.getLoopsInPreorder())
    if (std::optional<SwapLoop> loop = swapLoopOf(*inner))
      isChanged |= leaveEarly(*loop);
  return isChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
