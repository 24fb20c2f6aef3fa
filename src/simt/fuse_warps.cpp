// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several warps of a block as one program.
//
// What is gained. Warps that read the same row of a matrix load it once (its shape has a period);
// scalar work is done once for more lanes; a loop in steps of the grid reads longer pieces of
// memory before it jumps; the latencies of several warps overlap; and if the whole block is one
// program, a barrier is nothing. What is lost: registers, which a loop's vectors no longer fit, and
// time in loops that lanes leave at different times.
//
// When it is possible. The warps of a block may run in any order between barriers, so they may run
// together, if no warp waits for another in a loop of its own, and if they come to each barrier
// together: a branch that sends whole warps to different barriers is legal, and divergence for us.
//
// How it is decided: by the cost of a thread, from the shapes at each width. A cost is counted in
// instructions on the machine's registers, the body of a loop as often as it runs, eight times if
// that is not known.
#include "simt/fuse_warps.h"

#include "base/kernel_abi.h"
#include "simt/columns.h"
#include "simt/intrinsics.h"
#include "simt/lane_subset.h"
#include "simt/pending.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned Warp = 32;
constexpr unsigned LongestLoop = 256; ///< that is weighed with its length
constexpr double LoopFactor = 8, Scalar = 0.3, LaneOfGather = 2.5, LaneOfLoop = 5,
                 LaneOfAtomic = 1.5, Switch = 60, Divide = 8, Math = 20;
constexpr double LaneAccess = 2;        ///< of one of few lanes
constexpr double Branch = 3, Guess = 8; ///< of a mask; where it differs from round to round
constexpr double GridStep = 12;         ///< an access far from the one before: a page, no prefetch
constexpr double LateLanes = 0.1;       ///< for each doubling of the lanes that wait for the last
constexpr double Taken = 0.5;           ///< guarded code of a loop, in a warp
constexpr double TakenByMore = 0.15;    ///< for each doubling of the lanes
constexpr double PerCycle = 4, FloatLatency = 4, IntegerLatency = 1;
constexpr double MaskSpill = 1; ///< a mask of more lanes than the mask registers hold is reloaded
constexpr double MostCarried = 26;       ///< registers for what a loop carries, beside temporaries
constexpr double SpilledValue = 3;       ///< a store, a load, and the wait between them
constexpr double Worthwhile = 0.85;      ///< the cost of a thread must fall to this
constexpr double LargestProgram = 16000; ///< instructions on 512 bits: what the back end takes well

/// A call that a program of several CUDA warps has a form for.
bool canSpanWarps(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Match:
  case CallKind::Elect:
  case CallKind::Device:
  case CallKind::Indirect:
    return false;
  case CallKind::Reduce:
    return isa<Constant>(memberMask(call));
  case CallKind::BlockBarrier: // named barriers and those with a count: for some warps only
    return call.getCalledFunction()->getName().ends_with(".all") &&
           isa<ConstantInt>(call.getArgOperand(0)) &&
           cast<ConstantInt>(call.getArgOperand(0))->isZero();
  default:
    return true;
  }
}

bool isWarpOperation(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::ActiveMask:
  case CallKind::WarpSync:
  case CallKind::Elect:
    return true;
  default:
    return false;
  }
}

/// Warps that wait for each other other than at barriers.
bool waitsInLoop(const Instruction &instruction, LoopInfo &loops) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  bool ordered = instruction.isAtomic() || (load && load->isVolatile());
  return ordered && !instruction.getType()->isVoidTy() && !instruction.use_empty() &&
         loops.getLoopFor(instruction.getParent());
}

class Fusion {
public:
  Fusion(const ThreadProgram &program, const Options &options)
      : thread_(*program.body), options_(options), blockDim_(options.blockDim),
        machine_(options.registers), dominators_(thread_), loops_(dominators_),
        postDominators_(thread_), order_(thread_, loops_),
        libraryImpl_(thread_.getParent()->getTargetTriple()), library_(libraryImpl_),
        assumptions_(thread_), evolution_(thread_, library_, assumptions_, dominators_, loops_) {
    threads_ = blockDim_[0] * blockDim_[1] * blockDim_[2];
    for (const Function &function : *thread_.getParent()) {
      possible_ &= function.isDeclaration() || &function == &thread_;
      for (const Instruction &instruction : instructions(function)) {
        const auto *call = dyn_cast<CallInst>(&instruction);
        worksByThread_ &= !(call && isWarpOperation(*call));
      }
    }
    for (const Instruction &instruction : instructions(thread_)) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      possible_ &= !(call && !canSpanWarps(*call)) && !waitsInLoop(instruction, loops_);
    }
  }

  unsigned widest(unsigned most) {
    for (unsigned width = limit(most); width > Warp; width /= 2) {
      Shapes shapes = shapesAt(width);
      if (isPossible(PendingBlocks(order_, shapes)))
        return width;
    }
    return Warp;
  }

  unsigned cheapest() {
    if (worksByThread_ && (carriesMany() || holdsMany()))
      return halved();
    unsigned best = Warp;
    if (thread_.getInstructionCount() > LargestThread)
      return best;
    double least = Worthwhile * costOf(Warp);
    auto consider = [&](unsigned width) {
      double cost = costOf(width);
      if (cost >= least)
        return;
      best = width;
      least = 0.95 * cost;
    };
    for (unsigned width = 2 * Warp; width <= limit(MostFused); width *= 2)
      consider(width);
    unsigned whole = limit(WidestChosen);
    if (whole > MostFused && whole > threads_) // no last program of few lanes
      consider(whole);
    return best;
  }

  /// For a thread that holds more values than warps of them have registers: the width at which they
  /// fit gains more than is counted.
  unsigned halved() {
    unsigned best = Warp;
    double least = costOf(Warp) / Worthwhile;
    for (unsigned width = Warp / 2; width >= machine_.bits / 32; width /= 2)
      if (double cost = costOf(width); cost < least) {
        best = width;
        least = cost;
      }
    return best;
  }

  /// Of one thread; infinite where the width is not possible or not sensible.
  double costOf(unsigned width);

private:
  unsigned limit(unsigned most) const {
    return possible_ ? std::min<unsigned>(most, PowerOf2Ceil(threads_)) : Warp;
  }
  Shapes shapesAt(unsigned width) {
    return Shapes(order_, loops_, postDominators_, {width, blockDim_}, /*argumentsVary=*/false);
  }

  /// How often the body of `loop` runs: its known length and that of those around it.
  double timesOf(const Loop *loop) {
    double times = 1;
    for (; loop; loop = loop->getParentLoop()) {
      unsigned length = evolution_.getSmallConstantTripCount(loop);
      times *= length ? std::min(length, LongestLoop) : LoopFactor;
    }
    return times;
  }

  /// Registers for what a loop carries, beside temporaries.
  double forCarried() const { return std::min<double>(machine_.count, MostCarried); }

  /// A loop carries more values than there are registers for warps of them.
  bool carriesMany() const {
    return any_of(loops_.getLoopsInPreorder(), [&](const Loop *loop) {
      return 2 * range_size(loop->getHeader()->phis()) > forCarried();
    });
  }

  /// Straight code holds more values at once than there are registers for one each.
  bool holdsMany() {
    Shapes shapes = shapesAt(Warp);
    return any_of(order_.blocks,
                  [&](const BasicBlock *block) { return mostHeld(*block, shapes) > forCarried(); });
  }

  /// Vectors that a block has computed and still needs, where they are most.
  static unsigned mostHeld(const BasicBlock &block, const Shapes &shapes) {
    SmallPtrSet<const Value *, 32> held;
    size_t most = 0;
    for (const Instruction &instruction : reverse(block)) {
      held.erase(&instruction);
      for (const Value *operand : instruction.operands())
        if (const auto *value = dyn_cast<Instruction>(operand);
            value && value->getParent() == &block && !shapes.isScalar(value))
          held.insert(value);
      most = std::max<size_t>(most, held.size());
    }
    return most;
  }

  /// Whole warps never part at a barrier.
  bool isPossible(const PendingBlocks &pending) const {
    return none_of(instructions(thread_), [&](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      CallKind kind = call ? callKind(*call) : CallKind::Drop;
      return (kind == CallKind::BlockBarrier || kind == CallKind::GridBarrier) &&
             !pending.isConvergent(order_.index(call->getParent()));
    });
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

  /// Lanes part in a loop by what they compute, not by their number.
  bool partsByValue(const BasicBlock &block, const Shapes &shapes) const {
    return shapes.isDivergent(&block) && loops_.getLoopFor(&block) &&
           !isOfLaneNumbers(cast<BranchInst>(block.getTerminator())->getCondition(), shapes);
  }

  /// Infinite where whole warps would wait for others, or lanes part outside of innermost loops.
  /// More than 1 where lanes leave an innermost loop one by one: all wait for the last.
  double divergence(const Shapes &shapes, const Shapes &ofWarp) const {
    double factor = 1;
    for (const BasicBlock *block : order_.blocks) {
      if (!partsByValue(*block, shapes))
        continue;
      const Loop *loop = loops_.getLoopFor(block);
      if (!ofWarp.isDivergent(block) || !loop->isInnermost())
        return INFINITY;
      if (loop->isLoopExiting(block))
        factor = 1 + LateLanes * Log2_32(shapes.width() / Warp);
    }
    return factor;
  }

  /// Behind a branch of its loop on what lanes compute.
  bool isGuarded(const BasicBlock &block, const Shapes &shapes) const {
    const Loop *loop = loops_.getLoopFor(&block);
    return loop && any_of(loop->blocks(), [&](const BasicBlock *branch) {
             return partsByValue(*branch, shapes) && !loop->isLoopExiting(branch) &&
                    dominators_.properlyDominates(branch, &block) &&
                    !postDominators_.dominates(&block, branch);
           });
  }

  /// How often `block` runs of the times that its loop goes round: guarded ones not always, and
  /// oftener the more lanes there are.
  double taken(const BasicBlock &block, const Shapes &shapes) const {
    double doublings = std::log2(shapes.width() / double(Warp));
    return isGuarded(block, shapes) ? std::clamp(Taken + TakenByMore * doublings, 0.0, 1.0) : 1;
  }

  /// Each round of `loop` uses the value for more than to carry it on.
  bool isUsedInEach(const Value &value, const Loop &loop, const Shapes &shapes) const {
    return any_of(value.users(), [&](const User *user) {
      auto *instruction = cast<Instruction>(user);
      return !isa<PHINode>(instruction) && loop.contains(instruction) &&
             !isGuarded(*instruction->getParent(), shapes);
    });
  }

  /// What is known of a block at some width.
  struct Place {
    bool masked;            ///< lanes wait elsewhere while it runs
    const BitVector &lanes; ///< that may come to it
  };
  double cost(const Instruction &, const Shapes &, const Place &) const;
  double accessCost(const Instruction &, const Value *pointer, const Shapes &, const Place &) const;
  double carried(const Loop &, const Shapes &) const;
  double latency(const Loop &, const Shapes &) const;
  bool stepsByGrid(const Instruction &access, Value *pointer) const;
  bool isGridSize(const Value *) const;

  double registers(const Type *type, unsigned lanes) const {
    double bits = type->isPointerTy() ? 64 : std::max(8u, type->getScalarSizeInBits());
    return lanes == 1 ? Scalar : std::max(1.0, lanes * bits / machine_.bits);
  }

  Function &thread_;
  const Options &options_;
  std::array<unsigned, 3> blockDim_;
  VectorRegisters machine_;
  unsigned threads_ = 0;
  DominatorTree dominators_;
  LoopInfo loops_;
  PostDominatorTree postDominators_;
  BlockOrder order_;
  TargetLibraryInfoImpl libraryImpl_;
  TargetLibraryInfo library_;
  AssumptionCache assumptions_;
  mutable ScalarEvolution evolution_;
  bool possible_ = true;      ///< for several warps
  bool worksByThread_ = true; ///< no warp operations, for which half a warp would have to wait
};

bool Fusion::isGridSize(const Value *value) const {
  const auto *load = dyn_cast<LoadInst>(value);
  if (!load)
    return false;
  APInt offset(64, 0);
  const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      thread_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return base == thread_.getArg(ParamLaunch) && offset.uge(offsetof(Launch, gridDim)) &&
         offset.ult(offsetof(Launch, gridDim) + sizeof(Launch::gridDim));
}

/// The access moves by a multiple of the grid's size in each iteration of its loop.
bool Fusion::stepsByGrid(const Instruction &access, Value *pointer) const {
  const Loop *loop = loops_.getLoopFor(access.getParent());
  return loop && SCEVExprContains(evolution_.getSCEV(pointer), [&](const SCEV *part) {
           const auto *walk = dyn_cast<SCEVAddRecExpr>(part);
           return walk && walk->getLoop() == loop &&
                  SCEVExprContains(walk->getStepRecurrence(evolution_), [&](const SCEV *factor) {
                    const auto *unknown = dyn_cast<SCEVUnknown>(factor);
                    return unknown && isGridSize(unknown->getValue());
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

double Fusion::accessCost(const Instruction &access, const Value *pointer, const Shapes &shapes,
                          const Place &place) const {
  Shape shape = shapes.of(pointer);
  if (shape.uniform())
    return 2 * Scalar;
  bool isLoad = isa<LoadInst>(access);
  const Type *type = isLoad ? access.getType() : access.getOperand(0)->getType();
  int64_t size = access.getModule()->getDataLayout().getTypeStoreSize(const_cast<Type *>(type));
  unsigned lanes = isLoad ? shape.period : shapes.width();
  double spill = place.masked && shapes.width() > 2 * Warp ? MaskSpill : 0;
  if (shape.segment >= 4 && shape.stride == 0 && isLoad)
    return lanes / shape.segment;
  if (shape.segment >= 4 && shape.stride == size)
    return runs(place.lanes, shape.segment) * lanes / shapes.width() *
               registers(type, shape.segment) * (1 + spill) +
           (stepsByGrid(access, const_cast<Value *>(pointer)) ? GridStep : 0);
  if (place.lanes.count() * FewLanes <= shapes.width())
    return LaneAccess * place.lanes.count();
  if (shape.regular && shape.span() > 0 && shape.span() <= 8 * size * lanes) // one wide access
    return 3 * registers(type, lanes) * (1 + spill);
  if (Columns columns =
          columnsOf(access, shapes, options_)) // a shuffle for each doubling of the rows
    return registers(type, lanes) * (shape.regular ? 1 : 1 + Log2_32(lanes / columns.count)) +
           columns.count;
  int64_t members = shape.stride / size;
  if (members >= 2 && members <= 8 && shape.segment * shape.stride >= 32 &&
      shape.period ==
          shapes.width()) // structures in segments: a wide access of each for all members
    return 2 * registers(type, lanes) + double(lanes / shape.segment) / members;
  return LaneOfGather * lanes;
}

double Fusion::cost(const Instruction &instruction, const Shapes &shapes,
                    const Place &place) const {
  unsigned width = shapes.width(), lanes = shapes.of(&instruction).parts();
  if (isa<PHINode>(instruction) || isa<AllocaInst>(instruction))
    return 0;
  if (isa<BranchInst>(instruction))
    return !shapes.isDivergent(instruction.getParent())
               ? 2 * Scalar
               : width / 16 + (partsByValue(*instruction.getParent(), shapes) ? Guess : Branch);
  if (instruction.isAtomic())
    return LaneOfAtomic * width;
  if (const Value *pointer = getLoadStorePointerOperand(&instruction))
    return accessCost(instruction, pointer, shapes, place);
  if (const auto *call = dyn_cast<CallInst>(&instruction)) {
    switch (callKind(*call)) {
    case CallKind::Drop:
    case CallKind::ThreadIndex:
    case CallKind::WarpSync:
      return 0;
    case CallKind::Aligned:
    case CallKind::Widen:
    case CallKind::Scalar:
      break;
    case CallKind::Native:
      break;
    case CallKind::Math:
      return Math * registers(call->getType(), lanes);
    case CallKind::BlockBarrier:
      return threads_ > width ? Switch : 0;
    case CallKind::Shuffle:
    case CallKind::Vote:
    case CallKind::Reduce:
    case CallKind::ActiveMask:
      return width / 8;
    default:
      return LaneOfLoop * width;
    }
  }
  bool divides = is_contained({Instruction::FDiv, Instruction::SDiv, Instruction::UDiv,
                               Instruction::SRem, Instruction::URem},
                              instruction.getOpcode());
  if (lanes == 1 && (isa<CastInst>(instruction) || isa<GetElementPtrInst>(instruction)))
    return 0;
  return registers(instruction.getType(), lanes) * (divides ? Divide : 1);
}

/// A sum goes on in an inner loop: its value so far is not kept beside it.
static bool continues(const Instruction &inner, const Instruction &outer) {
  return isa<PHINode>(inner) && isa<PHINode>(outer);
}

/// Registers that the values hold which live through an inner loop, and those that an instruction
/// wants beside them for what warps share (a row of a matrix, loaded once).
double Fusion::carried(const Loop &loop, const Shapes &shapes) const {
  double sum = 0, shared = 0;
  auto registersOf = [&](const Value *value) {
    unsigned lanes = shapes.of(value).parts();
    return lanes > 1 ? registers(value->getType(), lanes) : 0;
  };
  for (const PHINode &phi : loop.getHeader()->phis())
    if (isUsedInEach(phi, loop, shapes))
      sum += registersOf(&phi);
  SmallPtrSet<const Value *, 16> seen;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block) {
      double now = 0;
      for (const Value *operand : instruction.operands()) {
        const auto *value = dyn_cast<Instruction>(operand);
        if (!value)
          continue;
        if (loop.contains(value))
          now += registersOf(value) < registersOf(&instruction) ? registersOf(value) : 0;
        else if (!continues(instruction, *value) && seen.insert(value).second &&
                 isUsedInEach(*value, loop, shapes))
          sum += registersOf(value);
      }
      shared = std::max(shared, now);
    }
  return sum + shared;
}

/// Cycles from one iteration of an inner loop to the next: the longest chain of vector instructions
/// from a value that it carries to the next value of it.
double Fusion::latency(const Loop &loop, const Shapes &shapes) const {
  DenseMap<const Value *, double> ready; // cycles after the iteration began
  for (const PHINode &phi : loop.getHeader()->phis())
    if (!shapes.isScalar(&phi))
      ready[&phi] = 0;
  for (const BasicBlock *block : order_.blocks) {
    if (!loop.contains(block))
      continue;
    for (const Instruction &instruction : *block) {
      if (ready.contains(&instruction))
        continue;
      double start = -1;
      for (const Value *operand : instruction.operands())
        if (auto known = ready.find(operand); known != ready.end())
          start = std::max(start, known->second);
      bool isScalar = shapes.isScalar(&instruction);
      bool isFree = isa<CastInst>(instruction) || isa<PHINode>(instruction);
      if (start >= 0)
        ready[&instruction] =
            start + (isScalar || isFree                          ? 0
                     : instruction.getType()->isFPOrFPVectorTy() ? FloatLatency
                                                                 : IntegerLatency);
    }
  }
  double longest = 0;
  const BasicBlock *latch = loop.getLoopLatch();
  for (const PHINode &phi : loop.getHeader()->phis())
    if (latch && !shapes.isScalar(&phi))
      longest = std::max(longest, ready.lookup(phi.getIncomingValueForBlock(latch)));
  return longest;
}

double Fusion::costOf(unsigned width) {
  Shapes shapes = shapesAt(width);
  PendingBlocks pending(order_, shapes);
  LaneSubsets subsets(order_, {width, blockDim_});
  auto placeOf = [&](unsigned block) { return Place{pending.at(block).any(), subsets.at(block)}; };
  double factor = width > Warp ? divergence(shapes, shapesAt(Warp)) : 1;
  if (width > Warp && (!isPossible(pending) || std::isinf(factor)))
    return INFINITY;
  double total = 0, size = 0;
  for (unsigned i = 0; i < order_.blocks.size(); ++i) {
    double times = timesOf(loops_.getLoopFor(order_.blocks[i])), work = 0;
    times *= taken(*order_.blocks[i], shapes);
    for (const Instruction &instruction : *order_.blocks[i])
      work += cost(instruction, shapes, placeOf(i));
    size += work;
    if (double held = mostHeld(*order_.blocks[i], shapes); held > forCarried())
      work *=
          1 + SpilledValue * std::max(0.0, 1 - forCarried() * machine_.bits / (held * width * 32));
    total += times * work;
  }
  if (width > Warp && size * machine_.bits / 512 > LargestProgram)
    return INFINITY;
  for (const Loop *loop : loops_.getLoopsInPreorder()) {
    if (!loop->isInnermost())
      continue;
    double work = 0;
    for (const BasicBlock *block : loop->blocks())
      for (const Instruction &instruction : *block)
        work += cost(instruction, shapes, placeOf(order_.index(block)));
    double spills = SpilledValue * work * std::max(0.0, 1 - forCarried() / carried(*loop, shapes));
    double idle = std::max(0.0, PerCycle * latency(*loop, shapes) - work);
    total += timesOf(loop) * (spills + idle);
  }
  double programs = divideCeil(threads_, width); // the last one's idle lanes too
  if (width >= Warp && width > threads_)         // but for these (cut_vectors.h)
    programs = double(alignTo(threads_, machine_.bits / 32)) / width;
  return factor * total * programs / threads_;
}

} // namespace

double costOfThread(const ThreadProgram &program, const Options &options, unsigned width) {
  return Fusion(program, options).costOf(width);
}

unsigned fuseWarps(const ThreadProgram &program, const Options &options) {
  Fusion fusion(program, options);
  return options.width ? fusion.widest(options.width) : fusion.cheapest();
}

} // namespace heddle::simt
