// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers first.
//
// rsqrtf is an estimate and a step of Newton's, which makes NaN of an infinite argument (infinity
// times 0); so one instruction of six puts a number back, though there are few infinities in the
// world. A loop that only adds to sums need not: a NaN stays in the sum it was added to.
//
//     loop: %r = fma ...                     try:   %r = fma ...; %y = fma %h, %r, ...
//           %s = select (%r < 1), %r, 1             %sum = fma %y, ..., %sum; br try
//           %y = fma %h, %s, ...       ->    tried: br (%sum is NaN in some lane), loop, done
//           %sum = fma %y, ..., %sum         loop:  as it was, from the beginning
//
// The loop must do nothing else: no stores, no calls, one exit that does not hang on such values.
// What is made of them may only be multiplied and added, lane by lane, until it is in a sum. Where
// the program's own data has NaNs, the loop runs twice.
//
// Legality (speculate-no-nans):
//  1. The loop writes nothing and calls nothing: it may run twice. [pure]
//  2. A value that may stay NaN is multiplied and added only, until it is in a sum: a NaN stays
//     there. [keeps nan]
//  3. Behind the loop nothing but sums is seen of these values, each of which is looked at there.
//     [sums only]
//  4. One exit, which does not hang on such values. [one exit]
#include "simt/vector/speculate_no_nans.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LargestLoop = 400; ///< instructions

bool replacesNan(const Instruction &instruction) {
  return isa<SelectInst>(instruction) && ReplacesNan.isOn(instruction);
}

/// NaN in a lane of an operand is NaN in that lane of the result.
bool keepsNan(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd;
  unsigned opcode = instruction.getOpcode();
  return opcode == Instruction::FAdd || opcode == Instruction::FSub ||
         opcode == Instruction::FMul || opcode == Instruction::FNeg;
}

class Try {
public:
  Try(Loop &loop, LoopInfo &loops, DominatorTree &dominators)
      : loop_(loop), loops_(loops), dominators_(dominators) {}

  bool isPossible() {
    before_ = loop_.getLoopPreheader();
    exit_ = loop_.getExitBlock();
    exiting_ = loop_.getExitingBlock();
    if (!before_ || !exit_ || !exiting_ || !loop_.isInnermost() || !loop_.getLoopLatch() ||
        !loop_.hasDedicatedExits() || !isPure())
      return false;
    SmallVector<const Instruction *, 32> work;
    for (BasicBlock *block : loop_.blocks())
      for (Instruction &instruction : *block)
        if (replacesNan(instruction))
          work.push_back(&instruction);
    return !work.empty() && endsInSums(work) && showsSumsOnly();
  }

  void run() {
    formLCSSA(loop_, dominators_, &loops_, nullptr);
    ValueToValueMapTy copies;
    SmallVector<BasicBlock *, 4> blocks;
    Function &function = *exit_->getParent();
    for (BasicBlock *block : loop_.blocks()) {
      BasicBlock *copy = CloneBasicBlock(block, copies, ".try", &function);
      copies[block] = copy;
      blocks.push_back(copy);
    }
    LLVMContext &context = function.getContext();
    BasicBlock *tried = BasicBlock::Create(context, "tried", &function, loop_.getHeader());
    BasicBlock *again = BasicBlock::Create(context, "again", &function, loop_.getHeader());
    copies[exit_] = tried;
    remapInstructionsInBlocks(blocks, copies);
    before_->getTerminator()->replaceSuccessorWith(loop_.getHeader(),
                                                   cast<BasicBlock>(copies[loop_.getHeader()]));
    loop_.getHeader()->replacePhiUsesWith(before_, again);
    BranchInst::Create(loop_.getHeader(), again);
    dropReplacements(blocks);
    finish(*tried, *again, copies);
  }

private:
  bool isPure() const {
    unsigned size = 0;
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &instruction : *block) {
        const auto *load = dyn_cast<LoadInst>(&instruction);
        bool isSimple = load ? load->isSimple() : !instruction.mayReadFromMemory();
        const auto *call = dyn_cast<IntrinsicInst>(&instruction);
        if (call && call->getIntrinsicID() == Intrinsic::masked_load)
          isSimple = true;
        if (!isSimple || instruction.mayHaveSideEffects() || ++size > LargestLoop ||
            (isa<CallInst>(instruction) && !call))
          return false;
      }
    return true;
  }

  /// Everything that a replaced value gets to keeps nan, up to what the loop carries.
  bool endsInSums(SmallVectorImpl<const Instruction *> &work) {
    SmallPtrSet<const Instruction *, 32> seen(work.begin(), work.end());
    while (!work.empty()) {
      const Instruction *value = work.pop_back_val();
      for (const User *user : value->users()) {
        const auto *next = cast<Instruction>(user);
        if (!loop_.contains(next)) {
          shown_.insert(value);
          continue;
        }
        const auto *phi = dyn_cast<PHINode>(next);
        if (phi ? phi->getParent() != loop_.getHeader() : !keepsNan(*next))
          return false;
        if (phi && !sums_.contains(phi))
          sums_.insert(const_cast<PHINode *>(phi));
        if (seen.insert(next).second)
          work.push_back(next);
      }
    }
    return !sums_.empty();
  }

  /// A sum where the loop is left: with what this round added, or before that.
  Value *lastOf(PHINode &sum) const {
    Value *next = sum.getIncomingValueForBlock(loop_.getLoopLatch());
    auto *instruction = dyn_cast<Instruction>(next);
    return !instruction || dominators_.dominates(instruction, exiting_->getTerminator()) ? next
                                                                                         : &sum;
  }

  /// What is wanted of such values behind the loop is looked at there.
  bool showsSumsOnly() const {
    return all_of(shown_, [&](const Instruction *value) {
      return any_of(sums_, [&](PHINode *sum) { return lastOf(*sum) == value; });
    });
  }

  /// In the copy a NaN stays.
  static void dropReplacements(ArrayRef<BasicBlock *> blocks) {
    for (BasicBlock *block : blocks)
      for (Instruction &instruction : make_early_inc_range(*block))
        if (replacesNan(instruction)) {
          auto &choice = cast<SelectInst>(instruction);
          auto *condition = dyn_cast<Instruction>(choice.getCondition());
          choice.replaceAllUsesWith(choice.getTrueValue());
          choice.eraseFromParent();
          if (condition && isInstructionTriviallyDead(condition))
            condition->eraseFromParent();
        }
  }

  /// Behind the copy: on if all sums are numbers.
  void finish(BasicBlock &tried, BasicBlock &again, ValueToValueMapTy &copies) {
    auto copyOf = [&](Value *value) {
      Value *copy = copies.lookup(value);
      return copy ? copy : value;
    };
    IRBuilder<> builder(&tried);
    Value *isBad = builder.getFalse();
    for (PHINode *sum : sums_) {
      Value *last = copyOf(lastOf(*sum));
      Value *isNan = builder.CreateFCmpUNO(last, last);
      isBad = builder.CreateOr(isBad, isNan->getType()->isVectorTy() ? builder.CreateOrReduce(isNan)
                                                                     : isNan);
    }
    builder.CreateCondBr(isBad, &again, exit_);
    for (PHINode &phi : exit_->phis())
      phi.addIncoming(copyOf(phi.getIncomingValueForBlock(exiting_)), &tried);
  }

  Loop &loop_;
  LoopInfo &loops_;
  DominatorTree &dominators_;
  BasicBlock *before_ = nullptr, *exit_ = nullptr, *exiting_ = nullptr;
  SmallSetVector<PHINode *, 8> sums_;
  SmallPtrSet<const Instruction *, 8> shown_; ///< behind the loop
};

/// One loop; then all that is known of the function is out of date.
bool tryOne(Function &function, SmallPtrSetImpl<BasicBlock *> &done) {
  LoopFacts facts(function);
  for (Loop *loop : facts.loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !done.insert(loop->getHeader()).second)
      continue;
    simplifyLoop(loop, &facts.dominators, &facts.loops, nullptr, nullptr, nullptr,
                 /*PreserveLCSSA=*/false);
    Try attempt(*loop, facts.loops, facts.dominators);
    if (!attempt.isPossible())
      continue;
    attempt.run();
    return true;
  }
  return false;
}

} // namespace

void speculateNoNaNs(Module &module) {
  for (Function &function : module) {
    if (none_of(instructions(function), replacesNan))
      continue;
    SmallPtrSet<BasicBlock *, 8> done;
    while (tryOne(function, done))
      ;
  }
}

} // namespace heddle::simt
