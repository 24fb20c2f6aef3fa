// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/emitter.h"

#include "simt/widen/slots.h"

using namespace llvm;

namespace heddle::simt {

Emitter::Emitter(WidenContext &context, Function &thread, Function &warp, const Shapes &shapes)
    : context(context), module(context.module), options(context.options), thread(thread),
      warp(warp), shapes(shapes), width(context.options.width), builder(warp.getContext()) {
  builder.SetInsertPoint(newBlock("entry"));
  allocaPoint = builder.CreateUnreachable();
  builder.SetInsertPoint(allocaPoint);
}

Type *Emitter::scalarType(Type *type) const {
  if (type->isPointerTy())
    return PointerType::get(type->getContext(), 0);
  return type;
}

Type *Emitter::vectorType(Type *type, unsigned count) const {
  if (count == 1 || type->isVoidTy())
    return scalarType(type);
  if (auto *structure = dyn_cast<StructType>(type)) {
    SmallVector<Type *, 4> elements;
    for (Type *element : structure->elements())
      elements.push_back(vectorType(element, count));
    return StructType::get(type->getContext(), elements);
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return ArrayType::get(vectorType(array->getElementType(), count), array->getNumElements());
  return FixedVectorType::get(scalarType(type), count);
}

int64_t Emitter::sizeOf(Type *type) const { return module.getDataLayout().getTypeStoreSize(type); }

BasicBlock *Emitter::newBlock(const Twine &name) {
  return BasicBlock::Create(warp.getContext(), name, &warp);
}

AllocaInst *Emitter::newSlot(Type *type, const Twine &name) {
  auto *slot = new AllocaInst(type, 0, nullptr, name, allocaPoint->getIterator());
  slots_.push_back(slot);
  return slot;
}

Value *Emitter::field(Value *object, uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), object, offset);
}

void Emitter::compilerFence() {
  builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

void Emitter::finish(BasicBlock &first) {
  builder.SetInsertPoint(allocaPoint);
  builder.CreateBr(&first);
  allocaPoint->eraseFromParent();
  promoteSlots(slots_);
}

} // namespace heddle::simt
