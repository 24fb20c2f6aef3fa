// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies code behind clamped indices.
//
// A stencil clamps a neighbour's index to stay inside its array: `max(x - 1, 0)`, `x + 1 < w ? x +
// 1 : x`. Such an index is not affine where the clamp takes effect, so all warps gather because of
// the few at the border. This pass copies the code behind the clamp for warps in which no clamp
// takes effect (heddle.all, all_lanes.h), with the affine value in place of the clamp:
//
//     B: ...; %w = smax(%x - 1, 0); ...            B: ...; br heddle.all(%x - 1 >= 0), R', R
//        load %p + %w; ...                 ->      R:  %w = smax(%x - 1, 0); load %p + %w; ...
//                                                  R': load %p + (%x - 1); ...
//
// A clamp is a minimum or maximum with a uniform bound, a select by a comparison, or such a
// comparison as a number (LLVM's form of `x == 0 ? c : c - 1`). Its operands are affine, or are
// once clamps before it are replaced. The common side is assumed to be that of the affine value and
// not of the bound; different rather than equal; inside rather than outside of a range that begins
// at 0 or ends at a uniform value. If that is wrong the copy never runs.
//
// A quotient or remainder by a number that all lanes share (`i % w`, `(x + d + n) % n`) is a clamp
// too: it binds where lanes have different quotients. Where they do not, that of the first lane is
// all lanes', and the remainder goes straight:
//
//     %q = sdiv %i, %w      ->     %f = heddle.first(%i)
//     %r = srem %i, %w             %q = udiv %f, umax(%w, 1)                    one number
//                                  %r = add nsw (%f - %q * %w), lane        straight
//                                  if all: %i >= 0, %i - %q * %w <u %w, and 0 < %w < 2^30
//
// `lane` is how far the lane's number is from that of lane 0, by the thread's index alone, and is
// short: then the remainder is exact where it is extended (analysis/overflow.h). How far it is is
// seen (`fromLane0`), and tested as well.
//
// So the test for zero and -1 that comes with each division (lower_nvvm.cpp) is decided as well.
// Warps in which quotients differ go through a second copy piece by piece, where the divisors are
// not much smaller than the warp: all lanes that have the quotients of the first one that is left.
//
//     H: %q = udiv heddle.first(%i), ...; %mine = ...; br heddle.first(%mine), B, R
//     B: br %mine, R'', J
//     R'': ...; br J
//     J: br %mine, exit, H                          the others go on; R is for what no clamp allows
//
// Of the clamp's block, loads that never change (a stencil's offsets in constant memory) come in
// front of the test, which may use them. Behind a division a round of a loop over the grid ends
// behind the copies: all lanes go on to the next one together.
//
// The pass copies what the clamp's block dominates, within its loop, if an access in there becomes
// affine in the copy. All copies of a kernel together have a budget.
//
// Rejected: a test at each access (as many branches as accesses, and addresses are still computed
// as vectors); splitting the grid (the border is known inside the program only, and there are
// several borders).
//
// Legality (version-clamps):
//  1. The copy without clamps runs only where no clamp binds in any lane; a lane's index that has
//     wrapped around is not taken for one inside. [binds in no lane]
//  2. The test reads no memory and cannot fault; it is done before the clamp. [free of risk]
//  3. What is copied holds no barrier that its program waits at. [waits]
//  4. Pieces go one after the other only through code in which lanes do not wait for each other,
//     hand each other values, or read what others of them may have written. [pieces]
#include "simt/thread/version_clamps.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/objects.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"
#include "simt/thread/clamps.h"
#include "simt/thread/guard_region.h"
#include "simt/thread/region_copies.h"
#include "simt/thread/unclamped_values.h"

#include "llvm/Analysis/InstructionSimplify.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned CopiedInstructions = 1000; ///< in a kernel, for whole warps and for pieces each
constexpr unsigned MostCopies = 8;

class ClampVersions {
public:
  ClampVersions(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), options_(options) {}

  bool run() {
    findFacts();
    if (usefulClamps().empty())
      return false;
    for (BasicBlock &block : make_early_inc_range(thread_)) // regions end before they return
      if (isa<ReturnInst>(block.getTerminator()) && block.size() > 1)
        SplitBlock(&block, block.getTerminator());
    for (unsigned i = 0; i < MostCopies && copyFirst(); ++i)
      normalizeLoops(thread_);
    return true;
  }

private:
  void findFacts() { facts_ = std::make_unique<GuardFacts>(thread_, options_); }
  bool copyFirst();
  bool runsPartly(const BasicBlock &) const;
  MapVector<BasicBlock *, Clamps> usefulClamps();
  SmallVector<BasicBlock *, 8> regionBehind(BasicBlock &);
  void endAtNextRound(SmallVectorImpl<BasicBlock *> &region);
  BasicBlock *copyOf(ArrayRef<BasicBlock *> region, const UnclampedValues &, ValueToValueMapTy &);
  void copyBehind(BasicBlock *block, ArrayRef<BasicBlock *> region, const UnclampedValues &);
  BasicBlock *exitOf(ArrayRef<BasicBlock *> region) const;
  bool readsWhatItWrites(ArrayRef<BasicBlock *> region);
  void goByPieces(BasicBlock *block, ArrayRef<BasicBlock *> region, const UnclampedValues &whole);

  ThreadProgram &program_;
  Function &thread_;
  const Options &options_;
  std::unique_ptr<GuardFacts> facts_;
  unsigned copied_ = 0, inPieces_ = 0;     ///< instructions
  SmallPtrSet<BasicBlock *, 16> finished_; ///< clamps here stay
};

/// Only warps come here that have not passed a guard whole, or in which a clamp binds.
bool ClampVersions::runsPartly(const BasicBlock &block) const {
  const DomTreeNode *node = facts_->dominators.getNode(&block);
  for (node = node ? node->getIDom() : nullptr; node; node = node->getIDom()) {
    const auto *branch = dyn_cast<BranchInst>(node->getBlock()->getTerminator());
    if (!branch || !branch->isConditional() || !isAllLanes(branch->getCondition()))
      continue;
    if (facts_->dominators.dominates(BasicBlockEdge(node->getBlock(), branch->getSuccessor(1)),
                                     &block))
      return true;
  }
  return false;
}

/// Clamps without which accesses go straight that do not now, by their blocks.
MapVector<BasicBlock *, Clamps> ClampVersions::usefulClamps() {
  MapVector<BasicBlock *, Clamps> useful;
  for (BasicBlock *block : facts_->order.blocks)
    for (Instruction &instruction : *block) {
      Value *address = getLoadStorePointerOperand(&instruction);
      if (!address || facts_->shapes.of(address).segment > 1 || facts_->shapes.isScalar(address))
        continue;
      SmallVector<Instruction *, 4> clamps;
      if (Lines(facts_->shapes).of(address, clamps) != Lines::Bent)
        for (Instruction *clamp : clamps)
          useful[clamp->getParent()].insert(clamp);
    }
  return useful;
}

/// What the block dominates in its loop, from the first; empty if that cannot be copied. The end of
/// the kernel stays alone.
SmallVector<BasicBlock *, 8> ClampVersions::regionBehind(BasicBlock &block) {
  SmallVector<BasicBlock *, 8> blocks, region;
  facts_->dominators.getDescendants(&block, blocks);
  const Loop *loop = facts_->loops.getLoopFor(&block);
  for (BasicBlock *inside : blocks)
    if (!isa<ReturnInst>(inside->getTerminator()) && (!loop || loop->contains(inside)))
      region.push_back(inside);
  bool canCopyAll = all_of(region, [&](BasicBlock *b) { return canCopy(*facts_, *b); });
  return canCopyAll ? region : SmallVector<BasicBlock *, 8>();
}

/// In the copies, what comparisons say of divisors above zero.
static void decideComparisons(ArrayRef<BasicBlock *> copies,
                              const SmallPtrSetImpl<const Value *> &positive) {
  for (BasicBlock *block : copies)
    for (Instruction &instruction : make_early_inc_range(*block)) {
      for (Use &use : instruction.operands())
        if (std::optional<bool> decided =
                ofPositive(use, [&](const Value *number) { return positive.contains(number); }))
          use.set(ConstantInt::getBool(use->getContext(), *decided));
      if (Value *simple = simplifyInstruction(&instruction, block->getDataLayout()))
        instruction.replaceAllUsesWith(simple);
    }
}

/// A copy of the region for lanes in which no clamp binds; its first block.
BasicBlock *ClampVersions::copyOf(ArrayRef<BasicBlock *> region, const UnclampedValues &test,
                                  ValueToValueMapTy &map) {
  copyBlocks(region, map);
  for (Instruction *clamp : test.clamps()) {
    auto *copied = cast<Instruction>(map.lookup(clamp));
    IRBuilder<> builder(copied);
    Value *line = test.lineOf(*clamp, builder), *copy = map.lookup(line);
    copied->replaceAllUsesWith(copy ? copy : line);
  }
  SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *inside : region)
    copies.push_back(cast<BasicBlock>(map.lookup(inside)));
  SmallPtrSet<const Value *, 8> positive = test.positive();
  for (const Value *number : test.positive())
    if (const Value *copy = map.lookup(number))
      positive.insert(copy);
  decideComparisons(copies, positive);
  return copies.front();
}

/// The block ends in the test: `region`, which it goes on at, is for the other warps.
void ClampVersions::copyBehind(BasicBlock *block, ArrayRef<BasicBlock *> region,
                               const UnclampedValues &test) {
  Instruction *old = block->getTerminator();
  ValueToValueMapTy map;
  BasicBlock *copy = copyOf(region, test, map);
  IRBuilder<> builder(old);
  builder.CreateCondBr(emitAllLanes(builder, test.condition()), copy, region.front(),
                       MDBuilder(thread_.getContext()).createLikelyBranchWeights());
  old->eraseFromParent();
}

/// A region that holds the end of its loop's body is left in front of it, so that its lanes meet
/// there before the next round. What the round's end needs of the region it gets by phis.
void ClampVersions::endAtNextRound(SmallVectorImpl<BasicBlock *> &region) {
  const Loop *loop = region.empty() ? nullptr : facts_->loops.getLoopFor(region.front());
  BasicBlock *latch = loop ? loop->getLoopLatch() : nullptr;
  if (!latch || !is_contained(region, latch))
    return;
  Instruction *first = latch->getTerminator();
  for (Instruction *previous = first->getPrevNode();
       previous && isSafeToSpeculativelyExecute(previous) && !isa<PHINode, CallInst>(previous) &&
       !previous->mayReadFromMemory();
       previous = previous->getPrevNode())
    first = previous;
  BasicBlock *end = SplitBlock(latch, first, &facts_->dominators, &facts_->loops);
  DenseMap<Value *, PHINode *> handedOn;
  for (BasicBlock *block : region)
    for (Instruction &instruction : *block)
      for (Use &use : make_early_inc_range(instruction.uses())) {
        auto *user = cast<Instruction>(use.getUser());
        auto *phi = dyn_cast<PHINode>(user);
        BasicBlock *from = phi ? phi->getIncomingBlock(use) : user->getParent();
        if (is_contained(region, from))
          continue;
        PHINode *&known = handedOn[&instruction];
        if (!known) {
          known = PHINode::Create(instruction.getType(), 1, "", end->begin());
          known->addIncoming(&instruction, latch);
        }
        use.set(known);
      }
}

/// The only block that the region goes on at, if lanes can go there at different times.
BasicBlock *ClampVersions::exitOf(ArrayRef<BasicBlock *> region) const {
  BasicBlock *exit = nullptr;
  for (BasicBlock *block : region) {
    for (const Instruction &instruction : *block)
      if (const auto *call = dyn_cast<CallInst>(&instruction); call && call->isConvergent())
        return nullptr;
    bool leaves = false; // by one edge alone
    for (BasicBlock *next : successors(block))
      if (!is_contained(region, next)) {
        if (leaves || (exit && exit != next))
          return nullptr;
        leaves = true;
        exit = next;
      }
  }
  const Loop *loop = facts_->loops.getLoopFor(region.front());
  return exit && (!loop || exit != loop->getHeader()) ? exit : nullptr;
}

/// Lanes of one piece may read what those of an earlier one have written: of one array, by another
/// address. (Two writes do not count: see warp_order.cpp.)
bool ClampVersions::readsWhatItWrites(ArrayRef<BasicBlock *> region) {
  const Loop *loop = facts_->loops.getLoopFor(region.front());
  SmallVector<const Instruction *, 32> code;
  for (BasicBlock *block : region)
    for (const Instruction &instruction : *block)
      code.push_back(&instruction);
  return mayReadWritten(code, Objects(thread_, options_), program_.trustsObjects,
                        [&](const Instruction &access) {
                          return facts_->loops.getLoopFor(access.getParent()) != loop;
                        });
}

/// In front of the region, where `block` would go on at it: pieces of the warp (see the top).
void ClampVersions::goByPieces(BasicBlock *block, ArrayRef<BasicBlock *> region,
                               const UnclampedValues &whole) {
  BasicBlock *exit = exitOf(region);
  bool mayWait = program_.countsOnWarps || program_.polls || program_.maySpin;
  if (whole.divisors().empty() || !exit || mayWait || readsWhatItWrites(region))
    return;
  LLVMContext &context = thread_.getContext();
  auto create = [&](const Twine &name) { return BasicBlock::Create(context, name, &thread_); };
  BasicBlock *few = create("pieces"), *head = create("piece"), *body = create("piece.body"),
             *join = create("piece.end");
  IRBuilder<> builder(head);
  UnclampedValues test(whole.clamps(), *block->getTerminator(), builder, *facts_, program_,
                       options_);
  if (!test.emit()) {
    for (BasicBlock *made : {few, head, body, join})
      made->eraseFromParent();
    return;
  }
  Value *mine = test.condition();
  builder.SetInsertPoint(few);
  Value *isFew = builder.getTrue();
  for (Value *divisor : whole.divisors()) {
    auto least = ConstantInt::get(divisor->getType(), std::max(1u, facts_->shapes.width() / 4));
    isFew = builder.CreateAnd(isFew, builder.CreateICmpUGE(divisor, least));
  }
  builder.CreateCondBr(isFew, head, region.front());
  block->getTerminator()->replaceSuccessorWith(region.front(), few);

  builder.SetInsertPoint(head);
  Value *first = emitFirstLane(builder, builder.CreateZExt(mine, builder.getInt32Ty()));
  builder.CreateCondBr(builder.CreateIsNotNull(first), body, region.front());
  ValueToValueMapTy map;
  BasicBlock *copy = copyOf(region, test, map);
  builder.SetInsertPoint(body);
  builder.CreateCondBr(mine, copy, join);

  // What the copies hand on goes through the join.
  SmallVector<BasicBlock *, 4> exiting;
  for (BasicBlock *inside : region)
    if (auto *copied = cast<BasicBlock>(map.lookup(inside)); is_contained(successors(copied), exit))
      exiting.push_back(copied);
  builder.SetInsertPoint(join);
  for (PHINode &phi : exit->phis()) {
    PHINode *both = builder.CreatePHI(phi.getType(), exiting.size() + 1);
    for (BasicBlock *copied : exiting)
      both->addIncoming(phi.getIncomingValueForBlock(copied), copied);
    both->addIncoming(PoisonValue::get(phi.getType()), body);
    phi.addIncoming(both, join);
  }
  builder.CreateCondBr(mine, exit, head);
  for (BasicBlock *copied : exiting) {
    for (PHINode &phi : exit->phis())
      phi.removeIncomingValue(copied, /*DeletePHIIfEmpty=*/false);
    copied->getTerminator()->replaceSuccessorWith(exit, join);
  }
}

/// In front of `first`: what its block loads behind it that never changes (a table in constant
/// memory, a parameter), so that the test may use it.
static void raiseInvariantLoads(Instruction &first) {
  SmallPtrSet<const Value *, 32> behind;
  for (Instruction *next = &first, *after = nullptr; next && !next->isTerminator(); next = after) {
    after = next->getNextNode();
    const auto *load = dyn_cast<LoadInst>(next);
    bool isRaised =
        (isa<GetElementPtrInst>(next) ||
         (load && load->isSimple() && load->hasMetadata(LLVMContext::MD_invariant_load))) &&
        none_of(next->operands(), [&](Value *v) { return behind.contains(v); });
    if (isRaised)
      next->moveBefore(first.getIterator());
    else if (behind.insert(next); !isGuaranteedToTransferExecutionToSuccessor(next))
      return;
  }
}

bool ClampVersions::copyFirst() {
  findFacts();
  MapVector<BasicBlock *, Clamps> useful = usefulClamps();
  for (BasicBlock *block : facts_->order.blocks) {
    const Clamps clamps = useful.lookup(block);
    if (clamps.empty() || finished_.contains(block) || runsPartly(*block))
      continue;
    finished_.insert(block);
    Instruction *first = &*find_if(*block, [&](Instruction &i) { return clamps.contains(&i); });
    raiseInvariantLoads(*first);
    BasicBlock *behind = SplitBlock(block, first, &facts_->dominators, &facts_->loops);
    SmallVector<BasicBlock *, 8> region = regionBehind(*behind);
    if (any_of(clamps, [&](Instruction *i) { return asDivision(i, facts_->shapes); }))
      endAtNextRound(region);
    unsigned size = 0;
    for (BasicBlock *inside : region)
      size += inside->size();
    IRBuilder<> builder(block->getTerminator());
    UnclampedValues test(clamps, *block->getTerminator(), builder, *facts_, program_, options_);
    if (region.empty() || copied_ + size > CopiedInstructions || !test.emit())
      continue;
    for (BasicBlock *inside : region)
      test.addDivisions(useful.lookup(inside));
    copied_ += size;
    copyBehind(block, region, test);
    if (inPieces_ + size <= CopiedInstructions) {
      inPieces_ += size;
      goByPieces(block, region, test);
    }
    finished_.insert(region.begin(), region.end());
    return true;
  }
  return false;
}

} // namespace

PreservedAnalyses VersionClamps::run(Compilation &kernel, FunctionAnalysisManager &) {
  if (kernel.options.width == 1)
    return PreservedAnalyses::all();
  return ClampVersions(kernel.thread, kernel.options).run() ? PreservedAnalyses::none()
                                                            : PreservedAnalyses::all();
}

} // namespace heddle::simt
