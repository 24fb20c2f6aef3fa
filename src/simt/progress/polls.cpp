// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that wait for others.
//
// A thread that polls repeats a loop until another thread has written something. Here the other
// thread may run only when this one yields, so these loops must be recognised. A loop *may wait* if
// its exit depends on a value from outside (from_outside.h): a volatile or atomic load, any load in
// a loop with a fence (or a pause), an atomic operation, or a call of a function that holds one of
// these. The number of iterations may be bounded. The runner then takes the kernel's blocks one at
// a time, and no pass relies on their order. The value may come through a variable of the thread's
// own: a pair (`__heddle_load_pair`) and a 128-bit swap leave theirs there.
//
// Such a loop *polls*, and yields in each iteration, unless it makes progress by itself
// (own_progress.h):
//  - *The address advances* in each iteration that has the access, and does not come back: a search
//    through memory, or a walk to what was found (the roots of a union-find). For atomic operations
//    it may wrap around (a hash table's probes: others only fill it), unless
//    places are given back (given_back.h).
//  - *A retry*: a compare-and-swap that expects the value seen last, or another operation that is
//    compared with it, leaves the loop when it finds this value; each iteration tries one. If it
//    fails, another thread has made progress.
//  - *A counter*: an addition of anything but 0 makes progress (a queue of work). Unless the loop
//    takes it back: `while (atomicSub(&free, 1) <= 0) atomicAdd(&free, 1);`, where it yields while
//    nothing is taken, or others set it to the one value that ends the loop.
// or waits elsewhere:
//  - *A block barrier in each iteration*: all threads of the block iterate together.
//  - *The poll of an inner loop* that each iteration goes through: that one polls.
// When in doubt, the loop polls: that costs time, and nothing else.
#include "simt/progress/polls.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/mbarriers.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/progress/from_outside.h"
#include "simt/progress/given_back.h"
#include "simt/progress/own_progress.h"
#include "simt/progress/pacing.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool isCall(const Instruction &instruction, CallKind kind) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == kind;
}

class LoopWait {
public:
  LoopWait(const Loop &loop, const LoopFacts &facts, const Objects *objects)
      : loop_(loop), facts_(facts), objects_(objects) {
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        isFenced_ |= isa<FenceInst>(instruction) || isPause(instruction);
        syncsWarp_ |= isCall(instruction, CallKind::WarpSync);
        const auto *call = dyn_cast<CallInst>(&instruction);
        waitsForBlock_ |= call &&
                          (callKind(*call) == CallKind::BlockBarrier || isBarrierOfBlocks(*call)) &&
                          isInEachTurn(block, loop, facts.dominators);
      }
    collectConditions();
  }

  /// Its end depends on what others may write.
  bool isPossible() const {
    return any_of(conditions_, [&](const Instruction *i) { return isFromOutside(*i, isFenced_); });
  }

  /// The instruction that polls: a load, an atomic operation or a call. Null if the loop does not.
  const Instruction *findPoll() const {
    if (waitsForBlock_)
      return nullptr;
    for (const Instruction *instruction : conditions_)
      if (polls(*instruction, isFenced_))
        return instruction;
    if (!syncsWarp_)
      return nullptr;
    // A lane polls, and the others see in memory what it has seen.
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &instruction : *block)
        if (polls(instruction, isFenced_))
          return any_of(conditions_, [&](const Instruction *i) { return polls(*i, true); })
                     ? &instruction
                     : nullptr;
    return nullptr;
  }

  /// The loop ends by nothing but phases of mbarriers, and does nothing else (it may read a clock, to
  /// choose how it pauses): the notes of its looks at them. None if that is not certain.
  SmallVector<CallInst *, 2> barrierLooks() const {
    SmallVector<CallInst *, 2> looks;
    for (const BasicBlock *block : loop_.blocks())
      for (const Instruction &instruction : *block) {
        if (isCall(instruction, CallKind::MbarrierNote))
          looks.push_back(const_cast<CallInst *>(cast<CallInst>(&instruction)));
        else if (instruction.mayWriteToMemory() && !isFence(instruction) &&
                 !readsClock(instruction))
          return {};
      }
    auto isLook = [&](const Instruction &load) {
      return isa<LoadInst>(load) && any_of(looks, [&](const CallInst *look) {
               return mbarrierStep(*look) == MbarrierStep::Looks &&
                      getLoadStorePointerOperand(&load)->stripPointerCasts() ==
                          look->getArgOperand(0)->stripPointerCasts();
             });
    };
    bool isCertain = all_of(conditions_, [&](const Instruction *i) {
      if (isa<PHINode>(i) && i->getParent() == loop_.getHeader())
        return false; // a number of turns
      if (i->mayReadOrWriteMemory())
        return isLook(*i);
      const auto *call = dyn_cast<CallInst>(i);
      return !call || (onlyComputes(*call) && callKind(*call) != CallKind::Scalar);
    });
    return isCertain ? looks : SmallVector<CallInst *, 2>();
  }

private:
  static bool readsClock(const Instruction &instruction) {
    return isCall(instruction, CallKind::Scalar) && !instruction.getType()->isVoidTy();
  }

  static bool isFence(const Instruction &instruction) {
    return isa<FenceInst>(instruction) || isPause(instruction) || isThreadFence(instruction) ||
           isCall(instruction, CallKind::Drop) ||
           (isa<LoadInst>(instruction) && instruction.isVolatile());
  }

  /// What the loop's end depends on, inside the loop.
  void collectConditions() {
    SmallVector<BasicBlock *, 4> exiting;
    loop_.getExitingBlocks(exiting);
    SmallVector<const Instruction *, 16> work;
    auto visit = [&](const Value *value) {
      const auto *instruction = dyn_cast<Instruction>(value);
      if (instruction && loop_.contains(instruction) && seen_.insert(instruction).second) {
        conditions_.push_back(instruction);
        work.push_back(instruction);
      }
    };
    for (const BasicBlock *block : exiting)
      visit(block->getTerminator());
    while (!work.empty()) {
      const Instruction *instruction = work.pop_back_val();
      for (const Value *operand : instruction->operands())
        if (!isa<BasicBlock>(operand))
          visit(operand);
      if (const auto *load = dyn_cast<LoadInst>(instruction))
        for (const Instruction *writer : writersOf(getUnderlyingObject(load->getPointerOperand())))
          visit(writer);
      // What a phi gives depends on the branches that lead to it.
      const auto *phi = dyn_cast<PHINode>(instruction);
      if (phi && phi->getParent() != loop_.getHeader())
        for (const BasicBlock *block : blocksBefore(*phi))
          visit(block->getTerminator());
    }
  }

  /// The stores and calls by which a variable of the thread's own gets what a load finds there.
  static SmallVector<const Instruction *, 4> writersOf(const Value *object) {
    SmallVector<const Instruction *, 4> found;
    if (!isa<AllocaInst>(object))
      return found;
    SmallVector<const Value *, 8> work = {object};
    SmallPtrSet<const Value *, 8> seen = {object};
    while (!work.empty())
      for (const User *user : work.pop_back_val()->users()) {
        if (isa<StoreInst, CallInst>(user))
          found.push_back(cast<Instruction>(user));
        else if (isa<GEPOperator, CastInst, PHINode, SelectInst>(user) && seen.insert(user).second)
          work.push_back(user);
      }
    return found;
  }

  /// Those between the phi and the block where the ways to it part.
  SmallVector<const BasicBlock *, 8> blocksBefore(const PHINode &phi) const {
    const BasicBlock *join = phi.getParent();
    const auto *node = facts_.dominators.getNode(join);
    const BasicBlock *parting = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<const BasicBlock *, 8> found;
    SmallPtrSet<const BasicBlock *, 8> seen = {join};
    SmallVector<const BasicBlock *, 8> work(phi.blocks());
    while (!work.empty()) {
      const BasicBlock *block = work.pop_back_val();
      if (!loop_.contains(block) || !seen.insert(block).second)
        continue;
      found.push_back(block);
      if (block != parting && block != loop_.getHeader())
        append_range(work, predecessors(block));
    }
    return found;
  }

  bool polls(const Instruction &instruction, bool anyLoad) const {
    if (!isFromOutside(instruction, anyLoad) || isPollOfInnerLoop(instruction))
      return false;
    if (const auto *load = dyn_cast<LoadInst>(&instruction))
      return walkOf(*load, load->getPointerOperand(), loop_) != Walk::MovesOn;
    if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return mayCome(*swap, swap->getPointerOperand()) && !isRetry(*swap, facts_);
    if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
      return mayCome(*rmw, rmw->getPointerOperand()) &&
             (!isCounter(*rmw, loop_) || mayBeReset(*rmw, loop_, objects_)) &&
             !isRetry(*rmw, facts_);
    const auto &call = cast<CallInst>(instruction);
    return callKind(call) != CallKind::LoadPair ||
           walkOf(call, call.getArgOperand(0), loop_) != Walk::MovesOn;
  }

  /// What the atomic operation waits for may come to its place.
  bool mayCome(const Instruction &atomic, const Value *address) const {
    Walk walk = walkOf(atomic, address, loop_);
    return walk == Walk::MayStay ||
           (walk == Walk::InCircle && mayBeGivenBack(atomic, loop_, objects_));
  }

  /// Each turn of this loop goes through an inner loop that polls with it.
  bool isPollOfInnerLoop(const Instruction &instruction) const {
    for (const Loop *inner : loop_.getSubLoops())
      if (inner->contains(&instruction))
        return isInEachTurn(inner->getHeader(), loop_, facts_.dominators) &&
               LoopWait(*inner, facts_, objects_).findPoll();
    return false;
  }

  const Loop &loop_;
  const LoopFacts &facts_;
  const Objects *objects_;
  bool isFenced_ = false, syncsWarp_ = false, waitsForBlock_ = false;
  SmallVector<const Instruction *, 16> conditions_;
  SmallPtrSet<const Instruction *, 16> seen_;
};

/// At the end of each turn, or right before the poll, if a turn takes back there what it has taken:
/// threads that gave way in between would see what others hold for a moment, for ever.
void mark(Loop &loop, Instruction &poll, LoopFacts &facts) {
  IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
  builder.SetCurrentDebugLocation(poll.getDebugLoc());
  emitPoll(builder);
  BasicBlock *latch = loop.getLoopLatch();
  auto *counter = dyn_cast<AtomicRMWInst>(&poll);
  if (counter && isTakenBack(*counter, loop) &&
      isInEachTurn(counter->getParent(), loop, facts.dominators))
    builder.SetInsertPoint(&poll);
  else if (latch->getSingleSuccessor())
    builder.SetInsertPoint(latch->getTerminator());
  else
    builder.SetInsertPoint(
        SplitEdge(latch, loop.getHeader(), &facts.dominators, &facts.loops)->getTerminator());
  builder.SetCurrentDebugLocation(poll.getDebugLoc());
  emitYield(builder);
}

/// The turn gives way anyway.
void dropPauses(const Loop &loop, const LoopInfo &loops) {
  for (BasicBlock *block : loop.blocks())
    if (loops.getLoopFor(block) == &loop)
      for (Instruction &instruction : make_early_inc_range(*block))
        if (isPause(instruction))
          instruction.eraseFromParent();
}

void yieldInPauses(Module &module) {
  SmallVector<Instruction *, 4> pauses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isPause(instruction))
        pauses.push_back(&instruction);
  for (Instruction *pause : pauses) {
    IRBuilder<> builder(pause);
    emitYield(builder);
    pause->eraseFromParent();
  }
}

bool isCachedLoad(const Instruction &instruction) {
  return isa<LoadInst>(instruction) && instruction.hasMetadata(LLVMContext::MD_nontemporal);
}

} // namespace

/// Says in the thread program too what its loops wait for.
PreservedAnalyses MarkPolls::run(Compilation &kernel, FunctionAnalysisManager &) {
  bool maySpin = false, isPolling = false;
  Objects objects(*kernel.thread.body, kernel.options);
  for (Function &function : kernel.module) {
    if (function.isDeclaration())
      continue;
    LoopFacts facts(function);
    SmallVector<std::pair<Loop *, Instruction *>, 4> polls;
    for (Loop *loop : facts.loops.getLoopsInPreorder()) {
      LoopWait wait(*loop, facts, &objects);
      maySpin |= wait.isPossible();
      if (const Instruction *poll = wait.findPoll())
        polls.push_back({loop, const_cast<Instruction *>(poll)});
      else if (LoopWait(*loop, facts, nullptr).findPoll())
        kernel.thread.trustsObjects = true;
    }
    if (!polls.empty() && kernel.options.mode != Mode::Counted) { // (whose clock is a model's)
      PostDominatorTree ends(function);
      for (auto [loop, poll] : polls) {
        dropPacing(*loop, ends);
        dropPauses(*loop, facts.loops);
      }
    }
    for (auto [loop, poll] : polls) {
      for (CallInst *look : LoopWait(*loop, facts, &objects).barrierLooks())
        look->setArgOperand(
            1, ConstantInt::get(look->getArgOperand(1)->getType(), uint64_t(MbarrierStep::Waits)));
      mark(*loop, *poll, facts);
    }
    isPolling |= !polls.empty();
  }
  if (isPolling)
    yieldInPauses(kernel.module);
  kernel.thread.maySpin = maySpin || isPolling;
  kernel.thread.polls = isPolling;
  kernel.thread.hasFences = hasFences(kernel.module);
  return changed(isPolling);
}

PreservedAnalyses RelaxCachedLoads::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<Instruction *, 8> found;
  for (Instruction &instruction : instructions(function))
    if (isCachedLoad(instruction) || isThreadFence(instruction))
      found.push_back(&instruction);
  if (found.empty())
    return PreservedAnalyses::all();
  LoopFacts facts(function);
  SmallPtrSet<const BasicBlock *, 16> polling;
  for (const Loop *loop : facts.loops.getLoopsInPreorder())
    if (LoopWait(*loop, facts, nullptr).findPoll())
      polling.insert(loop->block_begin(), loop->block_end());
  for (Instruction *instruction : found) {
    bool polls = polling.contains(instruction->getParent());
    if (auto *load = dyn_cast<LoadInst>(instruction)) {
      load->setMetadata(LLVMContext::MD_nontemporal, nullptr);
      load->setVolatile(load->isVolatile() || polls);
    } else if (!polls) {
      instruction->eraseFromParent();
    }
  }
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
