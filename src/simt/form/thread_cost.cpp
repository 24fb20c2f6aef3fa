// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread costs in a program of so many lanes, for the choice among widths
// (coarsen_warps.cpp). Costs are those of the machine's registers, whose size and number come from
// LLVM's description of the target, and of a loop's known length.
//
// Registers. A thread that carries many sums gets few lanes, and fewer with AVX2, which has half as
// many registers of half the length; so does one that holds more values at once, in straight code,
// than there are registers. What a loop only reads and has no register for is an operand in memory.
// Values behind a branch of an innermost loop on what lanes compute need no registers of their own.
//
// Waiting. A loop waits where its chain of values is longer than four instructions a cycle would
// take, or where the gather of its next round needs this one's (a binary search): more lanes then
// cost nothing. So does a loop in which lanes go along rows of their own: it waits for memory in
// each round, for few lanes as long as for many, and spills meanwhile are free. Atomics in it do
// not keep warps apart unless the loop's end depends on one.
//
// Parting. What lies behind a branch of an innermost loop on what lanes compute is weighed by half,
// and by more with more lanes.
//
// Halts. Programs that halt at a barrier in each round of a loop save and load what the loop
// carries. That counts against them beside the whole block only, not among widths that all halt.
// Programs that would halt at barriers and count in shared memory become one for less gain.
#include "simt/form/thread_cost.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/access_forms.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_runs.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/pending.h"
#include "simt/form/columns.h"
#include "simt/form/near_loads.h"
#include "simt/form/pitched_rows.h"
#include "simt/widen/widen.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

ThreadCost::ThreadCost(const ThreadProgram &program, const Options &options)
    : thread_(*program.body), options_(options), costs_(options.costs),
      threads_(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]), facts_(thread_),
      path_(thread_, facts_), recurrences_(thread_, facts_) {}

/// Instructions of a program on so many bits: what the back end takes well.
constexpr double LargestProgram = 16000;
constexpr unsigned LargestProgramBits = 512;
/// The back end takes seconds for more instructions: the program must be so much faster.
constexpr double LargeProgram = 10000, OfLargeProgram = 1.5;

// How many operations the widener makes of one (widen/memory, widen/warp).
constexpr double OfScalar = 2;    ///< an access or a branch of all lanes: its address or test, too
constexpr double OfWindow = 3;    ///< elements among others: a load, and a shuffle of two registers
constexpr double OfStructure = 2; ///< structures side by side: a load and a shuffle
constexpr double OfLane = 2;      ///< a call lane by lane: operands are taken out, results put in
constexpr double OfRowStart = 2;  ///< a run of lanes (lane_runs.h): the first one's address
constexpr double FunctionDivides = 2; ///< a function of floats takes as long (costs.def, Divide)
/// Lanes that one operation moves between lanes, votes for: a register of AVX2's floats.
constexpr unsigned LanesOfExchange = 8;
/// Lanes that one operation asks whether any is active: a register of AVX-512's floats.
constexpr unsigned LanesOfMask = 16;
/// Lanes whose mask is in one register of masks, and need not be loaded for each access.
constexpr unsigned LanesOfMaskRegister = 64;

bool ThreadCost::isPossible(unsigned width) {
  Shapes shapes = shapesAt(width);
  return isPossible(PendingBlocks(path_.order, shapes));
}

bool ThreadCost::isPossible(const PendingBlocks &pending) const {
  return none_of(instructions(thread_), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    return call && (callKind(*call) == CallKind::BlockBarrier || isBarrierOfBlocks(*call)) &&
           !pending.isConvergent(path_.order.index(call->getParent()));
  });
}

bool ThreadCost::walksPitchedRows(unsigned widest) {
  return simt::walksPitchedRows(thread_, facts_, recurrences_.evolution, shapesAt(WarpSize),
                                shapesAt(widest));
}

/// The condition is made of comparisons of what goes straight from lane to lane.
static bool isOfLaneNumbers(const Value *condition, const Shapes &shapes) {
  const Value *left, *right;
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))) ||
      match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return isOfLaneNumbers(left, shapes) && isOfLaneNumbers(right, shapes);
  const auto *compare = dyn_cast<CmpInst>(condition);
  return shapes.isScalar(condition) ||
         (compare && all_of(compare->operands(),
                            [&](const Value *operand) { return shapes.isScalar(operand); }));
}

bool lanesPartByValue(const BasicBlock &block, const Shapes &shapes) {
  return shapes.isDivergent(&block) &&
         !isOfLaneNumbers(cast<BranchInst>(block.getTerminator())->getCondition(), shapes);
}

/// Lanes part in a loop by what they compute.
bool ThreadCost::partsByValue(const BasicBlock &block, const Shapes &shapes) const {
  return facts_.loops.getLoopFor(&block) && lanesPartByValue(block, shapes);
}

/// Lanes part by what they compute, and nearly always meet again in the same round of a loop.
bool ThreadCost::isGuess(const BasicBlock &block, const Shapes &shapes) const {
  return partsByValue(block, shapes) && !facts_.loops.getLoopFor(&block)->isLoopExiting(&block);
}

/// Passes over an inner loop that does not run at all.
bool ThreadCost::guardsLoop(const BasicBlock &block) const {
  const auto *branch = cast<BranchInst>(block.getTerminator());
  return any_of(facts_.loops.getLoopFor(&block)->getSubLoops(), [&](const Loop *inner) {
    const BasicBlock *before = inner->getLoopPreheader();
    return before && before->getSinglePredecessor() == &block &&
           any_of(branch->successors(), [&](const BasicBlock *after) {
             return after != before && path_.postDominators.dominates(after, before);
           });
  });
}

/// Some lanes go through an inner loop while the others wait.
bool ThreadCost::waitsForLoop(const BasicBlock &block) const {
  return any_of(facts_.loops.getLoopFor(&block)->getSubLoops(), [&](const Loop *inner) {
    const BasicBlock *header = inner->getHeader();
    return facts_.dominators.properlyDominates(&block, header) &&
           !path_.postDominators.dominates(header, &block);
  });
}

/// Infinite where whole warps would wait for others, or lanes for others in an inner loop. More
/// than 1 where lanes leave an innermost loop one by one: all wait for the last.
double ThreadCost::divergence(const Shapes &shapes, const Shapes &ofWarp) const {
  double factor = 1;
  for (const BasicBlock *block : path_.order.blocks) {
    if (!partsByValue(*block, shapes))
      continue;
    const Loop *loop = facts_.loops.getLoopFor(block);
    bool exits = loop->isLoopExiting(block);
    bool isGuard = loop->isInnermost() || guardsLoop(*block) || !(exits || waitsForLoop(*block));
    if (!ofWarp.isDivergent(block) || !isGuard)
      return INFINITY;
    if (exits)
      factor = 1 + costs_.MoreLanes * Log2_32(shapes.width() / WarpSize);
  }
  return factor;
}

/// Behind a branch of its loop on what lanes compute.
bool ThreadCost::isGuarded(const BasicBlock &block, const Shapes &shapes) const {
  const Loop *loop = facts_.loops.getLoopFor(&block);
  return loop && any_of(loop->blocks(), [&](const BasicBlock *branch) {
           return partsByValue(*branch, shapes) && !loop->isLoopExiting(branch) &&
                  facts_.dominators.properlyDominates(branch, &block) &&
                  !path_.postDominators.dominates(&block, branch);
         });
}

/// How often `block` runs of the times that its loop goes round: guarded ones not always, and
/// oftener the more lanes there are.
double ThreadCost::taken(const BasicBlock &block, const Shapes &shapes) const {
  double doublings = std::log2(shapes.width() / double(WarpSize));
  double share = std::clamp(costs_.Taken + costs_.MoreLanes * doublings, 0.0, 1.0);
  return isGuarded(block, shapes) ? share : 1;
}

double ThreadCost::registers(const Type *type, unsigned lanes) const {
  double bits = type->isPointerTy() ? 64 : std::max(8u, type->getScalarSizeInBits());
  return lanes == 1 ? costs_.Scalar : std::max(1.0, lanes * bits / options_.registers.bits);
}

/// The access moves by a multiple of the grid's size in each iteration of its loop.
bool ThreadCost::stepsByGrid(const Instruction &access, Value *pointer) const {
  const Loop *loop = facts_.loops.getLoopFor(access.getParent());
  return loop && SCEVExprContains(recurrences_.evolution.getSCEV(pointer), [&](const SCEV *part) {
           const auto *walk = dyn_cast<SCEVAddRecExpr>(part);
           return walk && walk->getLoop() == loop &&
                  SCEVExprContains(walk->getStepRecurrence(recurrences_.evolution),
                                   [&](const SCEV *factor) {
                                     const auto *unknown = dyn_cast<SCEVUnknown>(factor);
                                     return unknown && gridDimension(unknown->getValue(), thread_);
                                   });
         });
}

/// How many aligned segments of lanes hold one of these.
static unsigned runs(const BitVector &lanes, unsigned segment) {
  unsigned count = 0;
  for (int lane = lanes.find_first(); lane >= 0;
       lane = lanes.find_first_in(alignTo(lane + 1, segment), lanes.size()))
    ++count;
  return count;
}

/// What lanes have loaded, each for itself, is in the address.
bool ThreadCost::followsFromLoads(const Value &pointer, const Shapes &shapes) const {
  ScalarEvolution &evolution = recurrences_.evolution;
  return SCEVExprContains(evolution.getSCEV(const_cast<Value *>(&pointer)), [&](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return unknown && isa<LoadInst>(unknown->getValue()) && !shapes.isUniform(unknown->getValue());
  });
}

double ThreadCost::accessCost(const Instruction &access, const Value *pointer, const Shapes &shapes,
                              const Place &place) const {
  Shape shape = shapes.of(pointer);
  if (shape.uniform())
    return OfScalar * costs_.Scalar;
  bool isLoad = isa<LoadInst>(access);
  const Type *type = isLoad ? access.getType() : access.getOperand(0)->getType();
  int64_t size = access.getModule()->getDataLayout().getTypeStoreSize(const_cast<Type *>(type));
  unsigned lanes = isLoad ? shape.period : shapes.width();
  double spill = place.masked && shapes.width() > LanesOfMaskRegister ? 1 : 0;
  bool isRepeated = lanes < shapes.width() && shape.stride > size; // no structures side by side
  bool isTaken =
      shape.segment >= FewestInSegment && followsFromLoads(*pointer, shapes); // from a vector
  double begin = isTaken ? costs_.Begin : 0;
  if (shape.segment >= FewestInSegment && shape.stride == 0 && isLoad)
    return lanes / shape.segment * (1 + begin);
  if (shape.segment >= FewestInSegment && std::abs(shape.stride) == size)
    return runs(place.lanes, shape.segment) * lanes / shapes.width() *
               (registers(type, shape.segment) * (1 + spill) + begin) +
           (stepsByGrid(access, const_cast<Value *>(pointer)) ? costs_.GridStep : 0);
  if (place.lanes.count() * FewLanes <= shapes.width())
    return costs_.Lane * place.lanes.count();
  if (shape.regular && shape.span() > 0 &&
      shape.span() <= MostInterleaved * size * lanes) // one wide access
    return (OfWindow * registers(type, lanes) +
            (isRepeated ? registers(type, divideCeil(shape.span(), size)) : 0)) *
           (1 + spill);
  if (LaneRuns runs = runsOf(access, shapes, options_))
    return runs.pieces(unsigned(lanes / registers(type, lanes))) * (1 + spill) +
           OfRowStart * costs_.Scalar * runs.firstLanes.count();
  if (Columns columns =
          columnsOf(access, shapes, options_)) // a shuffle for each doubling of the rows
    return registers(type, lanes) * (shape.regular ? 1 : 1 + Log2_32(lanes / columns.count)) +
           columns.count;
  if (areNear(access, place.near, options_))
    return CostOfNear * registers(type, lanes);
  int64_t members = shape.stride / size;
  if (members >= 2 && members <= MostInterleaved && // structures in segments: a wide access of each
      shape.segment * shape.stride >= ShortestStructures && shape.period == shapes.width())
    return OfStructure * registers(type, lanes) + double(lanes / shape.segment) / members;
  return costs_.Lane * lanes + (isLoad ? waitOf(access, shapes) : 0);
}

double ThreadCost::callCost(const CallInst &call, const Shapes &shapes) const {
  unsigned width = shapes.width(), lanes = shapes.of(&call).parts();
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::ThreadIndex:
  case CallKind::WarpSync:
    return 0;
  case CallKind::Aligned:
  case CallKind::Widen:
  case CallKind::Scalar:
  case CallKind::Native:
    return registers(call.getType(), lanes);
  case CallKind::Math:
    return FunctionDivides * costs_.Divide * registers(call.getType(), lanes);
  case CallKind::BlockBarrier:
    return threads_ > width ? costs_.Switch : 0;
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Reduce:
  case CallKind::ActiveMask:
    return width / LanesOfExchange;
  default:
    return OfLane * costs_.Lane * width;
  }
}

/// An atomic, a gather or a scatter: it takes lanes from registers or memory alike.
bool ThreadCost::goesByLanes(const Instruction &instruction, const Shapes &shapes) const {
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  return instruction.isAtomic() || (pointer && isGathered(pointer, shapes));
}

double ThreadCost::branchCost(const BasicBlock &block, const Shapes &shapes) const {
  if (!shapes.isDivergent(&block))
    return OfScalar * costs_.Scalar;
  return shapes.width() / LanesOfMask + (isGuess(block, shapes) ? costs_.Guess : costs_.Branch);
}

double ThreadCost::cost(const Instruction &instruction, const Shapes &shapes,
                        const Place &place) const {
  unsigned width = shapes.width(), lanes = shapes.of(&instruction).parts();
  if (isa<PHINode>(instruction) || isa<AllocaInst>(instruction))
    return 0;
  if (isa<BranchInst>(instruction))
    return branchCost(*instruction.getParent(), shapes);
  if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
      rmw && getUnderlyingObject(rmw->getPointerOperand(), 0) == thread_.getArg(ParamShared))
    return costs_.Locked + costs_.LaneOfAtomic * width;
  if (instruction.isAtomic())
    return costs_.LaneOfAtomic * width;
  if (const Value *pointer = getLoadStorePointerOperand(&instruction))
    return accessCost(instruction, pointer, shapes, place);
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return callCost(*call, shapes);
  bool divides = is_contained({Instruction::FDiv, Instruction::SDiv, Instruction::UDiv,
                               Instruction::SRem, Instruction::URem},
                              instruction.getOpcode());
  if (lanes == 1 && (isa<CastInst>(instruction) || isa<GetElementPtrInst>(instruction)))
    return 0;
  return registers(instruction.getType(), lanes) * (divides ? costs_.Divide : 1);
}

double ThreadCost::at(unsigned width) {
  Shapes shapes = shapesAt(width);
  PendingBlocks pending(path_.order, shapes);
  LaneSubsets subsets(path_.order, {width, options_.blockDim});
  NearLanes near(shapes);
  auto placeOf = [&](unsigned block) {
    return Place{pending.at(block).any(), subsets.at(block), near};
  };
  double factor = width > WarpSize ? divergence(shapes, shapesAt(WarpSize)) : 1;
  if (width > WarpSize && (!isPossible(pending) || std::isinf(factor)))
    return INFINITY;
  double total = 0, size = 0;
  for (unsigned i = 0; i < path_.order.blocks.size(); ++i) {
    double times = timesOf(facts_.loops.getLoopFor(path_.order.blocks[i])), work = 0;
    double share = taken(*path_.order.blocks[i], shapes);
    double ofWarp = isGuarded(*path_.order.blocks[i], shapes) ? costs_.Taken : 1;
    // Atomics are those of active lanes.
    for (const Instruction &instruction : *path_.order.blocks[i])
      work += cost(instruction, shapes, placeOf(i)) * (instruction.isAtomic() ? ofWarp : share);
    size += work;
    work += spills(*path_.order.blocks[i], work, shapes);
    total += times * work;
  }
  if (width > WarpSize && size * options_.registers.bits / LargestProgramBits > LargestProgram)
    return INFINITY;
  if (width > WarpSize && size > LargeProgram)
    total *= OfLargeProgram;
  for (const Loop *loop : facts_.loops.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    LoopWork work;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &instruction : *block) {
        double one = cost(instruction, shapes, placeOf(path_.order.index(block)));
        work.all += one;
        work.inRegisters += goesByLanes(instruction, shapes) ? 0 : one;
        work.waits += waitOf(instruction, shapes);
      }
    total += loopCost(*loop, work, shapes);
  }
  if (options_.isEnabled("straight-cost") && isStraight() && !holdsMany())
    total += straightCost(size, shapes);
  double programs = divideCeil(threads_, width); // the last one's idle lanes too
  if (width >= WarpSize && width > threads_)     // but for these (eliminate_dead_lanes.h)
    programs = double(alignTo(threads_, options_.registers.bits / FloatBits)) / width;
  return factor * total * programs / threads_;
}

} // namespace heddle::simt
