// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL 1 and the first GPUs have no atomic addition of floats or doubles, so programs swap the
// number for its sum until nobody came between:
//
//     old = *p;
//     while ((seen = cas(p, old, old + v)) != old)      =>      seen = atomicrmw fadd p, v
//       old = seen;
//
// Whatever such a loop expects first, it ends once the place holds what it expects and gets the
// sum of that and v. As one addition it can be added up over lanes, as shared memory's is, and
// nothing waits. clang has peeled the first attempt off:
//
//     seen = cas(p, old, old + v);  br %succeeds, end, retry;   retry: atomicrmw fadd p, v
//
// which is the addition itself. The reads of a first guess are left out with the loop.
//
// Legality (added-swaps):
//  1. The loop is one block that reads, computes and swaps once, and leaves only when the swap has
//     succeeded. [leaves when swapped]
//  2. The swap expects what the place held when it was last looked at. [expects what was seen]
//  3. The swap stores the sum of what it expects and a value from before the loop. [sum of one value]
//  4. It is at one address from before the loop. [one place]
//  5. Behind a first attempt that fails there is nothing but the addition. [nothing but the addition]
//  6. Of the loop only what the place held is used behind it. [used behind]
#include "simt/canonical/added_swaps.h"

#include "simt/canonical/swap_test.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// A swap for a sum, and the branch at its block's end that asks whether it succeeded.
struct Attempt : SwapTest {
  Value *expected = nullptr, *number = nullptr; ///< the same, as bits and as what is added to
  Value *value = nullptr;                       ///< what is added

  bool isBits(const Value *a, const Value *b) const {
    const auto *cast = dyn_cast<BitCastInst>(a);
    return cast && cast->getOperand(0) == b;
  }
  /// Finds `number` and `value` in the sum that is stored.
  bool readSum() {
    Value *sum = nullptr, *a = nullptr, *b = nullptr;
    if (!match(swap->getNewValOperand(), m_BitCast(m_Value(sum))) ||
        !match(sum, m_FAdd(m_Value(a), m_Value(b))) ||
        !(sum->getType()->isFloatTy() || sum->getType()->isDoubleTy()))
      return false;
    expected = swap->getCompareOperand();
    for (auto [one, other] : {std::pair(a, b), std::pair(b, a)})
      if (isBits(one, expected) || isBits(expected, one)) {
        number = one;
        value = other;
        return true;
      }
    return false;
  }
};

Attempt attemptOf(BasicBlock &block) {
  Attempt found{swapTestOf(block)};
  return found.swap && found.readSum() ? found : Attempt();
}

/// The loop does nothing but the attempt.
bool onlyTries(const BasicBlock &block, const Attempt &attempt) {
  return all_of(block, [&](const Instruction &i) {
    return &i == attempt.swap || i.isTerminator() || isa<LoadInst>(i) ||
           (!i.mayHaveSideEffects() && !i.mayReadFromMemory());
  });
}

/// What the swap has seen, as bits or as a number.
bool isSeen(Value *value, const AtomicCmpXchgInst &swap) {
  if (auto *cast = dyn_cast<BitCastInst>(value))
    value = cast->getOperand(0);
  return swapOf(value, 0) == &swap;
}

/// In each turn the swap expects what was seen last.
bool expectsLastSeen(const BasicBlock &block, const Attempt &attempt) {
  Value *guess = isa<BitCastInst>(attempt.expected) ? attempt.number : attempt.expected;
  auto *phi = dyn_cast<PHINode>(guess);
  if (phi && phi->getParent() == &block)
    guess = phi->getIncomingValueForBlock(&block);
  if (isSeen(guess, *attempt.swap))
    return true;
  const auto *load = dyn_cast<LoadInst>(guess);
  return load && load->getParent() == &block &&
         load->getPointerOperand() == attempt.swap->getPointerOperand();
}

/// Behind the loop only the swap's result and what it expected, which is the same, are used.
bool isUsedAsOld(BasicBlock &block, const Attempt &attempt) {
  return all_of(block, [&](Instruction &i) {
    return &i == attempt.expected || &i == attempt.number || isSeen(&i, *attempt.swap) ||
           all_of(i.users(),
                  [&](const User *user) { return cast<Instruction>(user)->getParent() == &block; });
  });
}

/// In its block, what the swap expects is used for the sum and the question alone, and the sum by
/// the swap alone; elsewhere it is only used if `addInstead` can put the old value there.
bool isUsedForSum(const Attempt &attempt) {
  const AtomicCmpXchgInst &swap = *attempt.swap;
  const BasicBlock *block = swap.getParent();
  const auto *stored = cast<Instruction>(swap.getNewValOperand());
  const auto *sum = cast<Instruction>(stored->getOperand(0));
  const Value *condition = attempt.branch->getCondition();
  const auto isOnlyForIt = [&](const Value *value) {
    const auto *i = dyn_cast<Instruction>(value);
    const bool isInBlock = i && i->getParent() == block;
    return all_of(value->users(), [&](const User *user) {
      return (isInBlock && cast<Instruction>(user)->getParent() != block) || user == &swap ||
             user == sum || user == condition || user == attempt.expected || user == attempt.number;
    });
  };
  return stored->hasOneUse() && sum->hasOneUse() && condition->hasOneUse() &&
         all_of(swap.users(), IsaPred<ExtractValueInst>) && isOnlyForIt(attempt.expected) &&
         isOnlyForIt(attempt.number);
}

/// What only the attempt has used, volatile reads too.
void eraseUnused(ArrayRef<WeakTrackingVH> values) {
  for (const WeakTrackingVH &value : values)
    if (auto *i = dyn_cast_or_null<Instruction>(value); i && i->use_empty())
      if (isa<LoadInst, PHINode, BitCastInst, ICmpInst, ExtractValueInst>(i))
        i->eraseFromParent();
}

/// The addition in the swap's place, whose result becomes that of a swap that has succeeded.
void addInstead(const Attempt &attempt) {
  AtomicCmpXchgInst &swap = *attempt.swap;
  BasicBlock *block = swap.getParent();
  IRBuilder<> builder(&swap);
  auto *sum =
      builder.CreateAtomicRMW(AtomicRMWInst::FAdd, swap.getPointerOperand(), attempt.value,
                              swap.getAlign(), swap.getMergedOrdering(), swap.getSyncScopeID());
  sum->setVolatile(swap.isVolatile());
  Value *old = builder.CreateBitCast(sum, attempt.expected->getType());
  SmallVector<WeakTrackingVH, 8> unused = {attempt.branch->getCondition(), attempt.expected,
                                           attempt.number, attempt.expected};
  for (auto [value, held] :
       {std::pair(attempt.expected, old), std::pair(attempt.number, static_cast<Value *>(sum))})
    if (auto *i = dyn_cast<Instruction>(value); i && i->getParent() == block) {
      i->replaceUsesOutsideBlock(held, block);
      if (isa<PHINode>(i))
        append_range(unused, cast<PHINode>(i)->incoming_values());
    }
  attempt.branch->setCondition(
      builder.getInt1(attempt.branch->getSuccessor(0) == attempt.onSuccess));
  for (User *user : make_early_inc_range(swap.users())) {
    auto *extract = cast<ExtractValueInst>(user);
    extract->replaceAllUsesWith(extract->getIndices()[0] ? builder.getTrue() : old);
    extract->eraseFromParent();
  }
  unused.push_back(old);
  Value *stored = swap.getNewValOperand();
  swap.eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(stored);
  ConstantFoldTerminator(block);
  eraseUnused(unused);
}

bool replaceLoop(const Loop &loop) {
  BasicBlock *block = loop.getHeader();
  if (loop.getNumBlocks() != 1)
    return false;
  const Attempt attempt = attemptOf(*block);
  if (!attempt.swap || attempt.onFailure != block || !onlyTries(*block, attempt) ||
      !loop.isLoopInvariant(attempt.value) ||
      !loop.isLoopInvariant(attempt.swap->getPointerOperand()) ||
      !expectsLastSeen(*block, attempt) || !isUsedForSum(attempt) || !isUsedAsOld(*block, attempt))
    return false;
  addInstead(attempt);
  return true;
}

/// Behind a failure, from `block` on, there is the same addition and nothing else before the place
/// where a success goes on, which is told the old value from both.
bool onlyAddsOnFailure(BasicBlock *block, const Attempt &attempt) {
  AtomicRMWInst *sum = nullptr;
  BasicBlock *last = attempt.swap->getParent();
  for (; block && block != attempt.onSuccess; last = block, block = block->getSingleSuccessor()) {
    if (block->getSinglePredecessor() != last)
      return false;
    for (Instruction &i : *block) {
      auto *found = dyn_cast<AtomicRMWInst>(&i);
      if (found && !sum)
        sum = found;
      else if (i.mayHaveSideEffects())
        return false;
    }
  }
  if (!block || !sum || sum->getOperation() != AtomicRMWInst::FAdd ||
      sum->getPointerOperand() != attempt.swap->getPointerOperand() ||
      sum->getValOperand() != attempt.value)
    return false;
  return all_of(block->phis(), [&](PHINode &phi) {
    Value *success = phi.getIncomingValueForBlock(attempt.swap->getParent());
    Value *failure = phi.getIncomingValueForBlock(last);
    if (auto *cast = dyn_cast<BitCastInst>(failure))
      failure = cast->getOperand(0);
    return success == phi.getIncomingValueForBlock(last) ||
           (failure == sum && (success == attempt.expected || success == attempt.number ||
                               isSeen(success, *attempt.swap)));
  });
}

bool replacePeeled(BasicBlock &block) {
  const Attempt attempt = attemptOf(block);
  if (!attempt.swap || attempt.onSuccess == attempt.onFailure || !isUsedForSum(attempt) ||
      !onlyAddsOnFailure(attempt.onFailure, attempt))
    return false;
  addInstead(attempt);
  return true;
}

} // namespace

PreservedAnalyses AddedSwaps::run(Function &function, FunctionAnalysisManager &analyses) {
  bool hasChanged = false;
  for (const Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    hasChanged |= replaceLoop(*loop);
  if (!hasChanged)
    return PreservedAnalyses::all();
  for (BasicBlock &block : function)
    replacePeeled(block);
  removeUnreachableBlocks(function);
  forget(function, analyses);
  SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)).run(function, analyses);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
