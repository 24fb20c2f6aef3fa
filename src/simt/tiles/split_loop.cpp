// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tiles/split_loop.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

Value *staysIf(const Loop &loop, Value &condition, IRBuilder<> &builder) {
  bool isFirst = loop.getLoopLatch()->getTerminator()->getSuccessor(0) == loop.getHeader();
  return isFirst ? &condition : builder.CreateNot(&condition);
}

SplitLoop::SplitLoop(Loop &loop, Value &enters)
    : before(loop.getLoopPreheader()), loop_(loop), exit_(loop.getUniqueExitBlock()) {
  Function &function = *before->getParent();
  LLVMContext &context = function.getContext();
  for (BasicBlock *block : loop.blocks()) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".front", &function);
    map[block] = copy;
    blocks.push_back(copy);
  }
  remapInstructionsInBlocks(blocks, map);
  header = cast<BasicBlock>(copyOf(loop.getHeader()));
  latch = cast<BasicBlock>(copyOf(loop.getLoopLatch()));
  enter = BasicBlock::Create(context, "enter", &function, header);
  out = BasicBlock::Create(context, "out", &function);
  rest = BasicBlock::Create(context, "rest", &function, loop.getHeader());
  join = exit_->splitBasicBlock(exit_->getFirstNonPHIIt());

  IRBuilder<> builder(before->getTerminator());
  choice =
      builder.CreateCondBr(&enters, enter, rest, MDBuilder(context).createLikelyBranchWeights());
  before->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(enter);
  builder.CreateBr(header);
  header->replacePhiUsesWith(before, enter);
}

void SplitLoop::doubleRounds(ValueToValueMapTy &first) {
  ValueToValueMapTy second;
  SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *block : blocks) {
    BasicBlock *copy = CloneBasicBlock(block, second, ".second", block->getParent());
    second[block] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, second);
  auto *secondHeader = cast<BasicBlock>(&*second[header]);
  auto *secondLatch = cast<BasicBlock>(&*second[latch]);
  // The second round begins with what the first has come to; the map follows.
  for (PHINode &phi : header->phis()) {
    auto *copy = cast<PHINode>(&*second[&phi]);
    copy->replaceAllUsesWith(phi.getIncomingValueForBlock(latch));
    second[&phi] = phi.getIncomingValueForBlock(latch);
    copy->eraseFromParent();
  }
  for (PHINode &phi : header->phis()) {
    unsigned i = phi.getBasicBlockIndex(latch);
    if (Value *end = second.lookup(phi.getIncomingValue(i)))
      phi.setIncomingValue(i, end);
    phi.setIncomingBlock(i, secondLatch);
  }
  latch->getTerminator()->eraseFromParent();
  BranchInst::Create(secondHeader, latch);

  for (auto entry : map)
    if (Value *copy = entry.second) {
      first[entry.first] = copy;
      if (Value *later = second.lookup(copy))
        entry.second = later;
    }
  latch = secondLatch;
  append_range(blocks, copies);
}

Value *SplitLoop::valueAtEnd(PHINode &phi) const {
  return copyOf(phi.getIncomingValueForBlock(loop_.getLoopLatch()));
}

PHINode *SplitLoop::leave(Value &value) {
  auto *phi = PHINode::Create(value.getType(), 1, "", out->begin());
  phi->addIncoming(&value, latch);
  return phi;
}

void SplitLoop::finish(Value &again, Value &goesOn) {
  BranchInst *last = end();
  IRBuilder<> builder(last);
  builder.CreateCondBr(&again, header, out);
  last->eraseFromParent();

  // What it leaves behind, for the loop and for what comes after it.
  builder.SetInsertPoint(out);
  builder.CreateCondBr(isa<Constant>(goesOn) ? &goesOn : leave(goesOn), rest, join);
  BasicBlock *head = loop_.getHeader();
  for (PHINode &phi : head->phis()) {
    auto *both = PHINode::Create(phi.getType(), 2, "", rest);
    both->addIncoming(phi.getIncomingValueForBlock(before), before);
    both->addIncoming(leave(*valueAtEnd(phi)), out);
    phi.setIncomingValueForBlock(before, both);
  }
  head->replacePhiUsesWith(before, rest);
  for (PHINode &phi : exit_->phis()) {
    auto *both = PHINode::Create(phi.getType(), 2, "", join->begin());
    phi.replaceAllUsesWith(both);
    both->addIncoming(&phi, exit_);
    both->addIncoming(leave(*valueAtEnd(phi)), out);
  }
  builder.SetInsertPoint(rest);
  builder.CreateBr(head);
}

} // namespace heddle::simt
