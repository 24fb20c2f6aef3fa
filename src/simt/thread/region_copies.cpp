// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread/region_copies.h"

#include "simt/analysis/function_facts.h"

#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

void copyBlocks(ArrayRef<BasicBlock *> blocks, ValueToValueMapTy &map) {
  SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".all", block->getParent());
    map[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  for (auto [block, copy] : zip_equal(blocks, copies))
    for (BasicBlock *next : successors(block)) {
      if (is_contained(blocks, next))
        continue;
      for (PHINode &phi : next->phis()) {
        Value *value = phi.getIncomingValueForBlock(block), *other = map.lookup(value);
        phi.addIncoming(other ? other : value, copy);
      }
    }
}

void normalizeLoops(Function &function) {
  removeUnreachableBlocks(function);
  LoopFacts facts(function);
  for (Loop *loop : facts.loops)
    simplifyLoop(loop, &facts.dominators, &facts.loops, nullptr, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
  for (Loop *loop : facts.loops)
    formLCSSARecursively(*loop, facts.dominators, &facts.loops, nullptr);
}

} // namespace heddle::simt
