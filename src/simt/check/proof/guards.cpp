// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/proof/guards.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// The same of what the left side is made of, if that is a sum with a number that does not overflow.
void addSummand(const Guard &guard, GuardList &guards) {
  auto *sum = dyn_cast<BinaryOperator>(guard.value);
  const APInt *number;
  if (!sum || !match(sum, m_Add(m_Value(), m_APInt(number))) || !number->isSignedIntN(32))
    return;
  Value *value = sum->getOperand(0);
  bool isNegative = number->isNegative() && !number->isMinSignedValue();
  bool isExact =
      sum->hasNoSignedWrap() || (isNegative && isKnownNonNegative(value, sum->getDataLayout()));
  if (isExact)
    guards.push_back({value, guard.added + number->getSExtValue(), guard.predicate, guard.bound});
}

void addComparison(const ICmpInst &compare, bool holds, GuardList &guards) {
  if (!compare.getOperand(0)->getType()->isIntegerTy())
    return;
  auto predicate = holds ? compare.getPredicate() : compare.getInversePredicate();
  if (compare.hasSameSign())
    predicate = ICmpInst::getSignedPredicate(predicate);
  Value *left = compare.getOperand(0), *right = compare.getOperand(1);
  for (const Guard &guard : {Guard{left, 0, predicate, right},
                             Guard{right, 0, CmpInst::getSwappedPredicate(predicate), left}}) {
    if (isa<Constant>(guard.value))
      continue;
    guards.push_back(guard);
    addSummand(guard, guards);
  }
}

void addCondition(Value *condition, bool holds, GuardList &guards, unsigned depth = 6) {
  Value *first, *second;
  if (auto *compare = dyn_cast<ICmpInst>(condition))
    return addComparison(*compare, holds, guards);
  if (depth == 0)
    return;
  bool areBoth = holds ? match(condition, m_LogicalAnd(m_Value(first), m_Value(second)))
                       : match(condition, m_LogicalOr(m_Value(first), m_Value(second)));
  if (areBoth) {
    addCondition(first, holds, guards, depth - 1);
    addCondition(second, holds, guards, depth - 1);
  } else if (match(condition, m_Not(m_Value(first)))) {
    addCondition(first, !holds, guards, depth - 1);
  }
}

} // namespace

GuardList Guards::onEdge(const BasicBlock *from, const BasicBlock *to) const {
  GuardList guards;
  const auto *branch = dyn_cast<BranchInst>(from->getTerminator());
  if (branch && branch->isConditional() && branch->getSuccessor(0) != branch->getSuccessor(1))
    addCondition(branch->getCondition(), branch->getSuccessor(0) == to, guards);
  return guards;
}

const GuardList &Guards::at(const BasicBlock *block) {
  if (auto known = known_.find(block); known != known_.end())
    return known->second;
  GuardList guards;
  const auto *node = dominators_.getNode(block);
  const auto *above = node ? node->getIDom() : nullptr;
  if (above) {
    if (const BasicBlock *before = block->getSinglePredecessor())
      guards = onEdge(before, block);
    append_range(guards, at(above->getBlock()));
  }
  return known_[block] = std::move(guards);
}

} // namespace heddle::simt
