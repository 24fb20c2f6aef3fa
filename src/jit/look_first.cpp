// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/look_first.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// Done twice it is what it is done once.
bool isIdempotent(AtomicRMWInst::BinOp operation) {
  return is_contained({AtomicRMWInst::Max, AtomicRMWInst::Min, AtomicRMWInst::UMax,
                       AtomicRMWInst::UMin, AtomicRMWInst::And, AtomicRMWInst::Or},
                      operation);
}

void lookBefore(AtomicRMWInst &rmw) {
  IRBuilder<> builder(&rmw);
  LoadInst *seen =
      builder.CreateAlignedLoad(rmw.getType(), rmw.getPointerOperand(), rmw.getAlign());
  seen->setAtomic(AtomicOrdering::Monotonic, rmw.getSyncScopeID());
  Value *then = buildAtomicRMWValue(rmw.getOperation(), builder, seen, rmw.getValOperand());
  Instruction *end = SplitBlockAndInsertIfThen(builder.CreateICmpNE(then, seen), rmw.getIterator(),
                                               /*Unreachable=*/false);
  rmw.moveBefore(end->getIterator());
}

} // namespace

void lookFirst(Module &module) {
  SmallVector<AtomicRMWInst *, 8> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
          rmw && rmw->use_empty() && !rmw->isVolatile() && isIdempotent(rmw->getOperation()) &&
          rmw->getOrdering() == AtomicOrdering::Monotonic)
        found.push_back(rmw);
  for (AtomicRMWInst *rmw : found)
    lookBefore(*rmw);
}

} // namespace heddle::jit
