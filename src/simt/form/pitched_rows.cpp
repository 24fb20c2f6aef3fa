// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does, and the numbers that it is for: pitched_rows.h.
//
// Legality (pitched-rows): none: it only helps to choose how many threads are one program, and
// programs of any number are right.
#include "simt/form/pitched_rows.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t LongestPitchStep = 16; ///< bytes from one element of a row to the next

CallKind kindOf(const Value *value) {
  const auto *call = dyn_cast<CallInst>(value);
  return call ? callKind(*call) : CallKind::Drop;
}

/// Made of the thread's index and of what is the same for all lanes.
bool isOfIndices(const SCEV *start, const Shapes &shapes) {
  return !SCEVExprContains(start, [&](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return isa<SCEVAddRecExpr>(part) || (unknown && !shapes.isUniform(unknown->getValue()) &&
                                         kindOf(unknown->getValue()) != CallKind::ThreadIndex);
  });
}

bool isPitchedRow(const LoadInst &load, const Loop &loop, ScalarEvolution &evolution,
                  const Shapes &shapes, const Shapes &widest) {
  Value *pointer = const_cast<Value *>(load.getPointerOperand());
  Shape shape = shapes.of(pointer);
  if (shape.uniform() || shape.regular || shape.segment > 1 || shape.period != shapes.width() ||
      widest.of(pointer).period < widest.width())
    return false;
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(pointer));
  if (!walk || walk->getLoop() != &loop || !isOfIndices(walk->getStart(), shapes))
    return false;
  const auto *step = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution));
  return step && step->getAPInt().abs().ule(LongestPitchStep);
}

} // namespace

bool walksPitchedRows(Function &thread, LoopFacts &facts, ScalarEvolution &evolution,
                      const Shapes &ofWarp, const Shapes &widest) {
  if (any_of(instructions(thread), [](const Instruction &instruction) {
        const auto *call = dyn_cast<CallInst>(&instruction);
        return call && (callKind(*call) == CallKind::BlockBarrier || isBarrierOfBlocks(*call));
      }))
    return false;
  return any_of(facts.loops.getLoopsInPreorder(), [&](const Loop *loop) {
    return loop->isInnermost() && any_of(loop->blocks(), [&](const BasicBlock *block) {
             return any_of(*block, [&](const Instruction &instruction) {
               const auto *load = dyn_cast<LoadInst>(&instruction);
               return load && isPitchedRow(*load, *loop, evolution, ofWarp, widest);
             });
           });
  });
}

} // namespace heddle::simt
