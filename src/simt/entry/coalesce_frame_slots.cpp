// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps a value in one frame slot across all waits.
//
// A loop over tiles waits twice per iteration: until the tile is there, and until all have read it.
// A sum is one value at the first barrier (from the last iteration) and another at the second
// (after this iteration's additions), so LLVM's coroutines save it in two slots, and the half of
// the iteration that only loads the next tile copies the sums from one slot to the other:
//
//     loop:    %sum = phi [0], [%more]            before: store 0, %home
//              load tile; suspend                 loop:   load tile; suspend
//     resumed: %more = fma ..., %sum        ->            %sum = load %home
//              suspend                                    %more = fma ..., %sum; store %more, %home
//     again:   br loop                                    suspend
//
// Lanes of such a sum that are used only after the loop (members of structures that lie side by
// side in it) are extracted there, or each would be saved beside the whole.
//
// What a loop without barriers has computed is saved after the loop, and not where it is computed,
// in each iteration.
//
// Values that were live across a suspension are loaded after it; all others stay as they are. That
// is possible where the new value is computed once per iteration, and the old one not loaded after
// that.
//
// Legality (coalesce-frame-slots):
//  1. The old value is not loaded any more when the new one, which is made once a round, is
//     stored. [old before new]
#include "simt/entry/coalesce_frame_slots.h"

#include "simt/analysis/function_facts.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr uint64_t LeastBits = 256; ///< of a value: smaller ones are not worth a home
const Align HomeAlign(64);

class Homes {
public:
  explicit Homes(Function &function)
      : function_(function), dominators_(function), loops_(dominators_) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
          call && call->getIntrinsicID() == Intrinsic::coro_suspend)
        if (BasicBlock *block = resumedAfter(*call))
          resumed_.push_back(block);
  }

  void run() {
    for (Loop *loop : loops_.getLoopsInPreorder())
      for (PHINode &phi : make_early_inc_range(loop->getHeader()->phis()))
        if (isLarge(phi))
          settle(phi, *loop);
    for (BasicBlock &block : function_)
      for (PHINode &phi : block.phis())
        if (phi.getNumIncomingValues() == 1 && isLarge(phi))
          saveBehind(phi);
  }

private:
  /// Where the program goes on when it is resumed: coro.suspend gives 0 then.
  static BasicBlock *resumedAfter(IntrinsicInst &suspend) {
    Instruction *end = suspend.getParent()->getTerminator();
    CmpPredicate predicate;
    if (auto *branch = dyn_cast<SwitchInst>(end); branch && branch->getCondition() == &suspend)
      return branch->findCaseValue(cast<ConstantInt>(Constant::getNullValue(suspend.getType())))
          ->getCaseSuccessor();
    auto *branch = dyn_cast<BranchInst>(end);
    if (branch && branch->isConditional() &&
        match(branch->getCondition(), m_ICmp(predicate, m_Specific(&suspend), m_Zero())) &&
        ICmpInst::isEquality(predicate))
      return branch->getSuccessor(predicate == ICmpInst::ICMP_EQ ? 0 : 1);
    return nullptr;
  }

  static bool isLarge(const PHINode &phi) {
    return phi.getType()->isVectorTy() &&
           phi.getType()->getPrimitiveSizeInBits().getFixedValue() >= LeastBits;
  }

  AllocaInst *createHome(const PHINode &phi) {
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    AllocaInst *home = builder.CreateAlloca(phi.getType());
    home->setAlignment(HomeAlign);
    return home;
  }

  /// LLVM sees through a phi of one value, and would save what a loop has computed where that is
  /// made: in each of its rounds.
  void saveBehind(PHINode &phi) {
    SmallVector<std::pair<Use *, BasicBlock *>, 4> carried;
    for (Use &use : phi.uses())
      if (BasicBlock *block = lastResumed(use, phi))
        carried.push_back({&use, block});
    if (carried.empty())
      return;
    AllocaInst *home = createHome(phi);
    IRBuilder<> builder(&*phi.getParent()->getFirstInsertionPt());
    builder.CreateAlignedStore(&phi, home, HomeAlign);
    DenseMap<BasicBlock *, Value *> loaded;
    for (auto [use, block] : carried) {
      Value *&value = loaded[block];
      builder.SetInsertPoint(&*block->getFirstInsertionPt());
      if (!value)
        value = builder.CreateAlignedLoad(home->getAllocatedType(), home, HomeAlign);
      use->set(value);
    }
  }

  void settle(PHINode &phi, const Loop &loop) {
    BasicBlock *latch = loop.getLoopLatch();
    auto *next = latch ? dyn_cast<Instruction>(phi.getIncomingValueForBlock(latch)) : nullptr;
    if (!next || loops_.getLoopFor(next->getParent()) != &loop ||
        !isCarriedTwice(phi, *next, *latch))
      return;
    AllocaInst *home = createHome(phi);
    IRBuilder<> builder(home);
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      if (BasicBlock *from = phi.getIncomingBlock(i); from != latch) {
        builder.SetInsertPoint(from->getTerminator());
        builder.CreateAlignedStore(phi.getIncomingValue(i), home, HomeAlign);
      }
    DenseMap<BasicBlock *, Value *> loaded;
    auto loadIn = [&](BasicBlock &block) {
      Value *&value = loaded[&block];
      if (!value) {
        builder.SetInsertPoint(&*block.getFirstInsertionPt());
        value = builder.CreateAlignedLoad(home->getAllocatedType(), home, HomeAlign);
      }
      return value;
    };
    for (Use &use : make_early_inc_range(next->uses())) {
      BasicBlock *block = use.getUser() != &phi ? lastResumed(use, *next) : nullptr;
      auto *exit = dyn_cast<PHINode>(use.getUser());
      if (block && exit && exit->getNumIncomingValues() == 1) { // behind the loop, not in it
        exit->replaceAllUsesWith(loadIn(*exit->getParent()));
        exit->eraseFromParent();
      } else if (block)
        use.set(loadIn(*block));
    }
    for (Use &use : make_early_inc_range(phi.uses())) {
      BasicBlock *block = lastResumed(use, phi);
      use.set(loadIn(block ? *block : *phi.getParent()));
    }
    builder.SetInsertPoint(isa<PHINode>(next) ? &*next->getParent()->getFirstInsertionPt()
                                              : next->getNextNode());
    builder.CreateAlignedStore(next, home, HomeAlign);
    phi.eraseFromParent();
  }

  /// The old value is loaded behind a suspension before the new one is made, and the new one lives
  /// through another.
  bool isCarriedTwice(const PHINode &phi, const Instruction &next, const BasicBlock &latch) const {
    bool isOldCarried = false;
    for (const Use &use : phi.uses()) {
      const BasicBlock *block = lastResumed(use, phi);
      bool isBefore = !block || (dominators_.dominates(block, next.getParent()) &&
                                 (block != next.getParent() || !isa<PHINode>(next)));
      if (!isBefore)
        return false;
      isOldCarried |= block != nullptr;
    }
    bool isNewCarried = any_of(resumed_, [&](const BasicBlock *block) {
      return dominators_.dominates(&next, block) && dominators_.dominates(block, &latch);
    });
    return isOldCarried && isNewCarried;
  }

  /// The last suspension between a value and its use, as the block behind; null if there is none.
  BasicBlock *lastResumed(const Use &use, const Instruction &value) const {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    const BasicBlock *at = phi ? phi->getIncomingBlock(use) : user->getParent();
    BasicBlock *last = nullptr;
    for (BasicBlock *block : resumed_)
      if (block != value.getParent() && dominators_.dominates(value.getParent(), block) &&
          dominators_.dominates(block, at) && (!last || dominators_.dominates(last, block)))
        last = block;
    return last;
  }

  Function &function_;
  DominatorTree dominators_;
  LoopInfo loops_;
  SmallVector<BasicBlock *, 8> resumed_;
};

/// Lanes of a vector that a loop carries on.
bool takesLanes(const Instruction &instruction) {
  auto *lanes = dyn_cast<ShuffleVectorInst>(&instruction);
  auto *whole = lanes ? dyn_cast<Instruction>(lanes->getOperand(0)) : nullptr;
  return whole && isa<PoisonValue>(lanes->getOperand(1)) && lanes->changesLength() &&
         !lanes->increasesLength() && any_of(whole->users(), IsaPred<PHINode>);
}

/// Where a value that is made in a loop of `depth` may be made for a use behind it; null: nowhere.
BasicBlock *behindLoop(const Use &use, unsigned depth, DominatorTree &dominators, LoopInfo &loops) {
  auto *user = cast<Instruction>(use.getUser());
  BasicBlock *block = user->getParent();
  if (loops.getLoopDepth(block) >= depth)
    return nullptr;
  auto *phi = dyn_cast<PHINode>(user);
  if (!phi)
    return block;
  BasicBlock *from = phi->getIncomingBlock(use);
  if (loops.getLoopDepth(from) < depth)
    return from;
  return block->getSinglePredecessor() ? block : SplitEdge(from, block, &dominators, &loops);
}

/// For one use behind the loop; false if there is none. (An edge that is split may take operands of
/// phis to other places: uses are looked for anew each time.)
bool takeLate(Instruction &lanes, unsigned depth, DenseMap<BasicBlock *, Instruction *> &late,
              LoopFacts &facts) {
  for (Use &use : lanes.uses()) {
    auto *phi = dyn_cast<PHINode>(use.getUser());
    BasicBlock *block = behindLoop(use, depth, facts.dominators, facts.loops);
    if (!block)
      continue;
    Instruction *&copy = late[block];
    if (!copy)
      (copy = lanes.clone())->insertBefore(block->getFirstInsertionPt());
    if (phi && phi->getParent() == block) {
      phi->replaceAllUsesWith(copy); // the only way into the block
      phi->eraseFromParent();
    } else if (phi) {
      phi->setIncomingValueForBlock(block, copy);
    } else {
      use.set(copy);
    }
    return true;
  }
  return false;
}

void takeLanesLate(Function &function) {
  LoopFacts facts(function);
  SmallVector<Instruction *, 32> all;
  for (Instruction &instruction : instructions(function))
    if (takesLanes(instruction))
      all.push_back(&instruction);
  for (Instruction *lanes : all) {
    unsigned depth = facts.loops.getLoopDepth(lanes->getParent());
    DenseMap<BasicBlock *, Instruction *> late;
    while (takeLate(*lanes, depth, late, facts)) {
    }
    if (lanes->use_empty())
      lanes->eraseFromParent();
  }
}

} // namespace

void coalesceFrameSlots(Function &coroutine) {
  takeLanesLate(coroutine);
  Homes(coroutine).run();
}

} // namespace heddle::simt
