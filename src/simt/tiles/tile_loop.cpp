// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tiles/tile_loop.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

/// An address, computed again from `base`.
static Value *move(Value &pointer, Value &base, ArrayRef<BasicBlock *> loop, const Argument &shared,
                   DenseMap<Value *, Value *> &moved) {
  if (&pointer == &shared)
    return &base;
  if (Value *known = moved.lookup(&pointer))
    return known;
  auto &address = cast<Instruction>(pointer);
  auto &from = cast<Instruction>(*move(*address.getOperand(0), base, loop, shared, moved));
  Instruction *copy = address.clone();
  copy->setOperand(0, &from);
  if (is_contained(loop, address.getParent()))
    copy->insertBefore(address.getIterator());
  else
    copy->insertAfter(&from);
  return moved[&pointer] = copy;
}

void moveAccesses(ArrayRef<Instruction *> accesses, ArrayRef<BasicBlock *> loop, Argument &shared,
                  Instruction &base) {
  DenseMap<Value *, Value *> moved;
  for (Instruction *access : accesses) {
    unsigned index = isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex()
                                           : StoreInst::getPointerOperandIndex();
    access->setOperand(index, move(*access->getOperand(index), base, loop, shared, moved));
  }
}

Loop *findWaitingLoop(LoopFacts &facts, unsigned waits, TileLoop &tiles, const BasicBlock *header) {
  for (Loop *loop : facts.loops) {
    if (header && loop->getHeader() != header)
      continue;
    SmallVector<CallInst *, 2> found;
    bool isPlain = loop->isLoopSimplifyForm();
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (auto *call = dyn_cast<CallInst>(&instruction);
            call && callKind(*call) == CallKind::BlockBarrier) {
          isPlain &= isPlainBarrier(*call) && facts.loops.getLoopFor(block) == loop &&
                     loop->getLoopLatch() &&
                     facts.dominators.dominates(block, loop->getLoopLatch());
          found.push_back(call);
        }
    if (!isPlain || found.size() != waits)
      continue;
    if (waits == 2 && facts.dominators.dominates(found[1], found[0]))
      std::swap(found[0], found[1]);
    tiles.filled = found[0], tiles.read = waits == 2 ? found[1] : nullptr;
    return tiles.loop = loop;
  }
  return nullptr;
}

bool onlyComputes(const CallInst &call) {
  return is_contained(
      {CallKind::Drop, CallKind::Aligned, CallKind::Math, CallKind::Native, CallKind::ThreadIndex},
      callKind(call));
}

static bool isOfTiles(const TileLoop &tiles, const Instruction &instruction) {
  return &instruction == tiles.filled || &instruction == tiles.read ||
         is_contained(tiles.accesses, &instruction);
}

bool onlyLoadsBesides(const TileLoop &tiles) {
  for (BasicBlock *block : tiles.loop->blocks())
    for (Instruction &instruction : *block) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      const auto *call = dyn_cast<CallInst>(&instruction);
      bool isKnown = (load && load->isSimple()) || (call && onlyComputes(*call)) ||
                     isOfTiles(tiles, instruction);
      if (!isKnown && (instruction.mayReadOrWriteMemory() || (call && !isa<IntrinsicInst>(call))))
        return false;
    }
  return true;
}

bool loadsComeFirst(const TileLoop &tiles, const LoopFacts &facts) {
  for (BasicBlock *block : tiles.loop->blocks())
    for (Instruction &instruction : *block)
      if (isa<LoadInst>(instruction) && !isOfTiles(tiles, instruction) &&
          facts.dominators.dominates(tiles.filled, &instruction))
        return false;
  return true;
}

bool isLeftTogether(const Loop &loop, const Shapes &ofBlock) {
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  return none_of(exiting, [&](BasicBlock *end) { return ofBlock.isDivergent(end); });
}

} // namespace heddle::simt
