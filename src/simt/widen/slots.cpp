// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A warp program has some slots for each block of the kernel: its mask, its phis, what it
// gives to others. LLVM's PromoteMemToReg looks for the places of a slot's phis in all that the
// blocks with stores dominate. Masks are zeroed at the entry, which dominates everything, and where
// they are taken, so that the time went with the square of the number of blocks: half a minute for
// an unrolled kernel of some thousand branches.
//
// Method. LLVM's SSAUpdater goes backwards from each load to the stores that it can see, and no
// further: between a branch and its join, since a branch clears the slots of its join
// (control_flow.cpp). Stores that are not read cost nothing. What was never stored is poison, as
// the lanes of a masked load are that are not active; undef would do, but for what comes of it LLVM
// asks all dominating branches again and again whether it might be poison.
#include "simt/widen/slots.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

using namespace llvm;

namespace heddle::simt {

void promoteSlots(ArrayRef<AllocaInst *> slots) {
  for (AllocaInst *slot : slots) {
    SmallVector<Instruction *, 8> accesses;
    for (User *user : slot->users())
      accesses.push_back(cast<Instruction>(user));
    SSAUpdater values;
    LoadAndStorePromoter(accesses, values, slot->getName()).run(accesses);
    slot->eraseFromParent();
  }
}

} // namespace heddle::simt
