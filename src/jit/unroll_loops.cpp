// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/unroll_loops.h"

#include "simt/analyses.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

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

void unrollLoops(Module &module, TargetMachine &machine) {
  simt::Analyses analyses(machine);
  FunctionAnalysisManager &functions = analyses.functions;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto &loops = functions.getResult<LoopAnalysis>(function);
    auto &evolution = functions.getResult<ScalarEvolutionAnalysis>(function);
    auto &dominators = functions.getResult<DominatorTreeAnalysis>(function);
    auto &assumptions = functions.getResult<AssumptionAnalysis>(function);
    auto &costs = functions.getResult<TargetIRAnalysis>(function);
    OptimizationRemarkEmitter remarks(&function);
    SmallVector<Loop *, 4> chosen;
    for (Loop *loop : loops.getLoopsInPreorder())
      if (isWorthIt(*loop, evolution))
        chosen.push_back(loop);
    for (Loop *loop : chosen) {
      simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr,
                   /*PreserveLCSSA=*/false);
      formLCSSA(*loop, dominators, &loops, &evolution);
      UnrollLoopOptions how = {};
      how.Count = Turns;
      how.Force = true;
      UnrollLoop(loop, how, &loops, &evolution, &dominators, &assumptions, &costs, &remarks,
                 /*PreserveLCSSA=*/true);
    }
  }
}

} // namespace heddle::jit
