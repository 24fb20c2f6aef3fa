// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the active lanes of a warp, for what has no vector form: atomics, calls of the
// runtime, scalar functions.
//
// The lane is known at run time only. Taking an element at a variable place out of a vector
// register costs a trip through memory each time, so the loop's operands are put in memory once,
// before it, and its results collected there:
//
//     store <32 x i32> %x, ptr %array            ; before the loop
//     %lane = cttz(%rest);  %v = load i32, ptr %array + 4 * %lane;  ...;  %rest = %rest & (%rest -
//     1)
#include "simt/widener.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

/// Elements of whole bytes can be addressed one by one.
bool Widener::livesInMemory(Type *type) const {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && vector->getScalarType()->getPrimitiveSizeInBits() % 8 == 0;
}

AllocaInst *Widener::newLaneArray(Type *type) {
  return new AllocaInst(type, 0, nullptr, Align(64), "lanes", allocaPoint_->getIterator());
}

Value *Widener::elementAddress(AllocaInst *array, Type *element, Value *lane) {
  return builder_.CreateGEP(element, array, builder_.CreateZExt(lane, builder_.getInt64Ty()));
}

/// The array that holds `value` in the present loop over lanes. Null if there is no loop, if the
/// value is made in it or has no addressable elements.
AllocaInst *Widener::inMemory(Value *value) {
  auto *made = dyn_cast<Instruction>(value);
  if (!laneLoopEntry_ || !livesInMemory(value->getType()) ||
      (made && made->getParent() == builder_.GetInsertBlock()))
    return nullptr;
  AllocaInst *&array = laneArrays_[value];
  if (!array) {
    array = newLaneArray(value->getType());
    new StoreInst(value, array, /*isVolatile=*/false, Align(64), laneLoopEntry_->getIterator());
  }
  return array;
}

Value *Widener::extractLane(Value *value, Value *lane) {
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
  unsigned count = type->isStructTy() ? type->getStructNumElements() : type->getArrayNumElements();
  SmallVector<Value *, 4> elements;
  SmallVector<Type *, 4> types;
  for (unsigned i = 0; i < count; ++i) {
    elements.push_back(extractLane(builder_.CreateExtractValue(value, i), lane));
    types.push_back(elements.back()->getType());
  }
  Type *scalarStruct = type->isStructTy()
                           ? static_cast<Type *>(StructType::get(type->getContext(), types))
                           : ArrayType::get(types[0], count);
  Value *result = PoisonValue::get(scalarStruct);
  for (unsigned i = 0; i < count; ++i)
    result = builder_.CreateInsertValue(result, elements[i], i);
  return result;
}

Value *Widener::insertLane(Value *aggregate, Value *element, Value *lane) {
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

Value *Widener::forEachLane(Type *resultType, function_ref<Value *(Value *)> body) {
  if (width_ == 1)
    return body(builder_.getInt32(0));
  LLVMContext &context = warp_.getContext();
  bool hasResult = resultType && !resultType->isVoidTy();
  bool byMemory = hasResult && livesInMemory(resultType);
  AllocaInst *result = nullptr;
  if (byMemory)
    result = newLaneArray(resultType);
  else if (hasResult)
    builder_.CreateStore(PoisonValue::get(resultType),
                         result = newSlot(resultType, "lanes.result"));
  BasicBlock *loop = BasicBlock::Create(context, "lane", &warp_);
  BasicBlock *done = BasicBlock::Create(context, "lanes.done", &warp_);
  auto outerArrays = std::exchange(laneArrays_, DenseMap<Value *, AllocaInst *>());
  Instruction *outerEntry = laneLoopEntry_;
  Value *bits = maskInteger(mask_);
  AllocaInst *rest = newSlot(bits->getType(), "lanes.rest");
  builder_.CreateStore(bits, rest);
  laneLoopEntry_ = builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  bits = builder_.CreateLoad(bits->getType(), rest);
  Value *lane = builder_.CreateZExtOrTrunc(
      builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue()),
      builder_.getInt32Ty());
  Value *value = body(lane);
  if (byMemory)
    builder_.CreateStore(
        value, elementAddress(result, cast<VectorType>(resultType)->getElementType(), lane));
  else if (hasResult)
    builder_.CreateStore(insertLane(builder_.CreateLoad(resultType, result), value, lane), result);
  Value *next =
      builder_.CreateAnd(bits, builder_.CreateSub(bits, ConstantInt::get(bits->getType(), 1)));
  builder_.CreateStore(next, rest);
  builder_.CreateCondBr(builder_.CreateIsNotNull(next), loop, done);
  builder_.SetInsertPoint(done);
  laneLoopEntry_ = outerEntry;
  laneArrays_ = std::move(outerArrays);
  return hasResult ? builder_.CreateLoad(resultType, result) : nullptr;
}

} // namespace heddle::simt
