// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether any lane of a mask is set, or all are.
//
// LLVM asks this by a comparison of one large integer, and makes that integer as if it were needed:
// without mask registers the compared registers of a mask of 128 lanes are packed to bytes, their
// signs taken as numbers, and these shifted together. But the registers can be joined as they are,
// and one of them tested:
//
//     %m = shufflevector %a, %b                        %o = or %a, %b
//     %i = bitcast <16 x i1> %m to i16          ->     %t = vector.reduce.or(<8 x i1> %o)
//     %t = icmp ne i16 %i, 0
//
// Legality (reduce-masks): none: the same lanes are asked the same.
#include "jit/vector/reduce_masks.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::jit {

namespace {

/// Lanes that one instruction tests everywhere.
constexpr unsigned FewLanes = 8;

/// The vectors that a mask has been put together from, by their type.
using Parts = MapVector<Type *, SmallVector<Value *, 16>>;

void collect(Value *mask, Parts &parts) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(mask);
  if (shuffle && shuffle->isConcat())
    for (Value *half : shuffle->operands())
      collect(half, parts);
  else
    parts[mask->getType()].push_back(mask);
}

/// Joined pairwise, so that no long chain arises.
Value *joined(IRBuilder<> &builder, MutableArrayRef<Value *> values, bool any) {
  if (values.size() == 1)
    return values[0];
  size_t half = values.size() / 2;
  Value *left = joined(builder, values.take_front(half), any);
  Value *right = joined(builder, values.drop_front(half), any);
  return any ? builder.CreateOr(left, right) : builder.CreateAnd(left, right);
}

bool replaceTest(ICmpInst &test) {
  Value *mask = nullptr;
  bool isOneTest = test.isEquality() && test.getOperand(0)->getType()->isIntegerTy();
  if (!isOneTest || !match(test.getOperand(0), m_BitCast(m_Value(mask))))
    return false;
  auto *type = dyn_cast<FixedVectorType>(mask->getType());
  bool any = match(test.getOperand(1), m_Zero()), all = match(test.getOperand(1), m_AllOnes());
  if (!type || !type->getElementType()->isIntegerTy(1) || type->getNumElements() <= FewLanes ||
      (!any && !all))
    return false;
  Parts parts;
  collect(mask, parts);
  IRBuilder<> builder(&test);
  Value *result = nullptr;
  for (auto &[partType, values] : parts) {
    Value *one = joined(builder, values, any);
    one = any ? builder.CreateOrReduce(one) : builder.CreateAndReduce(one);
    result = !result ? one : any ? builder.CreateOr(result, one) : builder.CreateAnd(result, one);
  }
  bool isNegated = any == (test.getPredicate() == CmpInst::ICMP_EQ);
  test.replaceAllUsesWith(isNegated ? builder.CreateNot(result) : result);
  test.eraseFromParent();
  return true;
}

} // namespace

PreservedAnalyses ReduceMasks::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function)))
    if (auto *test = dyn_cast<ICmpInst>(&instruction))
      changed |= replaceTest(*test);
  return simt::changedInBlocks(changed);
}

} // namespace heddle::jit
