// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/lanes/lane_arrays.h"

#include "simt/widen/lanes/lanes.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

static AllocaInst *newArray(Emitter &emitter, Type *type) {
  return new AllocaInst(type, 0, nullptr, Align(64), "lanes", emitter.allocaPoint->getIterator());
}

bool LaneArrays::canHold(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getScalarType()->getPrimitiveSizeInBits() % 8 == 0;
}

AllocaInst *LaneArrays::newResults(Type *type) {
  AllocaInst *array = newArray(e_, type);
  results_.insert(array);
  return array;
}

/// The array of results that a loop over lanes has left, and that `value` is; null if it is not.
AllocaInst *LaneArrays::resultsOf(Value *value) const {
  auto *load = dyn_cast<LoadInst>(value);
  auto *array = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  return array && results_.contains(array) ? array : nullptr;
}

Value *LaneArrays::elementAddress(AllocaInst *array, Type *element, Value *lane) {
  return builder_.CreateGEP(element, array, builder_.CreateZExt(lane, builder_.getInt64Ty()));
}

AllocaInst *LaneArrays::inMemory(Value *value) {
  auto *made = dyn_cast<Instruction>(value);
  if (AllocaInst *array = resultsOf(value))
    return array;
  if (!loop_.entry || !canHold(value->getType()) ||
      (made && made->getParent() == builder_.GetInsertBlock()))
    return nullptr;
  AllocaInst *&array = loop_.arrays[value];
  if (!array) {
    array = newArray(e_, value->getType());
    IRBuilder<>(loop_.entry).CreateLifetimeStart(array);
    new StoreInst(value, array, /*isVolatile=*/false, Align(64), loop_.entry->getIterator());
  }
  return array;
}

LaneArrays::Loop LaneArrays::enter(Instruction *jump) { return std::exchange(loop_, {jump, {}}); }

/// Behind the loop: nobody looks at its operands again. A program that waits need not keep them.
void LaneArrays::leave(Loop outer) {
  for (auto [value, array] : loop_.arrays)
    builder_.CreateLifetimeEnd(array);
  loop_ = std::move(outer);
}

Value *LaneArrays::extractLane(Value *value, Value *lane) {
  Type *type = value->getType();
  if (type->isVectorTy()) {
    AllocaInst *memory = isa<ConstantInt>(lane) ? nullptr : inMemory(value);
    if (!memory)
      return builder_.CreateExtractElement(value, lane);
    Type *element = cast<VectorType>(type)->getElementType();
    return builder_.CreateLoad(element, elementAddress(memory, element, lane));
  }
  if (!type->isAggregateType())
    return value;
  return mapMembers(builder_, value, [&](Value *member) { return extractLane(member, lane); });
}

Value *LaneArrays::insertLane(Value *aggregate, Value *element, Value *lane) {
  if (aggregate->getType()->isVectorTy())
    return builder_.CreateInsertElement(aggregate, element, lane);
  Type *type = aggregate->getType();
  unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  for (unsigned i = 0; i < count; ++i) {
    Value *inner = insertLane(builder_.CreateExtractValue(aggregate, i),
                              builder_.CreateExtractValue(element, i), lane);
    aggregate = builder_.CreateInsertValue(aggregate, inner, i);
  }
  return aggregate;
}

} // namespace heddle::simt
