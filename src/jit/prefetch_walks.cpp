// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks.
//
// A loop that reads vector after vector of an array, and does something lane by lane with each (a
// histogram), reads nothing for some hundred instructions: more than a processor looks ahead, so in
// each round it waits anew, and its own prefetchers see too few accesses at a time to run far
// ahead.
//
//     walk:  %v = load <256 x i32>, %p            walk:  prefetch %p + 4 KB, its lines
//     lanes: for each lane of %v ...        ->           %v = load <256 x i32>, %p
//            %p = %p + 1 KB                       lanes: ...
//
// A prefetch is harmless at any address.
#include "jit/prefetch_walks.h"

#include "jit/prefetch_steps.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64, Ahead = 4096; ///< bytes

/// The address moves on by what is read. (Where other warps read what lies between, the processor's
/// prefetchers have fetched it by then.)
bool walks(LoadInst &load, const Loop &loop, ScalarEvolution &evolution) {
  uint64_t size = load.getDataLayout().getTypeStoreSize(load.getType());
  const auto *address = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(load.getPointerOperand()));
  if (!load.isSimple() || size < Line || size > Ahead || !address || address->getLoop() != &loop)
    return false;
  const auto *step = dyn_cast<SCEVConstant>(address->getStepRecurrence(evolution));
  return step && step->getAPInt() == size;
}

void prefetchIn(Function &function) {
  DominatorTree dominators(function);
  LoopInfo loops(dominators);
  AssumptionCache assumptions(function);
  TargetLibraryInfoImpl functions(function.getParent()->getTargetTriple());
  TargetLibraryInfo library(functions);
  ScalarEvolution evolution(function, library, assumptions, dominators, loops);
  SmallVector<LoadInst *, 8> found;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    const Loop *loop = load ? loops.getLoopFor(load->getParent()) : nullptr;
    if (loop && !loop->isInnermost() && walks(*load, *loop, evolution))
      found.push_back(load);
  }
  for (LoadInst *load : found) {
    IRBuilder<> builder(load);
    prefetchLines(builder,
                  builder.CreateConstGEP1_64(builder.getInt8Ty(), load->getPointerOperand(), Ahead),
                  load->getDataLayout().getTypeStoreSize(load->getType()));
  }
}

} // namespace

void prefetchWalks(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      prefetchIn(function);
}

} // namespace heddle::jit
