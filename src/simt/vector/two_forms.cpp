// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/vector/two_forms.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// Adds what `value` is computed from in its block. False if a part of it has to stay in place.
bool collect(Value *value, const BasicBlock &block, SmallPtrSetImpl<Instruction *> &parts) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || instruction->getParent() != &block || isa<PHINode>(instruction) ||
      !parts.insert(instruction).second)
    return true;
  return !instruction->mayReadOrWriteMemory() && !instruction->mayHaveSideEffects() &&
         !instruction->isIntDivRem() && all_of(instruction->operands(), [&](Value *operand) {
           return collect(operand, block, parts);
         });
}

bool mayBeTwice(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return !instruction.getType()->isTokenTy() && !isa<AllocaInst>(instruction) &&
         (!call || (isa<IntrinsicInst>(call) && !call->cannotDuplicate() && !call->isConvergent() &&
                    call->willReturn() &&
                    !Intrinsic::getName(cast<IntrinsicInst>(call)->getIntrinsicID())
                         .starts_with("llvm.coro.")));
}

} // namespace

Instruction *computeFirst(ArrayRef<Value *> inputs, Instruction &last) {
  BasicBlock &block = *last.getParent();
  SmallPtrSet<Instruction *, 32> early;
  if (!all_of(inputs, [&](Value *input) { return collect(input, block, early); }))
    return nullptr;
  SmallVector<Instruction *, 32> moved;
  Instruction *first = nullptr;
  for (Instruction &instruction : make_range(block.getFirstNonPHIIt(), block.end())) {
    if (early.contains(&instruction)) {
      if (first)
        moved.push_back(&instruction);
    } else {
      if (!first)
        first = &instruction;
      if (!mayBeTwice(instruction))
        return nullptr;
    }
    if (&instruction == &last)
      break;
  }
  for (Instruction *instruction : moved)
    instruction->moveBefore(first->getIterator());
  return first;
}

bool mayMakeTwoForms(Instruction &first, Instruction &last) {
  return all_of(make_range(first.getIterator(), std::next(last.getIterator())), mayBeTwice);
}

void makeTwoForms(Instruction &first, Instruction &last, Value *condition,
                  ValueToValueMapTy &copies) {
  BasicBlock *head = first.getParent();
  BasicBlock *tail = head->splitBasicBlock(std::next(last.getIterator()));
  BasicBlock *body = head->splitBasicBlock(first.getIterator());
  BasicBlock *copy = CloneBasicBlock(body, copies, "", body->getParent());
  copy->moveAfter(body);
  for (Instruction &instruction : *copy)
    RemapInstruction(&instruction, copies, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  IRBuilder<> builder(head->getTerminator());
  builder.CreateCondBr(condition, copy, body);
  head->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(tail, tail->begin());
  for (Instruction &instruction : *body) {
    auto isBehind = [&](Use &use) { return cast<Instruction>(use.getUser())->getParent() != body; };
    if (!any_of(instruction.uses(), isBehind))
      continue;
    PHINode *join = builder.CreatePHI(instruction.getType(), 2);
    instruction.replaceUsesWithIf(join, isBehind);
    join->addIncoming(&instruction, body);
    join->addIncoming(copies.lookup(&instruction), copy);
  }
}

/// Instead of `block` after `before`; what its values are there is in `known`.
static BasicBlock *copyAfter(BasicBlock &before, BasicBlock &block, ValueToValueMapTy &known) {
  BasicBlock *copy = CloneBasicBlock(&block, known, "", block.getParent());
  for (PHINode &phi : block.phis()) {
    cast<PHINode>(known.lookup(&phi))->eraseFromParent();
    known[&phi] = phi.getIncomingValueForBlock(&before);
  }
  for (Instruction &instruction : *copy)
    RemapInstruction(&instruction, known, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  before.getTerminator()->replaceSuccessorWith(&block, copy);
  block.removePredecessor(&before, /*KeepOneInputPHIs=*/true);
  return copy;
}

bool moveToPredecessors(Instruction &last, const DominatorTree &dominators) {
  BasicBlock *block = last.getParent();
  SmallVector<BasicBlock *, 4> before(predecessors(block));
  SmallPtrSet<BasicBlock *, 4> different(before.begin(), before.end());
  if (before.size() < 2 || different.size() != before.size() ||
      any_of(before, [&](BasicBlock *from) { return dominators.dominates(block, from); }) ||
      !mayMakeTwoForms(*block->getFirstNonPHIIt(), last))
    return false;
  BasicBlock *tail = block->splitBasicBlock(std::next(last.getIterator()));
  std::vector<std::pair<BasicBlock *, std::unique_ptr<ValueToValueMapTy>>> copies;
  for (BasicBlock *from : drop_begin(before)) {
    auto known = std::make_unique<ValueToValueMapTy>();
    BasicBlock *copy = copyAfter(*from, *block, *known);
    copies.push_back({copy, std::move(known)});
  }
  IRBuilder<> builder(tail, tail->begin());
  for (Instruction &instruction : *block) {
    auto isBehind = [&](Use &use) {
      return cast<Instruction>(use.getUser())->getParent() != block;
    };
    if (!any_of(instruction.uses(), isBehind))
      continue;
    PHINode *join = builder.CreatePHI(instruction.getType(), before.size());
    instruction.replaceUsesWithIf(join, isBehind);
    join->addIncoming(&instruction, block);
    for (auto &[copy, known] : copies)
      join->addIncoming(known->lookup(&instruction), copy);
  }
  FoldSingleEntryPHINodes(block);
  MergeBlockIntoPredecessor(block);
  for (auto &[copy, known] : copies)
    MergeBlockIntoPredecessor(copy);
  return true;
}

} // namespace heddle::simt
