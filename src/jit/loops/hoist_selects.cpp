// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: hoist_selects.h.
//
// A shift by an unknown number of bits is such a choice; in a loop it costs a comparison and a
// conditional move for each element (the digits of a sort).
//
// Legality (hoist-selects):
//  1. The condition is the same in all rounds: then it is known before the loop. [same]
//  2. One of the two numbers is zero. [zero]
//  3. Both are integers; what is not chosen may be poison, which the mask would let through, so it
//     is frozen. [poison]
#include "jit/loops/hoist_selects.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <map>
#include <tuple>

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

class Hoisting {
public:
  Hoisting(Function &function, const LoopInfo &loops) : function_(function), loops_(loops) {}

  bool run() {
    bool isChanged = false;
    for (Instruction &instruction : make_early_inc_range(instructions(function_)))
      if (auto *choice = dyn_cast<SelectInst>(&instruction))
        isChanged |= replace(*choice);
    return isChanged;
  }

private:
  /// Before the outermost loop in which the condition stays the same.
  BasicBlock *placeBefore(const SelectInst &choice) const {
    BasicBlock *place = nullptr;
    for (Loop *loop = loops_.getLoopFor(choice.getParent());
         loop && loop->isLoopInvariant(choice.getCondition()); loop = loop->getParentLoop())
      if (BasicBlock *before = loop->getLoopPreheader())
        place = before;
    return place;
  }

  bool replace(SelectInst &choice) {
    Value *condition = choice.getCondition(), *number = choice.getTrueValue();
    bool isSwapped = match(number, m_Zero());
    if (isSwapped)
      number = choice.getFalseValue();
    if (!choice.getType()->isIntegerTy() || choice.getType()->isIntegerTy(1) ||
        !isa<Instruction>(number) || !match(choice.getOperand(isSwapped ? 1 : 2), m_Zero()))
      return false;
    BasicBlock *place = placeBefore(choice);
    if (!place)
      return false;
    Value *rest;
    ConstantInt *kept;
    if (!match(number, m_OneUse(m_And(m_Value(rest), m_ConstantInt(kept))))) {
      rest = number;
      kept = ConstantInt::get(cast<IntegerType>(choice.getType()), uint64_t(-1), true);
    }
    Value *mask = maskFor(*condition, isSwapped, kept, *place);
    IRBuilder<> builder(&choice);
    if (!isGuaranteedNotToBePoison(rest))
      rest = builder.CreateFreeze(rest);
    choice.replaceAllUsesWith(builder.CreateAnd(rest, mask));
    choice.eraseFromParent();
    if (auto *old = dyn_cast<Instruction>(number); old && old->use_empty())
      old->eraseFromParent();
    return true;
  }

  Value *maskFor(Value &condition, bool isSwapped, Constant *kept, BasicBlock &place) {
    Value *&mask = masks_[{&condition, isSwapped, kept, &place}];
    if (mask)
      return mask;
    IRBuilder<> builder(place.getTerminator());
    Constant *zero = Constant::getNullValue(kept->getType());
    mask = builder.CreateSelect(&condition, isSwapped ? zero : kept, isSwapped ? kept : zero);
    return mask;
  }

  Function &function_;
  const LoopInfo &loops_;
  std::map<std::tuple<Value *, bool, Constant *, BasicBlock *>, Value *> masks_;
};

} // namespace

PreservedAnalyses HoistSelects::run(Function &function, FunctionAnalysisManager &analyses) {
  return simt::changedInBlocks(
      Hoisting(function, analyses.getResult<LoopAnalysis>(function)).run());
}

} // namespace heddle::jit
