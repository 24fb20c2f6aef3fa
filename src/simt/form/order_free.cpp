// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/form/order_free.h"

#include "llvm/Analysis/VectorUtils.h"

namespace heddle::simt {

using namespace llvm;

bool isOrderFree(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    switch (call->getIntrinsicID()) {
    case Intrinsic::maxnum:
    case Intrinsic::minnum:
    case Intrinsic::maximumnum:
    case Intrinsic::minimumnum:
      return call->hasNoSignedZeros();
    default:
      return isa<MinMaxIntrinsic>(call);
    }
  return isa<BinaryOperator>(instruction) && instruction.isAssociative() &&
         instruction.isCommutative();
}

bool isOrderFreeProduct(const Instruction &instruction) {
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call &&
         (call->getIntrinsicID() == Intrinsic::fma ||
          call->getIntrinsicID() == Intrinsic::fmuladd) &&
         call->hasAllowReassoc() && call->hasNoSignedZeros();
}

bool isOrderFreeSubtraction(const Instruction &instruction) {
  return instruction.getOpcode() == Instruction::Sub ||
         (instruction.getOpcode() == Instruction::FSub && instruction.hasAllowReassoc() &&
          instruction.hasNoSignedZeros());
}

Operation::Operation(const Instruction &sample) : type_(sample.getType()->getScalarType()) {
  if (isa<FPMathOperator>(sample))
    flags_ = sample.getFastMathFlags();
  if (isOrderFreeProduct(sample) || isOrderFreeSubtraction(sample))
    opcode_ = type_->isFloatingPointTy() ? Instruction::FAdd : Instruction::Add;
  else if (const auto *call = dyn_cast<IntrinsicInst>(&sample))
    intrinsic_ = call->getIntrinsicID();
  else
    opcode_ = sample.getOpcode();
}

bool Operation::is(const Instruction &instruction) const {
  if (!isOrderFree(instruction) || instruction.getType()->getScalarType() != type_)
    return false;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call ? call->getIntrinsicID() == intrinsic_ : instruction.getOpcode() == opcode_;
}

bool Operation::isIdempotent() const {
  return opcode_ == 0 || opcode_ == Instruction::And || opcode_ == Instruction::Or;
}

Constant *Operation::neutral() const {
  return opcode_ == 0 ? nullptr
                      : ConstantExpr::getBinOpIdentity(opcode_, type_, /*AllowRHSConstant=*/false,
                                                       flags_.noSignedZeros());
}

bool Operation::isAddition() const {
  return opcode_ == Instruction::Add || opcode_ == Instruction::FAdd;
}

bool Operation::isNeutralToZero() const {
  Constant *number = neutral();
  return number && number->isNullValue();
}

Value *Operation::apply(IRBuilderBase &builder, Value *left, Value *right) const {
  Value *value = opcode_ ? builder.CreateBinOp(Instruction::BinaryOps(opcode_), left, right)
                         : builder.CreateBinaryIntrinsic(intrinsic_, left, right);
  if (auto *made = dyn_cast<Instruction>(value); made && isa<FPMathOperator>(made))
    made->setFastMathFlags(flags_);
  return value;
}

Value *Operation::acrossLanes(IRBuilderBase &builder, Value *vector) const {
  for (unsigned lanes = cast<FixedVectorType>(vector->getType())->getNumElements(); lanes > 1;
       lanes /= 2) {
    SmallVector<int> low = createSequentialMask(0, lanes / 2, 0),
                     high = createSequentialMask(lanes / 2, lanes / 2, 0);
    vector = apply(builder, builder.CreateShuffleVector(vector, low),
                   builder.CreateShuffleVector(vector, high));
  }
  return builder.CreateExtractElement(vector, uint64_t(0));
}

} // namespace heddle::simt
