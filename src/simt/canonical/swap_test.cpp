// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/swap_test.h"

using namespace llvm;

namespace heddle::simt {

AtomicCmpXchgInst *swapOf(Value *result, unsigned index) {
  auto *extract = dyn_cast<ExtractValueInst>(result);
  if (!extract || extract->getIndices() != ArrayRef<unsigned>{index})
    return nullptr;
  return dyn_cast<AtomicCmpXchgInst>(extract->getAggregateOperand());
}

/// A swap has succeeded if it says so or has seen what it expects; a weak one only if it says so.
static AtomicCmpXchgInst *swapThatDecides(Value *condition, bool &isNegated) {
  isNegated = false;
  auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare)
    return swapOf(condition, 1);
  isNegated = compare->getPredicate() == CmpInst::ICMP_NE;
  for (unsigned side : {0, 1})
    if (AtomicCmpXchgInst *swap = swapOf(compare->getOperand(side), 0))
      return compare->isEquality() && !swap->isWeak() &&
                     swap->getCompareOperand() == compare->getOperand(1 - side)
                 ? swap
                 : nullptr;
  return nullptr;
}

SwapTest swapTestOf(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  if (!branch || !branch->isConditional())
    return {};
  bool isNegated;
  AtomicCmpXchgInst *swap = swapThatDecides(branch->getCondition(), isNegated);
  if (!swap || swap->getParent() != &block)
    return {};
  return {swap, branch, branch->getSuccessor(isNegated ? 1 : 0),
          branch->getSuccessor(isNegated ? 0 : 1)};
}

} // namespace heddle::simt
