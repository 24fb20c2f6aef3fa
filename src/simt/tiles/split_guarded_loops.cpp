// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rounds that no guard concerns.
//
// Kernels for matrices of any size fill their tiles under guards, and what lies outside counts as
// nothing. The guards are false in the last round and for the blocks of the rim only; in all other
// rounds each thread copies. A loop in front of the loop does these rounds, without the guards:
//
//     loop: tileA[y][x] = row < n && start + x < n      if (top + 31 < n && left + 31 < n)
//               ? a[row * n + start + x] : 0              for (; start + 31 < n; start += 32)
//           barrier; for k: ...; barrier         ->         tileA[y][x] = a[row * n + start + x];
//           ... start += 32; again if start < n             for (; start < n; start += 32)
//                                                         as before
//
// The threads of a block wait for each other in both loops, so all must choose alike: the question
// is about values that they have in common (block_conditions.h). The parts that do not change from
// round to round are asked once.
//
// What the loop finds in tiles must be the same as if it had done all rounds, whatever becomes of
// the copy's stores (propagate_tile_copies.cpp drops them). It is where each of its rounds stores
// before the barrier what it reads behind it. Where a guard has no `else`, the rounds that are left
// may read what an earlier round has stored. Then the last round that all guards hold in is left to
// the loop too: it stores to all places that the rounds before it have stored to.
//
// A copy without guards to leave out serves too, for who wants to choose between two forms of a
// loop at run time (PropagateTileCopies::askForRows).
//
// Rejected: reading what the other thread's guard says with each element (all rounds would have
// the masks, and the last round and the rim are few); asking heddle.all (each warp would answer for
// itself).
//
// Legality (split-guarded-loops):
//  1. The guards follow from values that all threads have in common, the thread's index, and what
//     is not loaded in the loop. [common values]
//  2. No index of a thread wraps around where the guard counts on its place among the others':
//     that is asked, too. [no wrap]
//  3. The threads of the block go through the loop together and leave it at the end of a round.
//     [left together]
//  4. Shared memory is accessed in the loop only. [other accesses]
//  5. Where rounds may read what an earlier round has stored, each round's stores go to the same
//     places, and the last whole round is left to the loop. [kept tiles]
#include "simt/tiles/split_guarded_loops.h"

#include "simt/analysis/memory_space.h"
#include "simt/tiles/block_conditions.h"
#include "simt/tiles/split_loop.h"
#include "simt/tiles/tile_loop.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned CopiedInstructions = 2000; ///< of a loop

/// A branch of which one side copies to a tile and the other does not.
struct Guard {
  BasicBlock *block;
  unsigned side;
};

/// A part of the guards' conditions.
struct Part {
  Value *condition;
  bool expected, isConstant; ///< it does not change from round to round
};

class RoundCopier {
public:
  RoundCopier(Function &thread, const Options &options)
      : thread_(thread), shared_(*thread.getArg(ParamShared)), facts_(thread),
        block_(thread, facts_, options), conditions_(block_) {}

  std::optional<SplitGuardedLoop> run() {
    if (!findPlainAccesses(shared_, /*andAtomics=*/false, tiles_.accesses) ||
        (!findWaitingLoop(facts_, 2, tiles_) && !findWaitingLoop(facts_, 1, tiles_)) ||
        !isTileLoop())
      return std::nullopt;
    findGuards();
    if (guards_.empty() && mayKeep_)
      return std::nullopt;
    BasicBlock *before = loop_->getLoopPreheader();
    Instruction *end = before->getTerminator(), *old = end->getPrevNode();
    IRBuilder<> builder(end);
    RoundValues first(*loop_, builder,
                      [&](PHINode &phi) { return phi.getIncomingValueForBlock(before); });
    Value *condition = goesWhole(first, /*isFirst=*/true);
    if (condition && (guards_.empty() || !isa<Constant>(condition)))
      return copy(*condition);
    while (end->getPrevNode() != old)
      end->getPrevNode()->eraseFromParent();
    return std::nullopt;
  }

private:
  bool isTileLoop();
  void findGuards();
  bool copiesToTile(BasicBlock *from, BasicBlock *entry) const;
  void addParts(Value &condition, bool expected);
  Value *isWhole(RoundValues &, bool isFirst);
  Value *goesWhole(RoundValues &, bool isFirst);
  SplitGuardedLoop copy(Value &goesWhole);
  Value *countTurns(Instruction &before);
  void dropGuards(const ValueToValueMapTy &);

  Function &thread_;
  Argument &shared_;
  LoopFacts facts_;
  BlockValues block_;
  BlockConditions conditions_;
  TileLoop tiles_;
  Loop *loop_ = nullptr;
  BranchInst *last_ = nullptr;   ///< ends a round
  bool mayKeep_ = false;         ///< rounds may read what an earlier one has stored
  SmallVector<Guard, 4> guards_; ///< in the order in which they are come to
  SmallVector<Part, 4> parts_;   ///< in the order in which they are asked
};

/// All threads of the block go through the loop together, and leave it at the end of a round.
bool RoundCopier::isTileLoop() {
  loop_ = tiles_.loop;
  BasicBlock *latch = loop_->getLoopLatch();
  if (!all_of(tiles_.accesses, [&](Instruction *access) { return tiles_.contains(*access); }) ||
      !loop_->getLoopPreheader() || loop_->getExitingBlock() != latch ||
      !isLeftTogether(*loop_, block_.shapes) || !loop_->isLCSSAForm(facts_.dominators))
    return false;
  last_ = dyn_cast<BranchInst>(latch->getTerminator());
  unsigned size = 0;
  for (BasicBlock *block : loop_->blocks()) {
    size += block->size();
    if (!isa<BranchInst>(block->getTerminator()) || any_of(*block, [](Instruction &instruction) {
          auto *call = dyn_cast<CallInst>(&instruction);
          return isa<AllocaInst>(instruction) || (call && call->cannotDuplicate());
        }))
      return false;
  }
  for (Instruction *access : tiles_.accesses) {
    auto *store = dyn_cast<StoreInst>(access);
    if (!store || facts_.dominators.dominates(store, tiles_.filled))
      continue;
    mayKeep_ = true;
    if (!loop_->isLoopInvariant(store->getPointerOperand()))
      return false;
  }
  return last_ && size <= CopiedInstructions;
}

/// Something is copied behind one edge only, which nothing else leads to.
bool RoundCopier::copiesToTile(BasicBlock *from, BasicBlock *entry) const {
  if (entry->getSinglePredecessor() != from || facts_.loops.getLoopFor(entry) != loop_)
    return false;
  return any_of(loop_->blocks(), [&](BasicBlock *block) {
    return facts_.dominators.dominates(entry, block) &&
           any_of(*block, [](Instruction &instruction) {
             auto *load = dyn_cast<LoadInst>(&instruction);
             return load && isGivenMemory(load->getPointerOperand());
           });
  });
}

/// Branches before the tiles are filled. Behind a branch that stays nothing is asked: some threads
/// may not come there.
void RoundCopier::findGuards() {
  SmallVector<BasicBlock *, 4> closed;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&thread_)) {
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!loop_->contains(block) || !branch || branch->isUnconditional() ||
        facts_.dominators.dominates(tiles_.filled->getParent(), block) ||
        any_of(closed,
               [&](BasicBlock *entry) { return facts_.dominators.dominates(entry, block); }))
      continue;
    bool sides[] = {copiesToTile(block, branch->getSuccessor(0)),
                    copiesToTile(block, branch->getSuccessor(1))};
    if (sides[0] == sides[1] || facts_.loops.getLoopFor(block) != loop_) {
      for (BasicBlock *next : successors(block))
        if (next->getSinglePredecessor())
          closed.push_back(next);
      continue;
    }
    unsigned side = sides[0] ? 0 : 1;
    guards_.push_back({block, side});
    addParts(*branch->getCondition(), side == 0);
  }
}

/// Those of `a && b`.
void RoundCopier::addParts(Value &condition, bool expected) {
  Value *a = nullptr, *b = nullptr;
  if (match(&condition, m_Not(m_Value(a))))
    return addParts(*a, !expected);
  if (expected ? match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)))
               : match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    addParts(*a, expected);
    return addParts(*b, expected);
  }
  parts_.push_back({&condition, expected, loop_->isLoopInvariant(&condition)});
}

/// True only if all guards hold in all threads of the block; null if that cannot be asked. Each
/// part is asked if those before it hold everywhere: then all threads ask it, so it is not poison.
Value *RoundCopier::isWhole(RoundValues &round, bool isFirst) {
  Value *whole = round.builder().getTrue();
  for (auto [condition, expected, isConstant] : parts_) {
    if (isConstant && !isFirst)
      continue;
    Value *holds = conditions_.holdsInAll(*condition, expected, round);
    if (!holds)
      return nullptr;
    whole = round.builder().CreateLogicalAnd(whole, holds);
  }
  return whole;
}

/// The copy does this round: it is whole, and not the last such one if that must store anew.
Value *RoundCopier::goesWhole(RoundValues &round, bool isFirst) {
  IRBuilder<> &builder = round.builder();
  Value *whole = isWhole(round, isFirst);
  if (!whole || !mayKeep_)
    return whole;
  RoundValues next(*loop_, builder, [&](PHINode &phi) {
    return round.of(*phi.getIncomingValueForBlock(loop_->getLoopLatch()));
  });
  Value *last = round.of(*last_->getCondition());
  Value *then = last ? isWhole(next, /*isFirst=*/false) : nullptr;
  if (!then)
    return nullptr;
  Value *goesOn = staysIf(*loop_, *last, builder);
  return builder.CreateLogicalAnd(whole, builder.CreateLogicalAnd(goesOn, then));
}

/// From what the loop counts and compares with its end; whether the count may wrap around does not
/// matter to who asks. Null if it is not known in front of the loop.
Value *RoundCopier::countTurns(Instruction &before) {
  Recurrences recurrences(thread_, facts_);
  ScalarEvolution &evolution = recurrences.evolution;
  auto *compare = dyn_cast<ICmpInst>(last_->getCondition());
  if (!compare || !compare->getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  const SCEV *count = evolution.getSCEV(compare->getOperand(0)),
             *end = evolution.getSCEV(compare->getOperand(1));
  if (evolution.isLoopInvariant(count, loop_))
    std::swap(count, end);
  auto *counted = dyn_cast<SCEVAddRecExpr>(count);
  auto *step = counted && counted->isAffine() && counted->getLoop() == loop_
                   ? dyn_cast<SCEVConstant>(counted->getStepRecurrence(evolution))
                   : nullptr;
  if (!step || step->isZero() || !evolution.isLoopInvariant(end, loop_))
    return nullptr;
  const SCEV *start = counted->getStart();
  if (step->getAPInt().isNegative())
    std::swap(start, end);
  const SCEV *turns = evolution.getUDivExpr(evolution.getMinusSCEV(end, start),
                                            evolution.getConstant(step->getAPInt().abs()));
  SCEVExpander expander(evolution, "turns");
  return expander.isSafeToExpandAt(turns, &before)
             ? expander.expandCodeFor(turns, turns->getType(), before.getIterator())
             : nullptr;
}

SplitGuardedLoop RoundCopier::copy(Value &goesWhole) {
  Value *turns = countTurns(*loop_->getLoopPreheader()->getTerminator());
  SplitLoop front(*loop_, goesWhole);
  IRBuilder<> builder(front.end());
  Value *stays = staysIf(*loop_, *front.end()->getCondition(), builder);
  RoundValues next(*loop_, builder, [&](PHINode &phi) { return front.valueAtEnd(phi); });
  Value *again = builder.CreateLogicalAnd(stays, this->goesWhole(next, /*isFirst=*/false));
  front.finish(*again, guards_.empty() ? *builder.getFalse() : *stays);
  if (!guards_.empty())
    dropGuards(front.map);
  return {front.choice, front.header, loop_->getHeader(), turns};
}

void RoundCopier::dropGuards(const ValueToValueMapTy &map) {
  for (auto [block, side] : guards_) {
    auto *branch = cast<BranchInst>(cast<BasicBlock>(map.lookup(block))->getTerminator());
    branch->getSuccessor(1 - side)->removePredecessor(branch->getParent());
    IRBuilder<>(branch).CreateBr(branch->getSuccessor(side));
    branch->eraseFromParent();
  }
  removeUnreachableBlocks(thread_);
}

} // namespace

std::optional<SplitGuardedLoop> splitGuardedLoop(Function &thread, const Options &options) {
  return RoundCopier(thread, options).run();
}

} // namespace heddle::simt
