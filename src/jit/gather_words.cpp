// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/gather_words.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned Lanes = 8; ///< of one instruction

/// Signed indices of 32 bits from one address.
struct Places {
  Value *base = nullptr, *indices = nullptr;
  uint64_t scale = 0; ///< bytes
};

Places placesOf(const Value &address) {
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

} // namespace

bool hasWordGather(const Value &address, const Type &element, const TargetMachine &machine) {
  if (!machine.getTargetTriple().isX86() || !machine.getMCSubtargetInfo()->checkFeatures("+avx2"))
    return false;
  Places places = placesOf(address);
  return (element.isFloatTy() || element.isIntegerTy(32)) && places.base &&
         isPowerOf2_64(places.scale) && places.scale <= 8;
}

bool hasWordGather(const Access &access, const TargetMachine &machine) {
  return access.isIndexed && !access.isStore && access.lanes() % Lanes == 0 &&
         hasWordGather(*access.address, *access.element(), machine);
}

Value *gatherWords(IRBuilder<> &builder, const Access &access) {
  Places places = placesOf(*access.address);
  bool isFloat = access.element()->isFloatTy();
  auto *type = FixedVectorType::get(access.element(), Lanes);
  Type *words = FixedVectorType::get(builder.getInt32Ty(), Lanes);
  SmallVector<Value *, 8> parts;
  for (unsigned first = 0; first < access.lanes(); first += Lanes) {
    auto part = [&](Value *vector) {
      return builder.CreateShuffleVector(vector,
                                         createSequentialMask(first, Lanes, /*NumUndefs=*/0));
    };
    // What inactive lanes give must not be what an earlier gather gave, by chance of registers.
    Value *old = isa<UndefValue>(access.value) ? Constant::getNullValue(type) : part(access.value);
    Value *mask = builder.CreateBitCast(builder.CreateSExt(part(access.mask), words), type);
    parts.push_back(builder.CreateIntrinsic(
        isFloat ? Intrinsic::x86_avx2_gather_d_ps_256 : Intrinsic::x86_avx2_gather_d_d_256, {},
        {old, places.base, part(places.indices), mask, builder.getInt8(uint8_t(places.scale))}));
  }
  return concatenateVectors(builder, parts);
}

} // namespace heddle::jit
