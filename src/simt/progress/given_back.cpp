// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop takes and other code gives back.
//
// A loop that tries one place after the other, in a circle, comes to its end by itself if places
// are only ever taken one way: the probes of a hash table find their key or an empty place. A pool
// is another matter. When all its places are taken, a thread goes round until another one is done
// with its own:
//
//     while (atomicCAS(&slot[i], 0, 1) != 0)         while (atomicCAS(&keys[h], -1, key) != -1)
//       i = (i + 1) % 8;                               h = (h + 1) % 1024;
//     ...                                            atomicAdd(&counts[h], 1);
//     atomicExch(&slot[i], 0);
//
// They differ in what else is written there, by code that threads may run while others are in the
// loop: no barrier of the block lies between. A write counts unless it certainly goes elsewhere,
// or certainly leaves another value than the one that is waited for. By the rules of C++ what is
// waited for is written by its own type.
#include "simt/progress/given_back.h"

#include "simt/analysis/intrinsics.h"
#include "simt/progress/meeting_lanes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/SimplifyQuery.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

#include <numeric>

using namespace llvm;

namespace heddle::simt {

namespace {

bool isBarrierOfBlock(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && (isBarrierOfAll(*call) || isBarrierOfBlocks(*call));
}

/// What threads may do from a place on without a barrier: writes, and whether they come to a loop.
class Phase {
public:
  Phase(const Instruction &first, const Loop &loop) : loop_(loop) {
    walk(first);
    while (!work_.empty())
      walk(work_.pop_back_val()->front());
  }

  bool comesToLoop() const { return comesToLoop_; }
  ArrayRef<const Instruction *> writes() const { return writes_; }

private:
  void walk(const Instruction &first) {
    for (const Instruction *next = &first; next; next = next->getNextNode()) {
      comesToLoop_ |= loop_.contains(next);
      if (isBarrierOfBlock(*next))
        return;
      if (next->mayWriteToMemory())
        writes_.push_back(next);
    }
    for (const BasicBlock *block : successors(first.getParent()))
      if (seen_.insert(block).second)
        work_.push_back(block);
  }

  const Loop &loop_;
  bool comesToLoop_ = false;
  SmallVector<const Instruction *, 16> writes_;
  SmallPtrSet<const BasicBlock *, 16> seen_;
  SmallVector<const BasicBlock *, 16> work_;
};

/// Writes that other threads may do while some are in the loop.
SmallPtrSet<const Instruction *, 16> writesBeside(const Loop &loop) {
  const Function &own = *loop.getHeader()->getParent();
  SmallPtrSet<const Instruction *, 16> found;
  SmallVector<const Instruction *, 8> starts = {&own.getEntryBlock().front()};
  for (const Instruction &instruction : instructions(own))
    if (isBarrierOfBlock(instruction) && instruction.getNextNode())
      starts.push_back(instruction.getNextNode());
  for (const Instruction *start : starts)
    if (Phase phase(*start, loop); phase.comesToLoop())
      found.insert_range(phase.writes());
  for (const Function &function : *own.getParent())
    if (&function != &own)
      for (const Instruction &instruction : instructions(function))
        if (instruction.mayWriteToMemory())
          found.insert(&instruction);
  return found;
}

/// What is stored, or null if it is computed from what was there.
const Value *valueOf(const Instruction &write) {
  if (const auto *store = dyn_cast<StoreInst>(&write))
    return store->getValueOperand();
  if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&write))
    return swap->getNewValOperand();
  const auto *rmw = dyn_cast<AtomicRMWInst>(&write);
  return rmw && rmw->getOperation() == AtomicRMWInst::Xchg ? rmw->getValOperand() : nullptr;
}

/// Where an access begins, as far as the ranges and the steps of its indices say.
struct Place {
  const Value *base;
  ConstantRange offsets{APInt(64, 0)};
  uint64_t step = 0; ///< the variable part is a multiple of it; 0: there is none
  int64_t constant = 0;

  Place(const Value *address, const DataLayout &layout) : base(address->stripPointerCasts()) {
    while (const auto *element = dyn_cast<GEPOperator>(base)) {
      SmallMapVector<Value *, APInt, 4> variable;
      APInt fixed(64, 0);
      if (!element->collectOffset(layout, 64, variable, fixed))
        break;
      offsets = offsets.add(ConstantRange(fixed));
      constant += fixed.getSExtValue();
      for (const auto &[index, scale] : variable) {
        offsets =
            offsets.add(computeConstantRangeIncludingKnownBits(index, /*ForSigned=*/true, layout)
                            .sextOrTrunc(64)
                            .smul_fast(ConstantRange(scale)));
        step = std::gcd(step, scale.abs().getZExtValue());
      }
      base = element->getPointerOperand()->stripPointerCasts();
    }
  }
};

/// Two accesses of so many bytes touch no common one: other objects, other parts of one, or other
/// members of an array's structures.
bool areApart(const Value *one, const Value *other, uint64_t bytes, const DataLayout &layout,
              const Objects *objects) {
  if (objects && objects->areApart(one, other))
    return true;
  Place first(one, layout), second(other, layout);
  if (first.base != second.base)
    return isa<AllocaInst>(second.base);
  ConstantRange around(APInt(64, -(bytes - 1), true), APInt(64, bytes));
  if (first.offsets.add(around).intersectWith(second.offsets).isEmptySet())
    return true;
  uint64_t step = std::gcd(first.step, second.step);
  if (!step)
    return false;
  int64_t distance = (second.constant - first.constant) % int64_t(step);
  auto apart = uint64_t(distance < 0 ? distance + int64_t(step) : distance);
  return apart >= bytes && step - apart >= bytes;
}

/// The write may be one to where the atomic operation is done, by its type.
bool mayBeThere(const Instruction &write, const Instruction &atomic, const Objects *objects) {
  const DataLayout &layout = atomic.getDataLayout();
  const Value *place = addressOfScalarAccess(atomic);
  auto bytesOf = [&](Type *type) { return layout.getTypeStoreSize(type); };
  Type *type = isa<AtomicRMWInst>(atomic)
                   ? atomic.getType()
                   : cast<AtomicCmpXchgInst>(atomic).getNewValOperand()->getType();
  if (const Value *written = addressOfScalarAccess(write)) {
    const Value *value = valueOf(write);
    Type *other = value ? value->getType() : write.getType();
    return bytesOf(other) == bytesOf(type) &&
           other->isFPOrFPVectorTy() == type->isFPOrFPVectorTy() &&
           !areApart(place, written, bytesOf(type), layout, objects);
  }
  const auto *call = dyn_cast<CallInst>(&write);
  if (!call)
    return false;
  if (const auto *memory = dyn_cast<MemIntrinsic>(call))
    return !isa<AllocaInst>(getUnderlyingObject(memory->getDest())) &&
           !(objects && objects->areApart(place, memory->getDest()));
  return callKind(*call) == CallKind::StorePair || callKind(*call) == CallKind::Cas128;
}

/// Whether the write may leave `wanted` where the swap has left what it stores.
bool mayLeave(const Instruction &write, const AtomicCmpXchgInst &swap) {
  const auto *wanted = dyn_cast<ConstantInt>(swap.getCompareOperand());
  if (!wanted)
    return true;
  if (const Value *value = valueOf(write)) {
    if (!value->getType()->isIntegerTy())
      return true;
    return computeConstantRangeIncludingKnownBits(value, /*ForSigned=*/false, swap.getDataLayout())
        .contains(wanted->getValue());
  }
  const auto *rmw = dyn_cast<AtomicRMWInst>(&write);
  if (!rmw || !is_contained({AtomicRMWInst::Add, AtomicRMWInst::Sub}, rmw->getOperation()))
    return true;
  // What was taken is counted back, or a count goes on from whatever was there.
  const auto *step = dyn_cast<ConstantInt>(rmw->getValOperand());
  const auto *taken = dyn_cast<ConstantInt>(swap.getNewValOperand());
  if (!step || !taken)
    return false;
  bool adds = rmw->getOperation() == AtomicRMWInst::Add;
  APInt left = adds ? taken->getValue() + step->getValue() : taken->getValue() - step->getValue();
  return left == wanted->getValue();
}

} // namespace

bool mayBeGivenBack(const Instruction &atomic, const Loop &loop, const Objects *objects) {
  const auto *swap = dyn_cast<AtomicCmpXchgInst>(&atomic);
  return any_of(writesBeside(loop), [&](const Instruction *write) {
    return write != &atomic && mayBeThere(*write, atomic, objects) &&
           (!swap || mayLeave(*write, *swap));
  });
}

bool mayBeReset(const AtomicRMWInst &counter, const Loop &loop, const Objects *objects) {
  bool endsWithOne = any_of(counter.users(), [](const User *user) {
    const auto *compare = dyn_cast<ICmpInst>(user);
    return compare && compare->isEquality();
  });
  return endsWithOne && any_of(writesBeside(loop), [&](const Instruction *write) {
           return valueOf(*write) && mayBeThere(*write, counter, objects);
         });
}

} // namespace heddle::simt
