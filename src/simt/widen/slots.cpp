// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A warp program has some slots for each block of the kernel: its mask, its phis, what it
// gives to others. LLVM's PromoteMemToReg looks for the places of a slot's phis in all that the
// blocks with stores dominate. Masks are zeroed at the entry, which dominates everything, and where
// they are taken, so that the time went with the square of the number of blocks: half a minute for
// an unrolled kernel of some thousand branches.
//
// Method. Most of these stores are never read: whoever asks for the mask comes from the branch that
// has just written it. Without them a mask has one store, or all its uses in one block, for which
// PromoteMemToReg has short ways. Stores that are not read make no phis, so the result is the same.
#include "simt/widen/slots.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace heddle::simt {

using Accesses = DenseMap<BasicBlock *, SmallVector<Instruction *, 4>>; ///< in their order

static Accesses accessesOf(AllocaInst &slot) {
  Accesses accesses;
  for (User *user : slot.users())
    accesses[cast<Instruction>(user)->getParent()].push_back(cast<Instruction>(user));
  for (auto &[block, list] : accesses)
    sort(list, [](Instruction *a, Instruction *b) { return a->comesBefore(b); });
  return accesses;
}

/// The blocks behind whose end the slot may be loaded before it is stored to.
static SmallPtrSet<BasicBlock *, 16> readBehind(const Accesses &accesses) {
  SmallPtrSet<BasicBlock *, 16> read;
  SmallVector<BasicBlock *, 16> wanted; // at their start
  for (const auto &[block, list] : accesses)
    if (isa<LoadInst>(list.front()))
      wanted.push_back(block);
  while (!wanted.empty())
    for (BasicBlock *before : predecessors(wanted.pop_back_val()))
      if (read.insert(before).second && !accesses.contains(before))
        wanted.push_back(before);
  return read;
}

/// Takes away the stores that no load can see.
static void removeUnreadStores(AllocaInst &slot) {
  Accesses accesses = accessesOf(slot);
  SmallPtrSet<BasicBlock *, 16> read = readBehind(accesses);
  for (auto &[block, list] : accesses) {
    bool wanted = read.contains(block);
    for (Instruction *access : reverse(list)) {
      bool isLoad = isa<LoadInst>(access);
      if (!isLoad && !wanted)
        access->eraseFromParent();
      wanted = isLoad;
    }
  }
}

void promoteSlots(ArrayRef<AllocaInst *> slots, DominatorTree &dominators) {
  for (AllocaInst *slot : slots)
    removeUnreadStores(*slot);
  PromoteMemToReg(slots, dominators);
}

} // namespace heddle::simt
