// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/neighbours.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <map>

namespace heddle::simt {

using namespace llvm;

namespace {

/// Accesses with one base and type, by their distance from the base in bytes.
using Places = std::map<int64_t, SmallVector<const Instruction *, 1>>;

void countRows(const Places &places, int64_t size, DenseMap<const Instruction *, unsigned> &found) {
  for (auto first = places.begin(); first != places.end();) {
    auto end = std::next(first);
    unsigned length = 1;
    for (; end != places.end() && end->first == std::prev(end)->first + size; ++end)
      ++length;
    for (; first != end; ++first)
      if (length > 1)
        for (const Instruction *access : first->second)
          found[access] = length;
  }
}

} // namespace

DenseMap<const Instruction *, unsigned> findNeighbours(const BasicBlock &block) {
  const DataLayout &layout = block.getDataLayout();
  DenseMap<const Instruction *, unsigned> found;
  MapVector<std::pair<const Value *, std::pair<Type *, unsigned>>, Places> rows;
  for (const Instruction &instruction : block) {
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    if (!pointer || instruction.isVolatile() || instruction.isAtomic())
      continue;
    APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    const Value *base =
        pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    rows[{base, {getLoadStoreType(&instruction), instruction.getOpcode()}}][offset.getSExtValue()]
        .push_back(&instruction);
  }
  for (const auto &[key, places] : rows)
    countRows(places, layout.getTypeStoreSize(key.second.first).getFixedValue(), found);
  return found;
}

bool isPlainType(Type *type) {
  return type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() || type->isIntegerTy(8) ||
         type->isIntegerTy(16) || type->isIntegerTy(32) || type->isIntegerTy(64);
}

bool isPlainAccess(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() && isPlainType(load->getType());
  const auto *store = dyn_cast<StoreInst>(&instruction);
  return store && store->isSimple() && isPlainType(store->getValueOperand()->getType());
}

NeighbourRows::NeighbourRows(const BasicBlock &block, unsigned bits)
    : neighbours_(findNeighbours(block)), bits_(bits), shortest_(bits / 8) {
  unsigned accesses = 0, inRows = 0, shortestRow = shortest_;
  for (const Instruction &instruction : block)
    if (isPlainAccess(instruction)) {
      const unsigned length = inRegister(instruction);
      shortest_ = std::min(shortest_, length);
      ++accesses;
      if (length > 1) {
        ++inRows;
        storesRows_ |= isa<StoreInst>(instruction);
        shortestRow = std::min(shortestRow, length);
      }
    }
  if (inRows && 4 * inRows >= 3 * accesses)
    most_ = shortestRow;
}

/// Shorter rows are not worth a vector.
unsigned NeighbourRows::inRegister(const Instruction &access) const {
  unsigned bits = access.getDataLayout().getTypeSizeInBits(getLoadStoreType(&access));
  unsigned length = std::clamp(neighbours_.lookup(&access), 1u, bits_ / bits);
  return length * bits < ShortestVector ? 1 : length;
}

} // namespace heddle::simt
