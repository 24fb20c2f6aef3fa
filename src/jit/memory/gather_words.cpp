// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: gather_words.h.
//
// Under a mask the instruction is as slow as loads in turn, but no mask goes through memory. Where
// all lanes are active it leaves more room for other instructions than 16 loads and 8 inserts, but
// on AMD's processors, where it is slower.
//
// Legality (gather-words):
//  1. Elements are words, in whole groups of eight lanes, and the processor has the instruction.
//     [words]
//  2. Their indices have 32 bits, which the instruction extends with the sign. [signed]
//  3. They count from one base, in elements of 1, 2, 4 or 8 bytes. [scale]
#include "jit/memory/gather_words.h"

#include "simt/vector/word_places.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned GatheredLanes = 8; ///< of one instruction

} // namespace

bool hasWordGather(const Access &access, const TargetMachine &machine) {
  return access.isIndexed && !access.isStore && access.lanes() % GatheredLanes == 0 &&
         simt::hasWordGather(*access.address, *access.element(), machine);
}

Value *gatherWords(IRBuilder<> &builder, const Access &access) {
  simt::WordPlaces places = simt::wordPlacesOf(*access.address);
  bool isFloat = access.element()->isFloatTy();
  auto *type = FixedVectorType::get(access.element(), GatheredLanes);
  Type *words = FixedVectorType::get(builder.getInt32Ty(), GatheredLanes);
  SmallVector<Value *, 8> parts;
  for (unsigned first = 0; first < access.lanes(); first += GatheredLanes) {
    auto part = [&](Value *vector) {
      return builder.CreateShuffleVector(
          vector, createSequentialMask(first, GatheredLanes, /*NumUndefs=*/0));
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
