// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What passes ask of one function at a time, made where they need it and gone with them: most
// passes here change what LLVM's analysis managers could keep. (LLVM's own passes get theirs from
// analyses.h.)
#pragma once

#include "simt/analysis/order.h"
#include "simt/analysis/shapes.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

namespace heddle::simt {

struct LoopFacts {
  explicit LoopFacts(llvm::Function &function) : dominators(function), loops(dominators) {}

  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
};

/// How values change from round to round of the loops.
struct Recurrences {
  Recurrences(llvm::Function &function, LoopFacts &facts)
      : libraryImpl(function.getParent()->getTargetTriple()), library(libraryImpl),
        assumptions(function),
        evolution(function, library, assumptions, facts.dominators, facts.loops) {}

  llvm::TargetLibraryInfoImpl libraryImpl;
  llvm::TargetLibraryInfo library;
  llvm::AssumptionCache assumptions;
  llvm::ScalarEvolution evolution;
};

/// By how much a pointer goes on from round to round of the loop; null if that is no constant.
inline const llvm::APInt *constantStep(const llvm::Value *pointer, const llvm::Loop *loop,
                                       llvm::ScalarEvolution &evolution) {
  const auto *walk =
      llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(const_cast<llvm::Value *>(pointer)));
  const auto *step = walk && walk->getLoop() == loop
                         ? llvm::dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution))
                         : nullptr;
  return step ? &step->getAPInt() : nullptr;
}

constexpr int64_t FarStep = 512; ///< elements: a page of memory, or half of one

/// Whether an address goes on by as much, or by what is known at run time only, from round to round
/// of the loop: along a column of a matrix.
inline bool goesFar(const llvm::Value &pointer, const llvm::Loop &loop,
                    llvm::ScalarEvolution &evolution) {
  return llvm::SCEVExprContains(
      evolution.getSCEV(const_cast<llvm::Value *>(&pointer)), [&](const llvm::SCEV *part) {
        const auto *walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(part);
        if (!walk || walk->getLoop() != &loop || !walk->isAffine())
          return false;
        const auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution));
        return !step || step->getAPInt().abs().uge(FarStep);
      });
}

/// The order in which a warp walks through the blocks.
struct OrderFacts {
  OrderFacts(llvm::Function &function, LoopFacts &facts)
      : postDominators(function), order(function, facts.loops) {}

  llvm::PostDominatorTree postDominators;
  BlockOrder order;
};

/// How values change from lane to lane.
struct LaneShapes : OrderFacts {
  LaneShapes(llvm::Function &function, LoopFacts &facts, const LaneFacts &lanes,
             bool argumentsVary = false)
      : OrderFacts(function, facts),
        shapes(order, facts.loops, postDominators, lanes, argumentsVary) {}

  Shapes shapes;
};

} // namespace heddle::simt
