// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/split_volatile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::simt {

using namespace llvm;

static void split(Instruction &access, FixedVectorType &type) {
  IRBuilder<> builder(&access);
  auto *store = dyn_cast<StoreInst>(&access);
  Value *pointer = getLoadStorePointerOperand(&access), *whole = PoisonValue::get(&type);
  const uint64_t size = access.getDataLayout().getTypeStoreSize(type.getElementType());
  for (unsigned i = 0; i != type.getNumElements(); ++i) {
    Value *place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, i * size);
    const Align align = commonAlignment(getLoadStoreAlignment(&access), i * size);
    if (store)
      builder.CreateAlignedStore(builder.CreateExtractElement(store->getValueOperand(), i), place,
                                 align, /*isVolatile=*/true);
    else
      whole = builder.CreateInsertElement(
          whole,
          builder.CreateAlignedLoad(type.getElementType(), place, align, /*isVolatile=*/true), i);
  }
  if (!store)
    access.replaceAllUsesWith(whole);
  access.eraseFromParent();
}

void splitVolatile(Function &function) {
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (!isa<LoadInst, StoreInst>(instruction) || !instruction.isVolatile() ||
        instruction.isAtomic())
      continue;
    auto *type = dyn_cast<FixedVectorType>(getLoadStoreType(&instruction));
    if (type && type->getScalarSizeInBits() % 8 == 0)
      split(instruction, *type);
  }
}

} // namespace heddle::simt
