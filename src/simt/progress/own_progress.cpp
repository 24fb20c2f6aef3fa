// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose end depends on what others may write, and which yet wait for nobody: they come to
// their end by themselves.
#include "simt/progress/own_progress.h"

#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// Who comes to the block from there leaves the loop at its end: `done` is a phi that says so.
bool leavesAfter(const BasicBlock *from, const BasicBlock *block, const Loop &loop) {
  const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
  const auto *done =
      branch && branch->isConditional() ? dyn_cast<PHINode>(branch->getCondition()) : nullptr;
  if (!done || done->getParent() != block)
    return false;
  const auto *known = dyn_cast<ConstantInt>(done->getIncomingValueForBlock(from));
  return known && !loop.contains(branch->getSuccessor(known->isZero()));
}

class AddressWalk {
public:
  AddressWalk(const Instruction &access, const Loop &loop) : loop_(loop) {
    loop.getLoopLatches(latches_);
    findBlocksAfter(access.getParent());
  }

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

  /// What a turn runs after the access.
  void findBlocksAfter(const BasicBlock *block) {
    SmallVector<const BasicBlock *, 8> work = {block};
    while (!work.empty()) {
      const BasicBlock *next = work.pop_back_val();
      if (loop_.contains(next) && after_.insert(next).second && !is_contained(latches_, next))
        append_range(work, successors(next));
    }
  }

  /// How the variable goes into the next turn. In turns without the access it may stay.
  Walk stepOf(const PHINode &variable, const Value *next) const {
    using Step = PointerIntPair<const Value *, 1, bool>; // and whether the turn had the access
    SmallPtrSet<void *, 8> seen;
    SmallVector<Step, 8> work = {{next, true}};
    Walk walk = Walk::MovesOn;
    while (!work.empty()) {
      const Step step = work.pop_back_val();
      const Value *value = step.getPointer();
      if (value == &variable && !step.getInt())
        continue;
      if (value == &variable || loop_.isLoopInvariant(value)) // the same from the second turn on
        return Walk::MayStay;
      if (!seen.insert(step.getOpaqueValue()).second)
        continue;
      const auto *instruction = cast<Instruction>(value);
      const auto *phi = dyn_cast<PHINode>(instruction);
      if (phi && phi->getParent() != loop_.getHeader()) {
        for (const auto &[block, input] : zip(phi->blocks(), phi->incoming_values()))
          if (!leavesAfter(block, phi->getParent(), loop_))
            work.push_back({input, step.getInt() && after_.contains(block)});
      } else if (const auto *select = dyn_cast<SelectInst>(instruction)) {
        work.push_back({select->getTrueValue(), step.getInt()});
        work.push_back({select->getFalseValue(), step.getInt()});
      } else if (isa<CastInst>(instruction) &&
                 !instruction->getOperand(0)->getType()->isIntegerTy(1)) {
        work.push_back({instruction->getOperand(0), step.getInt()});
      } else if (isa<GetElementPtrInst>(instruction) || match(value, m_Add(m_Value(), m_Value())) ||
                 match(value, m_Sub(m_Value(), m_Value()))) {
        // By a step that may be 0, unless it is the same in all turns.
        if (count_if(instruction->operands(),
                     [&](const Value *operand) { return !loop_.isLoopInvariant(operand); }) > 1)
          return Walk::MayStay;
      } else if (!isFound(*instruction)) { // what memory says is the next
        walk = Walk::InCircle;
      }
    }
    return walk;
  }

  static bool isFound(const Instruction &value) {
    return isa<LoadInst, AtomicRMWInst>(value) ||
           (isa<ExtractValueInst>(value) && isa<AtomicCmpXchgInst>(value.getOperand(0)));
  }

  const Loop &loop_;
  SmallVector<BasicBlock *, 4> latches_;
  SmallPtrSet<const BasicBlock *, 8> after_;
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

/// What the atomic operation finds.
bool isFoundBy(const Value *value, const Instruction &atomic) {
  return value == &atomic || match(value, m_ExtractValue<0>(m_Specific(&atomic)));
}

/// Without the phis at the ends of inner loops.
const Value *throughEnds(const Value *value) {
  const auto *phi = dyn_cast<PHINode>(value);
  return phi && phi->getNumIncomingValues() == 1 ? throughEnds(phi->getIncomingValue(0)) : value;
}

/// The turn has loaded this value from where the operation is: `while (p[i] != i) i = p[i];` ends
/// where i is in p[i].
bool isLoadedThere(const Value *expected, const AtomicRMWInst &rmw, const LoopFacts &facts) {
  const Value *value = throughEnds(expected), *place = throughEnds(rmw.getPointerOperand());
  const Loop &loop = *facts.loops.getLoopFor(rmw.getParent());
  auto isLoad = [&](const Value *other) {
    const auto *load = dyn_cast<LoadInst>(other);
    return load && load->getPointerOperand() == place && loop.contains(load);
  };
  auto isDecided = [&](const User *user) {
    const auto *branch = dyn_cast<BranchInst>(user);
    return branch && branch->isConditional() &&
           facts.dominators.dominates({branch->getParent(), branch->getSuccessor(0)},
                                      rmw.getParent());
  };
  return isLoad(value) || any_of(value->users(), [&](const User *user) {
           const auto *compare = dyn_cast<ICmpInst>(user);
           return compare && compare->getPredicate() == ICmpInst::ICMP_EQ &&
                  (isLoad(compare->getOperand(0)) || isLoad(compare->getOperand(1))) &&
                  any_of(compare->users(), isDecided);
         });
}

/// An atomic operation that finds what its thread has seen there: nobody has come in between.
class Undisturbed {
public:
  Undisturbed(const Instruction &atomic, const LoopFacts &facts) : atomic_(atomic), facts_(facts) {}

  /// Then `condition` has the value `holds`.
  bool gives(const Value *condition, bool holds) const {
    const Value *left = nullptr, *right = nullptr;
    if (match(condition, m_Not(m_Value(left))))
      return gives(left, !holds);
    if (holds ? match(condition, m_LogicalOr(m_Value(left), m_Value(right)))
              : match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
      return gives(left, holds) || gives(right, holds);
    if (match(condition, m_ExtractValue<1>(m_Specific(&atomic_))))
      return holds;
    if (const auto *phi = dyn_cast<PHINode>(condition))
      return isGivenBy(*phi, holds);
    const auto *compare = dyn_cast<ICmpInst>(condition);
    return compare && compare->isEquality() &&
           (compare->getPredicate() == ICmpInst::ICMP_EQ) == holds &&
           ((isFoundBy(compare->getOperand(0), atomic_) && isExpected(compare->getOperand(1))) ||
            (isFoundBy(compare->getOperand(1), atomic_) && isExpected(compare->getOperand(0))));
  }

private:
  /// Where arms of a turn join that have operations of their own.
  bool isGivenBy(const PHINode &phi, bool holds) const {
    bool isOfAtomic = false;
    for (const auto &[block, value] : zip(phi.blocks(), phi.incoming_values()))
      if (facts_.dominators.dominates(atomic_.getParent(), block)) {
        isOfAtomic = true;
        if (!gives(value, holds))
          return false;
      }
    return isOfAtomic;
  }

  bool isExpected(const Value *value) const {
    if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&atomic_))
      return value == swap->getCompareOperand();
    return isLoadedThere(value, cast<AtomicRMWInst>(atomic_), facts_);
  }

  const Instruction &atomic_;
  const LoopFacts &facts_;
};

/// If it fails, another thread has got on.
bool leavesUndisturbed(const Instruction &atomic, const Loop &loop, const LoopFacts &facts) {
  const auto *swap = dyn_cast<AtomicCmpXchgInst>(&atomic);
  if (!(swap ? expectsWhatItSaw(*swap, loop) : isa<AtomicRMWInst>(atomic)))
    return false;
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  Undisturbed undisturbed(atomic, facts);
  return any_of(exiting, [&](const BasicBlock *block) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional() &&
           undisturbed.gives(branch->getCondition(), !loop.contains(branch->getSuccessor(0)));
  });
}

/// A way round the loop meets none of the blocks.
bool goesRoundWithout(const SmallPtrSetImpl<const BasicBlock *> &blocks, const Loop &loop) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const BasicBlock *, 16> work = {loop.getHeader()};
  while (!work.empty()) {
    const BasicBlock *block = work.pop_back_val();
    if (blocks.contains(block) || !loop.contains(block) || !seen.insert(block).second)
      continue;
    if (is_contained(successors(block), loop.getHeader()))
      return true;
    for (const BasicBlock *next : successors(block))
      if (!leavesAfter(block, next, loop))
        work.push_back(next);
  }
  return false;
}

} // namespace

Walk walkOf(const Instruction &access, const Value *address, const Loop &loop) {
  return AddressWalk(access, loop).of(address);
}

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

bool isRetry(const Instruction &atomic, const LoopFacts &facts) {
  const Loop &loop = *facts.loops.getLoopFor(atomic.getParent());
  if (!leavesUndisturbed(atomic, loop, facts))
    return false;
  SmallPtrSet<const BasicBlock *, 4> retries;
  for (const BasicBlock *block : loop.blocks())
    if (any_of(*block,
               [&](const Instruction &other) { return leavesUndisturbed(other, loop, facts); }))
      retries.insert(block);
  return !goesRoundWithout(retries, loop);
}

bool isInEachTurn(const BasicBlock *block, const Loop &loop, const DominatorTree &dominators) {
  SmallVector<BasicBlock *, 4> latches;
  loop.getLoopLatches(latches);
  return all_of(latches,
                [&](const BasicBlock *latch) { return dominators.dominates(block, latch); });
}

} // namespace heddle::simt
