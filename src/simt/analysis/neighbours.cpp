// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/neighbours.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

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

} // namespace heddle::simt
