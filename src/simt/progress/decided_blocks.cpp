// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/progress/decided_blocks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

// Where the ways meet nowhere in the loop, one of them leaves it.
std::optional<DecidedBlocks> decidedInside(const Instruction &branch, const Loop &loop,
                                           const PostDominatorTree &ends) {
  const auto *node = ends.getNode(branch.getParent());
  DecidedBlocks decided = {{}, {}, node && node->getIDom() ? node->getIDom()->getBlock() : nullptr};
  if (!decided.end || !loop.contains(decided.end))
    return std::nullopt;
  SmallPtrSet<const BasicBlock *, 16> seen = {decided.end};
  SmallVector<const BasicBlock *, 16> open(successors(branch.getParent()));
  while (!open.empty()) {
    const BasicBlock *block = open.pop_back_val();
    if (!seen.insert(block).second)
      continue;
    if (!loop.contains(block))
      return std::nullopt;
    decided.blocks.push_back(block);
    append_range(open, successors(block));
  }
  auto isWay = [&](const BasicBlock *from) {
    return from == branch.getParent() || (from != decided.end && seen.contains(from));
  };
  for (const BasicBlock *block : seen)
    for (const PHINode &phi : block->phis()) {
      SmallPtrSet<const Value *, 4> chosen;
      for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
        if (isWay(phi.getIncomingBlock(i)))
          chosen.insert(phi.getIncomingValue(i));
      if (chosen.size() > 1)
        decided.values.push_back(&phi);
    }
  return decided;
}

bool decidesEnd(const Instruction &value, const Loop &loop, const PostDominatorTree &ends) {
  SmallVector<const Instruction *, 8> open;
  SmallPtrSet<const Instruction *, 16> seen;
  auto add = [&](const Instruction &one) {
    if (loop.contains(&one) && seen.insert(&one).second)
      open.push_back(&one);
  };
  add(value);
  while (!open.empty()) {
    const Instruction &next = *open.pop_back_val();
    for (const User *user : next.users())
      add(*cast<Instruction>(user));
    if (!next.isTerminator() || next.getNumSuccessors() < 2)
      continue;
    auto decided = decidedInside(next, loop, ends);
    if (!decided)
      return true;
    for (const PHINode *phi : decided->values)
      add(*phi);
  }
  return false;
}

} // namespace heddle::simt
