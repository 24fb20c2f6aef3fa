// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/memory/lanes_in_turn.h"

#include "llvm/IR/Function.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// What tells the lanes' addresses apart: signed indices from `base`, or addresses.
struct Indices {
  Value *vector;
  Value *base = nullptr;
  Type *element = nullptr;
};

Indices indicesOf(const Access &access) {
  auto *gep = dyn_cast<GetElementPtrInst>(access.address);
  if (!gep || gep->getNumIndices() != 1 || gep->getPointerOperand()->getType()->isVectorTy())
    return {access.address};
  Value *index = gep->getOperand(1);
  if (auto *extension = dyn_cast<SExtInst>(index);
      extension && extension->getSrcTy()->getScalarSizeInBits() == 32)
    index = extension->getOperand(0);
  return {index, gep->getPointerOperand(), gep->getSourceElementType()};
}

/// A slot that holds a vector's elements.
Value *slotOf(IRBuilder<> &builder, Value *vector) {
  auto *type = cast<FixedVectorType>(vector->getType());
  BasicBlock &entry = builder.GetInsertBlock()->getParent()->getEntryBlock();
  AllocaInst *slot =
      IRBuilder<>(&entry, entry.getFirstInsertionPt())
          .CreateAlloca(ArrayType::get(type->getElementType(), type->getNumElements()));
  slot->setAlignment(Align(64));
  builder.CreateAlignedStore(vector, slot, Align(64));
  return slot;
}

/// Where a vector's elements are: in memory that it was loaded from and that nothing has written to
/// since, or in a slot.
Value *inMemory(IRBuilder<> &builder, Value *vector, Instruction &before) {
  auto *load = dyn_cast<LoadInst>(vector);
  if (load && load->isSimple() && load->getParent() == before.getParent() &&
      load->getAlign().value() * 8 >= vector->getType()->getScalarSizeInBits() &&
      none_of(make_range(load->getIterator(), before.getIterator()),
              [](const Instruction &between) { return between.mayWriteToMemory(); }))
    return load->getPointerOperand();
  return slotOf(builder, vector);
}

/// An element, and its address, from indices that are in memory.
class Lanes {
public:
  Lanes(IRBuilder<> &builder, const Indices &indices, Value *places)
      : builder_(builder), indices_(indices), places_(places) {}

  Value *emitAddressOf(unsigned lane) const {
    Type *number = indices_.vector->getType()->getScalarType();
    Value *index =
        builder_.CreateLoad(number, builder_.CreateConstInBoundsGEP1_64(number, places_, lane));
    return indices_.base ? builder_.CreateGEP(indices_.element, indices_.base,
                                              builder_.CreateSExt(index, builder_.getInt64Ty()))
                         : index;
  }

private:
  IRBuilder<> &builder_;
  const Indices &indices_;
  Value *places_;
};

Value *gather(IRBuilder<> &builder, const Access &access, const Indices &indices) {
  Lanes lanes(builder, indices, inMemory(builder, indices.vector, *access.call));
  Value *result = PoisonValue::get(access.type);
  for (unsigned lane = 0; lane < access.lanes(); ++lane) {
    Value *value =
        builder.CreateAlignedLoad(access.element(), lanes.emitAddressOf(lane), access.align);
    result = builder.CreateInsertElement(result, value, uint64_t(lane));
  }
  return result;
}

/// What it writes may be where indices or values were loaded from.
void scatter(IRBuilder<> &builder, const Access &access) {
  Indices indices = indicesOf(access);
  Lanes lanes(builder, indices, slotOf(builder, indices.vector));
  Value *values = slotOf(builder, access.value);
  for (unsigned lane = 0; lane < access.lanes(); ++lane) {
    Value *value = builder.CreateLoad(
        access.element(), builder.CreateConstInBoundsGEP1_64(access.element(), values, lane));
    builder.CreateAlignedStore(value, lanes.emitAddressOf(lane), access.align);
  }
}

/// The indices, but for inactive lanes that of the first active one.
Value *ofActive(IRBuilder<> &builder, const Access &access, Value *indices, Value *bits) {
  Type *number = indices->getType()->getScalarType();
  Value *places = inMemory(builder, indices, *access.call);
  Value *first = builder.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder.getTrue());
  Value *wide = builder.CreateZExt(first, builder.getInt64Ty());
  Value *index = builder.CreateLoad(number, builder.CreateInBoundsGEP(number, places, wide));
  return builder.CreateSelect(access.mask, indices,
                              builder.CreateVectorSplat(access.lanes(), index));
}

} // namespace

Value *accessInTurn(IRBuilder<> &builder, const Access &access, Value *bits) {
  if (access.isStore)
    return scatter(builder, access), nullptr;
  Indices indices = indicesOf(access);
  if (bits)
    indices.vector = ofActive(builder, access, indices.vector, bits);
  Value *loaded = gather(builder, access, indices);
  return !bits || isa<UndefValue>(access.value)
             ? loaded
             : builder.CreateSelect(access.mask, loaded, access.value);
}

} // namespace heddle::jit
