// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose end depends on what others may write, and which yet wait for nobody: they come to
// their end by themselves.
#include "simt/progress/own_progress.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

class AddressWalk {
public:
  explicit AddressWalk(const Loop &loop) : loop_(loop) { loop.getLoopLatches(latches_); }

  Walk of(const Value *address) const {
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const PHINode *, 4> variables;
    Walk walk = Walk::MayStay;
    bool wraps = findVariables(address, seen, variables);
    for (const PHINode *variable : variables)
      for (const BasicBlock *latch : latches_)
        walk = std::max(walk, stepOf(*variable, variable->getIncomingValueForBlock(latch)));
    return wraps ? std::min(walk, Walk::InCircle) : walk;
  }

private:
  /// The loop's variables that an address is computed from. Returns whether it may be the same for
  /// different values of them.
  bool findVariables(const Value *value, SmallPtrSetImpl<const Value *> &seen,
                     SmallVectorImpl<const PHINode *> &variables) const {
    const auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !loop_.contains(instruction) || !seen.insert(value).second)
      return false;
    const auto *phi = dyn_cast<PHINode>(instruction);
    if (phi && phi->getParent() == loop_.getHeader()) {
      variables.push_back(phi);
      return false;
    }
    bool wraps =
        !phi && !isa<GetElementPtrInst, CastInst, SelectInst>(instruction) &&
        !match(value, m_Add(m_Value(), m_Value())) && !match(value, m_Sub(m_Value(), m_Value())) &&
        !match(value, m_Mul(m_Value(), m_Value())) && !match(value, m_Shl(m_Value(), m_Value()));
    if (!instruction->mayReadFromMemory())
      for (const Value *operand : instruction->operands())
        wraps |= findVariables(operand, seen, variables);
    return wraps;
  }

  /// How the variable goes into the next turn.
  Walk stepOf(const PHINode &variable, const Value *next) const {
    SmallPtrSet<const Value *, 8> seen;
    SmallVector<const Value *, 8> work = {next};
    Walk walk = Walk::MovesOn;
    while (!work.empty()) {
      const Value *value = work.pop_back_val();
      if (value == &variable || loop_.isLoopInvariant(value)) // the same from the second turn on
        return Walk::MayStay;
      if (!seen.insert(value).second)
        continue;
      const auto *instruction = cast<Instruction>(value);
      if (isa<PHINode>(instruction) && instruction->getParent() != loop_.getHeader()) {
        append_range(work, instruction->operands());
      } else if (const auto *select = dyn_cast<SelectInst>(instruction)) {
        work.append({select->getTrueValue(), select->getFalseValue()});
      } else if (isa<CastInst>(instruction) &&
                 !instruction->getOperand(0)->getType()->isIntegerTy(1)) {
        work.push_back(instruction->getOperand(0));
      } else if (isa<GetElementPtrInst>(instruction) || match(value, m_Add(m_Value(), m_Value())) ||
                 match(value, m_Sub(m_Value(), m_Value()))) {
        // By a step that may be 0, unless it is the same in all turns.
        if (count_if(instruction->operands(),
                     [&](const Value *operand) { return !loop_.isLoopInvariant(operand); }) > 1)
          return Walk::MayStay;
      } else if (!isa<LoadInst>(instruction)) { // what memory says is the next
        walk = Walk::InCircle;
      }
    }
    return walk;
  }

  const Loop &loop_;
  SmallVector<BasicBlock *, 4> latches_;
};

/// A step that is chosen, maybe to be 0.
bool mayBeNone(const Value *step) {
  if (const auto *cast = dyn_cast<CastInst>(step))
    return cast->getOperand(0)->getType()->isIntegerTy(1) || mayBeNone(cast->getOperand(0));
  return isa<SelectInst, PHINode>(step) && any_of(cast<User>(step)->operands(), [](const Use &use) {
           return match(use.get(), m_Zero());
         });
}

} // namespace

bool isTakenBack(const AtomicRMWInst &rmw, const Loop &loop) {
  const Value *address = rmw.getPointerOperand();
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &other : *block) {
      const Value *changed = nullptr;
      if (const auto *atomic = dyn_cast<AtomicRMWInst>(&other))
        changed = atomic->getPointerOperand();
      else if (const auto *store = dyn_cast<StoreInst>(&other))
        changed = store->getPointerOperand();
      if (&other != &rmw && changed == address)
        return true;
    }
  return false;
}

namespace {

/// The expected value is what the swap of the turn before found, or what was loaded from there, and
/// nothing that is computed from it: `atomicCAS(lock, old & ~1, ...)` waits for a bit.
bool expectsWhatItSaw(const AtomicCmpXchgInst &swap, const Loop &loop) {
  SmallPtrSet<const Value *, 16> seen;
  SmallVector<const Value *, 16> work = {swap.getCompareOperand()};
  bool found = false;
  while (!work.empty()) {
    const auto *instruction = dyn_cast<Instruction>(work.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second)
      continue;
    const auto *load = dyn_cast<LoadInst>(instruction);
    if ((load && load->getPointerOperand() == swap.getPointerOperand()) ||
        match(instruction, m_ExtractValue<0>(m_Specific(&swap))))
      found = true;
    else if (isa<PHINode, BitCastInst, FreezeInst>(instruction))
      append_range(work, instruction->operands());
    else
      return false;
  }
  return found;
}

/// If the swap succeeds, `condition` has the value `holds`.
bool leavesWith(const Value *condition, bool holds, const AtomicCmpXchgInst &swap) {
  const Value *left = nullptr, *right = nullptr;
  if (match(condition, m_Not(m_Value(left))))
    return leavesWith(left, !holds, swap);
  if (holds ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
            : match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
    return leavesWith(left, holds, swap) || leavesWith(right, holds, swap);
  if (match(condition, m_ExtractValue<1>(m_Specific(&swap))))
    return holds;
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !compare->isEquality() || (compare->getPredicate() == ICmpInst::ICMP_EQ) != holds)
    return false;
  const Value *expected = swap.getCompareOperand();
  auto isOld = [&](const Value *v) { return match(v, m_ExtractValue<0>(m_Specific(&swap))); };
  return (isOld(compare->getOperand(0)) && compare->getOperand(1) == expected) ||
         (isOld(compare->getOperand(1)) && compare->getOperand(0) == expected);
}

} // namespace

Walk walkOf(const Value *address, const Loop &loop) { return AddressWalk(loop).of(address); }

bool isCounter(const AtomicRMWInst &rmw, const Loop &loop) {
  const Value *step = rmw.getValOperand();
  switch (rmw.getOperation()) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
    if (match(step, m_Zero()))
      return false;
    break;
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FSub:
    if (match(step, m_AnyZeroFP()))
      return false;
    break;
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    break;
  default:
    return false;
  }
  return !mayBeNone(step) && !isTakenBack(rmw, loop);
}

bool isRetry(const AtomicCmpXchgInst &swap, const LoopFacts &facts) {
  const Loop *loop = facts.loops.getLoopFor(swap.getParent());
  SmallVector<BasicBlock *, 4> exiting;
  loop->getExitingBlocks(exiting);
  return isInEachTurn(swap.getParent(), *loop, facts.dominators) && expectsWhatItSaw(swap, *loop) &&
         any_of(exiting, [&](const BasicBlock *block) {
           const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
           return branch && branch->isConditional() &&
                  leavesWith(branch->getCondition(), !loop->contains(branch->getSuccessor(0)),
                             swap);
         });
}

bool isInEachTurn(const BasicBlock *block, const Loop &loop, const DominatorTree &dominators) {
  SmallVector<BasicBlock *, 4> latches;
  loop.getLoopLatches(latches);
  return all_of(latches,
                [&](const BasicBlock *latch) { return dominators.dominates(block, latch); });
}

} // namespace heddle::simt
