// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/warp_frame.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::jit {

WarpFrame::WarpFrame(Function &function) {
  for (Argument &argument : function.args())
    if (argument.hasNoAliasAttr() && !argument_)
      argument_ = &argument;
  if (argument_ && !findAccesses(*argument_, 0))
    places_.clear();
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

StoreInst *WarpFrame::storeBack(const Value &first, const Instruction &sum) const {
  auto *load = dyn_cast<LoadInst>(&first);
  auto place = load ? places_.find(const_cast<LoadInst *>(load)) : places_.end();
  if (place == places_.end())
    return nullptr;
  StoreInst *store = nullptr;
  for (auto &[access, other] : places_) {
    if (access == load || other.end <= place->second.start || place->second.end <= other.start)
      continue;
    if (isa<LoadInst>(access) && access->getParent() != sum.getParent())
      continue; // of what is there when the block has ended
    auto *candidate = dyn_cast<StoreInst>(access);
    if (store || !candidate || candidate->getValueOperand() != &sum ||
        other.start != place->second.start)
      return nullptr;
    store = candidate;
  }
  return store && !comesBack(*sum.getParent(), *load->getParent()) ? store : nullptr;
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
