// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations that programs make of atomicCAS.
//
// The CUDA guide (5.4.7.1) adds doubles in this way on devices that cannot, and programs do so for
// all that has no function of its own:
//
//     old = *p;                                     old = atomicrmw fadd p, v
//     do {                                     ->
//       assumed = old;
//       old = atomicCAS(p, assumed, bits(v + value(assumed)));
//     } while (assumed != old);
//
// A compare-and-swap says nothing of what is done, so each lane would try its own, one after the
// other. An atomic operation is done for all lanes at once (widen/atomics), or for each worker by
// itself (privatize-atomics).
//
// Maxima and minima of floats have no such form here. But few change what is there, and a
// compare-and-swap that would store what it expects is no more than a load:
//
//     do { ...; if (new == assumed) break; old = atomicCAS(p, assumed, new); } while (...);
//
// Legality (recognize-atomics):
//  1. The loop does nothing else, and what it applies is the same in each round. [nothing else]
//  2. A compare-and-swap is left out only if it is relaxed and not volatile: it orders nothing, and
//     nothing waits for it to be done. [relaxed]
#include "simt/canonical/recognize_atomics.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// A loop of one block around a compare-and-swap that stores a function of what it expects.
struct Attempt {
  BasicBlock *block = nullptr, *exit = nullptr;
  AtomicCmpXchgInst *swap = nullptr;
  PHINode *assumed = nullptr;
  ExtractValueInst *old = nullptr;
  SmallVector<Instruction *, 4> chain; ///< from `assumed` to what is stored, in order
};

/// The instructions of the block that depend on the phi, up to the compare-and-swap. Nothing if one
/// of them does more than compute.
bool findChain(Attempt &attempt) {
  SmallPtrSet<const Value *, 8> from = {attempt.assumed};
  for (Instruction &instruction : *attempt.block) {
    if (&instruction == attempt.swap)
      return true;
    if (isa<PHINode>(instruction))
      continue;
    if (instruction.mayHaveSideEffects() || instruction.mayReadFromMemory())
      return false;
    if (any_of(instruction.operands(), [&](const Use &use) { return from.contains(use); })) {
      from.insert(&instruction);
      attempt.chain.push_back(&instruction);
    }
  }
  return false;
}

/// Behind the compare-and-swap is only the question whether it succeeded.
bool endsWithTest(Attempt &attempt) {
  auto *branch = dyn_cast<BranchInst>(attempt.block->getTerminator());
  if (!branch || !branch->isConditional())
    return false;
  for (User *user : attempt.swap->users()) {
    auto *part = dyn_cast<ExtractValueInst>(user);
    if (!part || part->getParent() != attempt.block)
      return false;
    if (part->getIndices()[0] == 0)
      attempt.old = part;
  }
  unsigned again = branch->getSuccessor(0) == attempt.block ? 0 : 1;
  attempt.exit = branch->getSuccessor(1 - again);
  Value *condition = branch->getCondition();
  auto wanted = again == 0 ? CmpInst::ICMP_NE : CmpInst::ICMP_EQ;
  bool isTest =
      match(condition,
            m_c_SpecificICmp(wanted, m_Specific(attempt.assumed), m_Specific(attempt.old))) ||
      (again == 1 && match(condition, m_ExtractValue<1>(m_Specific(attempt.swap)))) ||
      (again == 0 && match(condition, m_Not(m_ExtractValue<1>(m_Specific(attempt.swap)))));
  auto nothingElse = make_range(std::next(attempt.swap->getIterator()), branch->getIterator());
  return isTest && attempt.exit != attempt.block && all_of(nothingElse, [&](Instruction &i) {
           return isa<ExtractValueInst>(i) || isa<ICmpInst>(i) || i.isDebugOrPseudoInst() ||
                  match(&i, m_Not(m_Value()));
         });
}

std::optional<Attempt> attemptIn(BasicBlock &block) {
  if (!is_contained(successors(&block), &block))
    return std::nullopt;
  Attempt attempt;
  attempt.block = &block;
  for (Instruction &instruction : block)
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      if (attempt.swap)
        return std::nullopt;
      attempt.swap = swap;
    }
  auto phis = block.phis();
  if (!attempt.swap || std::distance(phis.begin(), phis.end()) != 1 || attempt.swap->isWeak())
    return std::nullopt;
  attempt.assumed = &*phis.begin();
  bool isOfPhi = attempt.swap->getCompareOperand() == attempt.assumed;
  if (!isOfPhi || !findChain(attempt) || !endsWithTest(attempt) || !attempt.old ||
      attempt.assumed->getIncomingValueForBlock(&block) != attempt.old ||
      is_contained(attempt.chain, attempt.swap->getPointerOperand()))
    return std::nullopt;
  return attempt;
}

/// What is stored as an operation on what is expected, and its other operand.
struct Operation {
  AtomicRMWInst::BinOp op = AtomicRMWInst::BAD_BINOP;
  Value *operand = nullptr;
};

Operation operationOf(const Attempt &attempt) {
  Value *assumed = attempt.assumed, *result = attempt.swap->getNewValOperand(), *other = nullptr;
  auto is = [&](auto pattern) { return match(result, pattern); };
  auto found = [&](AtomicRMWInst::BinOp op) { return Operation{op, other}; };
  if (is(m_c_Add(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Add);
  if (is(m_Sub(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Sub);
  if (is(m_c_And(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::And);
  if (is(m_c_Or(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Or);
  if (is(m_c_Xor(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Xor);
  if (is(m_c_SMax(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Max);
  if (is(m_c_SMin(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::Min);
  if (is(m_c_UMax(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::UMax);
  if (is(m_c_UMin(m_Specific(assumed), m_Value(other))))
    return found(AtomicRMWInst::UMin);
  if (!match(result, m_BitCast(m_Value(result))))
    return {};
  auto value = m_BitCast(m_Specific(assumed));
  if (is(m_c_FAdd(value, m_Value(other))))
    return found(AtomicRMWInst::FAdd);
  if (is(m_FSub(value, m_Value(other))))
    return found(AtomicRMWInst::FSub);
  return {};
}

/// The loop becomes a block, in which what it expected is what was there.
void replaceLoop(const Attempt &attempt, const Operation &operation) {
  AtomicCmpXchgInst &swap = *attempt.swap;
  IRBuilder<> builder(&swap);
  AtomicRMWInst *rmw =
      builder.CreateAtomicRMW(operation.op, swap.getPointerOperand(), operation.operand,
                              swap.getAlign(), swap.getSuccessOrdering(), swap.getSyncScopeID());
  rmw->setVolatile(swap.isVolatile());
  Value *was = builder.CreateBitCast(rmw, attempt.assumed->getType());
  for (Instruction *instruction : attempt.chain)
    instruction->moveBefore(swap.getIterator());
  attempt.assumed->replaceAllUsesWith(was);
  for (User *user : make_early_inc_range(swap.users())) {
    auto *part = cast<ExtractValueInst>(user);
    part->replaceAllUsesWith(part == attempt.old ? was : builder.getTrue());
    part->eraseFromParent();
  }
  Value *stored = swap.getNewValOperand();
  swap.eraseFromParent();
  // The first look, at what nobody asks for now, would keep the array from being a worker's own.
  Value *looked = attempt.assumed->getIncomingValue(
      attempt.assumed->getIncomingBlock(0) == attempt.block ? 1 : 0);
  attempt.assumed->eraseFromParent();
  auto *branch = cast<BranchInst>(attempt.block->getTerminator());
  Value *condition = branch->getCondition();
  IRBuilder<>(branch).CreateBr(attempt.exit);
  branch->eraseFromParent();
  SmallVector<WeakTrackingVH, 4> unused = {looked, condition, stored};
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(unused);
  MergeBlockIntoPredecessor(attempt.block);
}

/// A maximum or minimum of floats, or a choice between what is there and something else.
bool mayKeep(const Attempt &attempt) {
  Value *result = attempt.swap->getNewValOperand();
  match(result, m_BitCast(m_Value(result)));
  auto *call = dyn_cast<IntrinsicInst>(result);
  auto kinds = {Intrinsic::maxnum,  Intrinsic::minnum,     Intrinsic::maximum,
                Intrinsic::minimum, Intrinsic::maximumnum, Intrinsic::minimumnum};
  return isa<SelectInst>(result) || (call && is_contained(kinds, call->getIntrinsicID()));
}

/// Leaves the loop in front of a compare-and-swap that would change nothing.
bool leaveEarly(const Attempt &attempt) {
  AtomicCmpXchgInst &swap = *attempt.swap;
  bool isSeenElsewhere = any_of(attempt.old->users(), [&](const User *user) {
    auto *instruction = cast<Instruction>(user);
    return instruction->getParent() != attempt.block &&
           !(isa<PHINode>(user) && instruction->getParent() == attempt.exit);
  });
  if (!mayKeep(attempt) || isSeenElsewhere || swap.isVolatile() ||
      swap.getSuccessOrdering() != AtomicOrdering::Monotonic)
    return false;
  BasicBlock *head = attempt.block, *tail = head->splitBasicBlock(swap.getIterator(), "swap");
  for (PHINode &phi : attempt.exit->phis()) {
    Value *value = phi.getIncomingValueForBlock(tail);
    phi.addIncoming(value == attempt.old ? attempt.assumed : value, head);
  }
  IRBuilder<> builder(head->getTerminator());
  builder.SetCurrentDebugLocation(swap.getDebugLoc());
  Value *same = builder.CreateICmpEQ(swap.getNewValOperand(), attempt.assumed);
  builder.CreateCondBr(same, attempt.exit, tail);
  head->getTerminator()->eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses RecognizeAtomics::run(Function &function, FunctionAnalysisManager &analyses) {
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop *loop : loops)
    changed |= formLCSSARecursively(*loop, dominators, &loops, nullptr);
  for (BasicBlock &block : make_early_inc_range(function)) {
    std::optional<Attempt> attempt = attemptIn(block);
    if (!attempt)
      continue;
    Operation operation = operationOf(*attempt);
    bool isKnown = operation.operand && !is_contained(attempt->chain, operation.operand) &&
                   operation.operand != attempt->assumed;
    if (isKnown)
      replaceLoop(*attempt, operation);
    changed |= isKnown || leaveEarly(*attempt);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
