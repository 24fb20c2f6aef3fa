// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/lane_origins.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

unsigned lanesOf(const Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector ? vector->getNumElements() : 1;
}

bool isLaneIntrinsic(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getType()->isVectorTy() &&
         isTriviallyVectorizable(intrinsic->getIntrinsicID());
}

/// Each element has bytes of its own: a mask of bits has not.
static bool liesInBytes(const Instruction &access) {
  const DataLayout &layout = access.getDataLayout();
  bool isVoid = access.getType()->isVoidTy();
  Type *element = (isVoid ? access.getOperand(0)->getType() : access.getType())->getScalarType();
  return layout.getTypeSizeInBits(element) == layout.getTypeAllocSizeInBits(element);
}

LaneKind laneKind(const Instruction &instruction) {
  bool isVector = instruction.getType()->isVectorTy();
  switch (instruction.getOpcode()) {
  case Instruction::ShuffleVector:
    return LaneKind::Moves;
  case Instruction::InsertElement:
    return isa<ConstantInt>(instruction.getOperand(2)) ? LaneKind::Moves : LaneKind::Opaque;
  case Instruction::Select: {
    const Value *condition = instruction.getOperand(0);
    bool isKnown = condition->getType()->isVectorTy() && isa<Constant>(condition) &&
                   cast<Constant>(condition)->getAggregateElement(0u);
    return !isVector ? LaneKind::Opaque : isKnown ? LaneKind::Moves : LaneKind::Computes;
  }
  case Instruction::BitCast: {
    const Type *from = instruction.getOperand(0)->getType();
    return isVector && from->isVectorTy() && lanesOf(from) == lanesOf(instruction.getType())
               ? LaneKind::Computes
               : LaneKind::Opaque;
  }
  case Instruction::PHI:
    return isVector ? LaneKind::Joins : LaneKind::Opaque;
  case Instruction::Load:
    return isVector && cast<LoadInst>(instruction).isSimple() && liesInBytes(instruction)
               ? LaneKind::Loads
               : LaneKind::Opaque;
  case Instruction::Store:
    return instruction.getOperand(0)->getType()->isVectorTy() &&
                   cast<StoreInst>(instruction).isSimple() && liesInBytes(instruction)
               ? LaneKind::Stores
               : LaneKind::Opaque;
  case Instruction::Call:
    switch (cast<CallInst>(instruction).getIntrinsicID()) {
    case Intrinsic::masked_load:
      return liesInBytes(instruction) ? LaneKind::Loads : LaneKind::Opaque;
    case Intrinsic::masked_store:
      return liesInBytes(instruction) ? LaneKind::Stores : LaneKind::Opaque;
    case Intrinsic::masked_gather:
    case Intrinsic::masked_scatter:
      return LaneKind::Gathers;
    default:
      return isLaneIntrinsic(instruction) ? LaneKind::Computes : LaneKind::Opaque;
    }
  case Instruction::GetElementPtr:
  case Instruction::Freeze:
    return isVector ? LaneKind::Computes : LaneKind::Opaque;
  default:
    return isVector && (instruction.isUnaryOp() || instruction.isBinaryOp() ||
                        instruction.isCast() || isa<CmpInst>(instruction))
               ? LaneKind::Computes
               : LaneKind::Opaque;
  }
}

LaneOrigins::LaneOrigins(Function &function) {
  for (Instruction &instruction : instructions(function))
    needForEffect(instruction);
  while (!pending_.empty())
    needOperands(*pending_.pop_back_val());
}

ArrayRef<Lane> LaneOrigins::of(Value *vector) {
  auto found = origins_.find(vector);
  if (found == origins_.end()) {
    auto traced = std::make_unique<SmallVector<Lane, 0>>(trace(vector));
    found = origins_.try_emplace(vector, std::move(traced)).first;
  }
  return *found->second;
}

/// What is extracted from a vector is a lane of it.
Lane LaneOrigins::ofScalar(Value *scalar) {
  auto *extract = dyn_cast<ExtractElementInst>(scalar);
  auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
  if (!index)
    return isa<PoisonValue>(scalar) ? Lane() : Lane{scalar, 0};
  ArrayRef<Lane> lanes = of(extract->getVectorOperand());
  return index->getValue().ult(lanes.size()) ? lanes[index->getZExtValue()] : Lane();
}

static bool isLaneCast(const BitCastInst &cast) {
  return cast.getSrcTy()->isVectorTy() && laneKind(cast) == LaneKind::Computes;
}

SmallVector<Lane, 0> LaneOrigins::trace(Value *vector) {
  unsigned count = lanesOf(vector->getType());
  SmallVector<Lane, 0> lanes(count);
  if (auto *constant = dyn_cast<Constant>(vector)) {
    for (unsigned lane = 0; lane < count; ++lane)
      if (Constant *element = constant->getAggregateElement(lane)) {
        if (!isa<PoisonValue>(element))
          lanes[lane] = {element, 0};
      } else {
        lanes[lane] = {constant, lane};
      }
    return lanes;
  }
  auto *instruction = dyn_cast<Instruction>(vector);
  if (!instruction || laneKind(*instruction) != LaneKind::Moves) {
    for (unsigned lane = 0; lane < count; ++lane)
      lanes[lane] = {vector, lane};
    if (auto *cast = dyn_cast<BitCastInst>(vector); cast && isLaneCast(*cast))
      for (auto [lane, origin] : enumerate(of(cast->getOperand(0))))
        if (auto *back = dyn_cast_or_null<BitCastInst>(origin.value);
            back && isLaneCast(*back) &&
            back->getSrcTy()->getScalarType() == cast->getDestTy()->getScalarType())
          lanes[lane] = of(back->getOperand(0))[origin.number];
    return lanes;
  }
  if (auto *insert = dyn_cast<InsertElementInst>(instruction)) {
    ArrayRef<Lane> before = of(insert->getOperand(0));
    lanes.assign(before.begin(), before.end());
    uint64_t index = cast<ConstantInt>(insert->getOperand(2))->getZExtValue();
    if (index < count)
      lanes[index] = ofScalar(insert->getOperand(1));
    return lanes;
  }
  if (auto *select = dyn_cast<SelectInst>(instruction)) {
    ArrayRef<Lane> yes = of(select->getTrueValue());
    ArrayRef<Lane> no = of(select->getFalseValue());
    for (unsigned lane = 0; lane < count; ++lane) {
      Constant *bit = cast<Constant>(select->getCondition())->getAggregateElement(lane);
      if (!isa<PoisonValue>(bit))
        lanes[lane] = bit->isOneValue() ? yes[lane] : no[lane];
    }
    return lanes;
  }
  auto *shuffle = cast<ShuffleVectorInst>(instruction);
  ArrayRef<Lane> first = of(shuffle->getOperand(0)), second = of(shuffle->getOperand(1));
  for (auto [lane, pick] : enumerate(shuffle->getShuffleMask()))
    if (pick >= 0)
      lanes[lane] = pick < int(first.size()) ? first[pick] : second[pick - first.size()];
  return lanes;
}

const BitVector &LaneOrigins::needed(Value *vector) {
  BitVector &lanes = needed_[vector];
  lanes.resize(lanesOf(vector->getType()));
  return lanes;
}

void LaneOrigins::need(const Lane &lane) {
  auto *instruction = dyn_cast_or_null<Instruction>(lane.value);
  if (!instruction || !instruction->getType()->isVectorTy())
    return;
  BitVector &lanes = needed_[instruction];
  lanes.resize(lanesOf(instruction->getType()));
  if (lanes.test(lane.number))
    return;
  lanes.set(lane.number);
  if (pending_.empty() || pending_.back() != instruction)
    pending_.push_back(instruction);
}

void LaneOrigins::needAll(Value *operand) {
  if (operand->getType()->isVectorTy())
    for (const Lane &lane : of(operand))
      need(lane);
}

/// What an instruction that has an effect, or gives no vector, needs.
void LaneOrigins::needForEffect(Instruction &instruction) {
  switch (laneKind(instruction)) {
  case LaneKind::Stores:
  case LaneKind::Gathers: {
    if (!instruction.getType()->isVoidTy())
      return;
    BitVector all(lanesOf(instruction.getOperand(0)->getType()), true);
    return needMemory(instruction, all);
  }
  case LaneKind::Opaque: {
    auto *extract = dyn_cast<ExtractElementInst>(&instruction);
    auto *index = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (index) {
      ArrayRef<Lane> lanes = of(extract->getVectorOperand());
      if (index->getValue().ult(lanes.size()))
        need(lanes[index->getZExtValue()]);
      return;
    }
    for (Value *operand : instruction.operands())
      needAll(operand);
    return;
  }
  default:
    return;
  }
}

/// The operands' lanes for an access of these lanes.
void LaneOrigins::needMemory(Instruction &instruction, const BitVector &lanes) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  Value *mask = nullptr;
  if (intrinsic)
    mask = intrinsic->getArgOperand(instruction.getType()->isVoidTy() ? 2 : 1);
  for (unsigned lane : lanes.set_bits()) {
    if (mask) {
      Lane bit = of(mask)[lane];
      need(bit);
      auto *constant = dyn_cast_or_null<Constant>(bit.value);
      if (instruction.getType()->isVoidTy() && constant && constant->isNullValue())
        continue;
    }
    for (Value *operand : instruction.operands())
      if (operand->getType()->isVectorTy() && operand != mask)
        need(of(operand)[lane]);
  }
}

void LaneOrigins::needOperands(Instruction &instruction) {
  const BitVector lanes = needed_[&instruction];
  switch (laneKind(instruction)) {
  case LaneKind::Computes:
  case LaneKind::Joins:
    for (Value *operand : instruction.operands())
      if (operand->getType()->isVectorTy()) {
        ArrayRef<Lane> origins = of(operand);
        for (unsigned lane : lanes.set_bits())
          need(origins[lane]);
      }
    return;
  case LaneKind::Loads:
  case LaneKind::Gathers:
    return needMemory(instruction, lanes);
  default:
    return; // what is opaque needs all its operands' lanes anyway
  }
}

} // namespace heddle::simt
