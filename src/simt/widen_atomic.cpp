// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of warp programs.
//
// In general a read-modify-write runs once for each active lane, in lane order. Two cases are
// better:
//
//  - On shared memory it needs no bus lock, nor a compare-and-swap loop for floats: one core runs
//  all warps of a block
//    in turn, so nobody else can come between its load and its store.
//  - On one address for all lanes the warp combines its operands first and does one
//  read-modify-write. If the old values are
//    used (a ticket counter), lane l gets the old value plus the operands of the lanes below it.
//
//     atomicrmw add ptr %uniform, i32 %x   ->  %s = reduce.add(select(mask, %x, 0));  atomicrmw add
//     ptr %uniform, i32 %s
#include "simt/widener.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

/// Certainly in the block's shared memory.
bool Widener::isShared(Value *pointer) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects,
                [&](const Value *object) { return object == thread_.getArg(ParamShared); });
}

namespace {

/// The operand that changes nothing, or null where lanes cannot be combined.
Constant *neutral(AtomicRMWInst::BinOp op, Type *type) {
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

Value *reduce(IRBuilder<> &builder, AtomicRMWInst::BinOp op, Value *lanes) {
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

/// Lane l: the sum of the lanes below l.
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

} // namespace

/// One read-modify-write for the warp. Null if the operation or the use of its result does not
/// allow it.
Value *Widener::emitCombinedAtomic(AtomicRMWInst &rmw) {
  AtomicRMWInst::BinOp op = rmw.getOperation();
  Constant *identity = neutral(op, rmw.getType());
  bool used = !rmw.use_empty();
  if (width_ == 1 || !identity || !shapes_.isUniform(rmw.getPointerOperand()) ||
      (used && op != AtomicRMWInst::Add))
    return nullptr;
  Value *operands = builder_.CreateSelect(mask_, vector(rmw.getValOperand()), splat(identity));
  Value *total = reduce(builder_, op, operands);
  AtomicRMWInst *one =
      builder_.CreateAtomicRMW(op, scalar(rmw.getPointerOperand()), total, rmw.getAlign(),
                               rmw.getOrdering(), rmw.getSyncScopeID());
  one->setVolatile(rmw.isVolatile());
  Value *result = used ? builder_.CreateAdd(splat(one), sumBelow(builder_, operands)) : splat(one);
  if (isShared(rmw.getPointerOperand()))
    lowerAtomicRMWInst(one);
  return result;
}

Error Widener::emitAtomic(Instruction &instruction) {
  auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
  if (Value *combined = rmw ? emitCombinedAtomic(*rmw) : nullptr) {
    define(instruction, combined);
    return Error::success();
  }
  bool shared = isShared(rmw ? rmw->getPointerOperand()
                             : cast<AtomicCmpXchgInst>(instruction).getPointerOperand());
  SmallVector<Value *, 3> operands;
  for (Value *operand : instruction.operands())
    operands.push_back(laneOperand(operand));
  bool used = !instruction.use_empty();
  Value *result =
      forEachLane(used ? vectorType(instruction.getType()) : nullptr, [&](Value *lane) -> Value * {
        auto *copy = instruction.clone();
        for (auto [i, operand] : enumerate(operands))
          copy->setOperand(i, extractLane(operand, lane));
        builder_.Insert(copy);
        if (!shared)
          return copy;
        // The plain form replaces the copy; a marker after it keeps its result findable.
        auto *marker = cast<FreezeInst>(builder_.CreateFreeze(copy));
        if (auto *one = dyn_cast<AtomicRMWInst>(copy))
          lowerAtomicRMWInst(one);
        else
          lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(copy));
        return marker;
      });
  define(instruction, result);
  return Error::success();
}

} // namespace heddle::simt
