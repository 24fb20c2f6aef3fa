// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: narrow_mask_tests.h.
//
// Legality (narrow-mask-tests):
//  1. The lanes that are looked at are copies of the shorter mask's, and no lane is left open.
//     [copies]
//  2. Each of its lanes is copied. [all lanes]
//  3. The question is whether none or all are active, and has one answer. [one answer]
#include "jit/vector/narrow_mask_tests.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

/// What the lanes of `vector` are copies of, if they are copies of all its lanes and nothing else.
Value *originalOf(Value *vector) {
  auto *shuffle = dyn_cast<ShuffleVectorInst>(vector);
  if (!shuffle)
    return nullptr;
  int count = int(cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements());
  BitVector copied(count);
  for (int lane : shuffle->getShuffleMask()) {
    if (lane < 0 || lane >= count)
      return nullptr;
    copied.set(lane);
  }
  return copied.all() ? shuffle->getOperand(0) : nullptr;
}

/// Whether any lane of `mask` is active, or all are: one answer, not one for each warp.
bool isTest(Instruction &instruction, Value *&mask, Constant *&bits) {
  CmpPredicate predicate;
  return instruction.getType()->isIntegerTy(1) &&
         match(&instruction, m_ICmp(predicate, m_BitCast(m_Value(mask)), m_Constant(bits))) &&
         ICmpInst::isEquality(predicate) && mask->getType()->isVectorTy() &&
         mask->getType()->getScalarType()->isIntegerTy(1) &&
         (bits->isNullValue() || bits->isAllOnesValue());
}

bool narrow(ICmpInst &test, Value *mask, bool isAll) {
  Value *original = originalOf(mask);
  while (Value *earlier = original ? originalOf(original) : nullptr)
    original = earlier;
  if (!original)
    return false;
  IRBuilder<> builder(&test);
  Type *type = builder.getIntNTy(cast<FixedVectorType>(original->getType())->getNumElements());
  test.replaceAllUsesWith(
      builder.CreateICmp(test.getPredicate(), builder.CreateBitCast(original, type),
                         isAll ? Constant::getAllOnesValue(type) : Constant::getNullValue(type)));
  RecursivelyDeleteTriviallyDeadInstructions(&test);
  return true;
}

} // namespace

PreservedAnalyses NarrowMaskTests::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<std::tuple<ICmpInst *, Value *, bool>, 8> tests;
  Value *mask;
  Constant *bits;
  for (Instruction &instruction : instructions(function))
    if (isTest(instruction, mask, bits))
      tests.push_back({cast<ICmpInst>(&instruction), mask, bits->isAllOnesValue()});
  bool isChanged = false;
  for (auto [test, mask, isAll] : tests)
    isChanged |= narrow(*test, mask, isAll);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
