// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/shared/shared_branches.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned MostSkipped = 64; ///< instructions that are worth doing for nothing

/// Without what only moves lanes.
unsigned computed(const BasicBlock &block) {
  return count_if(block, [](const Instruction &one) { return !isa<ShuffleVectorInst>(one); });
}

/// A branch on whether any lane of a mask is set.
struct AnyBranch {
  BranchInst *branch;
  Value *mask;
  BasicBlock *some, *join; ///< `some` runs if one is, and goes on to `join`
};

std::optional<AnyBranch> anyBranchOf(BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  CmpPredicate predicate;
  Value *mask;
  if (!branch || branch->isUnconditional() ||
      !match(branch->getCondition(), m_ICmp(predicate, m_BitCast(m_Value(mask)), m_Zero())) ||
      !ICmpInst::isEquality(predicate) || !mask->getType()->isVectorTy() ||
      !mask->getType()->isIntOrIntVectorTy(1))
    return {};
  unsigned some = predicate == ICmpInst::ICMP_NE ? 0 : 1;
  AnyBranch any{branch, mask, branch->getSuccessor(some), branch->getSuccessor(1 - some)};
  if (any.some->getSinglePredecessor() != &block || any.some->getSingleSuccessor() != any.join)
    return {};
  return any;
}

/// Every lane of `value` is off, or of no interest, if all of `mask` are.
bool vanishesWith(Value *value, Value *mask) {
  if (value == mask)
    return true;
  if (auto *constant = dyn_cast<Constant>(value)) {
    for (unsigned i = 0; i < cast<FixedVectorType>(value->getType())->getNumElements(); ++i)
      if (Constant *lane = constant->getAggregateElement(i);
          !lane || !(lane->isNullValue() || isa<UndefValue>(lane)))
        return false;
    return true;
  }
  Value *left, *right;
  if (match(value, m_LogicalAnd(m_Value(left), m_Value(right))))
    return vanishesWith(left, mask) || vanishesWith(right, mask);
  auto *shuffle = dyn_cast<ShuffleVectorInst>(value);
  return shuffle && vanishesWith(shuffle->getOperand(0), mask) &&
         vanishesWith(shuffle->getOperand(1), mask);
}

class Flattener {
public:
  explicit Flattener(ArrayRef<MaskedStore> stores) {
    for (const MaskedStore &store : stores) {
      masks_[store.store] = store.masks;
      variables_.insert(store.store->getPointerOperand());
    }
  }

  bool flatten(BasicBlock &block) const {
    std::optional<AnyBranch> any = anyBranchOf(block);
    if (!any || computed(*any->some) > MostSkipped || any_of(*any->some, [&](Instruction &skipped) {
          return !skipped.isTerminator() && !hasNoEffectWithout(skipped, any->mask);
        }))
      return false;
    Value *isAny = any->branch->getCondition();
    bool isInverted = any->branch->getSuccessor(0) != any->some;
    block.splice(any->branch->getIterator(), any->some, any->some->begin(),
                 any->some->getTerminator()->getIterator());
    IRBuilder<> builder(any->branch);
    for (PHINode &phi : any->join->phis()) {
      Value *some = phi.getIncomingValueForBlock(any->some);
      Value *none = phi.getIncomingValueForBlock(&block);
      phi.setIncomingValueForBlock(
          &block, builder.CreateSelect(isAny, isInverted ? none : some, isInverted ? some : none));
    }
    builder.CreateBr(any->join);
    any->branch->eraseFromParent();
    RecursivelyDeleteTriviallyDeadInstructions(isAny);
    DeleteDeadBlock(any->some);
    MergeBlockIntoPredecessor(any->join);
    return true;
  }

private:
  /// Does nothing but compute if no lane of `mask` is set.
  bool hasNoEffectWithout(const Instruction &instruction, Value *mask) const {
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      return variables_.contains(load->getPointerOperand());
    if (auto masks = masks_.find(&instruction); masks != masks_.end())
      return all_of(masks->second, [&](Value *one) { return vanishesWith(one, mask); });
    return isSafeToSpeculativelyExecute(&instruction);
  }

  DenseMap<const Instruction *, ArrayRef<Value *>> masks_; ///< of stores
  SmallPtrSet<const Value *, 4> variables_;
};

} // namespace

void flattenStores(Function &function, ArrayRef<MaskedStore> stores) {
  if (stores.empty())
    return;
  Flattener flattener(stores);
  for (auto block = function.begin(); block != function.end();)
    if (!flattener.flatten(*block)) // else it ends in the branch that the join ended in
      ++block;
}

} // namespace heddle::simt
