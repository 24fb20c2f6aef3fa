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
//     %lane = cttz(%rest);  %v = load i32, ptr %array + 4 * %lane;  ...
//     %rest = %rest & (%rest - 1)
//
// Results that other blocks use stay there: a vector that is loaded right after its elements were
// stored waits for all these stores, and a loop over lanes that comes later needs no vector.
#include "simt/widen/widener.h"

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

/// The array of results that a loop over lanes has left, and that `value` is; null if it is not.
AllocaInst *Widener::resultArrayOf(Value *value) const {
  auto *load = dyn_cast<LoadInst>(value);
  auto *array = load ? dyn_cast<AllocaInst>(load->getPointerOperand()) : nullptr;
  return array && resultArrays_.contains(array) ? array : nullptr;
}

/// The array that holds `value` in the present loop over lanes. Null if there is no loop, if the
/// value is made in it or has no addressable elements.
AllocaInst *Widener::inMemory(Value *value) {
  auto *made = dyn_cast<Instruction>(value);
  if (AllocaInst *array = resultArrayOf(value))
    return array;
  if (!laneLoopEntry_ || !livesInMemory(value->getType()) ||
      (made && made->getParent() == builder_.GetInsertBlock()))
    return nullptr;
  AllocaInst *&array = laneArrays_[value];
  if (!array) {
    array = newLaneArray(value->getType());
    IRBuilder<>(laneLoopEntry_).CreateLifetimeStart(array);
    new StoreInst(value, array, /*isVolatile=*/false, Align(64), laneLoopEntry_->getIterator());
  }
  return array;
}

/// Behind the loop: nobody looks at its operands again. A program that waits need not keep them.
void Widener::endLaneArrays() {
  for (auto [value, array] : laneArrays_)
    builder_.CreateLifetimeEnd(array);
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

/// Where a loop over lanes collects its results: memory, or a vector that is rebuilt each time.
class Widener::LaneResults {
public:
  LaneResults(Widener &widener, Type *type) : w_(widener), type_(type) {
    if (!type_ || type_->isVoidTy())
      return;
    inMemory_ = w_.livesInMemory(type_);
    slot_ = inMemory_ ? w_.newLaneArray(type_) : w_.newSlot(type_, "lanes.result");
    if (inMemory_)
      w_.resultArrays_.insert(slot_);
    else
      w_.builder_.CreateStore(PoisonValue::get(type_), slot_);
  }
  /// Results of several lanes may be set in one block.
  bool independent() const { return !slot_ || inMemory_; }
  void set(Value *value, Value *lane) {
    if (inMemory_)
      w_.builder_.CreateStore(
          value, w_.elementAddress(slot_, cast<VectorType>(type_)->getElementType(), lane));
    else if (slot_)
      w_.builder_.CreateStore(w_.insertLane(w_.builder_.CreateLoad(type_, slot_), value, lane),
                              slot_);
  }
  Value *all() { return slot_ ? w_.builder_.CreateLoad(type_, slot_) : nullptr; }

private:
  Widener &w_;
  Type *type_;
  AllocaInst *slot_ = nullptr;
  bool inMemory_ = false;
};

/// All lanes, `step` in one block. Where the builder stands is the loop, reached from its only
/// predecessor.
void Widener::emitDenseLanes(LanesBody several, unsigned step, BasicBlock *done) {
  BasicBlock *loop = builder_.GetInsertBlock(), *from = loop->getSinglePredecessor();
  PHINode *first = builder_.CreatePHI(builder_.getInt32Ty(), 2);
  first->addIncoming(builder_.getInt32(0), from);
  several(first);
  Value *next = builder_.CreateAdd(first, builder_.getInt32(step), "", true, true);
  first->addIncoming(next, builder_.GetInsertBlock());
  builder_.CreateCondBr(builder_.CreateICmpULT(next, builder_.getInt32(width_)), loop, done);
}

/// The active lanes, lowest first.
void Widener::emitSparseLanes(LaneResults &results, LaneBody body, AllocaInst *rest,
                              BasicBlock *done) {
  BasicBlock *loop = builder_.GetInsertBlock();
  Value *bits = builder_.CreateLoad(rest->getAllocatedType(), rest);
  Value *lane = builder_.CreateZExtOrTrunc(
      builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue()),
      builder_.getInt32Ty());
  results.set(body(lane), lane);
  Value *next =
      builder_.CreateAnd(bits, builder_.CreateSub(bits, ConstantInt::get(bits->getType(), 1)));
  builder_.CreateStore(next, rest);
  builder_.CreateCondBr(builder_.CreateIsNotNull(next), loop, done);
}

/// The loop over the active lanes, and one over all if `step` is more than 1.
Value *Widener::runLanes(LaneResults &results, LaneBody body, LanesBody several, unsigned step) {
  LLVMContext &context = warp_.getContext();
  BasicBlock *sparse = BasicBlock::Create(context, "lane", &warp_);
  BasicBlock *done = BasicBlock::Create(context, "lanes.done", &warp_);
  auto outerArrays = std::exchange(laneArrays_, {});
  Instruction *outerEntry = laneLoopEntry_;
  Value *bits = maskInteger(mask_);
  AllocaInst *rest = newSlot(bits->getType(), "lanes.rest");
  builder_.CreateStore(bits, rest);
  if (step > 1) {
    BasicBlock *dense = BasicBlock::Create(context, "lanes", &warp_);
    laneLoopEntry_ = builder_.CreateCondBr(
        builder_.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType())), dense, sparse);
    builder_.SetInsertPoint(dense);
    emitDenseLanes(several, step, done);
  } else {
    laneLoopEntry_ = builder_.CreateBr(sparse);
  }
  builder_.SetInsertPoint(sparse);
  emitSparseLanes(results, body, rest, done);
  builder_.SetInsertPoint(done);
  laneLoopEntry_ = outerEntry;
  endLaneArrays();
  laneArrays_ = std::move(outerArrays);
  return results.all();
}

Value *Widener::forEachLane(Type *resultType, LaneBody body, unsigned unroll) {
  if (width_ == 1)
    return body(builder_.getInt32(0));
  LaneResults results(*this, resultType);
  unsigned step = results.independent() ? std::min(unroll, width_) : 1;
  auto several = [&](Value *first) {
    for (unsigned i = 0; i < step; ++i) {
      Value *lane = i == 0 ? first
                           : builder_.CreateAdd(first, builder_.getInt32(i), "", /*HasNUW=*/true,
                                                /*HasNSW=*/true);
      results.set(body(lane), lane);
    }
  };
  return runLanes(results, body, several, step);
}

void Widener::forEachLane(LaneBody body, LanesBody several, unsigned step) {
  LaneResults none(*this, nullptr);
  runLanes(none, body, several, step);
}

/// Runs `body` for each active lane. Active lanes that are neighbours are counted through, without
/// a look at the mask; where the mask is a constant, so are the loop's bounds.
void Widener::forEachLaneInRange(function_ref<void(Value *)> body) {
  LLVMContext &context = warp_.getContext();
  Type *i32 = builder_.getInt32Ty();
  auto outerArrays = std::exchange(laneArrays_, {});
  Value *bits = maskInteger(mask_), *one = ConstantInt::get(bits->getType(), 1);
  AllocaInst *rest = newSlot(bits->getType(), "lanes.rest");
  builder_.CreateStore(bits, rest);
  Value *first = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
  Value *low = builder_.CreateLShr(bits, first);
  Value *gaps = builder_.CreateAnd(low, builder_.CreateAdd(low, one));
  Value *start = builder_.CreateZExtOrTrunc(first, i32);
  Value *end = builder_.CreateAdd(
      start,
      builder_.CreateZExtOrTrunc(builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits), i32));
  BasicBlock *range = BasicBlock::Create(context, "range", &warp_);
  BasicBlock *sparse = BasicBlock::Create(context, "lane", &warp_);
  BasicBlock *done = BasicBlock::Create(context, "lanes.done", &warp_);
  Instruction *outerEntry = laneLoopEntry_;
  laneLoopEntry_ = builder_.CreateCondBr(builder_.CreateIsNull(gaps), range, sparse);
  BasicBlock *from = builder_.GetInsertBlock();

  builder_.SetInsertPoint(range);
  PHINode *lane = builder_.CreatePHI(i32, 2);
  lane->addIncoming(start, from);
  body(lane);
  Value *next =
      builder_.CreateAdd(lane, builder_.getInt32(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  lane->addIncoming(next, range);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, end), range, done);

  builder_.SetInsertPoint(sparse);
  LaneResults none(*this, nullptr);
  auto plain = [&](Value *active) -> Value * {
    body(active);
    return nullptr;
  };
  emitSparseLanes(none, plain, rest, done);
  builder_.SetInsertPoint(done);
  laneLoopEntry_ = outerEntry;
  endLaneArrays();
  laneArrays_ = std::move(outerArrays);
}

} // namespace heddle::simt
