// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that take turns.
//
// The textbook's loop over tiles waits twice a round: all threads must have stored before anybody
// loads, and all must have loaded before anybody stores the next tile. For a block of several
// programs each wait is a change of coroutines for each of them. Worse, between the second wait and
// the first there is nothing but loads from far away and stores, and between the first and the
// second nothing but arithmetic: the processor looks some hundred instructions ahead, so neither
// hides the other.
//
// With two copies of shared memory that take turns, the second wait is not needed: who is a round
// ahead stores where nobody reads any more, since all have passed the first wait of the round
// between. What is left is one wait a round, and behind it the products of this tile together with
// the loads of the next.
//
// When is it the same program? The old contents must not matter:
//
//  - All accesses to shared memory are in the loop, and the addresses of the stores are the same in
//    each round. They run before the first wait in each round, so what may be read at all has been
//    written in this round. (Other bytes are never written: reading them is undefined anyway.)
//  - All threads that enter the loop leave it together. One that left early would leave its part of
//    the last tile behind for the others.
//  - Nothing else in the loop writes memory, and behind the first wait nothing but shared memory is
//    read: else the second wait would order these accesses too. The loop is in no other, whose next
//    round would begin while some still read the last tile of this one.
//
// Rejected: to let programs run on to the first barrier of the next round by splitting phases in
// the runner, which does not know what they touch.
#include "simt/alternate_tiles.h"

#include "simt/function_facts.h"
#include "simt/intrinsics.h"
#include "simt/memory_space.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LargestTiles = 16384; ///< bytes: two of them and the programs' frames lie near

class Alternation {
public:
  Alternation(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), facts_(thread_) {}

  void run() {
    if (program_.staticShared == 0 || program_.staticShared > LargestTiles ||
        program_.usesDynamicShared || !findPlainAccesses(shared_, /*andAtomics=*/false, accesses_))
      return;
    findLoop();
    if (loop_ && storesAndLoads() && nothingElse() && leftTogether())
      alternate();
  }

private:
  void findLoop();
  bool storesAndLoads() const;
  bool nothingElse() const;
  bool leftTogether();
  void alternate();
  Value *moved(Value &pointer, Value &base);

  bool inLoop(const Instruction &instruction) const { return loop_->contains(&instruction); }
  bool isAccess(const Instruction &instruction) const {
    return is_contained(accesses_, &instruction);
  }

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  LoopFacts facts_;
  Loop *loop_ = nullptr;
  CallInst *filled_ = nullptr, *read_ = nullptr; ///< the barriers
  SmallVector<Instruction *, 16> accesses_;      ///< to shared memory
  DenseMap<Value *, Value *> moved_;             ///< addresses in the half of this round
};

/// The outermost loop that waits exactly twice in each of its rounds.
void Alternation::findLoop() {
  for (Loop *loop : facts_.loops) {
    SmallVector<CallInst *, 2> waits;
    bool isPlain = loop->isLoopSimplifyForm();
    for (BasicBlock *block : loop->blocks())
      for (Instruction &instruction : *block)
        if (auto *call = dyn_cast<CallInst>(&instruction);
            call && callKind(*call) == CallKind::BlockBarrier) {
          isPlain &= isPlainBarrier(*call) && facts_.loops.getLoopFor(block) == loop &&
                     loop->getLoopLatch() &&
                     facts_.dominators.dominates(block, loop->getLoopLatch());
          waits.push_back(call);
        }
    if (!isPlain || waits.size() != 2)
      continue;
    if (facts_.dominators.dominates(waits[1], waits[0]))
      std::swap(waits[0], waits[1]);
    loop_ = loop;
    filled_ = waits[0], read_ = waits[1];
    return;
  }
}

/// Stores run each round before the first barrier, to the same places; loads between the barriers.
bool Alternation::storesAndLoads() const {
  return !accesses_.empty() && all_of(accesses_, [&](Instruction *access) {
    if (!inLoop(*access))
      return false;
    if (isa<LoadInst>(access))
      return facts_.dominators.dominates(filled_, access) &&
             !facts_.dominators.dominates(read_, access);
    auto *address = dyn_cast<Instruction>(getLoadStorePointerOperand(access));
    return facts_.dominators.dominates(access, filled_) && (!address || !inLoop(*address));
  });
}

/// What else the loop does to memory is loads before the first barrier.
bool Alternation::nothingElse() const {
  for (BasicBlock *block : loop_->blocks())
    for (Instruction &instruction : *block) {
      if (&instruction == filled_ || &instruction == read_ || isAccess(instruction))
        continue;
      bool isEarlyLoad = isa<LoadInst>(instruction) && cast<LoadInst>(instruction).isSimple() &&
                         !facts_.dominators.dominates(filled_, &instruction);
      const auto *call = dyn_cast<CallInst>(&instruction);
      bool isHarmless = call && is_contained({CallKind::Drop, CallKind::Aligned, CallKind::Math,
                                              CallKind::Native, CallKind::ThreadIndex},
                                             callKind(*call));
      if (!isEarlyLoad && !isHarmless &&
          (instruction.mayReadOrWriteMemory() || (call && !isa<IntrinsicInst>(call))))
        return false;
    }
  return true;
}

/// For all threads of the block.
bool Alternation::leftTogether() {
  PostDominatorTree postDominators(thread_);
  BlockOrder order(thread_, facts_.loops);
  unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
  LaneFacts block{unsigned(PowerOf2Ceil(threads)), options_.blockDim};
  Shapes shapes(order, facts_.loops, postDominators, block, /*argumentsVary=*/false);
  SmallVector<BasicBlock *, 4> exiting;
  loop_->getExitingBlocks(exiting);
  return none_of(exiting, [&](BasicBlock *end) { return shapes.isDivergent(end); });
}

/// An address, computed again in the loop from `base`.
Value *Alternation::moved(Value &pointer, Value &base) {
  if (&pointer == &shared_)
    return &base;
  if (Value *known = moved_.lookup(&pointer))
    return known;
  auto &address = cast<Instruction>(pointer);
  Value *from = moved(*address.getOperand(0), base);
  Instruction *copy = address.clone();
  copy->setOperand(0, from);
  if (inLoop(address))
    copy->insertBefore(address.getIterator());
  else
    copy->insertBefore(loop_->getHeader()->getFirstNonPHIIt());
  if (!inLoop(address) && isa<Instruction>(from))
    copy->moveAfter(cast<Instruction>(from));
  return moved_[&pointer] = copy;
}

void Alternation::alternate() {
  unsigned bytes = alignTo(program_.staticShared, 128);
  BasicBlock *header = loop_->getHeader();
  IRBuilder<> builder(header, header->begin());
  PHINode *half = builder.CreatePHI(builder.getInt64Ty(), 2, "half");
  half->addIncoming(builder.getInt64(0), loop_->getLoopPreheader());
  builder.SetInsertPoint(loop_->getLoopLatch()->getTerminator());
  half->addIncoming(builder.CreateSub(builder.getInt64(bytes), half, "half.next"),
                    loop_->getLoopLatch());
  builder.SetInsertPoint(header, header->getFirstNonPHIIt());
  Value *base = builder.CreateGEP(builder.getInt8Ty(), &shared_, half, "tiles");
  for (Instruction *access : accesses_) {
    unsigned index = isa<LoadInst>(access) ? LoadInst::getPointerOperandIndex()
                                           : StoreInst::getPointerOperandIndex();
    access->setOperand(index, moved(*access->getOperand(index), *base));
  }
  read_->eraseFromParent();
  program_.staticShared += bytes;
}

} // namespace

void alternateTiles(ThreadProgram &program, const Options &options) {
  Alternation(program, options).run();
}

} // namespace heddle::simt
