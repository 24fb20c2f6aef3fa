// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/taken_locks.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

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
