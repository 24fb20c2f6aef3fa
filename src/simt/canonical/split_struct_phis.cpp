// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/split_struct_phis.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool isSplit(const PHINode &phi) {
  return phi.getType()->isStructTy() && all_of(phi.users(), [](const User *user) {
           auto *member = dyn_cast<ExtractValueInst>(user);
           return member && member->getNumIndices() == 1;
         });
}

PHINode *memberOf(PHINode &phi, unsigned index) {
  IRBuilder<> builder(&phi);
  PHINode *member = builder.CreatePHI(phi.getType()->getStructElementType(index),
                                      phi.getNumIncomingValues(), phi.getName());
  for (auto [value, block] : zip(phi.incoming_values(), phi.blocks())) {
    const int known = member->getBasicBlockIndex(block); // by another case of a switch
    builder.SetInsertPoint(block->getTerminator());
    member->addIncoming(known < 0 ? builder.CreateExtractValue(value, index)
                                  : member->getIncomingValue(known),
                        block);
  }
  return member;
}

} // namespace

void splitStructPhis(Function &function) {
  for (BasicBlock &block : function)
    for (PHINode &phi : make_early_inc_range(block.phis())) {
      if (!isSplit(phi))
        continue;
      SmallDenseMap<unsigned, PHINode *> members;
      for (User *user : make_early_inc_range(phi.users())) {
        auto *extract = cast<ExtractValueInst>(user);
        PHINode *&member = members[extract->getIndices()[0]];
        if (!member)
          member = memberOf(phi, extract->getIndices()[0]);
        extract->replaceAllUsesWith(member);
        extract->eraseFromParent();
      }
      phi.eraseFromParent();
    }
}

} // namespace heddle::simt
