// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/schedule/warp_frame.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::jit {

WarpFrame::WarpFrame(Function &function) {
  for (Argument &argument : function.args())
    if (argument.hasNoAliasAttr() && !argument_)
      argument_ = &argument;
  if (argument_ && !findAccesses(*argument_, 0))
    places_.clear();
  if (places_.empty())
    return;
  for (Instruction &instruction : instructions(function))
    if (simt::WarpEnd.isOn(instruction))
      ends_.insert(instruction.getParent());
  findResumed(function.getEntryBlock());
}

/// A program that waits in several places stores where it is, and asks for that when it goes on.
void WarpFrame::findResumed(const BasicBlock &entry) {
  const auto *branch = dyn_cast<BranchInst>(entry.getTerminator());
  const auto *choice = dyn_cast<SwitchInst>(entry.getTerminator());
  Value *index = choice                              ? choice->getCondition()
                 : branch && branch->isConditional() ? branch->getCondition()
                                                     : nullptr;
  auto asked = places_.find(dyn_cast_if_present<LoadInst>(index));
  if (asked == places_.end())
    return;
  for (auto &[access, place] : places_) {
    auto *store = dyn_cast<StoreInst>(access);
    auto *number = store ? dyn_cast<ConstantInt>(store->getValueOperand()) : nullptr;
    if (number && number->getType() == index->getType() && place.start == asked->second.start)
      resumed_[store->getParent()] = choice ? choice->findCaseValue(number)->getCaseSuccessor()
                                            : branch->getSuccessor(number->isZero());
  }
}

/// False if the address goes elsewhere.
bool WarpFrame::findAccesses(Value &address, uint64_t offset) {
  const DataLayout &layout = argument_->getParent()->getDataLayout();
  return all_of(address.users(), [&](User *user) {
    APInt more(64, 0);
    if (auto *part = dyn_cast<GetElementPtrInst>(user))
      return part->accumulateConstantOffset(layout, more) &&
             findAccesses(*part, offset + more.getZExtValue());
    if (getLoadStorePointerOperand(user) != &address)
      return false;
    uint64_t bytes = layout.getTypeStoreSize(getLoadStoreType(user)).getFixedValue();
    places_[cast<Instruction>(user)] = {offset, offset + bytes};
    return true;
  });
}

/// Whether there is a way from the end of one block to the other.
static bool comesBack(const BasicBlock &from, const BasicBlock &to) {
  return any_of(successors(&from),
                [&](const BasicBlock *next) { return is_contained(depth_first(next), &to); });
}

/// No way from the end of `from` leads past the store to one of the readers. Where the program
/// waits, ways go on where it will be resumed; where its warp ends, nobody reads the frame.
bool WarpFrame::isOnAllWays(const StoreInst &store, const BasicBlock &from,
                            ArrayRef<const Instruction *> readers) const {
  if (store.getParent() == &from)
    return true;
  using Stop = PointerIntPair<const BasicBlock *, 1, bool>; // the place to resume at is stored
  SmallSetVector<Stop, 16> reached;
  auto goOn = [&](const BasicBlock &block, bool isStored) {
    for (const BasicBlock *next : successors(&block))
      reached.insert(Stop(next, isStored));
  };
  goOn(from, false);
  for (unsigned i = 0; i < reached.size(); ++i) {
    const BasicBlock *block = reached[i].getPointer();
    bool isStored = reached[i].getInt();
    bool isRead = any_of(readers, [&](const Instruction *reader) {
      return reader->getParent() == block &&
             (block != store.getParent() || reader->comesBefore(&store));
    });
    if (isRead)
      return false;
    if (block == store.getParent() || ends_.contains(block))
      continue;
    if (const BasicBlock *resumed = resumed_.lookup(block)) {
      reached.insert(Stop(resumed, false));
      isStored = true;
    }
    if (isa<ReturnInst>(block->getTerminator()) && !isStored)
      reached.insert(Stop(&from.getParent()->getEntryBlock(), false));
    goOn(*block, isStored);
  }
  return true;
}

StoreInst *WarpFrame::storeBack(const Value &first, const Instruction &sum) const {
  auto *load = dyn_cast<LoadInst>(&first);
  auto place = load ? places_.find(const_cast<LoadInst *>(load)) : places_.end();
  if (place == places_.end() || !load->hasOneUse())
    return nullptr;
  StoreInst *store = nullptr;
  SmallVector<const Instruction *, 4> readers = {load}; // in other blocks, or in another round
  for (auto &[access, other] : places_) {
    if (access == load || other.end <= place->second.start || place->second.end <= other.start)
      continue;
    if (isa<LoadInst>(access) && access->getParent() != sum.getParent()) {
      readers.push_back(access);
      continue;
    }
    auto *candidate = dyn_cast<StoreInst>(access);
    if (store || !candidate || candidate->getValueOperand() != &sum ||
        other.start != place->second.start)
      return nullptr;
    store = candidate;
  }
  const BasicBlock &block = *sum.getParent();
  return store && !comesBack(block, block) && isOnAllWays(*store, block, readers) ? store : nullptr;
}

void WarpFrame::keep(Instruction &sum, StoreInst &store, Value &address) {
  store.setOperand(StoreInst::getPointerOperandIndex(), &address);
  store.moveAfter(&sum);
  loadAgain(sum, store, address);
}

void WarpFrame::loadAgain(Instruction &sum, const StoreInst &store, Value &address) {
  DenseMap<BasicBlock *, Value *> atEnd;
  for (Use &use : make_early_inc_range(sum.uses())) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (block == sum.getParent() || user == &store)
      continue;
    Value *&known = atEnd[block];
    if (!phi || !known) {
      IRBuilder<> builder(phi ? block->getTerminator() : user);
      Value *again = builder.CreateAlignedLoad(sum.getType(), &address, store.getAlign());
      use.set(again);
      if (phi)
        known = again;
    } else {
      use.set(known);
    }
  }
}

} // namespace heddle::jit
