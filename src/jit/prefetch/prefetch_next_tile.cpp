// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles.
//
// A block copies a tile of a matrix into shared memory, works on it there and copies it back. The
// rows of a tile are short and far apart, so the processor's own prefetchers are of no use, and
// each copy waits for as many cache lines as there are rows. But a worker runs blocks one after the
// other, and while it works on a tile nothing uses memory: the loops that copy fetch the same rows
// of the next block's tile, whose addresses follow from blockIdx.x + 1.
//
//     block: %x = phi [%first], [%next]                block: %x = phi ...
//     copy:  %y = phi ...                              copy:  %y = phi ...
//            %v = load <32 x i32>, f(%x, %y)    ->            prefetch f(%x + 1, %y)
//            store %v, %tile + 128 * %y                       %v = load <32 x i32>, f(%x, %y)
//
// Only loops that do nothing but copy, once a block, and stores that were in such a loop before it
// was unrolled (simt/hoist_tile_stores.h): in loops that compute, a prefetch beside each load would
// take the place of loads. A prefetch is harmless at any address, also beyond the last
// block.
//
// Into the second cache: rows a power of two apart share a few sets of the first, where the fetched
// lines of a tile would drive out each other before they are used, and go to memory again. Lines to
// be stored need no fetch of their own kind: one that nobody else holds may be written.
//
// Legality (prefetch-next-tile):
//  1. The address of the next block is computed by what cannot fail, no divisions
//     (later_address.h). A prefetch changes nothing. [division]
#include "jit/prefetch/prefetch_next_tile.h"

#include "jit/prefetch/later_address.h"
#include "jit/prefetch/prefetch_grid_strides.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64;        ///< bytes
constexpr uint64_t MostBytes = 1024; ///< of one access

struct Access {
  Instruction *instruction;
  Value *address;
  uint64_t bytes;
  bool writes;
};

/// A plain or masked load or store; `address` is null for all else.
Access accessOf(Instruction &instruction) {
  const DataLayout &layout = instruction.getDataLayout();
  auto bytes = [&](Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); };
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
    return {load, load->getPointerOperand(), bytes(load->getType()), false};
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
    return {store, store->getPointerOperand(), bytes(store->getValueOperand()->getType()), true};
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::masked_load)
    return {call, call->getArgOperand(0), bytes(call->getType()), false};
  if (call && call->getIntrinsicID() == Intrinsic::masked_store)
    return {call, call->getArgOperand(1), bytes(call->getArgOperand(0)->getType()), true};
  return {&instruction, nullptr, 0, false};
}

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
      return accessOf(*const_cast<Instruction *>(cast<Instruction>(user))).writes;
    });
  };
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      Access access = accessOf(const_cast<Instruction &>(instruction));
      bool plain =
          access.address
              ? access.writes || isMoved(instruction)
              : isa<PHINode, GetElementPtrInst, CastInst, CmpInst, BranchInst>(instruction) ||
                    (isa<BinaryOperator>(instruction) && instruction.getType()->isIntegerTy());
      if (!plain)
        return false;
    }
  return true;
}

bool prefetchNext(const Access &access, LaterAddress &next, PHINode *index) {
  if (!access.address || access.bytes < Line || access.bytes > MostBytes ||
      !next.isKnown(access.address))
    return false;
  IRBuilder<> builder(access.instruction);
  Value *nextBlock = builder.CreateAdd(index, ConstantInt::get(index->getType(), 1));
  Value *address = next.make(builder, access.address, nextBlock);
  prefetchRow(builder, address, access.bytes, FetchInto::Second);
  return true;
}

/// In loops that copy, and where such a loop was unrolled.
bool prefetchIn(const Loop &blocks, const LoopInfo &loops, PHINode *index) {
  LaterAddress next(blocks, index);
  SmallVector<Access, 64> rows;
  for (BasicBlock *block : blocks.blocks()) {
    const Loop *loop = loops.getLoopFor(block);
    bool copies = loop->getParentLoop() == &blocks && loop->isInnermost() && onlyCopies(*loop);
    for (Instruction &instruction : *block)
      if (copies || simt::RowStore.isOn(instruction))
        rows.push_back(accessOf(instruction));
  }
  bool isChanged = false;
  for (const Access &access : rows)
    isChanged |= prefetchNext(access, next, index);
  return isChanged;
}

} // namespace

PreservedAnalyses PrefetchNextTile::run(Function &function, FunctionAnalysisManager &analyses) {
  if (function.getName() != simt::RunBlocksName)
    return PreservedAnalyses::all();
  bool isChanged = false;
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  for (const Loop *blocks : loops)
    if (PHINode *index = findBlockIndex(*blocks))
      isChanged |= prefetchIn(*blocks, loops, index);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
