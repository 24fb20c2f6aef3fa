// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/proof/own_reads.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool mayOrderThreads(const Instruction &instruction) {
  if (instruction.isAtomic() || instruction.isVolatile())
    return true;
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  switch (callKind(*call)) {
  case CallKind::Drop:
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::ThreadIndex:
  case CallKind::Shadow:
  case CallKind::Uninitialized:
  case CallKind::FloatCheck:
    return false;
  default:
    return true;
  }
}

/// On all ways back from the store, before the load, which dominates it.
bool isAnythingBetween(const LoadInst &load, const StoreInst &store) {
  SmallPtrSet<const BasicBlock *, 16> seen;
  SmallVector<const Instruction *, 8> open = {store.getPrevNode()};
  SmallVector<const BasicBlock *, 8> blocks = {store.getParent()};
  while (!blocks.empty()) {
    const BasicBlock *block = blocks.pop_back_val();
    const Instruction *at = open.pop_back_val();
    for (; at && at != &load; at = at->getPrevNode())
      if (mayOrderThreads(*at))
        return true;
    if (at == &load)
      continue;
    for (const BasicBlock *before : predecessors(block))
      if (seen.insert(before).second) {
        blocks.push_back(before);
        open.push_back(before->getTerminator());
      }
  }
  return false;
}

} // namespace

DenseMap<const Instruction *, LoadInst *> findOwnReads(const DominatorTree &dominators,
                                                       ArrayRef<LoadInst *> loads,
                                                       ArrayRef<StoreInst *> stores) {
  DenseMap<const Instruction *, LoadInst *> found;
  for (StoreInst *store : stores) {
    const DataLayout &layout = store->getDataLayout();
    auto isOwn = [&](LoadInst *load) {
      return !load->isVolatile() && !load->isAtomic() &&
             load->getPointerOperand() == store->getPointerOperand() &&
             layout.getTypeStoreSize(load->getType()) ==
                 layout.getTypeStoreSize(store->getValueOperand()->getType()) &&
             dominators.dominates(load, store) && !isAnythingBetween(*load, *store);
    };
    if (store->isVolatile() || store->isAtomic())
      continue;
    if (auto at = find_if(loads, isOwn); at != loads.end())
      found[store] = *at;
  }
  return found;
}

} // namespace heddle::simt
