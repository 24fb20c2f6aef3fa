// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unrolls outer loops and fuses the copies of the inner loop.
//
// Problem. A thread with a row of a matrix walks along it once for each column of another one; a
// thread with a point walks through its coordinates once for each centre. What lanes load by a
// gather or from the second-level cache is used for one product and loaded again.
//
// Method. Unroll and jam. Up to 16 iterations of the outer loop run together, as many as the
// registers allow: first everything before the inner loop, then one inner loop that computes all
// their sums, then what follows it, one iteration after the other. What is equal in all iterations
// (the inner loop's counter, loads that do not depend on the outer one) exists once. The remainder
// runs four iterations at a time, then two, then one.
//
// Beside the loops there is only straight-line code, and perhaps one branch around the inner loop
// that all iterations decide alike: the fused loop runs if it is not taken. Results have the same
// bits, since each sum keeps its order.
//
// LLVM's pass (LoopUnrollAndJam) does not fit: it refuses a minimum over the iterations, since it
// moves all of an iteration's results before the inner loops, knows nothing of separate
// allocations, and has a cost model for scalars.
//
// Not done: inner loops of several blocks (with a branch, or unrolled by hand with a remainder),
// and iterations that store where nothing is known of the allocations.
//
// Legality (unroll-and-jam):
//  1. The inner loop has as many turns in each round of the outer one, a number that is known in
//     front of it. [turns]
//  2. Nothing of a round before but the round's number is used before or in the inner loop.
//     [carried]
//  3. Nothing is written before or in the inner loop. [writes in the inner loop]
//  4. Behind it memory is written by stores that are neither volatile nor atomic.
//     [plain stores behind]
//  5. They go to other allocations than those that are loaded from before and in the inner loop.
//     [apart]
//  6. There are no barriers or warp operations. [barriers]
#include "simt/thread/unroll_and_jam.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/objects.h"
#include "simt/compilation.h"
#include "simt/form/coarsen_warps.h"
#include "simt/thread/loop_jammer.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostRounds = 16;
constexpr unsigned LargestTurn = 256; ///< instructions of a jammed inner loop
constexpr unsigned FewestInRow = 8;   ///< lanes, for which one element is loaded for all
constexpr unsigned FewestLanes = 16;  ///< of a program with lanes, but where more are asked for

/// Neither writes nor waits.
bool onlyReads(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return !call->isConvergent() && call->doesNotAccessMemory() && !call->mayHaveSideEffects();
  return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction);
}

/// Finds what can be jammed, and jams nothing yet: its analyses must hold for all loops.
class Finder {
public:
  Finder(Function &thread, const Options &options)
      : options_(options), facts_(thread), recurrences_(thread, facts_),
        evolution_(recurrences_.evolution),
        lanes_(thread, facts_, {widestFused(options), options.blockDim}),
        objects_(thread, options) {}

  std::vector<LoopNest> find();

private:
  std::optional<LoopNest> nestOf(Loop &inner);
  bool isLegal(LoopNest &);
  bool isEarly(const LoopNest &, const Instruction &);
  bool isApart(const LoopNest &, const LoadInst &);
  void findSteps(LoopNest &);
  void findShared(LoopNest &);
  bool pays(const LoopNest &);
  unsigned roundsOf(const LoopNest &);

  const Options &options_;
  LoopFacts facts_;
  Recurrences recurrences_;
  ScalarEvolution &evolution_;
  LaneShapes lanes_;
  Objects objects_;
};

/// Adds the blocks from `block` on to `end`, one after the other; false where they part. One branch
/// may go around the inner loop, if `around` is given: to that block.
bool follow(BasicBlock *block, const BasicBlock *end, LoopNest &nest,
            SmallVectorImpl<BasicBlock *> &blocks, BasicBlock **around) {
  while (true) {
    if (!nest.outer->contains(block) || is_contained(blocks, block))
      return false;
    if (block == end)
      return true;
    blocks.push_back(block);
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      return false;
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      continue;
    }
    BasicBlock *preheader = nest.inner->getLoopPreheader();
    if (!around || *around || !nest.outer->isLoopInvariant(branch->getCondition()) ||
        !is_contained(branch->successors(), preheader))
      return false;
    nest.goesIn = branch->getCondition();
    nest.goesInIfTrue = branch->getSuccessor(0) == preheader;
    *around = branch->getSuccessor(nest.goesInIfTrue ? 1 : 0);
    block = preheader;
  }
}

bool isBottomTested(const Loop &loop) {
  return loop.isLoopSimplifyForm() && loop.getExitingBlock() == loop.getLoopLatch() &&
         loop.getExitBlock();
}

std::optional<LoopNest> Finder::nestOf(Loop &inner) {
  LoopNest nest;
  nest.outer = inner.getParentLoop();
  nest.inner = &inner;
  Loop *outer = nest.outer;
  if (!outer || inner.getNumBlocks() != 1 || outer->getSubLoops().size() != 1 ||
      !isBottomTested(inner) || !isBottomTested(*outer))
    return std::nullopt;
  BasicBlock *around = nullptr, *latch = outer->getLoopLatch();
  if (!follow(outer->getHeader(), inner.getHeader(), nest, nest.before, &around) ||
      !follow(inner.getExitBlock(), latch, nest, nest.behind, nullptr))
    return std::nullopt;
  nest.behind.push_back(latch);
  bool isWhole = nest.before.size() + nest.behind.size() + 1 == outer->getNumBlocks();
  if (!isWhole || (around && !is_contained(nest.behind, around)))
    return std::nullopt;
  return nest;
}

/// Which of the outer loop's phis count its rounds.
void Finder::findSteps(LoopNest &nest) {
  for (PHINode &phi : nest.outer->getHeader()->phis()) {
    const auto *walk =
        phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&phi)) : nullptr;
    if (!walk || walk->getLoop() != nest.outer || !walk->isAffine())
      continue;
    if (const auto *step = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_)))
      nest.steps.try_emplace(&phi, step->getAPInt());
  }
}

/// No store of the outer loop changes what is loaded.
bool Finder::isApart(const LoopNest &nest, const LoadInst &load) {
  return all_of(nest.behind, [&](BasicBlock *block) {
    return all_of(*block, [&](const Instruction &instruction) {
      const auto *store = dyn_cast<StoreInst>(&instruction);
      return !store || objects_.areApart(load.getPointerOperand(), store->getPointerOperand());
    });
  });
}

/// May be done for later rounds before this one ends.
bool Finder::isEarly(const LoopNest &nest, const Instruction &instruction) {
  bool isHeaderPhi = isa<PHINode>(instruction) && instruction.getParent() == nest.before.front();
  if (isHeaderPhi || instruction.isTerminator())
    return true;
  bool usesNumbersOnly = all_of(instruction.operands(), [&](Value *operand) {
    auto *phi = dyn_cast<PHINode>(operand);
    return !phi || phi->getParent() != nest.before.front() || nest.steps.contains(phi);
  });
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return usesNumbersOnly && onlyReads(instruction) && (!load || isApart(nest, *load));
}

bool Finder::isLegal(LoopNest &nest) {
  const SCEV *rounds = evolution_.getBackedgeTakenCount(nest.outer),
             *turns = evolution_.getBackedgeTakenCount(nest.inner);
  if (isa<SCEVCouldNotCompute>(rounds) || isa<SCEVCouldNotCompute>(turns) ||
      !evolution_.isLoopInvariant(turns, nest.outer))
    return false;
  findSteps(nest);
  auto allOf = [](ArrayRef<BasicBlock *> blocks, auto holds) {
    return all_of(blocks, [&](BasicBlock *block) { return all_of(*block, holds); });
  };
  auto isEarly = [&](const Instruction &i) { return this->isEarly(nest, i); };
  return allOf(nest.before, isEarly) && allOf(nest.inner->getHeader(), isEarly) &&
         allOf(nest.behind, [](const Instruction &i) {
           const auto *store = dyn_cast<StoreInst>(&i);
           return i.isTerminator() || onlyReads(i) || (store && store->isSimple());
         });
}

/// What of the loops is the same in all rounds of the outer one.
void Finder::findShared(LoopNest &nest) {
  auto isShared = [&](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || !nest.outer->contains(instruction) || nest.shared.contains(value);
  };
  for (PHINode &phi : nest.inner->getHeader()->phis())
    if (evolution_.isSCEVable(phi.getType()))
      if (const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&phi));
          walk && walk->getLoop() == nest.inner && walk->isAffine() &&
          evolution_.isLoopInvariant(walk->getStart(), nest.outer) &&
          evolution_.isLoopInvariant(walk->getStepRecurrence(evolution_), nest.outer))
        nest.shared.insert(&phi);
  auto findIn = [&](BasicBlock *block) {
    for (Instruction &instruction : *block)
      if (!isa<PHINode>(instruction) && !instruction.isTerminator() &&
          all_of(instruction.operands(), isShared))
        nest.shared.insert(&instruction);
  };
  for_each(nest.before, findIn);
  findIn(nest.inner->getHeader());
}

/// Each program loads for its own lanes: not the same for a row of them, nor for each of the rows.
bool isOfLanes(const Shape &address, unsigned width) {
  return address.period == width && !address.constantIn(FewestInRow);
}

/// All lanes go the same ways, and a load that differs between them is shared by the rounds.
bool Finder::pays(const LoopNest &nest) {
  const Shapes &shapes = lanes_.shapes;
  if (shapes.isDivergent(nest.outer->getLoopLatch()) ||
      shapes.isDivergent(nest.inner->getLoopLatch()))
    return false;
  return any_of(*nest.inner->getHeader(), [&](const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    return load && nest.shared.contains(load) &&
           isOfLanes(shapes.of(load->getPointerOperand()), shapes.width());
  });
}

/// As many as leave half of the registers for other things than the inner loop's sums.
unsigned Finder::roundsOf(const LoopNest &nest) {
  const BasicBlock &turn = *nest.inner->getHeader();
  auto size = count_if(turn, [&](const Instruction &i) { return !nest.shared.contains(&i); });
  unsigned registers = 0;
  for (const PHINode &phi : turn.phis())
    if (!nest.shared.contains(&phi))
      registers += divideCeil(FewestLanes * phi.getDataLayout().getTypeSizeInBits(phi.getType()),
                              options_.registers.bits);
  unsigned most = std::min({MostRounds, unsigned(LargestTurn / size),
                            options_.registers.count / 2 / std::max(registers, 1u)});
  unsigned length = evolution_.getSmallConstantTripCount(nest.outer);
  if (length == 0)
    return most < 2 ? 0 : bit_floor(most);
  most = std::min(most, length);
  for (unsigned rounds = most; rounds > 1; --rounds)
    if (length % rounds == 0)
      return rounds;
  return most;
}

std::vector<LoopNest> Finder::find() {
  std::vector<LoopNest> found;
  SCEVExpander expander(evolution_, "jam");
  for (Loop *inner : facts_.loops.getLoopsInPreorder()) {
    std::optional<LoopNest> nest = nestOf(*inner);
    if (!nest || !isLegal(*nest))
      continue;
    findShared(*nest);
    nest->rounds = pays(*nest) ? roundsOf(*nest) : 0;
    Instruction *before = nest->outer->getLoopPreheader()->getTerminator();
    const SCEV *more = evolution_.getBackedgeTakenCount(nest->outer);
    if (nest->rounds < 2 || !expander.isSafeToExpandAt(more, before))
      continue;
    Value *last = expander.expandCodeFor(more, more->getType(), before);
    nest->isLengthKnown = isa<SCEVConstant>(more);
    nest->length = IRBuilder<>(before).CreateAdd(last, ConstantInt::get(last->getType(), 1));
    found.push_back(std::move(*nest));
  }
  return found;
}

bool stores(const LoopNest &nest) {
  return any_of(nest.behind, [](BasicBlock *block) {
    return any_of(*block, [](const Instruction &i) { return isa<StoreInst>(i); });
  });
}

} // namespace

PreservedAnalyses UnrollAndJam::run(Compilation &kernel, FunctionAnalysisManager &) {
  Finder finder(*kernel.thread.body, kernel.options); // its loops are those of the nests
  std::vector<LoopNest> nests = finder.find();
  for (LoopNest &nest : nests) {
    kernel.thread.trustsObjects |= stores(nest);
    nest.length = LoopJammer(nest).run();
    for (unsigned rounds : {4, 2})
      if (!nest.isLengthKnown && rounds < nest.rounds) {
        nest.rounds = rounds;
        nest.length = LoopJammer(nest).run();
      }
  }
  if (!nests.empty())
    kernel.cleanThread();
  return changed(!nests.empty());
}

} // namespace heddle::simt
