// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As libcu++ waits:
//
//     start = clock();
//     while (!isDone()) {
//       elapsed = clock() - start;                 ->  elapsed = 0 - start
//       if (elapsed > 10000) nanosleep(elapsed / 4);
//     }
#include "simt/progress/pacing.h"

#include "simt/analysis/intrinsics.h"
#include "simt/progress/decided_blocks.h"
#include "simt/progress/from_outside.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

static bool readsClock(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == CallKind::Scalar && call->getType()->isIntegerTy();
}

/// The value decides nothing but pauses.
static bool onlyPaces(const Instruction &value, const Loop &loop, const PostDominatorTree &ends) {
  SmallVector<const Instruction *, 8> open = {&value};
  SmallPtrSet<const Instruction *, 16> seen = {&value};
  auto add = [&](const Instruction &one) {
    if (seen.insert(&one).second)
      open.push_back(&one);
  };
  auto isHarmless = [](const Instruction &one) {
    return isPause(one) || readsClock(one) || !one.mayHaveSideEffects();
  };
  while (!open.empty()) {
    const Instruction &next = *open.pop_back_val();
    bool isValue = &next == &value || (!next.mayReadOrWriteMemory() && loop.contains(&next));
    if (!isValue && !(isPause(next) && loop.contains(&next)))
      return false;
    for (const User *user : next.users())
      add(*cast<Instruction>(user));
    if (!next.isTerminator() || next.getNumSuccessors() < 2)
      continue;
    auto decided = decidedInside(next, loop, ends);
    if (!decided)
      return false;
    for (const BasicBlock *block : decided->blocks)
      if (block == loop.getHeader() || !all_of(*block, isHarmless))
        return false;
    for (const PHINode *phi : decided->values)
      add(*phi);
  }
  return true;
}

void dropPacing(const Loop &loop, const PostDominatorTree &ends) {
  SmallVector<Instruction *, 4> dropped;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (readsClock(instruction) && onlyPaces(instruction, loop, ends))
        dropped.push_back(&instruction);
  for (Instruction *read : dropped) {
    read->replaceAllUsesWith(Constant::getNullValue(read->getType()));
    read->eraseFromParent();
  }
}

} // namespace heddle::simt
