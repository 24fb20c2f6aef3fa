// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of warp programs. A value is kept, and computed, in the lanes that its shape says the
// others follow from: a uniform or affine value is one scalar and a scalar instruction; what
// changes from row to row of a 2D block is a short vector, one element a row; what repeats from row
// to row is a vector of one row; the rest has an element for each lane. Where an instruction needs
// a value in other lanes than these, `at` makes it: a shuffle of what is kept and the addition of
// constants. Later passes share these and move them out of loops.
#include "simt/widen/lanes/lane_values.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

Value *LaneValues::laneNumbers(Type *element, Lanes lanes) {
  if (lanes.count == 1)
    return ConstantInt::get(element, 0);
  SmallVector<Constant *, 32> numbers;
  for (unsigned i = 0; i < lanes.count; ++i)
    numbers.push_back(ConstantInt::get(element, i * lanes.step));
  return ConstantVector::get(numbers);
}

Value *LaneValues::splat(Value *value, unsigned count) {
  if (count == 1)
    return value;
  Type *type = value->getType();
  if (!type->isStructTy() && !type->isArrayTy()) {
    if (auto *constant = dyn_cast<Constant>(value); constant && !isa<ConstantExpr>(constant))
      return ConstantVector::getSplat(ElementCount::getFixed(count), constant);
    return builder_.CreateVectorSplat(count, value);
  }
  Value *result = PoisonValue::get(e_.vectorType(type, count));
  unsigned members =
      type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < members; ++i)
    result =
        builder_.CreateInsertValue(result, splat(builder_.CreateExtractValue(value, i), count), i);
  return result;
}

/// Elements `picks` of a vector, or of each vector in an aggregate.
Value *LaneValues::pick(Value *value, ArrayRef<int> picks) {
  Type *type = value->getType();
  if (!type->isStructTy() && !type->isArrayTy())
    return builder_.CreateShuffleVector(value, picks);
  return mapMembers(builder_, value, [&](Value *member) { return pick(member, picks); });
}

/// Pointers of all address spaces become plain ones; null and undefined ones are the only constants
/// left of them.
Value *LaneValues::constantFor(Constant *constant, unsigned count) {
  Constant *value = constant;
  if (auto *pointer = dyn_cast<PointerType>(constant->getType());
      pointer && pointer->getAddressSpace() != 0) {
    Type *plain = e_.scalarType(pointer);
    value = isa<PoisonValue>(constant)  ? PoisonValue::get(plain)
            : isa<UndefValue>(constant) ? UndefValue::get(plain)
                                        : ConstantExpr::getAddrSpaceCast(constant, plain);
    if (constant->isNullValue())
      value = Constant::getNullValue(plain);
  }
  return splat(value, count);
}

Value *LaneValues::fetch(Value *value) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, 1);
  if (auto *argument = dyn_cast<Argument>(value))
    return e_.warp.getArg(argument->getArgNo() + (argument->getArgNo() >= ContextParams ? 1 : 0));
  if (Value *here = local_.kept.lookup(value))
    return here;
  AllocaInst *slot = slots_.lookup(value);
  assert(slot && "a value is used before its block in the order");
  Value *loaded = builder_.CreateLoad(slot->getAllocatedType(), slot, value->getName());
  local_.kept[value] = loaded;
  return loaded;
}

Lanes LaneValues::lanesOf(const Value *value) const {
  Shape shape = e_.shapes.of(value);
  return {shape.segment, shape.parts()};
}

Value *LaneValues::at(Value *value, Lanes lanes) {
  if (auto *constant = dyn_cast<Constant>(value))
    return constantFor(constant, lanes.count);
  Value *kept = fetch(value);
  if (e_.width == 1)
    return kept;
  Shape shape = e_.shapes.of(value);
  unsigned parts = shape.parts();
  if (lanes.count == 1)
    return parts == 1 ? kept : arrays_.extractLane(kept, builder_.getInt32(0));
  if (parts == lanes.count && shape.segment == lanes.step)
    return kept;
  Value *&cached = local_.inLanes[{value, keyOf(lanes)}];
  if (cached)
    return cached;
  SmallVector<int, 32> picks;
  SmallVector<int64_t, 32> offsets;
  for (unsigned i = 0; i < lanes.count; ++i) {
    picks.push_back(shape.part(i * lanes.step));
    offsets.push_back(shape.offset(i * lanes.step));
  }
  Value *result = parts == 1 ? splat(kept, lanes.count) : pick(kept, picks);
  if (any_of(offsets, [](int64_t offset) { return offset != 0; }))
    result =
        addOffsets(result, offsets, shape.cannotCarry(value->getType()->getScalarSizeInBits()));
  // The map may have grown meanwhile.
  return local_.inLanes[{value, keyOf(lanes)}] = result;
}

/// A vector of integers or pointers plus a constant in each element, which may not carry.
Value *LaneValues::addOffsets(Value *vector, ArrayRef<int64_t> offsets, bool cannotCarry) {
  Type *element = cast<VectorType>(vector->getType())->getElementType();
  bool pointers = element->isPointerTy();
  Type *type = pointers ? builder_.getInt64Ty() : element;
  unsigned bits = type->getIntegerBitWidth();
  SmallVector<Constant *, 32> constants;
  for (int64_t offset : offsets)
    constants.push_back(ConstantInt::get(type, APInt(bits, offset, true, true)));
  Constant *added = ConstantVector::get(constants);
  return pointers ? builder_.CreateGEP(builder_.getInt8Ty(), vector, added)
                  : builder_.CreateAdd(vector, added, "", cannotCarry, cannotCarry);
}

Value *LaneValues::pointerAt(Value *address, unsigned lane) {
  Shape shape = e_.shapes.of(address);
  Value *kept = fetch(address);
  if (!shape.regular)
    kept = builder_.CreateExtractElement(kept, shape.part(lane));
  return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), kept, shape.offset(lane));
}

Value *LaneValues::scalarInLane(Value *inFirst, Shape shape, Value *lane) {
  if (shape.uniform())
    return inFirst;
  Type *type = inFirst->getType(), *number = type->isPointerTy() ? builder_.getInt64Ty() : type;
  auto times = [&](Value *index, int64_t factor) {
    return builder_.CreateMul(builder_.CreateZExtOrTrunc(index, number),
                              ConstantInt::getSigned(number, factor, /*ImplicitTrunc=*/true));
  };
  Value *offset = nullptr;
  if (shape.segment == e_.width) {
    offset = times(lane, shape.stride);
  } else {
    Value *inPeriod = builder_.CreateAnd(lane, builder_.getInt32(shape.period - 1));
    offset = builder_.CreateAdd(
        times(builder_.CreateAnd(inPeriod, builder_.getInt32(shape.segment - 1)), shape.stride),
        times(builder_.CreateLShr(inPeriod, builder_.getInt32(Log2_32(shape.segment))),
              shape.step));
  }
  return type->isPointerTy() ? builder_.CreateGEP(builder_.getInt8Ty(), inFirst, offset)
                             : builder_.CreateAdd(inFirst, offset);
}

bool LaneValues::isAtHand(const Value *value) const {
  return isa<Constant>(value) || isa<Argument>(value) || local_.kept.contains(value) ||
         slots_.contains(value);
}

/// In another block, where what is cheap may be made again too (serialized_blocks.cpp).
static bool isUsedElsewhere(const Instruction &instruction, unsigned depth = 6) {
  return any_of(instruction.users(), [&](const User *user) {
    auto *use = cast<Instruction>(user);
    return use->getParent() != instruction.getParent() || isa<PHINode>(use) ||
           (depth > 0 &&
            isa<GetElementPtrInst, CastInst, BinaryOperator, CmpInst, SelectInst>(use) &&
            isUsedElsewhere(*use, depth - 1));
  });
}

void LaneValues::define(Instruction &instruction, Value *value) {
  if (instruction.getType()->isVoidTy() || !value)
    return;
  local_.kept[&instruction] = value;
  if (!isUsedElsewhere(instruction))
    return;
  if (AllocaInst *array = arrays_.resultsOf(value)) {
    slots_[&instruction] = array;
    return;
  }
  AllocaInst *slot = e_.newSlot(value->getType(), instruction.getName() + ".slot");
  builder_.CreateStore(value, slot);
  slots_[&instruction] = slot;
}

} // namespace heddle::simt
