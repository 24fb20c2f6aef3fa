// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles.
//
// A block copies a tile of a matrix into shared memory, works on it there and copies it back. The
// rows of a tile are short and far apart, so the processor's own prefetchers are of no use, and
// each copy waits for as many cache lines as there are rows. But a worker runs blocks one after the
// other, and while it works on a tile nothing uses memory: the loops that copy fetch the same rows
// of the next block's tile, which lies as far from here as blockIdx.x + 1 is from blockIdx.x.
//
//     block: %x = phi [%first], [%next]                block: %x = phi ...
//     copy:  %y = phi ...                              copy:  %y = phi ...
//            %p = f(32 * %x, %y)                              %p = f(32 * %x, %y)
//            %v = load <32 x i32>, %p           ->            prefetch %p + 32 * 4
//            store %v, %tile + 128 * %y                       %v = load <32 x i32>, %p
//
// Only loops that do nothing but copy, once a block: in loops that compute, a prefetch beside each
// load would take the place of loads. A prefetch is harmless at any address, also beyond the last
// block.
//
// Into the second cache: rows a power of two apart share a few sets of the first, where the fetched
// lines of a tile would drive out each other before they are used, and go to memory again. Lines to
// be stored need no fetch of their own kind: one that nobody else holds may be written.
//
// Legality (prefetch-next-tile):
//  1. The distance to the next block is computed by what cannot fail, no divisions. A prefetch
//     changes nothing. [division]
#include "jit/prefetch/prefetch.h"

#include "simt/analysis/pass_notes.h"
#include "simt/analysis/strides.h"

#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t MostBytes = 1024; ///< of one access

/// blockIdx.x, where the loop over blocks has it: x + 1, or 0 at the end of a row of blocks.
PHINode *findBlockIndex(const Loop &loop) {
  using namespace PatternMatch;
  BasicBlock *latch = loop.getLoopLatch();
  for (PHINode &phi : loop.getHeader()->phis()) {
    Value *next = latch ? phi.getIncomingValueForBlock(latch) : nullptr;
    if (next && match(next, m_Select(m_Value(), m_Zero(), m_Add(m_Specific(&phi), m_One()))))
      return &phi;
  }
  return nullptr;
}

/// All that is loaded is stored, and nothing but addresses is computed.
bool onlyCopies(const Loop &loop) {
  auto isMoved = [&](const Instruction &value) {
    return all_of(value.users(), [&](const User *user) {
      return RangeAccess::from(*const_cast<Instruction *>(cast<Instruction>(user))).isStore;
    });
  };
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      RangeAccess access = RangeAccess::from(const_cast<Instruction &>(instruction));
      bool plain =
          access.address
              ? access.isStore || isMoved(instruction)
              : isa<PHINode, GetElementPtrInst, CastInst, CmpInst, BranchInst>(instruction) ||
                    (isa<BinaryOperator>(instruction) && instruction.getType()->isIntegerTy());
      if (!plain)
        return false;
    }
  return true;
}

/// In loops that copy.
void findIn(const Loop &blocks, const FetchedFunction &where, PHINode &index, Fetches &fetches) {
  simt::Strides strides(where.evolution, blocks, &index);
  for (BasicBlock *block : blocks.blocks()) {
    const Loop *loop = where.loops.getLoopFor(block);
    bool copies = loop->getParentLoop() == &blocks && loop->isInnermost() && onlyCopies(*loop);
    if (!copies)
      continue;
    for (Instruction &instruction : *block) {
      RangeAccess access = RangeAccess::from(instruction);
      if (access.bytes < Line || access.bytes > MostBytes)
        continue;
      if (const SCEV *stride = strides.of(*access.address); stride && !stride->isZero())
        if (Fetch *fetch = fetches.add(access))
          fetches.setAhead(*fetch, *stride, /*rounds=*/1);
    }
  }
}

} // namespace

void findNextTile(const FetchedFunction &where, Fetches &fetches) {
  if (where.function.getName() != simt::RunBlocksName)
    return;
  for (const Loop *blocks : where.loops)
    if (PHINode *index = findBlockIndex(*blocks))
      findIn(*blocks, where, *index, fetches);
}

} // namespace heddle::jit
