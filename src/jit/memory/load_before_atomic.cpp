// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem, form: load_before_atomic.h.
//
// Why not where there are fences. A thread may write data, then fence, then set a flag that a
// second thread takes and clears by an exchange:
//
//     data = 2                     while (!exchange(&flag, 0)) ;
//     fence                        fence
//     atomicOr(&flag, 1)           ... = data
//
// The operation is the last one of the flag or comes after the exchange, so nothing is lost. The
// load in its place may see a flag of earlier data, before the exchange, while the processor still
// keeps the new data back: the flag is cleared, nobody sets it again, and the second thread never
// sees the data. A processor's full fence (__threadfence) is enough on x86, but not a release
// fence, and on others neither.
//
// The line stays with all cores that read it, which is what is gained: a minimum or maximum mostly
// changes nothing.
//
// Legality (load-before-atomic):
//  1. The operation done twice is the operation done once, so what it would store is what it has
//     read: minimum, maximum, and, or. [idempotent]
//  2. Nobody wants the old value. [old value]
//  3. The operation is relaxed and not volatile: it orders nothing else. [ordering]
//  4. There is no fence in the module that would order it with other accesses; see above. [fences]
#include "jit/memory/load_before_atomic.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
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

/// For other threads, not only for the compiler.
bool isFence(const Instruction &instruction) {
  const auto *fence = dyn_cast<FenceInst>(&instruction);
  return fence && fence->getSyncScopeID() != SyncScope::SingleThread;
}

} // namespace

PreservedAnalyses LoadBeforeAtomic::run(Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    if (any_of(instructions(function), isFence))
      return PreservedAnalyses::all();
  SmallVector<AtomicRMWInst *, 8> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
          rmw && rmw->use_empty() && !rmw->isVolatile() && isIdempotent(rmw->getOperation()) &&
          rmw->getOrdering() == AtomicOrdering::Monotonic)
        found.push_back(rmw);
  for (AtomicRMWInst *rmw : found)
    lookBefore(*rmw);
  return simt::changed(!found.empty());
}

} // namespace heddle::jit
