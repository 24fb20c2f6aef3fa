// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies guarded code without masks.
//
// Problem. `if (i < n)` is a divergent branch, so all guarded code is masked, though only the last
// warp of the grid needs it. In vectors of many lanes the masks cost as much as the work.
//
// Method. A guard is a divergent branch on comparisons of affine values (guard_region.h). The
// guarded code is copied, and a uniform branch in front chooses the copy if `heddle.all` says that
// the warp is full and the guard holds in all lanes. There, the widener knows the mask:
//
//     A: br %c, R, J            A: br heddle.all(%c), R', S
//     R: ...; br J              R': ...; br J                   all lanes, no masks
//     J: ...                    S: br %c, R, J                  as before
//                               R: ...; br J
//                               J: ...
//
// Guards at the beginning of R, before anything with side effects, become tests in R' that branch
// to S on failure, where R begins again: `if (x > 0) if (x < w - 1) if (y > 0) ...` costs one copy.
// Guards further down in R' get copies of their own, those in R none, because R is the rare path.
//
// A loop that lanes leave by a guard in the latch becomes two, one after the other. The first runs
// while all lanes continue, the second does the rest:
//
//     P: br L                   P: br heddle.all(true), L', S
//     L: ...; br %c, L, J       L': ...; br heddle.all(%c'), L', X
//     J: ...                    X: br %c', S, J
//                               S: phis of both paths; br L
//                               L: ...; br %c, L, J
//                               J: ...
//
// Where a round takes each lane beyond the place of the last one (`i += blockDim.x`), full warps
// have one round left at most. It stands in front of the second loop, and needs no values that go
// from round to round, nor masks that do:
//
//                               S: phis of both paths; L": ...; br heddle.none(%c"), J, Y
//                               Y: br %c", L, J
//
// A guard right before the loop (`for (i = first; i < n; i += stride)` in rotated form) replaces
// `true`; what lies between them must be speculatable and is executed before the guard.
//
// Cost. A region is copied if it is small or masks are a good part of it. All copies of a kernel
// together have a budget, which bounds compile time.
//
// Rejected: peeling whole warps in the entry (the bound is only known inside the program, and often
// has no form that can be solved); testing the mask at each access (as many branches as accesses).
//
// Legality (version-guards):
//  1. The copy without masks runs only where the warp is full and the guard holds in all its
//     lanes; a lane's index that has wrapped around is not taken for one below the bound.
//     [holds in all lanes]
//  2. A test in the copy goes back to the code with masks only before anything with side effects.
//     [effects]
//  3. Lanes leave a loop of which there is a copy at its end only, where they part. [one way out]
//  4. What lies between a guard and the loop behind it is done before the guard only if it cannot
//     fault. [free of risk]
//  5. What is copied holds no barrier that its program waits at. [waits]
//  6. The guard compares values that go straight from lane to lane, so that the outermost lane
//     stands for all. [straight]
#include "simt/thread/version_guards.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/thread/guard_region.h"
#include "simt/thread/region_copies.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned PeeledInstructions = 400; ///< in a kernel
constexpr unsigned MostPeels = 16;

class Peeler {
public:
  Peeler(Function &thread, const Options &options) : thread_(thread), options_(options) {}

  void run() {
    for (unsigned i = 0; i < MostPeels && peelFirst(); ++i)
      normalizeLoops(thread_);
  }

private:
  bool peelFirst();
  bool peelBehind(BasicBlock *block);
  bool peelLoop(Loop &loop);
  void copyRegion(BasicBlock *block, unsigned side, const GuardRegion &);
  void copyLoop(Loop &, const GuardRegion &, BasicBlock *guard);
  bool endsAfterRound(const Loop &) const;
  void copyRound(Loop &, const GuardRegion &, BasicBlock *rest);

  Loop *loopBehind(BasicBlock *guard, unsigned side, const GuardRegion &);
  bool canHoist(const BasicBlock &) const;
  std::vector<std::pair<BasicBlock *, unsigned>> testsBefore(const GuardRegion &);
  BasicBlock *copyOf(const ValueToValueMapTy &map, const BasicBlock *block) {
    return cast<BasicBlock>(map.lookup(block));
  }
  Value *copyCondition(Value *, IRBuilder<> &);
  void branchIfAll(BasicBlock *from, Value *condition, bool expected, BasicBlock *all,
                   BasicBlock *some);
  void finish(const GuardRegion &region) {
    finished_.insert(region.blocks.begin(), region.blocks.end());
  }

  Function &thread_;
  const Options &options_;
  std::unique_ptr<GuardFacts> facts_;
  unsigned copied_ = 0;
  SmallPtrSet<BasicBlock *, 16> finished_; ///< nothing is to be done for the guard or loop here
};

/// Copies for the first guard or loop in block order that is worth it: outer ones come first.
bool Peeler::peelFirst() {
  facts_ = std::make_unique<GuardFacts>(thread_, options_);
  for (BasicBlock *block : facts_->order.blocks) {
    if (finished_.contains(block))
      continue;
    if (endsInGuard(*facts_, block) && peelBehind(block))
      return true;
    Loop *loop = facts_->loops.getLoopFor(block);
    if (loop && loop->getHeader() == block && peelLoop(*loop))
      return true;
  }
  return false;
}

/// The side with more to gain; the other has its turn later.
bool Peeler::peelBehind(BasicBlock *block) {
  GuardRegion regions[] = {regionBehind(*facts_, block, 0), regionBehind(*facts_, block, 1)};
  for (GuardRegion &region : regions)
    if (!region.blocks.empty() && finished_.contains(region.blocks.front()))
      region = GuardRegion();
  unsigned side = regions[1].gain > regions[0].gain ? 1 : 0;
  GuardRegion &region = regions[side];
  if (region.gain == 0 || copied_ + region.size > PeeledInstructions)
    return false;
  copied_ += region.size;
  if (Loop *loop = loopBehind(block, side, region))
    copyLoop(*loop, regionOf(*facts_, *loop), block);
  else
    copyRegion(block, side, region);
  return true;
}

bool Peeler::peelLoop(Loop &loop) {
  GuardRegion region = regionOf(*facts_, loop);
  if (region.gain == 0 || copied_ + region.size > PeeledInstructions)
    return false;
  copied_ += region.size;
  copyLoop(loop, region, nullptr);
  return true;
}

/// The loop that is all there is to gain from behind a guard, if it can be entered from there.
Loop *Peeler::loopBehind(BasicBlock *guard, unsigned side, const GuardRegion &region) {
  BasicBlock *preheader = cast<BranchInst>(guard->getTerminator())->getSuccessor(side);
  BasicBlock *header = preheader->getSingleSuccessor();
  Loop *loop = header ? facts_->loops.getLoopFor(header) : nullptr;
  if (!loop || loop->getHeader() != header || !canHoist(*preheader))
    return nullptr;
  GuardRegion body = regionOf(*facts_, *loop);
  bool nothingElse = all_of(region.blocks, [&](BasicBlock *block) {
    return body.contains(block) || block == preheader ||
           none_of(*block, [](Instruction &i) { return i.mayReadOrWriteMemory(); });
  });
  return body.gain > 0 && nothingElse ? loop : nullptr;
}

/// Free of risk in front of the guard: arithmetic, and loads from the launch and its parameters,
/// which are always there.
bool Peeler::canHoist(const BasicBlock &block) const {
  static_assert(offsetof(Launch, params) == 0);
  const Value *launch = thread_.getArg(ParamLaunch);
  return all_of(block, [&](const Instruction &instruction) {
    if (instruction.isTerminator() || isa<PHINode>(instruction) ||
        isSafeToSpeculativelyExecute(&instruction))
      return true;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load))
      return false;
    const Value *object = getUnderlyingObject(load->getPointerOperand());
    const auto *params = dyn_cast<LoadInst>(object);
    return object == launch || (params && params->getPointerOperand() == launch);
  });
}

/// The guards at the beginning of a region, with the side that its copy goes on at.
std::vector<std::pair<BasicBlock *, unsigned>> Peeler::testsBefore(const GuardRegion &region) {
  std::vector<std::pair<BasicBlock *, unsigned>> tests;
  SmallVector<BasicBlock *, 8> work = {region.blocks.front()};
  auto follow = [&](BasicBlock *next) {
    if (region.contains(next) && next->getSinglePredecessor())
      work.push_back(next);
  };
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    bool repeatable = none_of(*block, [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      return instruction.mayHaveSideEffects() || (call && call->isConvergent());
    });
    auto *branch = cast<BranchInst>(block->getTerminator());
    if (!repeatable)
      continue;
    if (!facts_->shapes.isDivergent(block)) {
      for (BasicBlock *next : successors(block))
        follow(next);
      continue;
    }
    GuardRegion sides[] = {regionBehind(*facts_, block, 0), regionBehind(*facts_, block, 1)};
    unsigned side = sides[1].gain > sides[0].gain ? 1 : 0;
    if (!endsInGuard(*facts_, block) || sides[side].gain == 0)
      continue;
    tests.push_back({block, side});
    follow(branch->getSuccessor(side));
  }
  return tests;
}

/// The comparisons of a guard once more, so that heddle.all finds them in its own block and the
/// vector form is needed only where lanes really part.
Value *Peeler::copyCondition(Value *condition, IRBuilder<> &builder) {
  bool logic = match(condition, m_Not(m_Value())) || match(condition, m_LogicalAnd()) ||
               match(condition, m_LogicalOr());
  if (!isa<Instruction>(condition) || !(logic || isa<ICmpInst>(condition)))
    return condition;
  Instruction *copy = cast<Instruction>(condition)->clone();
  if (logic)
    for (Use &operand : copy->operands())
      operand.set(copyCondition(operand.get(), builder));
  return builder.Insert(copy);
}

/// Ends a block in `br heddle.all(condition == expected), all, some`, with a condition of its own.
void Peeler::branchIfAll(BasicBlock *from, Value *condition, bool expected, BasicBlock *all,
                         BasicBlock *some) {
  Instruction *old = from->getTerminator();
  IRBuilder<> builder(old);
  condition = copyCondition(condition, builder);
  if (!expected)
    condition = builder.CreateNot(condition);
  builder.CreateCondBr(emitAllLanes(builder, condition), all, some,
                       MDBuilder(thread_.getContext()).createLikelyBranchWeights());
  old->eraseFromParent();
}

void Peeler::copyRegion(BasicBlock *block, unsigned side, const GuardRegion &region) {
  auto tests = testsBefore(region);
  BasicBlock *some = block->splitBasicBlock(block->getTerminator(), "some");
  auto *parts = cast<BranchInst>(some->getTerminator());
  ValueToValueMapTy map;
  copyBlocks(region.blocks, map);
  BasicBlock *entry = copyOf(map, region.blocks.front());
  entry->replacePhiUsesWith(some, block);
  branchIfAll(block, parts->getCondition(), side == 0, entry, some);
  IRBuilder<> builder(parts);
  parts->setCondition(copyCondition(parts->getCondition(), builder));
  for (auto [test, way] : tests) {
    BasicBlock *copy = copyOf(map, test);
    auto *branch = cast<BranchInst>(copy->getTerminator());
    BasicBlock *stays = branch->getSuccessor(way), *leaves = branch->getSuccessor(1 - way);
    leaves->removePredecessor(copy, /*KeepOneInputPHIs=*/true);
    branchIfAll(copy, branch->getCondition(), way == 0, stays, some);
  }
  finish(region);
}

void Peeler::copyLoop(Loop &loop, const GuardRegion &region, BasicBlock *guard) {
  LLVMContext &context = thread_.getContext();
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch(),
             *preheader = loop.getLoopPreheader();
  IRBuilder<> builder(context);
  auto *last = cast<BranchInst>(latch->getTerminator());
  unsigned stays = last->getSuccessor(0) == header ? 0 : 1;
  BasicBlock *exit = last->getSuccessor(1 - stays);
  ValueToValueMapTy map;
  copyBlocks(region.blocks, map);
  BasicBlock *copiedHeader = copyOf(map, header), *copiedLatch = copyOf(map, latch);

  // Where the first loop ends, the lanes part.
  BasicBlock *parted = BasicBlock::Create(context, "part", &thread_);
  BasicBlock *rest = BasicBlock::Create(context, "rest", &thread_);
  auto *copiedLast = cast<BranchInst>(copiedLatch->getTerminator());
  Value *condition = copiedLast->getCondition();
  builder.SetInsertPoint(parted);
  builder.SetCurrentDebugLocation(last->getDebugLoc());
  builder.CreateCondBr(copyCondition(condition, builder), stays == 0 ? rest : exit,
                       stays == 0 ? exit : rest);
  exit->replacePhiUsesWith(copiedLatch, parted);
  branchIfAll(copiedLatch, condition, stays == 0, copiedHeader, parted);

  // The second loop begins where the first ended, or at the beginning.
  builder.SetInsertPoint(rest);
  for (PHINode &phi : header->phis()) {
    Value *next = phi.getIncomingValueForBlock(latch), *copy = map.lookup(next);
    PHINode *both = builder.CreatePHI(phi.getType(), 2);
    both->addIncoming(phi.getIncomingValueForBlock(preheader), preheader);
    both->addIncoming(copy ? copy : next, parted);
    phi.setIncomingValueForBlock(preheader, both);
  }
  builder.CreateBr(header);
  header->replacePhiUsesWith(preheader, rest);
  if (endsAfterRound(loop) && copied_ + region.size <= PeeledInstructions) {
    copied_ += region.size;
    copyRound(loop, region, rest);
  }

  finish(region);
  finished_.insert({parted, rest});
  if (!guard) {
    builder.SetInsertPoint(preheader->getTerminator());
    preheader->getTerminator()->setSuccessor(0, rest);
    branchIfAll(preheader, builder.getTrue(), true, copiedHeader, rest);
    return;
  }
  auto *branch = cast<BranchInst>(guard->getTerminator());
  for (PHINode &phi : make_early_inc_range(preheader->phis())) {
    phi.replaceAllUsesWith(phi.getIncomingValue(0));
    phi.eraseFromParent();
  }
  for (Instruction &instruction : make_early_inc_range(*preheader))
    if (!instruction.isTerminator())
      instruction.moveBefore(branch->getIterator());
  preheader->getTerminator()->setSuccessor(0, rest);
  unsigned side = branch->getSuccessor(0) == preheader ? 0 : 1;
  BasicBlock *some = guard->splitBasicBlock(branch, "some");
  copiedHeader->replacePhiUsesWith(preheader, guard);
  branchIfAll(guard, branch->getCondition(), side == 0, copiedHeader, some);
  builder.SetInsertPoint(branch);
  branch->setCondition(copyCondition(branch->getCondition(), builder));
  finished_.insert(some);
}

/// A round takes each lane's index of the guard beyond that of the last lane, as far as is known:
/// steps that the launch gives (`blockDim.x`, `gridDim.x * blockDim.x`) are taken to be that long.
bool Peeler::endsAfterRound(const Loop &loop) const {
  Value *condition = cast<BranchInst>(loop.getLoopLatch()->getTerminator())->getCondition();
  match(condition, m_Not(m_Value(condition)));
  const auto *compare = dyn_cast<ICmpInst>(condition);
  if (!compare)
    return false;
  return any_of(compare->operands(), [&](const Value *index) {
    while (const auto *cast = dyn_cast<CastInst>(index))
      index = cast->getOperand(0);
    return any_of(loop.getHeader()->phis(), [&](PHINode &phi) {
      BinaryOperator *next = nullptr;
      Value *start = nullptr, *step = nullptr;
      if (!matchSimpleRecurrence(&phi, next, start, step) ||
          next->getOpcode() != Instruction::Add || (index != &phi && index != next))
        return false;
      const auto *constant = dyn_cast<ConstantInt>(step);
      int64_t span = facts_->shapes.of(index).span();
      return span > 0 && facts_->shapes.isUniform(step) &&
             (!constant || constant->getSExtValue() > span);
    });
  });
}

/// One round in front of the loop that `rest` enters.
void Peeler::copyRound(Loop &loop, const GuardRegion &region, BasicBlock *rest) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  ValueToValueMapTy map;
  copyBlocks(region.blocks, map);
  BasicBlock *first = copyOf(map, header), *last = copyOf(map, latch);
  rest->getTerminator()->setSuccessor(0, first);

  // Behind it: to the exit if no lane goes on, else each lane its own way.
  BasicBlock *again = BasicBlock::Create(thread_.getContext(), "again", &thread_);
  BasicBlock *enter = BasicBlock::Create(thread_.getContext(), "enter", &thread_);
  auto *branch = cast<BranchInst>(last->getTerminator());
  unsigned stays = branch->getSuccessor(0) == first ? 0 : 1;
  BasicBlock *exit = branch->getSuccessor(1 - stays);
  IRBuilder<> builder(again);
  builder.SetCurrentDebugLocation(branch->getDebugLoc());
  builder.CreateCondBr(copyCondition(branch->getCondition(), builder), stays == 0 ? enter : exit,
                       stays == 0 ? exit : enter);
  for (PHINode &phi : exit->phis())
    phi.addIncoming(phi.getIncomingValueForBlock(last), again);
  builder.SetInsertPoint(enter);
  builder.CreateBr(header);
  for (PHINode &phi : header->phis()) {
    auto *copy = cast<PHINode>(map.lookup(&phi));
    phi.replaceIncomingBlockWith(rest, enter);
    phi.setIncomingValueForBlock(enter, copy->getIncomingValueForBlock(last));
    copy->removeIncomingValue(last, /*DeletePHIIfEmpty=*/false);
  }
  builder.SetInsertPoint(branch);
  Value *condition = copyCondition(branch->getCondition(), builder);
  if (stays == 1)
    condition = builder.CreateNot(condition);
  builder.CreateCondBr(emitNoLane(builder, condition), exit, again,
                       MDBuilder(thread_.getContext()).createLikelyBranchWeights());
  branch->eraseFromParent();
  for (BasicBlock *block : region.blocks)
    finished_.insert(copyOf(map, block));
  finished_.insert({again, enter});
}

} // namespace

PreservedAnalyses VersionGuards::run(Compilation &kernel, FunctionAnalysisManager &) {
  Peeler(*kernel.thread.body, kernel.options).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
