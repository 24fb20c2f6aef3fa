// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/flag_uses.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

// A branch in the loop passes a value on to the joins behind it, up to where all its ways meet. Where
// they meet nowhere in the loop, one of them leaves it.
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
    const auto *node = ends.getNode(next.getParent());
    const BasicBlock *end = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!end || !loop.contains(end))
      return true;
    SmallPtrSet<const BasicBlock *, 16> decided = {end};
    SmallVector<const BasicBlock *, 16> blocks(successors(next.getParent()));
    blocks.push_back(end);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (!loop.contains(blocks[i]))
        return true;
      for (const PHINode &phi : blocks[i]->phis())
        add(phi);
      if (decided.insert(blocks[i]).second)
        append_range(blocks, successors(blocks[i]));
    }
  }
  return false;
}

std::optional<TakenLock> findTakenLock(const Instruction &instruction) {
  if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    const auto *free = dyn_cast<ConstantInt>(swap->getCompareOperand());
    if (!free || free->getBitWidth() > 64 || free == swap->getNewValOperand())
      return std::nullopt;
    return TakenLock{free->getZExtValue()};
  }
  const auto *exchange = dyn_cast<AtomicRMWInst>(&instruction);
  if (!exchange || exchange->getOperation() != AtomicRMWInst::Xchg)
    return std::nullopt;
  const auto *taken = dyn_cast<ConstantInt>(exchange->getValOperand());
  if (!taken || taken->getBitWidth() > 64)
    return std::nullopt;
  for (const User *user : exchange->users())
    if (const auto *compare = dyn_cast<ICmpInst>(user); compare && compare->isEquality())
      if (const auto *with = dyn_cast<ConstantInt>(compare->getOperand(1))) {
        if (with != taken)
          return TakenLock{with->getZExtValue()};
        if (!taken->isZero())
          return TakenLock{0};
      }
  return std::nullopt;
}

} // namespace heddle::simt
