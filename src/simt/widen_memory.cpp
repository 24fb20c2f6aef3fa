// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores of warp programs. What an address's shape allows decides the form:
//
//     uniform                     one scalar access
//     contiguous                  one masked vector access
//     contiguous in segments      one masked vector access a segment (the rows of a 16x16 block)
//     constant in segments        one element a segment, spread over its lanes
//     a small constant stride     one wide access and shuffles (widen_interleaved.cpp)
//     anything else               gather, scatter
//
// Inactive lanes touch no memory: masks stay on, and where they are known to be full later passes
// drop them.
#include "simt/widener.h"

#include "simt/lower_nvvm.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Lanes [first, first + count) of a vector.
Value *slice(IRBuilder<> &builder, Value *vector, unsigned first, unsigned count) {
  SmallVector<int, 32> lanes;
  for (unsigned i = 0; i < count; ++i)
    lanes.push_back(first + i);
  return builder.CreateShuffleVector(vector, lanes);
}

Value *concatenate(IRBuilder<> &builder, ArrayRef<Value *> parts) {
  SmallVector<Value *, 32> now(parts);
  while (now.size() > 1) {
    SmallVector<Value *, 32> next;
    unsigned lanes = cast<FixedVectorType>(now[0]->getType())->getNumElements();
    SmallVector<int, 32> all;
    for (unsigned i = 0; i < 2 * lanes; ++i)
      all.push_back(i);
    for (unsigned i = 0; i < now.size(); i += 2)
      next.push_back(builder.CreateShuffleVector(now[i], now[i + 1], all));
    now = next;
  }
  return now[0];
}

} // namespace

/// Keeps the compiler, not the processor, from moving or merging memory accesses across: what
/// `volatile` asks for.
void Widener::compilerFence() {
  builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

Error Widener::emitLoad(LoadInst &load) {
  Value *address = load.getPointerOperand();
  bool ordered = load.isVolatile() || load.isAtomic();
  if (shapes_.isUniform(address) || width_ == 1) {
    LoadInst *copy =
        builder_.CreateAlignedLoad(scalarType(load.getType()), scalar(address), load.getAlign());
    copy->setVolatile(load.isVolatile());
    copy->setAtomic(load.getOrdering(), load.getSyncScopeID());
    copy->copyMetadata(load);
    define(load, copy);
    return Error::success();
  }
  if (load.getType()->isAggregateType())
    return errorAt(load, "a load of a whole aggregate is not supported");
  if (emitInterleavedLoad(load))
    return Error::success();
  if (ordered)
    compilerFence();
  Value *value = loadVector(scalarType(load.getType()), address, load.getAlign());
  if (ordered)
    compilerFence();
  define(load, value);
  return Error::success();
}

Value *Widener::loadVector(Type *element, Value *address, Align align) {
  Shape shape = shapes_.of(address);
  int64_t size = module_.getDataLayout().getTypeStoreSize(element);
  Type *type = FixedVectorType::get(element, width_);
  Value *poison = PoisonValue::get(type);
  bool bytesOnly = element->isIntegerTy() && element->getIntegerBitWidth() % 8 != 0;
  if (!bytesOnly && shape.segment == width_ && shape.stride == size)
    return builder_.CreateMaskedLoad(type, scalar(address), align, mask_, poison);
  if (!bytesOnly && shape.segment >= 4 && shape.segment < width_ &&
      (shape.stride == size || shape.stride == 0)) {
    Value *pointers = vector(address);
    SmallVector<Value *, 8> parts;
    Type *partType = FixedVectorType::get(element, shape.segment);
    for (unsigned first = 0; first < width_; first += shape.segment) {
      Value *pointer = builder_.CreateExtractElement(pointers, first);
      Value *part = slice(builder_, mask_, first, shape.segment);
      if (shape.stride == size) {
        parts.push_back(
            builder_.CreateMaskedLoad(partType, pointer, align, part, PoisonValue::get(partType)));
        continue;
      }
      Value *anyActive = builder_.CreateOrReduce(part);
      Value *bit = builder_.CreateInsertElement(
          PoisonValue::get(FixedVectorType::get(builder_.getInt1Ty(), 1)), anyActive, uint64_t(0));
      Type *one = FixedVectorType::get(element, 1);
      Value *single = builder_.CreateMaskedLoad(one, pointer, align, bit, PoisonValue::get(one));
      SmallVector<int, 32> zeros(shape.segment, 0);
      parts.push_back(builder_.CreateShuffleVector(single, zeros));
    }
    return concatenate(builder_, parts);
  }
  return builder_.CreateMaskedGather(type, vector(address), align, mask_, poison);
}

Error Widener::emitStore(StoreInst &store) {
  Value *address = store.getPointerOperand(), *stored = store.getValueOperand();
  bool ordered = store.isVolatile() || store.isAtomic();
  bool oneAddress = shapes_.isUniform(address) || width_ == 1;
  if (oneAddress) {
    Value *value = nullptr;
    if (shapes_.isUniform(stored) || width_ == 1) {
      value = scalar(stored);
    } else { // the last active lane's value stays, as if the lanes stored one after another
      Value *bits = maskBits(mask_);
      Value *zeros = builder_.CreateBinaryIntrinsic(Intrinsic::ctlz, bits, builder_.getTrue());
      value = extractLane(vector(stored), builder_.CreateSub(builder_.getInt32(31), zeros));
    }
    StoreInst *copy = builder_.CreateAlignedStore(value, scalar(address), store.getAlign());
    copy->setVolatile(store.isVolatile());
    copy->setAtomic(store.getOrdering(), store.getSyncScopeID());
    copy->copyMetadata(store);
    return Error::success();
  }
  if (stored->getType()->isAggregateType())
    return errorAt(store, "a store of a whole aggregate is not supported");
  if (emitInterleavedStore(store))
    return Error::success();
  if (ordered)
    compilerFence();
  storeVector(vector(stored), address, store.getAlign());
  if (ordered)
    compilerFence();
  return Error::success();
}

void Widener::storeVector(Value *value, Value *address, Align align) {
  Shape shape = shapes_.of(address);
  Type *element = cast<VectorType>(value->getType())->getElementType();
  int64_t size = module_.getDataLayout().getTypeStoreSize(element);
  bool bytesOnly = element->isIntegerTy() && element->getIntegerBitWidth() % 8 != 0;
  if (!bytesOnly && shape.segment == width_ && shape.stride == size) {
    builder_.CreateMaskedStore(value, scalar(address), align, mask_);
    return;
  }
  if (!bytesOnly && shape.segment >= 4 && shape.segment < width_ && shape.stride == size) {
    Value *pointers = vector(address);
    for (unsigned first = 0; first < width_; first += shape.segment)
      builder_.CreateMaskedStore(slice(builder_, value, first, shape.segment),
                                 builder_.CreateExtractElement(pointers, first), align,
                                 slice(builder_, mask_, first, shape.segment));
    return;
  }
  builder_.CreateMaskedScatter(value, vector(address), align, mask_);
}

/// Per-thread memory: one array of the alloca's type, an element a lane.
Error Widener::emitAlloca(AllocaInst &alloca) {
  if (!isa<ConstantInt>(alloca.getArraySize()))
    return errorAt(alloca, "a variable-length array is not supported in device code");
  Type *type = alloca.getAllocatedType();
  if (!cast<ConstantInt>(alloca.getArraySize())->isOne())
    type = ArrayType::get(type, cast<ConstantInt>(alloca.getArraySize())->getZExtValue());
  auto *local = new AllocaInst(ArrayType::get(type, width_), 0, nullptr,
                               std::max(alloca.getAlign(), Align(width_ > 1 ? 64 : 1)),
                               alloca.getName(), allocaPoint_->getIterator());
  allocas_[&alloca] = local;
  define(alloca, local);
  if (width_ == 1) // a lane's variable lies where the debugger looks for it
    for (DbgVariableRecord *record : findDVRDeclares(&alloca))
      allocaPoint_->getParent()->insertDbgRecordBefore(
          DbgVariableRecord::createDVRDeclare(local, record->getVariable(), record->getExpression(),
                                              record->getDebugLoc().get()),
          allocaPoint_->getIterator());
  return Error::success();
}

} // namespace heddle::simt
