// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/exact_terms.h"

#include "simt/analysis/overflow.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

/// All that varies with the thread's index is a term that can be extended by itself.
bool ExactTerms::isAllExact(Value &value, Sign sign, unsigned depth) {
  if (sums_.tables().of(&value) || !sums_.goesRegularly(value))
    return true;
  if (Counter counter = sums_.counterOf(value))
    return isExact(*counter.next, sign, &sums_.tables()) && depth > 0 &&
           isAllExact(*counter.start, sign, depth - 1);
  if (auto *choice = dyn_cast<SelectInst>(&value); choice && sums_.isChoiceOfRows(*choice))
    return depth > 0 && isAllExact(*choice->getTrueValue(), sign, depth - 1) &&
           isAllExact(*choice->getFalseValue(), sign, depth - 1);
  auto *sum = dyn_cast<BinaryOperator>(&value);
  unsigned opcode = sum && depth > 0 ? sumOpcode(*sum) : 0;
  if (!opcode || opcode == Instruction::Mul) // of whatever the product is
    return !opcode || !isa<Constant>(sum->getOperand(1)) || isExact(*sum, sign, &sums_.tables());
  return isExact(*sum, sign, &sums_.tables()) && all_of(sum->operands(), [&](Value *operand) {
           return isAllExact(*operand, sign, depth - 1);
         });
}

/// Of two that vary: how it goes over the threads does not follow from theirs.
static bool isProduct(const BinaryOperator &sum) {
  return (sum.getOpcode() == Instruction::Mul || sum.getOpcode() == Instruction::Shl) &&
         !isa<Constant>(sum.getOperand(1));
}

void ExactTerms::extend(CastInst &extension, bool all) {
  if (auto *phi = dyn_cast<PHINode>(extension.getOperand(0)))
    return extendCounter(extension, *phi, all);
  if (auto *choice = dyn_cast<SelectInst>(extension.getOperand(0)))
    return extendChoice(extension, *choice);
  auto *sum = dyn_cast<BinaryOperator>(extension.getOperand(0));
  if (!sum)
    return;
  bool isSigned = isa<SExtInst>(extension);
  Sign sign = isSigned ? Sign::Signed : Sign::Unsigned;
  if (!isSigned && extension.hasNonNeg() && isExact(*sum, Sign::Signed, &sums_.tables()))
    sign = Sign::Signed; // it makes no difference, and comparisons mostly read so
  if (isProduct(*sum) || !isExact(*sum, sign, &sums_.tables()) || !sums_.goesRegularly(*sum) ||
      (all && !isAllExact(*sum, sign, DeepestSum)))
    return;
  Value *wide = extended(*sum, *extension.getType(), sign, DeepestSum);
  wide->takeName(&extension);
  extension.replaceAllUsesWith(wide);
  dead_.push_back(&extension);
}

/// The extension of what is chosen is a choice between extensions, whatever they are of.
void ExactTerms::extendChoice(CastInst &extension, SelectInst &choice) {
  bool isSigned = isa<SExtInst>(extension) || extension.hasNonNeg(); // then it makes no difference
  Sign sign = isSigned ? Sign::Signed : Sign::Unsigned;
  if (!sums_.goesRegularly(choice) || !sums_.isChoiceOfRows(choice) ||
      !isAllExact(choice, sign, DeepestSum))
    return;
  extension.replaceAllUsesWith(extended(choice, *extension.getType(), sign, DeepestSum));
  dead_.push_back(&extension);
}

void ExactTerms::extendCounter(CastInst &extension, PHINode &phi, bool all) {
  Sign sign = isa<SExtInst>(extension) ? Sign::Signed : Sign::Unsigned;
  if (all && !isAllExact(phi, sign, DeepestSum))
    return;
  if (Value *wide = extendedCounter(phi, *extension.getType(), sign, DeepestSum)) {
    extension.replaceAllUsesWith(wide);
    dead_.push_back(&extension);
  }
}

/// A counter of its own. Null if the value is none that counts exactly from a thread's number on.
Value *ExactTerms::extendedCounter(PHINode &phi, Type &type, Sign sign, unsigned depth) {
  Counter counter = sums_.counterOf(phi);
  if (!counter || !isExact(*counter.next, sign, &sums_.tables()) ||
      !sums_.goesRegularly(*counter.start))
    return nullptr;
  PHINode *wide = IRBuilder<>(&phi).CreatePHI(&type, 2);
  extended_[{&phi, &type, unsigned(sign)}] = wide;
  Value *start = extended(*counter.start, type, sign, depth - 1);
  Value *next = extendedSum(*counter.next, type, sign, depth - 1);
  for (unsigned i : {0u, 1u})
    wide->addIncoming(i == counter.fromStart ? start : next, phi.getIncomingBlock(i));
  return wide;
}

/// The value's extension, of its terms where that is the same.
Value *ExactTerms::extended(Value &value, Type &type, Sign sign, unsigned depth) {
  if (auto *constant = dyn_cast<ConstantInt>(&value)) {
    const APInt &number = constant->getValue();
    unsigned bits = type.getIntegerBitWidth();
    return ConstantInt::get(&type, sign == Sign::Signed ? number.sext(bits) : number.zext(bits));
  }
  Value *&known = extended_[{&value, &type, unsigned(sign)}];
  if (known)
    return known;
  Value *result = nullptr;
  auto *sum = dyn_cast<BinaryOperator>(&value);
  auto *phi = dyn_cast<PHINode>(&value);
  auto *choice = dyn_cast<SelectInst>(&value);
  if (sum && depth > 0 && !isProduct(*sum) && isExact(*sum, sign, &sums_.tables()) &&
      sums_.goesRegularly(*sum))
    result = extendedSum(*sum, type, sign, depth);
  else if (phi && depth > 0)
    result = extendedCounter(*phi, type, sign, depth);
  else if (choice && depth > 0 && sums_.goesRegularly(*choice) && sums_.isChoiceOfRows(*choice))
    result = extendedChoice(*choice, type, sign, depth);
  if (!result)
    result = plainExtension(value, type, sign);
  return extended_[{&value, &type, unsigned(sign)}] = result;
}

Value *ExactTerms::extendedChoice(SelectInst &choice, Type &type, Sign sign, unsigned depth) {
  Value *ifTrue = extended(*choice.getTrueValue(), type, sign, depth - 1);
  Value *ifFalse = extended(*choice.getFalseValue(), type, sign, depth - 1);
  return IRBuilder<>(&choice).CreateSelect(choice.getCondition(), ifTrue, ifFalse);
}

Value *ExactTerms::extendedSum(BinaryOperator &sum, Type &type, Sign sign, unsigned depth) {
  unsigned opcode = sumOpcode(sum);
  Value *first = extended(*sum.getOperand(0), type, sign, depth - 1);
  Sign ofSecond = opcode == Instruction::Shl ? Sign::Unsigned : sign;
  Value *second = extended(*sum.getOperand(1), type, ofSecond, depth - 1);
  IRBuilder<> builder(&sum);
  Value *wide = builder.CreateBinOp(Instruction::BinaryOps(opcode), first, second);
  if (auto *operation = dyn_cast<BinaryOperator>(wide)) // in twice the bits nothing wraps
    if (type.getIntegerBitWidth() >= 2 * sum.getType()->getIntegerBitWidth()) {
      operation->setHasNoSignedWrap();
      operation->setHasNoUnsignedWrap(sign == Sign::Unsigned);
    }
  return wide;
}

Value *ExactTerms::plainExtension(Value &value, Type &type, Sign sign) {
  if (auto *cast = dyn_cast<CastInst>(&value)) // of an extension
    if (isa<ZExtInst>(cast) || (isa<SExtInst>(cast) && sign == Sign::Signed))
      return IRBuilder<>(cast).CreateCast(cast->getOpcode(), cast->getOperand(0), &type);
  IRBuilder<> builder(thread_.getContext());
  auto *instruction = dyn_cast<Instruction>(&value);
  if (instruction)
    builder.SetInsertPoint(*instruction->getInsertionPointAfterDef());
  else
    builder.SetInsertPoint(&*thread_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  bool isPositive =
      sign == Sign::Signed && computeConstantRange(&value, /*ForSigned=*/true).isAllNonNegative();
  return sign == Sign::Signed && !isPositive ? builder.CreateSExt(&value, &type)
                                             : builder.CreateZExt(&value, &type, "", isPositive);
}

} // namespace heddle::simt
