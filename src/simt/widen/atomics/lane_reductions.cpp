// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/atomics/lane_reductions.h"

using namespace llvm;

namespace heddle::simt {

Constant *neutralOperand(AtomicRMWInst::BinOp op, Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  switch (op) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return ConstantInt::get(type, 0);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return Constant::getAllOnesValue(type);
  case AtomicRMWInst::Max:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case AtomicRMWInst::Min:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  case AtomicRMWInst::FAdd:
    return ConstantFP::getNegativeZero(type);
  default:
    return nullptr;
  }
}

Value *reduceLanes(IRBuilder<> &builder, AtomicRMWInst::BinOp op, Value *lanes) {
  switch (op) {
  case AtomicRMWInst::Add:
    return builder.CreateAddReduce(lanes);
  case AtomicRMWInst::Or:
    return builder.CreateOrReduce(lanes);
  case AtomicRMWInst::Xor:
    return builder.CreateXorReduce(lanes);
  case AtomicRMWInst::And:
    return builder.CreateAndReduce(lanes);
  case AtomicRMWInst::UMax:
    return builder.CreateIntMaxReduce(lanes, false);
  case AtomicRMWInst::UMin:
    return builder.CreateIntMinReduce(lanes, false);
  case AtomicRMWInst::Max:
    return builder.CreateIntMaxReduce(lanes, true);
  case AtomicRMWInst::Min:
    return builder.CreateIntMinReduce(lanes, true);
  default: { // FAdd: the order among the lanes is free
    auto *sum = cast<Instruction>(builder.CreateFAddReduce(
        ConstantFP::getNegativeZero(lanes->getType()->getScalarType()), lanes));
    sum->setHasAllowReassoc(true);
    return sum;
  }
  }
}

Value *sumOfLanes(IRBuilder<> &builder, Value *lanes) {
  bool isFloat = lanes->getType()->isFPOrFPVectorTy();
  return reduceLanes(builder, isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add, lanes);
}

Value *sumBelow(IRBuilder<> &builder, Value *lanes) {
  auto *type = cast<FixedVectorType>(lanes->getType());
  unsigned width = type->getNumElements();
  Value *zero = Constant::getNullValue(type), *sum = lanes;
  auto shiftUp = [&](Value *value, unsigned by) {
    SmallVector<int, 32> picks;
    for (unsigned lane = 0; lane < width; ++lane)
      picks.push_back(lane < by ? width : lane - by);
    return builder.CreateShuffleVector(value, zero, picks);
  };
  for (unsigned by = 1; by < width; by *= 2)
    sum = builder.CreateAdd(sum, shiftUp(sum, by));
  return shiftUp(sum, 1);
}

} // namespace heddle::simt
