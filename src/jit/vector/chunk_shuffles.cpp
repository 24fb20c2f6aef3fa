// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Members of structures of bytes and shorts (a pixel of three bytes).
//
// Few machines have an instruction that takes bytes from anywhere in several registers. All have one
// that puts the 16 bytes of a chunk of a register into any order, or zeros in their place (`pshufb`,
// `tbl`), and does so in all chunks of a register at once. So each 16 bytes of the result become a
// union of what comes from each chunk, and chunks of the same rank are put together in one register:
//
//     the first bytes of four rows of 16 pixels, 48 bytes each:
//
//     t0 = row0[0:16]  row1[0:16]  row2[0:16]  row3[0:16]      u0 = 0 3 6 9 12 15 of each, then zeros
//     t1 = row0[16:32] row1[16:32] row2[16:32] row3[16:32]     u1 = 6 zeros, 2 5 8 11 14, 5 zeros
//     t2 = row0[32:48] row1[32:48] row2[32:48] row3[32:48]     u2 = 11 zeros, 1 4 7 10 13
//     result = u0 | u1 | u2
//
// The other members are made of the same t.
#include "jit/vector/chunk_shuffles.h"

#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace heddle::jit {

constexpr unsigned ChunkBits = 128;
constexpr unsigned FewestChunks = 3, MostChunks = 6; ///< that 16 bytes of a result come from
/// What a shuffle of two registers costs at most where the machine has an instruction for it.
constexpr unsigned OneInstruction = 2;

/// LLVM packs, unpacks or truncates, or the machine shuffles bytes of two registers.
bool ChunkShuffles::isCheapInLanes(const ShuffleVectorInst &shuffle) const {
  auto *whole = cast<FixedVectorType>(shuffle.getType());
  auto *from = cast<FixedVectorType>(shuffle.getOperand(0)->getType());
  Type *element = whole->getElementType();
  unsigned bits = element->getScalarSizeInBits();
  if (!element->isIntegerTy() || (bits != 8 && bits != 16) ||
      whole->getNumElements() * bits % ChunkBits != 0)
    return true;
  ArrayRef<int> mask = shuffle.getShuffleMask();
  unsigned index = 0;
  for (unsigned factor : {2, 4, 8})
    if (ShuffleVectorInst::isDeInterleaveMaskOfFactor(mask, factor, index) ||
        ShuffleVectorInst::isInterleaveMask(mask, factor, 2 * from->getNumElements()))
      return true;
  auto *type = FixedVectorType::get(element, registerBits_ / bits);
  SmallVector<int, 64> any; // the places change, and so do the registers
  for (unsigned lane = 0; lane < type->getNumElements(); ++lane)
    any.push_back((lane * 37 + 11) % (2 * type->getNumElements()));
  return target_.getShuffleCost(TargetTransformInfo::SK_PermuteTwoSrc, type, type, any) <=
         OneInstruction;
}

/// Where a lane lies in what has been put together or cut; nothing if that has no whole chunks.
std::optional<ChunkShuffles::Place> ChunkShuffles::placeOf(const ShuffleVectorInst &shuffle,
                                                           int pick) const {
  const ShuffleVectorInst *at = &shuffle;
  Value *vector = nullptr;
  while (pick >= 0) {
    int width = cast<FixedVectorType>(at->getOperand(0)->getType())->getNumElements();
    vector = at->getOperand(pick / width);
    pick %= width;
    at = dyn_cast<ShuffleVectorInst>(vector);
    int first = 0;
    if (!at || !(at->isConcat() || at->isIdentityWithPadding() || at->isIdentityWithExtract() ||
                 at->isExtractSubvectorMask(first)))
      break;
    pick = at->getMaskValue(pick);
  }
  if (pick < 0 || isa<UndefValue>(vector))
    return Place();
  auto *type = cast<FixedVectorType>(vector->getType());
  unsigned bits = type->getScalarSizeInBits(), lanes = ChunkBits / bits;
  if (type->getNumElements() % lanes != 0)
    return std::nullopt;
  return Place{{vector, pick / lanes * lanes}, pick % lanes};
}

Value *ChunkShuffles::replace(ShuffleVectorInst &shuffle) {
  if (isCheapInLanes(shuffle))
    return nullptr;
  Type *element = shuffle.getType()->getElementType();
  unsigned lanes = ChunkBits / element->getScalarSizeInBits();
  SmallVector<Place, 256> places;
  Sources sources;
  for (auto [lane, pick] : enumerate(shuffle.getShuffleMask())) {
    std::optional<Place> place = placeOf(shuffle, pick);
    if (!place)
      return nullptr;
    places.push_back(*place);
    if (lane % lanes == 0)
      sources.emplace_back();
    if (place->chunk.vector && !is_contained(sources.back(), place->chunk))
      sources.back().push_back(place->chunk);
  }
  size_t most = 0;
  for (const Chunks &chunks : sources)
    most = std::max(most, chunks.size());
  if (most < FewestChunks || most > MostChunks)
    return nullptr;
  if (shuffle.getParent() != block_)
    together_.clear();
  block_ = shuffle.getParent();
  IRBuilder<> builder(&shuffle);
  SmallVector<Value *, 8> groups;
  unsigned perGroup = registerBits_ / element->getScalarSizeInBits();
  for (unsigned first = 0; first < places.size(); first += perGroup)
    groups.push_back(group(builder, ArrayRef(places).slice(first).take_front(perGroup),
                           ArrayRef(sources).slice(first / lanes).take_front(perGroup / lanes),
                           element));
  Value *whole = concatenateVectors(builder, groups);
  shuffle.replaceAllUsesWith(whole);
  shuffle.eraseFromParent();
  return whole;
}

/// A register of the result, or the last part of one.
Value *ChunkShuffles::group(IRBuilder<> &builder, ArrayRef<Place> places, ArrayRef<Chunks> sources,
                            Type *element) {
  unsigned lanes = ChunkBits / element->getScalarSizeInBits(), count = places.size();
  size_t ranks = 0;
  for (const Chunks &chunks : sources)
    ranks = std::max(ranks, chunks.size());
  Value *result = nullptr;
  for (size_t rank = 0; rank < ranks; ++rank) {
    Chunks chunks;
    for (const Chunks &all : sources)
      chunks.push_back(rank < all.size() ? all[rank] : Chunk());
    SmallVector<int, 64> order(count, int(count)); // a zero
    for (unsigned lane = 0; lane < count; ++lane) {
      const Chunk &from = places[lane].chunk;
      if (from.vector && from == chunks[lane / lanes])
        order[lane] = int(lane / lanes * lanes + places[lane].lane);
    }
    auto *type = FixedVectorType::get(element, count);
    Value *part = builder.CreateShuffleVector(together(builder, chunks, element),
                                              Constant::getNullValue(type), order);
    result = result ? builder.CreateOr(result, part) : part;
  }
  return result ? result : PoisonValue::get(FixedVectorType::get(element, count));
}

/// Chunks beside each other.
Value *ChunkShuffles::together(IRBuilder<> &builder, const Chunks &chunks, Type *element) {
  Value *&value = together_[chunks];
  if (value)
    return value;
  unsigned lanes = ChunkBits / element->getScalarSizeInBits();
  SmallVector<Value *, 4> parts;
  for (const Chunk &chunk : chunks)
    parts.push_back(chunk.vector ? builder.CreateShuffleVector(
                                       chunk.vector, createSequentialMask(chunk.first, lanes, 0))
                                 : PoisonValue::get(FixedVectorType::get(element, lanes)));
  return value = concatenateVectors(builder, parts);
}

} // namespace heddle::jit
