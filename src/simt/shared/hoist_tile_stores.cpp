// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A block walks over a tile, then copies it row by row to a matrix, whose rows are far
// apart: each store waits for its cache line, and rows a power of two apart drive each other out of
// the nearest cache. The processor keeps stores until they are done, a hundred of them, and goes
// on; but while the walk computes it has none to do, and after it there are all at once.
//
// Method. The walk is straight code (wavefronts.cpp), in which each row of the tile is complete at
// some point. The loop that copies is unrolled behind it, so that the walk is seen to give it its
// rows; then each store goes up to where its row is complete. If nothing else reads the tile, it is
// written no more.
//
// Nobody can tell: one program holds the block, what it stores is in no order for other blocks
// before a fence that they can see, and there is none between. A store passes no other access to
// memory that is not shared.
//
// Not done: rows that are complete in another order than that in which they are stored (a walk from
// the lower corner, a copy from the first row on) are stored behind the walk.
//
// Legality (hoist-tile-stores):
//  1. No store passes a fence that other blocks can see. [fences]
//  2. Nor any access to memory that is not shared. [other memory]
//  3. The tile is not written only if nothing reads it. [tile unread]
#include "simt/shared/hoist_tile_stores.h"

#include "simt/analysis/analyses.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/canonical/loop_unroller.h"
#include "simt/shared/shared_accesses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <set>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostTurns = 64;
constexpr unsigned LargestUnrolling = 2048; ///< instructions, all turns

bool isShared(const Value *address, const Instruction &shared) {
  return address && getUnderlyingObject(address, 0) == &shared;
}

/// Of a load or store, plain or under a mask; null of all else.
Value *addressOfSimpleAccess(Instruction &instruction) {
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    if (call->getIntrinsicID() == Intrinsic::masked_load)
      return call->getArgOperand(0);
    return call->getIntrinsicID() == Intrinsic::masked_store ? call->getArgOperand(1) : nullptr;
  }
  bool isSimple = (isa<LoadInst>(instruction) && cast<LoadInst>(instruction).isSimple()) ||
                  (isa<StoreInst>(instruction) && cast<StoreInst>(instruction).isSimple());
  return isSimple ? getLoadStorePointerOperand(&instruction) : nullptr;
}

/// Each block goes on to one of the loop's, which one alone may leave.
bool isStraight(const Loop &loop) {
  return loop.getExitingBlock() && all_of(loop.blocks(), [&](BasicBlock *block) {
           return count_if(successors(block), [&](auto *next) { return loop.contains(next); }) == 1;
         });
}

size_t sizeOf(const Loop &loop) {
  size_t size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->size();
  return size;
}

/// Straight loops that copy, and those of one turn.
class Copies {
public:
  Copies(Instruction &shared, ScalarEvolution &evolution)
      : shared_(shared), evolution_(evolution) {}

  bool isLaneLoopOfOneTurn(const Loop &loop) {
    return isStraight(loop) && evolution_.getSmallConstantTripCount(&loop) == 1 && look(loop) &&
           accesses_ > 0;
  }

  /// Reads shared memory and writes what is not shared.
  bool isCopy(const Loop &loop) {
    unsigned turns = evolution_.getSmallConstantTripCount(&loop);
    return isStraight(loop) && turns > 1 && turns <= MostTurns &&
           turns * sizeOf(loop) <= LargestUnrolling && look(loop) && reads_ > 0 &&
           reads_ == accesses_ && writesElsewhere_;
  }

private:
  /// Counts its accesses to shared memory. False if it does more than access memory, or their
  /// places would not be known in each turn.
  bool look(const Loop &loop) {
    reads_ = accesses_ = 0;
    writesElsewhere_ = false;
    return all_of(loop.blocks(), [&](BasicBlock *block) {
      return all_of(*block, [&](Instruction &instruction) { return note(instruction); });
    });
  }

  bool note(Instruction &instruction) {
    if (!instruction.mayReadOrWriteMemory())
      return true;
    Value *address = addressOfSimpleAccess(instruction);
    if (!address)
      return false;
    if (!isShared(address, shared_)) {
      writesElsewhere_ |= instruction.mayWriteToMemory();
      return true;
    }
    ++accesses_;
    reads_ += !instruction.mayWriteToMemory();
    const SCEV *place =
        evolution_.getMinusSCEV(evolution_.getSCEV(address), evolution_.getSCEV(&shared_));
    const auto *steps = dyn_cast<SCEVAddRecExpr>(place);
    return isa<SCEVConstant>(place) ||
           (steps && steps->isAffine() && isa<SCEVConstant>(steps->getOperand(0)) &&
            isa<SCEVConstant>(steps->getOperand(1)));
  }

  Instruction &shared_;
  ScalarEvolution &evolution_;
  unsigned reads_ = 0, accesses_ = 0;
  bool writesElsewhere_ = false;
};

/// The loop that follows the block, through blocks that it alone comes to.
Loop *loopBehind(BasicBlock &block, LoopInfo &loops) {
  for (BasicBlock *next = block.getSingleSuccessor(); next; next = next->getSingleSuccessor()) {
    Loop *loop = loops.getLoopFor(next);
    if (loop && loop->getHeader() == next && loop->getParentLoop() == loops.getLoopFor(&block))
      return loop;
    if (!next->getSinglePredecessor())
      return nullptr;
  }
  return nullptr;
}

/// It stays in order without fences, for LLVM knows no types of it.
void markRow(Instruction &store) {
  for (unsigned kind : {LLVMContext::MD_tbaa, LLVMContext::MD_tbaa_struct,
                        LLVMContext::MD_alias_scope, LLVMContext::MD_noalias})
    store.setMetadata(kind, nullptr);
  RowStore.put(store);
}

void mergeFollowing(BasicBlock &block) {
  while (BasicBlock *next = block.getSingleSuccessor())
    if (next == &block || !MergeBlockIntoPredecessor(next))
      return;
}

} // namespace

bool unrollCopies(Function &function, Instruction &shared, ArrayRef<BasicBlock *> before,
                  TargetMachine &machine) {
  Analyses analyses(machine);
  SmallVector<WeakVH, 4> walks(before.begin(), before.end()); // one may be merged into another
  auto walksLeft = [&] {
    SmallVector<BasicBlock *, 4> left;
    for (Value *walk : walks)
      if (walk)
        left.push_back(cast<BasicBlock>(walk));
    return left;
  };
  auto unrollOne = [&] {
    LoopUnroller unroller(function, analyses.functions);
    Copies copies(shared, unroller.evolution());
    Loop *chosen = nullptr;
    for (Loop *loop : unroller.loops().getLoopsInPreorder())
      if (copies.isLaneLoopOfOneTurn(*loop))
        chosen = loop;
    for (BasicBlock *block : walksLeft())
      if (Loop *loop = chosen ? nullptr : loopBehind(*block, unroller.loops());
          loop && copies.isCopy(*loop))
        chosen = loop;
    if (!chosen)
      return false;
    unsigned turns = unroller.evolution().getSmallConstantTripCount(chosen);
    for (BasicBlock *block : chosen->blocks())
      for (Instruction &instruction : *block)
        if (turns > 1 && instruction.mayWriteToMemory())
          markRow(instruction);
    bool unrolled = unroller.unroll(*chosen, turns) != LoopUnrollResult::Unmodified;
    for (Value *walk : walks)
      if (walk)
        mergeFollowing(*cast<BasicBlock>(walk));
    analyses.functions.invalidate(function, PreservedAnalyses::none());
    return unrolled;
  };
  bool changed = false;
  while (unrollOne())
    changed = true;
  return changed;
}

namespace {

class HoistedStore {
public:
  HoistedStore(Instruction &store, Instruction &shared) : store_(store), shared_(shared) {}

  void move() {
    Instruction *last = lastBefore();
    if (!last || last->getNextNode() == &store_)
      return;
    Instruction *place =
        isa<PHINode>(last) ? &*last->getParent()->getFirstInsertionPt() : last->getNextNode();
    while (moved_.contains(place))
      place = place->getNextNode();
    for (Value *operand : store_.operands())
      moveBefore(*place, operand);
    if (place != &store_)
      store_.moveBefore(place->getIterator());
  }

private:
  /// What must stay before the store; its address is computed where it is wanted.
  Instruction *lastBefore() {
    SmallPtrSet<const Instruction *, 16> fixed;
    Value *address = addressOfSimpleAccess(store_);
    for (Value *operand : store_.operands())
      if (auto *instruction = dyn_cast<Instruction>(operand);
          instruction && (operand != address || !findAddress(*instruction, fixed)))
        fixed.insert(instruction);
    Instruction *at = store_.getPrevNode();
    while (at && !fixed.contains(at) && !holds(*at))
      at = at->getPrevNode();
    return at;
  }

  /// What an address is computed of, as far as it may move, is in `moved_`; what it rests on, in
  /// `fixed`. False if the instruction itself may not move.
  bool findAddress(Instruction &instruction, SmallPtrSetImpl<const Instruction *> &fixed) {
    if (instruction.getParent() != store_.getParent() || isa<PHINode>(instruction) ||
        instruction.mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(&instruction))
      return false;
    if (!moved_.insert(&instruction).second)
      return true;
    for (Value *operand : instruction.operands())
      if (auto *other = dyn_cast<Instruction>(operand); other && !findAddress(*other, fixed))
        fixed.insert(other);
    return true;
  }

  bool holds(const Instruction &instruction) const {
    return isa<PHINode>(instruction) ||
           (instruction.mayReadOrWriteMemory() && !isThreadFence(instruction) &&
            !instruction.hasMetadata(LLVMContext::MD_invariant_load) &&
            !isShared(addressOfSimpleAccess(const_cast<Instruction &>(instruction)), shared_));
  }

  void moveBefore(Instruction &place, Value *value) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !moved_.contains(instruction) || instruction->comesBefore(&place))
      return;
    for (Value *operand : instruction->operands())
      moveBefore(place, operand);
    instruction->moveBefore(place.getIterator());
  }

  Instruction &store_, &shared_;
  SmallPtrSet<const Instruction *, 16> moved_;
};

} // namespace

void hoistTileStores(BasicBlock &block, Instruction &shared) {
  SmallVector<Instruction *, 64> stores;
  for (Instruction &instruction : block)
    if (RowStore.isOn(instruction))
      stores.push_back(&instruction);
  for (Instruction *store : stores)
    HoistedStore(*store, shared).move();
}

bool needsFences(const Instruction &instruction, const Instruction &shared) {
  return instruction.mayWriteToMemory() && !isThreadFence(instruction) &&
         !RowStore.isOn(instruction) &&
         !isShared(addressOfSimpleAccess(const_cast<Instruction &>(instruction)), shared);
}

void dropUnreadShared(Instruction &shared) {
  std::optional<SharedUses> uses = findSharedUses(shared);
  auto isStore = [](const Instruction *use) {
    return use->mayWriteToMemory() && !use->mayReadFromMemory();
  };
  if (!uses || !all_of(uses->others, isStore))
    return;
  std::set<int64_t> read;
  for (const SharedAccess &access : uses->known)
    if (int64_t size = access.instruction->getDataLayout().getTypeStoreSize(access.element);
        !access.isStore)
      for (auto [lane, place] : enumerate(access.places))
        for (int64_t byte = place; access.mayTouch(lane) && byte < place + size; ++byte)
          read.insert(byte);
  for (const SharedAccess &access : uses->known) {
    auto [first, end] = access.bytes();
    auto next = read.lower_bound(first);
    if (access.isStore && !access.instruction->isVolatile() && !access.instruction->isAtomic() &&
        (next == read.end() || *next >= end))
      access.instruction->eraseFromParent();
  }
}

} // namespace heddle::simt
