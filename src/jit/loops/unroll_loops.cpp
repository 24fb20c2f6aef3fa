// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: unroll_loops.h.
//
// Legality (unroll-loops): none: LLVM's unrolling of a loop whose number of turns is known, four of
// which make one.
#include "jit/loops/unroll_loops.h"

#include "simt/canonical/loop_unroller.h"

#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned Turns = 4;
constexpr uint64_t LongestTurn = 64;  ///< instructions on registers
constexpr uint64_t ShortestTurn = 16; ///< below, the sums that the loop carries are the limit
constexpr unsigned Register = 64;     ///< bytes

/// Instructions on vector registers; none if there is something that is no plain vector code.
uint64_t vectorWork(const BasicBlock &block) {
  uint64_t work = 0;
  for (const Instruction &instruction : block) {
    if (const auto *call = dyn_cast<CallBase>(&instruction);
        call && (!isa<IntrinsicInst>(call) || call->mayWriteToMemory()))
      return 0;
    if (auto *type = dyn_cast<FixedVectorType>(instruction.getType());
        type && !isa<PHINode>(instruction))
      work += divideCeil(block.getDataLayout().getTypeStoreSize(type), Register);
  }
  return work;
}

bool isWorthIt(const Loop &loop, ScalarEvolution &evolution) {
  if (!loop.isInnermost() || loop.getNumBlocks() != 1)
    return false;
  unsigned count = evolution.getSmallConstantTripCount(&loop);
  uint64_t work = vectorWork(*loop.getHeader());
  return count > Turns && count % Turns == 0 && work >= ShortestTurn && work <= LongestTurn;
}

} // namespace

PreservedAnalyses UnrollLoops::run(Function &function, FunctionAnalysisManager &analyses) {
  simt::LoopUnroller unroller(function, analyses);
  SmallVector<Loop *, 4> chosen;
  for (Loop *loop : unroller.loops().getLoopsInPreorder())
    if (isWorthIt(*loop, unroller.evolution()))
      chosen.push_back(loop);
  for (Loop *loop : chosen)
    unroller.unroll(*loop, Turns);
  return simt::changed(!chosen.empty());
}

} // namespace heddle::jit
