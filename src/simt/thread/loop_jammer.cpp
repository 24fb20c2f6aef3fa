// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread/loop_jammer.h"

#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::simt {

/// What `value` is in a round.
Value *LoopJammer::in(unsigned round, Value *value) const {
  auto found = copies_[round].find(value);
  return found == copies_[round].end() ? value : found->second;
}

void LoopJammer::startRounds() {
  IRBuilder<> builder(first_);
  for (PHINode &phi : header_.phis()) {
    PHINode *ours = builder.CreatePHI(phi.getType(), 2, phi.getName());
    ours->addIncoming(phi.getIncomingValueForBlock(preheader_), preheader_);
    phis_.push_back({&phi, ours});
    copies_[0][&phi] = ours;
  }
  count_ = builder.CreatePHI(times_->getType(), 2, "jam.count");
  count_->addIncoming(ConstantInt::get(times_->getType(), 0), preheader_);
  for (auto [phi, ours] : phis_) {
    auto step = nest_.steps.find(phi);
    if (step == nest_.steps.end())
      continue;
    // No round counts beyond what the original loop counts to.
    auto *next = dyn_cast<OverflowingBinaryOperator>(
        phi->getIncomingValueForBlock(nest_.outer->getLoopLatch()));
    bool isSum = next && next->getOpcode() == Instruction::Add;
    for (unsigned round = 1; round < nest_.rounds; ++round)
      copies_[round][phi] =
          builder.CreateAdd(ours, ConstantInt::get(phi->getContext(), step->second * round), "",
                            isSum && next->hasNoUnsignedWrap(), isSum && next->hasNoSignedWrap());
  }
}

void LoopJammer::copy(Instruction &instruction, unsigned round, BasicBlock *to) {
  Instruction *copy = instruction.clone();
  copy->insertInto(to, to->end());
  for (Use &operand : copy->operands())
    operand = in(round, operand);
  copies_[round][&instruction] = copy;
}

void LoopJammer::copyBefore() {
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (BasicBlock *block : nest_.before)
      for (Instruction &instruction : *block) {
        auto *phi = dyn_cast<PHINode>(&instruction);
        if (instruction.isTerminator() || (phi && block == &header_))
          continue;
        if (phi)
          copies_[round][phi] = in(round, phi->getIncomingValue(0));
        else if (round > 0 && nest_.shared.contains(&instruction))
          copies_[round][&instruction] = copies_[0][&instruction];
        else
          copy(instruction, round, first_);
      }
  BranchInst::Create(jammed_, first_);
}

void LoopJammer::copyTurn() {
  auto isThere = [&](const Instruction &instruction, unsigned round) {
    return round > 0 && nest_.shared.contains(&instruction);
  };
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (PHINode &phi : turn_.phis())
      copies_[round][&phi] = isThere(phi, round)
                                 ? copies_[0][&phi]
                                 : PHINode::Create(phi.getType(), 2, phi.getName(), jammed_);
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (Instruction &instruction : turn_) {
      if (isa<PHINode>(instruction) || instruction.isTerminator())
        continue;
      if (isThere(instruction, round))
        copies_[round][&instruction] = copies_[0][&instruction];
      else
        copy(instruction, round, jammed_);
    }
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (PHINode &phi : turn_.phis())
      if (!isThere(phi, round)) {
        auto *ours = cast<PHINode>(copies_[round][&phi]);
        Value *start = phi.getIncomingValueForBlock(nest_.inner->getLoopPreheader());
        ours->addIncoming(in(round, start), first_);
        ours->addIncoming(in(round, phi.getIncomingValueForBlock(&turn_)), jammed_);
      }
  auto *branch = cast<BranchInst>(turn_.getTerminator());
  bool staysIfTrue = branch->getSuccessor(0) == &turn_;
  IRBuilder<>(jammed_).CreateCondBr(in(0, branch->getCondition()), staysIfTrue ? jammed_ : last_,
                                    staysIfTrue ? last_ : jammed_);
}

void LoopJammer::copyBehind() {
  for (unsigned round = 0; round < nest_.rounds; ++round) {
    for (auto [phi, ours] : phis_)
      if (round > 0 && !nest_.steps.contains(phi))
        copies_[round][phi] = handedOn(round - 1, *phi);
    for (BasicBlock *block : nest_.behind)
      for (Instruction &instruction : *block) {
        if (auto *phi = dyn_cast<PHINode>(&instruction)) {
          // Not what comes around the inner loop.
          for (auto [value, from] : zip(phi->incoming_values(), phi->blocks()))
            if (!is_contained(nest_.before, from))
              copies_[round][phi] = in(round, value);
        } else if (!instruction.isTerminator()) {
          copy(instruction, round, last_);
        }
      }
  }
  IRBuilder<> builder(last_);
  Value *next = builder.CreateNUWAdd(count_, ConstantInt::get(count_->getType(), 1));
  count_->addIncoming(next, last_);
  for (auto [phi, ours] : phis_)
    ours->addIncoming(handedOn(nest_.rounds - 1, *phi), last_);
  builder.CreateCondBr(builder.CreateICmpEQ(next, times_), done_, first_);
}

/// To the original loop for the rest, if there is one: its length.
Value *LoopJammer::leave() {
  IRBuilder<> builder(done_);
  BasicBlock *exit = nest_.outer->getExitBlock();
  unsigned last = nest_.rounds - 1;
  Value *made = builder.CreateMul(times_, ConstantInt::get(times_->getType(), nest_.rounds));
  Value *left = builder.CreateSub(nest_.length, made);
  builder.CreateCondBr(builder.CreateIsNull(left), exit, rest_);
  for (PHINode &phi : exit->phis())
    phi.addIncoming(in(last, phi.getIncomingValueForBlock(nest_.outer->getLoopLatch())), done_);
  builder.SetInsertPoint(rest_);
  for (auto [phi, ours] : phis_) {
    PHINode *start = builder.CreatePHI(phi->getType(), 2);
    start->addIncoming(phi->getIncomingValueForBlock(preheader_), preheader_);
    start->addIncoming(handedOn(last, *phi), done_);
    int index = phi->getBasicBlockIndex(preheader_);
    phi->setIncomingValue(index, start);
    phi->setIncomingBlock(index, rest_);
  }
  PHINode *length = builder.CreatePHI(left->getType(), 2);
  length->addIncoming(nest_.length, preheader_);
  length->addIncoming(left, done_);
  builder.CreateBr(&header_);
  return length;
}

Value *LoopJammer::run() {
  first_ = newBlock("jam.first");
  jammed_ = newBlock("jam.turn");
  last_ = newBlock("jam.last");
  done_ = newBlock("jam.done");
  rest_ = newBlock("jam.rest");
  IRBuilder<> builder(preheader_->getTerminator());
  times_ = builder.CreateUDiv(nest_.length, ConstantInt::get(nest_.length->getType(), nest_.rounds),
                              "jam.times");
  Value *some = builder.CreateIsNotNull(times_);
  if (nest_.goesIn)
    some = builder.CreateAnd(some,
                             nest_.goesInIfTrue ? nest_.goesIn : builder.CreateNot(nest_.goesIn));
  builder.CreateCondBr(some, first_, rest_);
  preheader_->getTerminator()->eraseFromParent();
  startRounds();
  copyBefore();
  copyTurn();
  copyBehind();
  return leave();
}

} // namespace heddle::simt
