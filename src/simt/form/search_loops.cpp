// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads go a loop together until the last has left it; how many wait for how few depends on what
// the exit asks. Where it asks what a thread has computed in the turns before (a point of the
// Mandelbrot set, Euclid's algorithm), neighbours go nearly as long as each other, or all go long.
// Where each turn is a trial of its own (is this a divisor, is this the word), most threads leave
// in the first turns and some never: among 32 nearly always one. A search for divisors up to the
// root keeps a tenth of its lanes busy. Where each thread counts to a bound of its own, such as the
// number of its node's neighbours, the lanes wait for the longest count, also where it does not
// count in each turn (places in two sorted lists). Where it counts to a number for all as well (so
// many elements for each thread, but not past the array's end) they leave together.
//
// Legality (search-loops): none: it only helps to choose how many threads are one program, and
// programs of any number are right.
#include "simt/form/search_loops.h"

#include "simt/form/thread_cost.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// `value` in a turn of `loop` follows from what is known before the loop and the turn's number.
bool isOfTurn(const Value *value, const Loop &loop, ScalarEvolution &evolution,
              SmallPtrSetImpl<const Value *> &seen) {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction) || !seen.insert(value).second)
    return true;
  if (isa<PHINode>(instruction) && instruction->getParent() == loop.getHeader()) {
    if (!evolution.isSCEVable(instruction->getType()))
      return false;
    const auto *induction =
        dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Instruction *>(instruction)));
    return induction && induction->getLoop() == &loop && induction->isAffine();
  }
  return all_of(instruction->operands(), [&](const Value *operand) {
    return isa<BasicBlock>(operand) || isOfTurn(operand, loop, evolution, seen);
  });
}

/// Of the end of a count, such as `i < n`: the bound that it goes to. Null for other conditions.
const Value *boundOfCount(const Value *condition, const Loop &loop, ScalarEvolution &evolution) {
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !evolution.isSCEVable(compare->getOperand(0)->getType()))
    return nullptr;
  for (unsigned i : {0, 1}) {
    const auto *count = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(compare->getOperand(i)));
    const auto *place = dyn_cast<PHINode>(compare->getOperand(i));
    bool isCount = (count && count->getLoop() == &loop) ||
                   (place && place->getParent() == loop.getHeader() && compare->isRelational());
    const SCEV *bound = evolution.getSCEV(compare->getOperand(1 - i));
    if (isCount && evolution.isLoopInvariant(bound, &loop))
      return compare->getOperand(1 - i);
  }
  return nullptr;
}

/// Lanes leave the loop by what they compute, on a condition for which `test` holds.
bool leavesByValue(const Loop &loop, const Shapes &shapes,
                   function_ref<bool(const Value *condition)> test) {
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](const BasicBlock *block) {
    return lanesPartByValue(*block, shapes) &&
           test(cast<BranchInst>(block->getTerminator())->getCondition());
  });
}

/// Unless they left it before, lanes leave the loop together when they have counted to a bound.
bool countsToCommonBound(const Loop &loop, ScalarEvolution &evolution, const Shapes &shapes) {
  SmallVector<BasicBlock *, 4> exiting;
  loop.getExitingBlocks(exiting);
  return any_of(exiting, [&](const BasicBlock *block) {
    const auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    return branch && branch->isConditional() && shapes.isScalar(branch->getCondition()) &&
           boundOfCount(branch->getCondition(), loop, evolution);
  });
}

} // namespace

bool countsToOwnBound(const Loop &loop, ScalarEvolution &evolution, const Shapes &shapes) {
  return !countsToCommonBound(loop, evolution, shapes) &&
         leavesByValue(loop, shapes, [&](const Value *condition) {
           const Value *bound = boundOfCount(condition, loop, evolution);
           // What a function is given is mostly the same for all.
           return bound && !isa<Argument>(bound) && !shapes.isScalar(bound);
         });
}

bool isSearch(const Loop &loop, ScalarEvolution &evolution, const Shapes &shapes) {
  return leavesByValue(loop, shapes, [&](const Value *condition) {
    SmallPtrSet<const Value *, 16> seen;
    return !boundOfCount(condition, loop, evolution) && isOfTurn(condition, loop, evolution, seen);
  });
}

} // namespace heddle::simt
