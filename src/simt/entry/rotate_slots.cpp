// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rotates frame slots instead of copying values.
//
// Problem. A program that walks from plane to plane hands on what it has loaded from iteration to
// iteration: what was above is here, what was here is below. In a thread these are registers. In a
// program of hundreds of lanes that waits in each iteration they lie in its frame, and handing them
// on copies two kilobytes. Worse, a slot that is overwritten loses the old value, which the
// iteration still needs: it is spilled to the stack first and reloaded where it is used.
//
// Method. Values that are handed on form a chain: a phi whose next value is another phi, and so on
// to one that the loop computes. They get as many slots as the chain has values, and the numbers of
// the slots are handed on instead of the values. A value is stored once, where it is computed, and
// loaded where it is used; nothing else is written in the iteration.
//
// Legality (rotate-slots):
//  1. No two values of a round are handed on to the next as the same: each place has one value at
//     a time. [one successor]
//  2. The last of them gets what the loop makes, which is stored where it is made: there is a
//     place more than values that are handed on. [made in the loop]
#include "simt/entry/rotate_slots.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned ShortestChain = 2;   ///< phis
constexpr unsigned FewestRegisters = 8; ///< of a value

/// The last of `phis` gets `made` in each round, each of the others what the next one had.
struct Chain {
  SmallVector<PHINode *, 4> phis;
  Instruction *made;
};

class Rotation {
public:
  Rotation(Function &function, Loop &loop, const VectorRegisters &registers)
      : function_(function), layout_(function.getDataLayout()), loop_(loop),
        latch_(*loop.getLoopLatch()), before_(*loop.getLoopPredecessor()), registers_(registers) {}

  void run() {
    for (const Chain &chain : find())
      rotate(chain);
  }

private:
  bool isWide(const PHINode &phi) const {
    auto *type = dyn_cast<FixedVectorType>(phi.getType());
    return type && layout_.getTypeSizeInBits(type) == layout_.getTypeStoreSizeInBits(type) &&
           layout_.getTypeSizeInBits(type) >= uint64_t(FewestRegisters) * registers_.bits;
  }

  Value *next(PHINode &phi) const { return phi.getIncomingValueForBlock(&latch_); }

  std::vector<Chain> find() const {
    std::vector<Chain> chains;
    DenseSet<Value *> handedOn; // phis that another one is to get
    SmallVector<PHINode *, 8> wide;
    for (PHINode &phi : loop_.getHeader()->phis())
      if (isWide(phi))
        wide.push_back(&phi);
    for (PHINode *phi : wide)
      if (!handedOn.insert(next(*phi)).second)
        return {}; // two get the same
    for (PHINode *phi : wide) {
      if (handedOn.contains(phi))
        continue;
      Chain chain;
      Value *value = phi;
      for (; is_contained(wide, value); value = next(*cast<PHINode>(value)))
        chain.phis.push_back(cast<PHINode>(value));
      chain.made = dyn_cast<Instruction>(value);
      bool isMade = chain.made && loop_.contains(chain.made) && !isHeaderPhi(*chain.made);
      if (chain.phis.size() >= ShortestChain && isMade)
        chains.push_back(std::move(chain));
    }
    return chains;
  }

  void rotate(const Chain &chain) {
    Type *type = chain.made->getType();
    unsigned places = chain.phis.size() + 1;
    uint64_t bytes = layout_.getTypeAllocSize(type);
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    slots_ = builder.CreateAlloca(ArrayType::get(type, places), nullptr, "slots");
    slots_->setAlignment(Align(64));
    noteRotatedBits(function_, 8 * bytes);
    // Whose place is where.
    SmallVector<PHINode *, 4> offsets;
    builder.SetInsertPoint(loop_.getHeader(), loop_.getHeader()->begin());
    for (unsigned i = 0; i < places; ++i)
      offsets.push_back(builder.CreatePHI(builder.getInt64Ty(), 2));
    for (unsigned i = 0; i < places; ++i) {
      offsets[i]->addIncoming(builder.getInt64(i * bytes), &before_);
      offsets[i]->addIncoming(offsets[(i + 1) % places], &latch_);
    }
    for (PHINode *phi : chain.phis)
      moveRowsToUsers(*phi);
    // Uses first: what is stored below is used, too.
    for (unsigned i = 0; i < places; ++i)
      loadWhereUsed(i < chain.phis.size() ? *chain.phis[i] : *chain.made, *offsets[i]);
    for (unsigned i = 0; i < chain.phis.size(); ++i) {
      builder.SetInsertPoint(before_.getTerminator());
      store(builder, chain.phis[i]->getIncomingValueForBlock(&before_),
            builder.getInt64(i * bytes));
    }
    storeMade(*chain.made, *offsets.back());
    for (PHINode *phi : chain.phis)
      phi->replaceAllUsesWith(PoisonValue::get(type));
    for (PHINode *phi : chain.phis)
      phi->eraseFromParent();
  }

  Value *address(IRBuilder<> &builder, Value *offset) {
    return builder.CreateGEP(builder.getInt8Ty(), slots_, offset);
  }

  void store(IRBuilder<> &builder, Value *value, Value *offset) {
    builder.CreateAlignedStore(value, address(builder, offset), Align(64));
  }

  /// Zeros by a memset: two stores LLVM would make one behind the join again, and a phi before it.
  void storeIncoming(IRBuilder<> &builder, Value &value, Value &offset) {
    if (auto *constant = dyn_cast<Constant>(&value); constant && constant->isNullValue())
      builder.CreateMemSet(address(builder, &offset), builder.getInt8(0),
                           layout_.getTypeStoreSize(value.getType()), Align(64));
    else
      store(builder, &value, &offset);
  }

  /// Where it is made; what a phi joins is stored before, and need not be in registers then.
  void storeMade(Instruction &made, Value &offset) {
    auto *phi = dyn_cast<PHINode>(&made);
    IRBuilder<> builder(&made);
    if (!phi) {
      builder.SetInsertPoint(made.getParent(), std::next(made.getIterator()));
      return store(builder, &made, &offset);
    }
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      BasicBlock *from = phi->getIncomingBlock(i);
      if (from->getTerminator()->getNumSuccessors() > 1)
        from = SplitEdge(from, phi->getParent());
      builder.SetInsertPoint(from->getTerminator());
      storeIncoming(builder, *phi->getIncomingValue(i), offset);
    }
    if (phi->use_empty())
      return;
    builder.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    phi->replaceAllUsesWith(
        builder.CreateAlignedLoad(phi->getType(), address(builder, &offset), Align(64)));
  }

  /// Parts of a value are taken where they are used, so that they are not what waits in registers.
  void moveRowsToUsers(Instruction &value) {
    SmallVector<ShuffleVectorInst *, 16> rows;
    for (User *user : value.users())
      if (auto *row = dyn_cast<ShuffleVectorInst>(user);
          row && isa<PoisonValue>(row->getOperand(1)))
        rows.push_back(row);
    for (ShuffleVectorInst *row : rows) {
      DenseMap<BasicBlock *, Instruction *> copies;
      for (Use &use : make_early_inc_range(row->uses())) {
        auto *user = cast<Instruction>(use.getUser());
        if (isa<PHINode>(user) || user->getParent() == row->getParent())
          continue;
        Instruction *&copy = copies[user->getParent()];
        if (!copy) {
          copy = row->clone();
          copy->insertBefore(user->getIterator());
        } else if (user->comesBefore(copy)) {
          copy->moveBefore(user->getIterator());
        }
        use.set(copy);
      }
      if (row->use_empty())
        row->eraseFromParent();
    }
  }

  /// One load a block; in the block that makes the value it is at hand.
  void loadWhereUsed(Instruction &value, Value &offset) {
    MapVector<BasicBlock *, SmallVector<Use *, 4>> byBlock;
    bool isHanded = isHeaderPhi(value);
    for (Use &use : value.uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      if (phi && isHeaderPhi(*phi) && isWide(*phi))
        continue; // of the chain
      BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (isHanded || block != value.getParent())
        byBlock[block].push_back(&use);
    }
    for (auto &[block, uses] : byBlock) {
      Instruction *first = block->getTerminator();
      for (Use *use : uses)
        if (auto *user = cast<Instruction>(use->getUser());
            !isa<PHINode>(user) && user->comesBefore(first))
          first = user;
      IRBuilder<> builder(first);
      Value *loaded =
          builder.CreateAlignedLoad(value.getType(), address(builder, &offset), Align(64));
      for (Use *use : uses)
        use->set(loaded);
    }
  }

  bool isHeaderPhi(const Instruction &value) const {
    return isa<PHINode>(value) && value.getParent() == loop_.getHeader();
  }

  Function &function_;
  const DataLayout &layout_;
  Loop &loop_;
  BasicBlock &latch_, &before_;
  VectorRegisters registers_;
  AllocaInst *slots_ = nullptr;
};

bool suspendsIn(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      return call && call->getIntrinsicID() == Intrinsic::coro_suspend;
    });
  });
}

} // namespace

void rotateSlots(Function &function, const VectorRegisters &registers) {
  DenseSet<const BasicBlock *> seen;
  for (bool more = true; more;) { // a loop that was changed may have new blocks
    more = false;
    LoopFacts facts(function);
    for (Loop *loop : facts.loops.getLoopsInPreorder()) {
      if (more || !seen.insert(loop->getHeader()).second || !loop->getLoopLatch() ||
          !loop->getLoopPredecessor() || !suspendsIn(*loop))
        continue;
      Rotation(function, *loop, registers).run();
      more = true;
    }
  }
}

} // namespace heddle::simt
