// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/word_places.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

WordPlaces wordPlacesOf(const Value &address) {
  auto *gep = dyn_cast<GetElementPtrInst>(&address);
  if (!gep || gep->getNumIndices() != 1 || gep->getPointerOperand()->getType()->isVectorTy())
    return {};
  Value *indices = gep->getOperand(1);
  if (auto *wide = dyn_cast<SExtInst>(indices))
    indices = wide->getOperand(0);
  if (indices->getType()->getScalarSizeInBits() != 32)
    return {};
  uint64_t scale = gep->getDataLayout().getTypeAllocSize(gep->getSourceElementType());
  return {const_cast<Value *>(gep->getPointerOperand()), indices, scale};
}

bool hasWordGather(const Value &address, const Type &element, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() || !machine.getMCSubtargetInfo()->checkFeatures("+avx2"))
    return false;
  WordPlaces places = wordPlacesOf(address);
  return (element.isFloatTy() || element.isIntegerTy(32)) && places.base &&
         isPowerOf2_64(places.scale) && places.scale <= 8;
}

bool hasSlowGathers(const TargetMachine &machine) {
  return machine.getTargetCPU().starts_with("znver");
}

} // namespace heddle::simt
