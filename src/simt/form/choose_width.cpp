// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cost model as small as the decision: cycles for one warp as a vector program, and for its 32
// threads one after the other, block by block, each loop level counted eight times. Behind branches
// on what threads compute, one after the other each goes its way, and a warp goes all ways; behind
// a branch that is the same for all of them each way counts half. Where threads part in a loop that
// they leave together (a merge of sorted lists), one alone goes another way from round to round,
// which its processor guesses wrong. A thread that goes down a column alone waits for a line of the
// cache at each element, where a warp uses the whole line. The numbers (costs.def) are those of
// AVX-512 processors (on AMD's a 32-bit gather of 16 lanes takes as long as about 40 simple
// instructions, one of bytes, which is made lane by lane, longer; on Intel's half as long); on
// narrower ones both sides grow alike. A thread's own loop of sums along a row goes on vectors too
// (sum_loops.h), and so do its rows of neighbours (a short16 of OpenCL), which lanes would have to gather.
// Long vectors of its own (own_vectors.h) stay vectors.
// Lanes go a loop until the last has left it. In a search (search_loops.h) a warp is taken to make
// eight turns for one of a mean thread; not in loops like Euclid's or the Mandelbrot set's, whose
// turns follow from each other, nor where a count comes to its end (a grid's stride in blocks of
// 85x3). A gather from tables that the near cache holds costs Intel's processors as much as 16
// loads, and AMD's more: what a thread does beside it decides (bytes, words and pixels of four
// bytes between which a resize of a picture chooses).
//
// Functions that stayed functions gather all that they read through pointers, and methods read
// their objects so. A kernel that calls through pointers counts with what it calls.
//
// Rejected: lanes that take up the next thread as they come free. That is as good for searches, but
// loops whose lanes leave together lose.
#include "simt/form/choose_width.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_runs.h"
#include "simt/analysis/neighbours.h"
#include "simt/analysis/own_vectors.h"
#include "simt/analysis/shapes.h"
#include "simt/form/coarsen_warps.h"
#include "simt/form/columns.h"
#include "simt/form/near_loads.h"
#include "simt/form/search_loops.h"
#include "simt/form/sum_loops.h"
#include "simt/form/thread_cost.h"
#include "simt/vector/word_places.h"
#include "simt/widen/widen.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

#include <cmath>
#include <map>

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t Line = 64;          ///< bytes
constexpr unsigned ScatterBits = 512; ///< registers of machines that have scatters

/// Of a function that stayed one.
bool isCallOfFunction(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && (callKind(*call) == CallKind::Device || callKind(*call) == CallKind::Indirect);
}

/// Atomic operations on global memory do not count: each thread's goes its way.
bool threadsWorkTogether(const Instruction &instruction, const Function &thread) {
  bool isOperation = isa<AtomicRMWInst>(instruction);
  if ((instruction.isAtomic() && !isOperation) || instruction.isVolatile())
    return true;
  // A function gets the block's shared memory with its context.
  bool isCalling = isCallOfFunction(instruction);
  if (count(instruction.operands(), thread.getArg(ParamShared)) > (isCalling ? 1 : 0))
    return true;
  if (isCalling)
    return false;
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return false;
  switch (callKind(*call)) {
  case CallKind::Drop:
  case CallKind::Aligned:
  case CallKind::Widen:
  case CallKind::Math:
  case CallKind::Native:
  case CallKind::ThreadIndex:
  case CallKind::Memory:
  case CallKind::BadCall:
    return false;
  default:
    return true;
  }
}

struct Cost {
  double vector = 0, scalar = 0; ///< cycles a warp
  double longDivides = 0;        ///< what 64-bit divisions of integers take more as vectors
};

/// That hold a value of all lanes.
double registersOf(unsigned bits, const Options &options) {
  return std::max(1.0, double(WarpSize) * bits / options.registers.bits);
}

/// Of an element of the lanes' own vectors: what is loaded goes through a network of shuffles.
double costOfTransposing(int64_t distance, unsigned bits, const Options &options) {
  return registersOf(bits, options) * (1 + std::log2(double(distance) * 8 / bits));
}

/// `wide`: the shapes in the block's widest program. `goesFar`: a thread alone does, from round to
/// round. `isGuess`: of a branch, a thread alone goes another way from round to round.
Cost costOf(const Instruction &instruction, const Shapes &shapes, NearLanes &near,
            const Shapes &wide, const Options &options, bool slowGathers, bool goesFar,
            bool isGuess) {
  const Costs &costs = options.costs;
  if (isa<PHINode>(instruction) || isa<GetElementPtrInst>(instruction) ||
      isa<CastInst>(instruction))
    return {};
  if (const auto *branch = dyn_cast<BranchInst>(&instruction)) {
    bool diverges = branch->isConditional() && shapes.isDivergent(branch->getParent());
    double alone = isGuess ? costs.Guess : diverges ? 1 : costs.Scalar;
    return {diverges ? costs.Branch : costs.Scalar, WarpSize * alone};
  }
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (pointer && !shapes.isUniform(pointer)) {
    Shape shape = shapes.of(pointer);
    unsigned bits = getLoadStoreType(&instruction)->getScalarSizeInBits();
    int64_t distance = std::abs(shape.stride);
    bool isScattered = bits < 16 && isa<StoreInst>(instruction) && !storesBytes(options.registers);
    int64_t farthest = isScattered ? 1 : MostInterleaved * bits / 8;
    bool isWide = // contiguous, constant or interleaved
        (shape.segment >= FewestInSegment && distance <= farthest) ||
        columnsOf(instruction, wide, options) || runsOf(instruction, wide, options);
    const bool isOfVector = distance > bits / 8 && shareWithVectors(*instruction.getFunction()) < 1;
    if (isWide)
      return {isOfVector ? costOfTransposing(distance, bits, options) : 2,
              WarpSize * (goesFar ? costs.FarLine : costs.Scalar)};
    if (areNear(instruction, near, options))
      return {CostOfNear * std::max(1.0, double(WarpSize) * bits / options.registers.bits),
              WarpSize * costs.Scalar};
    bool isBeside = bits >= 32 && shape.segment >= FewestInSegment && distance <= Line &&
                    options.registers.bits >= ScatterBits;
    bool isSlow = !isBeside && (slowGathers || isa<StoreInst>(instruction));
    return {costs.Gather * (isSlow ? 2 : 1) * (bits < 32 ? 1.5 : 1), WarpSize};
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(instruction)) {
    bool isOne = isa<AtomicRMWInst>(instruction) && shapes.isUniform(instruction.getOperand(0));
    return {(isOne ? 1 : WarpSize) * costs.Locked, WarpSize * costs.Locked};
  }
  if (shapes.isScalar(&instruction) && !instruction.mayHaveSideEffects())
    return {costs.Scalar, WarpSize * costs.Scalar};
  if (const auto *call = dyn_cast<CallInst>(&instruction);
      call && callKind(*call) == CallKind::Math)
    return {4 * costs.Divide, WarpSize * costs.Divide};
  if (instruction.isIntDivRem() && !isa<Constant>(instruction.getOperand(1)))
    return {8 * costs.Divide, WarpSize * costs.Divide};
  if (instruction.getType()->isIntegerTy() && instruction.getType()->getIntegerBitWidth() > 64)
    return {WarpSize, WarpSize * costs.Scalar}; // a high half: no machine has vectors of them
  if (instruction.getOpcode() == Instruction::FDiv)
    return {2 * costs.Divide, WarpSize * costs.Divide / 2};
  const bool isOfVector = shareWithVectors(*instruction.getFunction()) < 1;
  const unsigned bits = instruction.getType()->getScalarSizeInBits();
  return {isOfVector ? registersOf(bits, options) : 1, WarpSize * costs.Scalar};
}

/// Lanes access places that no distance tells.
bool liesAnywhere(const Instruction &access, const Shapes &shapes) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  return !shapes.isUniform(pointer) && shapes.of(pointer).segment < FewestInSegment;
}

/// Loops that go on vectors where their thread goes alone, by their block.
using SumLoops = std::map<const BasicBlock *, SumLoop>;

SumLoops sumLoops(LoopFacts &facts, ScalarEvolution &evolution, const Options &options,
                  const TargetMachine &machine) {
  SumLoops found;
  if (!options.isOptimised() || !options.isEnabled("vectorize-reductions"))
    return found;
  for (Loop *loop : facts.loops.getLoopsInPreorder())
    if (SumLoop sums(*loop, evolution, machine, options.isEnabled("gather-words")); sums.isFound())
      found.emplace(loop->getHeader(), std::move(sums));
  return found;
}

/// Cycles of one thread in one turn of such a loop. Its rows are taken to be of that
/// length: of a matrix with 12 to 24 columns the rows' sums take as long as gathers, with 64 a
/// fifth, with a thousand a tenth.
double costOfSums(const Instruction &instruction, const SumLoop &loop) {
  if (isa<PHINode>(instruction) || isa<GetElementPtrInst>(instruction) ||
      isa<CastInst>(instruction))
    return 0;
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return load && !loop.isSideBySide(*load) ? SumLoop::Turn : SumLoop::Parts;
}

/// The blocks of loops in which lanes wait for the last, with the turns that a warp takes there for
/// one of a mean lane.
DenseMap<const BasicBlock *, double> lateTurns(LoopFacts &facts, ScalarEvolution &evolution,
                                               const Shapes &shapes, const Options &options) {
  DenseMap<const BasicBlock *, double> found;
  if (!options.isEnabled("search-loops"))
    return found;
  for (Loop *loop : facts.loops.getLoopsInPreorder()) {
    double turns = isSearch(*loop, evolution, shapes)           ? 2 * options.costs.LastOfWarp
                   : countsToOwnBound(*loop, evolution, shapes) ? options.costs.LastOfWarp
                                                                : 0;
    if (turns > 0)
      for (const BasicBlock *block : loop->blocks())
        found[block] = std::max(found[block], turns);
  }
  return found;
}

/// All lanes go the same way, as by the format of a texture: the other ways cost nothing.
bool choosesForAll(const BasicBlock &block, const LoopInfo &loops, const Shapes &shapes) {
  const auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  const Loop *loop = loops.getLoopFor(&block);
  return branch && branch->isConditional() && !shapes.isDivergent(&block) &&
         !(loop && loop->isLoopExiting(&block));
}

/// `costOfCall`: of calls of functions that stayed functions.
Cost costOfWarp(Function &thread, const Options &options, const TargetMachine &machine,
                bool argumentsVary, function_ref<Cost(const CallInst &)> costOfCall) {
  const Costs &costs = options.costs;
  LoopFacts facts(thread);
  OrderFacts path(thread, facts);
  Recurrences recurrences(thread, facts);
  SumLoops sums = sumLoops(facts, recurrences.evolution, options, machine);
  auto shapesAt = [&](unsigned width) {
    return Shapes(path.order, facts.loops, path.postDominators, {width, options.blockDim},
                  argumentsVary);
  };
  Shapes shapes = shapesAt(WarpSize), wide = shapesAt(widestFused(options));
  NearLanes near(shapes);
  auto late = lateTurns(facts, recurrences.evolution, shapes, options);
  bool slowGathers = hasSlowGathers(machine) || argumentsVary; // by whole pointers
  Cost total;
  double apart = 0; // of a thread alone whose rows become no vectors
  std::vector<const BasicBlock *> parting, choosing;
  for (const BasicBlock &block : thread)
    if (lanesPartByValue(block, shapes))
      parting.push_back(&block);
    else if (choosesForAll(block, facts.loops, shapes))
      choosing.push_back(&block);
  for (BasicBlock &block : thread) {
    const Loop *loop = facts.loops.getLoopFor(&block);
    auto decisionsOf = [&](ArrayRef<const BasicBlock *> branches) {
      return count_if(branches, [&](const BasicBlock *branch) {
        return facts.dominators.properlyDominates(branch, &block) &&
               !path.postDominators.dominates(&block, branch);
      });
    };
    auto decisions = decisionsOf(parting);
    double times = std::pow(costs.LoopFactor, facts.loops.getLoopDepth(&block)) *
                   std::pow(costs.Taken, decisionsOf(choosing));
    double turns = late.lookup(&block);
    double active = turns > 0 ? 1 / turns : std::pow(costs.Taken, decisions);
    if (turns > 0)
      times *= turns;
    bool isGuess =
        loop && turns == 0 && lanesPartByValue(block, shapes) && !loop->isLoopExiting(&block);
    const NeighbourRows rows(block, options.registers.bits);
    const bool hasRows =
        rows.storesRows() && any_of(block, [&](const Instruction &access) {
          return isPlainAccess(access) && rows.ofMost(access) > 1 && liesAnywhere(access, shapes);
        });
    auto sumLoop = sums.find(&block);
    if (sumLoop != sums.end())
      times *= SumLoop::Turn / costs.LoopFactor;
    for (const Instruction &instruction : block) {
      // Rows of the lanes' own lie far apart.
      bool isFar = sumLoop != sums.end();
      const Value *pointer = getLoadStorePointerOperand(&instruction);
      bool isColumn = loop && pointer && goesFar(*pointer, *loop, recurrences.evolution);
      Cost cost = isCallOfFunction(instruction) ? costOfCall(cast<CallInst>(instruction))
                                                : costOf(instruction, shapes, near, wide, options,
                                                         slowGathers || isFar, isColumn, isGuess);
      apart += times * active * cost.scalar;
      if (sumLoop != sums.end())
        cost.scalar = WarpSize * costOfSums(instruction, sumLoop->second) / SumLoop::Turn;
      else if (hasRows && (isPlainAccess(instruction) ||
                           isa<BinaryOperator, UnaryOperator, SelectInst, CmpInst>(instruction)))
        cost.scalar /= rows.ofMost(instruction);
      total.vector += times * cost.vector;
      if (instruction.isIntDivRem() && instruction.getType()->isIntegerTy(64) &&
          !shapes.isScalar(&instruction))
        total.longDivides += times * WarpSize * costs.Divide;
      total.scalar += times * active * cost.scalar;
    }
  }
  total.scalar = std::min(total.scalar, shareWithVectors(thread) * apart);
  return total;
}

/// Of a kernel and the functions that it calls. One that calls itself counts once.
class CostOfFunctions {
public:
  CostOfFunctions(const ThreadProgram &program, const Options &options,
                  const TargetMachine &machine)
      : program_(program), options_(options), machine_(machine) {}

  Cost of(Function &function) {
    auto [place, isNew] = known_.try_emplace(&function);
    if (!isNew)
      return place->second;
    Cost cost = costOfWarp(function, options_, machine_, &function != program_.body,
                           [&](const CallInst &call) { return ofCall(call); });
    known_[&function] = cost;
    return cost;
  }

private:
  /// Through a pointer: the mean of all that it may come to.
  Cost ofCall(const CallInst &call) {
    Cost sum;
    unsigned targets = 0;
    for (Function &function : *program_.body->getParent())
      if (!function.isDeclaration() && &function != program_.body &&
          (call.getCalledFunction() ? call.getCalledFunction() == &function
                                    : call.getFunctionType() == function.getFunctionType())) {
        Cost cost = of(function);
        sum.vector += cost.vector;
        sum.scalar += cost.scalar;
        ++targets;
      }
    unsigned divisor = std::max(targets, 1u);
    const Costs &costs = options_.costs;
    return {costs.Switch + sum.vector / divisor, WarpSize * costs.Branch + sum.scalar / divisor};
  }

  const ThreadProgram &program_;
  const Options &options_;
  const TargetMachine &machine_;
  std::map<const Function *, Cost> known_;
};

/// A kernel that is one function, or calls through pointers.
Cost costOfProgram(const ThreadProgram &program, const Options &options,
                   const TargetMachine &machine) {
  return CostOfFunctions(program, options, machine).of(*program.body);
}

/// Whether threads that come to `call` wait for others outside their program.
bool waitsForThreadsOutside(const CallInst &call, unsigned width, unsigned threads) {
  switch (callKind(call)) {
  case CallKind::BlockBarrier:
    return threads > width;
  case CallKind::GridBarrier:
  case CallKind::ClusterWait:
  case CallKind::Yield:
    return true;
  case CallKind::Shuffle:
  case CallKind::Vote:
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::WarpSync:
  case CallKind::ActiveMask:
    return width < WarpSize;
  default:
    return false;
  }
}

/// A block of one thread, which works with no other: further lanes would be idle.
bool isLoneThread(const ThreadProgram &program, const Options &options) {
  return options.isOptimised() && options.threads() == 1 && program.neighbours == 1 &&
         none_of(*program.body->getParent(), [](const Function &function) {
           return any_of(instructions(function), [](const Instruction &instruction) {
             const auto *call = dyn_cast<CallInst>(&instruction);
             return call && waitsForThreadsOutside(*call, 1, 1);
           });
         });
}

/// 1 or 32.
unsigned vectorOrScalar(const ThreadProgram &program, const Options &options,
                        const TargetMachine &machine) {
  if (isLoneThread(program, options))
    return 1;
  bool hasFunctions = false, callsThroughPointers = false;
  for (const Function &function : *program.body->getParent()) {
    hasFunctions |= !function.isDeclaration() && &function != program.body;
    for (const Instruction &instruction : instructions(function)) {
      if (threadsWorkTogether(instruction, function))
        return WarpSize;
      callsThroughPointers |= isCallOfFunction(instruction) &&
                              callKind(cast<CallInst>(instruction)) == CallKind::Indirect;
    }
  }
  if (hasFunctions && !callsThroughPointers) // recursion
    return WarpSize;
  Cost cost = costOfProgram(program, options, machine);
  const double doubt = shareWithVectors(*program.body) < 1 ? 1 : options.costs.Doubt;
  return cost.vector > doubt * cost.scalar ? 1 : WarpSize;
}

} // namespace

bool waitsInFunctions(const ThreadProgram &program, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  auto waitsAt = [&](unsigned width) {
    return any_of(*program.body->getParent(), [&](Function &function) {
      return &function != program.body && any_of(instructions(function), [&](Instruction &i) {
        auto *call = dyn_cast<CallInst>(&i);
        return call && waitsForThreadsOutside(*call, width, threads);
      });
    });
  };
  if (!waitsAt(1)) // most programs: no need to ask for the width
    return false;
  return waitsAt(options.width ? options.width : WarpSize);
}

double costOfVectors(const ThreadProgram &program, const Options &options,
                     const TargetMachine &machine) {
  Cost cost = costOfProgram(program, options, machine);
  return (cost.vector + cost.longDivides) / cost.scalar;
}

unsigned chooseWidth(const ThreadProgram &program, const Options &options,
                     const TargetMachine &machine) {
  if (options.width == 1)
    return 1;
  if (options.width > 0 && options.width <= WarpSize)
    return options.width;
  if (options.width == 0 && vectorOrScalar(program, options, machine) == 1)
    return 1;
  return coarsenWarps(program, options);
}

} // namespace heddle::simt
