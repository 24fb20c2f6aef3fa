// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory as vectors of cells. A load is a shuffle of the whole vector, a store a shuffle
// that puts the lanes' values among the cells. Where a mask decides at run time which lanes store,
// the others store what is there:
//
//     masked.store %v, %p, %m   ->   %old = the cells at %p;  store (select %m, %v, %old), %p
//
// so that the mask is never shuffled to the cells, and a load that follows finds a lane's value
// where it was computed. Stores in a row (the segments of a vector) become one.
#include "simt/shared/shared_pieces.h"

#include "llvm/ADT/DenseSet.h"

#include <numeric>

using namespace llvm;

namespace heddle::simt {

namespace {

int64_t sizeOf(const SharedAccess &access) {
  return access.instruction->getDataLayout().getTypeStoreSize(access.element);
}

/// The largest cells that all accesses consist of.
void chooseCells(SharedPiece &piece) {
  uint64_t bits = 0;
  for (SharedAccess *access : piece.accesses) {
    bits |= sizeOf(*access);
    for (auto [lane, place] : enumerate(access->places))
      if (access->mayTouch(lane))
        bits |= place - piece.first;
  }
  piece.cellBytes = int64_t(1) << countr_zero(bits);
  Type *cell = Type::getIntNTy(piece.accesses[0]->element->getContext(), 8 * piece.cellBytes);
  for (SharedAccess *access : piece.accesses)
    if (sizeOf(*access) == piece.cellBytes) {
      cell = access->element;
      break;
    }
  piece.type = FixedVectorType::get(cell, (piece.end - piece.first) / piece.cellBytes);
}

/// The bytes that an access touches, by the first of each cell.
template <typename F> void forCells(const SharedPiece &piece, const SharedAccess &access, F use) {
  unsigned perLane = sizeOf(access) / piece.cellBytes;
  for (auto [lane, place] : enumerate(access.places))
    if (access.mayTouch(lane))
      for (unsigned i = 0; i < perLane; ++i)
        use(lane * perLane + i, (place - piece.first) / piece.cellBytes + i);
}

/// Puts loads and stores in groups, in the order of the program.
void groupAccesses(SharedPiece &piece, Function &function) {
  DenseMap<const Instruction *, SharedAccess *> byInstruction;
  for (SharedAccess *access : piece.accesses)
    byInstruction[access->instruction] = access;
  DenseSet<int64_t> touched; // by the last group
  for (BasicBlock &block : function) {
    bool continues = false;
    for (Instruction &instruction : block) {
      SharedAccess *access = byInstruction.lookup(&instruction);
      if (!access)
        continue;
      if (!access->isStore) {
        piece.loads.push_back(access);
        continues = false;
        continue;
      }
      continues =
          continues && piece.stores.back()[0]->hasConstantMask() == access->hasConstantMask();
      forCells(piece, *access,
               [&](unsigned, int64_t cell) { continues = continues && !touched.contains(cell); });
      if (!continues) {
        piece.stores.emplace_back();
        touched.clear();
      }
      piece.stores.back().push_back(access);
      forCells(piece, *access, [&](unsigned, int64_t cell) { touched.insert(cell); });
      continues = true;
    }
  }
}

/// One vector after the other, of any lengths.
Value *concatenateAny(IRBuilder<> &builder, ArrayRef<Value *> vectors) {
  if (vectors.size() == 1)
    return vectors[0];
  auto lengthOf = [](Value *vector) {
    return cast<FixedVectorType>(vector->getType())->getNumElements();
  };
  Value *first = concatenateAny(builder, vectors.take_front(vectors.size() / 2));
  Value *second = concatenateAny(builder, vectors.drop_front(vectors.size() / 2));
  unsigned ofFirst = lengthOf(first), ofSecond = lengthOf(second);
  unsigned longer = std::max(ofFirst, ofSecond);
  for (Value **vector : {&first, &second}) {
    SmallVector<int, 64> picks(longer, PoisonMaskElem);
    std::iota(picks.begin(), picks.begin() + lengthOf(*vector), 0);
    if (lengthOf(*vector) < longer)
      *vector = builder.CreateShuffleVector(*vector, picks);
  }
  SmallVector<int, 64> picks(ofFirst + ofSecond);
  std::iota(picks.begin(), picks.begin() + ofFirst, 0);
  std::iota(picks.begin() + ofFirst, picks.end(), longer);
  return builder.CreateShuffleVector(first, second, picks);
}

void rewriteLoad(const SharedPiece &piece, SharedAccess &access) {
  IRBuilder<> builder(access.instruction);
  Type *type = access.instruction->getType();
  SmallVector<int, 256> picks(access.places.size() * sizeOf(access) / piece.cellBytes,
                              PoisonMaskElem);
  forCells(piece, access, [&](unsigned part, int64_t cell) { picks[part] = cell; });
  Value *whole = builder.CreateLoad(piece.type, piece.variable);
  Value *value = builder.CreateShuffleVector(whole, picks);
  if (!type->isVectorTy() && picks.size() == 1)
    value = builder.CreateExtractElement(value, uint64_t(0));
  value = builder.CreateBitCast(value, type);
  if (access.mask() && !isa<PoisonValue>(access.value()))
    value = builder.CreateSelect(access.mask(), value, access.value());
  access.instruction->replaceAllUsesWith(value);
  access.instruction->eraseFromParent();
}

/// What a store's lanes write, in cells.
Value *valueInCells(IRBuilder<> &builder, const SharedPiece &piece, const SharedAccess &access) {
  unsigned parts = access.places.size() * sizeOf(access) / piece.cellBytes;
  auto *type = FixedVectorType::get(piece.type->getElementType(), parts);
  Value *value = access.value();
  if (!value->getType()->isVectorTy() && parts == 1)
    return builder.CreateInsertElement(
        PoisonValue::get(type), builder.CreateBitCast(value, type->getElementType()), uint64_t(0));
  return builder.CreateBitCast(value, type);
}

/// Of several lanes that write to one place the last one's value stays.
StoreInst *rewriteStores(const SharedPiece &piece, const StoreGroup &group) {
  IRBuilder<> builder(group.back()->instruction);
  bool isCertain = group[0]->hasConstantMask();
  SmallVector<Value *, 16> values, masks;
  SmallVector<int, 256> places; // the cell that each part of a lane is written to
  for (SharedAccess *access : group) {
    SmallVector<int, 64> parts, lanes;
    unsigned perLane = sizeOf(*access) / piece.cellBytes;
    forCells(piece, *access, [&](unsigned part, int64_t cell) {
      parts.push_back(part);
      lanes.push_back(part / perLane);
      places.push_back(cell);
    });
    if (parts.empty())
      continue;
    values.push_back(builder.CreateShuffleVector(valueInCells(builder, piece, *access), parts));
    if (!isCertain)
      masks.push_back(builder.CreateShuffleVector(access->mask(), lanes));
  }
  unsigned cells = piece.type->getNumElements();
  Value *old = builder.CreateLoad(piece.type, piece.variable);
  Value *all = concatenateAny(builder, values);
  if (!isCertain)
    all = builder.CreateSelect(concatenateAny(builder, masks), all,
                               builder.CreateShuffleVector(old, places));
  SmallVector<int, 256> spread(cells, PoisonMaskElem), blend(cells);
  std::iota(blend.begin(), blend.end(), 0);
  for (auto [part, cell] : enumerate(places)) {
    spread[cell] = part;
    blend[cell] = cells + cell;
  }
  all = builder.CreateShuffleVector(old, builder.CreateShuffleVector(all, spread), blend);
  StoreInst *store = builder.CreateStore(all, piece.variable);
  for (SharedAccess *access : group)
    access->instruction->eraseFromParent();
  return store;
}

} // namespace

uint64_t SharedPiece::moved() const {
  uint64_t count = stores.size() * type->getNumElements();
  for (const SharedAccess *access : accesses)
    count += access->places.size() * sizeOf(*access) / cellBytes;
  return count;
}

std::vector<SharedPiece> cutIntoPieces(Function &function, std::vector<SharedAccess> &accesses) {
  std::vector<SharedAccess *> sorted;
  for (SharedAccess &access : accesses)
    if (access.bytes().first < access.bytes().second)
      sorted.push_back(&access);
  sort(sorted, [](auto *a, auto *b) { return a->bytes().first < b->bytes().first; });
  std::vector<SharedPiece> pieces;
  for (SharedAccess *access : sorted) {
    auto [first, end] = access->bytes();
    if (pieces.empty() || pieces.back().end <= first)
      pieces.push_back({.first = first, .end = end});
    pieces.back().end = std::max(pieces.back().end, end);
    pieces.back().accesses.push_back(access);
  }
  for (SharedPiece &piece : pieces) {
    chooseCells(piece);
    groupAccesses(piece, function);
  }
  return pieces;
}

void rewriteAccesses(const SharedPiece &piece, std::vector<MaskedStore> &masked) {
  for (SharedAccess *access : piece.loads)
    rewriteLoad(piece, *access);
  for (const StoreGroup &group : piece.stores) {
    SmallVector<Value *, 4> masks;
    for (SharedAccess *access : group)
      if (!access->hasConstantMask())
        masks.push_back(access->mask());
    StoreInst *store = rewriteStores(piece, group);
    if (!masks.empty())
      masked.push_back({store, masks});
  }
}

} // namespace heddle::simt
