// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops and their blocks cost beyond their instructions: values that no register is left for,
// and waiting.
#include "simt/form/thread_cost.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

constexpr unsigned MostRegisters = 32;
constexpr uint64_t LongestStep = 16; ///< bytes from one element of a row to the next
/// Gathers from the near cache in the time of one from memory, in rounds that wait for it.
constexpr double GathersOfWait = 4;
/// Operations from which on a round of a loop hardly overlaps the next: reorder buffers hold 224 to
/// 576.
constexpr double LooksAhead = 300;
constexpr unsigned ShortestChain = 4; ///< of products: what jit/register_block_sums takes

/// The loop is an innermost one and holds a barrier of the block.
static bool haltsInRounds(const Loop &loop) {
  return loop.isInnermost() && any_of(loop.blocks(), [](const BasicBlock *block) {
           return any_of(*block, [](const Instruction &instruction) {
             const auto *call = dyn_cast<CallInst>(&instruction);
             return call && callKind(*call) == CallKind::BlockBarrier;
           });
         });
}

bool ThreadCost::haltsWithoutSums() const {
  return any_of(facts_.loops.getLoopsInPreorder(),
                [&](const Loop *loop) { return haltsInRounds(*loop) && !addsInTurn(*loop); });
}

double ThreadCost::ofHalting(unsigned width) {
  if (threads_ <= width)
    return 0;
  Shapes shapes = shapesAt(width);
  double total = 0;
  for (const Loop *loop : facts_.loops.getLoopsInPreorder())
    if (haltsInRounds(*loop))
      total += timesOf(loop) * 2 * costs_.SpilledValue * heldIn(*loop, shapes).changing;
  return total * divideCeil(threads_, width) / threads_;
}

/// How often the body of `loop` runs: its known length and that of those around it.
double ThreadCost::timesOf(const Loop *loop) {
  double times = 1;
  for (; loop; loop = loop->getParentLoop()) {
    unsigned length = recurrences_.evolution.getSmallConstantTripCount(loop);
    times *= length ? length : costs_.LoopFactor;
  }
  return times;
}

/// Data decide on the place of each lane.
bool ThreadCost::isGathered(const Value *pointer, const Shapes &shapes) const {
  Shape shape = shapes.of(pointer);
  return !shape.uniform() && !shape.regular && shape.segment == 1 && shape.period == shapes.width();
}

/// Each lane goes along a row of its own.
bool ThreadCost::walksRows(const Loop &loop, const Shapes &shapes) const {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &instruction) {
      const auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !isGathered(load->getPointerOperand(), shapes))
        return false;
      const APInt *step = constantStep(load->getPointerOperand(), &loop, recurrences_.evolution);
      return step && step->abs().ule(LongestStep);
    });
  });
}

/// For memory, in such a loop: it is the same for few lanes and many.
double ThreadCost::waitOf(const Instruction &access, const Shapes &shapes) const {
  const auto *load = dyn_cast<LoadInst>(&access);
  const Loop *loop = facts_.loops.getLoopFor(access.getParent());
  return load && loop && isGathered(load->getPointerOperand(), shapes) &&
                 getUnderlyingObject(load->getPointerOperand(), 0) != thread_.getArg(ParamShared) &&
                 walksRows(*loop, shapes)
             ? GathersOfWait * costs_.Gather
             : 0;
}

/// Registers for what a loop carries, beside temporaries.
double ThreadCost::forCarried() const {
  return std::min<double>(options_.registers.count, MostRegisters - costs_.Temporaries);
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

/// Vectors that are there as a whole before a store, where they are most: what was loaded from
/// memory that the store may change, and what follows from it. (Others are computed piece by
/// piece.)
static unsigned mostOrdered(const BasicBlock &block, const Shapes &shapes) {
  const Value *const several = nullptr;
  DenseMap<const Value *, const Value *> sources; // the object that a value's loads read
  auto add = [&](const Value *value, const Value *source) {
    auto [entry, isNew] = sources.try_emplace(value, source);
    if (!isNew && entry->second != source)
      entry->second = several;
  };
  for (const Instruction &instruction : block) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (shapes.isScalar(&instruction))
      continue;
    if (load && !load->hasMetadata(LLVMContext::MD_invariant_load))
      add(load, getUnderlyingObject(load->getPointerOperand(), 0));
    else if (!load)
      for (const Value *operand : instruction.operands())
        if (auto source = sources.find(operand); source != sources.end())
          add(&instruction, source->second);
  }
  SmallPtrSet<const Value *, 32> held; // of those
  size_t most = 0;
  for (const Instruction &instruction : reverse(block)) {
    held.erase(&instruction);
    for (const Value *operand : instruction.operands())
      if (sources.contains(operand))
        held.insert(operand);
    if (const auto *store = dyn_cast<StoreInst>(&instruction)) {
      const Value *target = getUnderlyingObject(store->getPointerOperand(), 0);
      most = std::max<size_t>(
          most, count_if(held, [&](const Value *value) { return sources[value] != target; }));
    }
  }
  return most;
}

/// What a block takes more where it holds more than there are registers: its `work` waits for the
/// stack; where it runs once, only stores and loads count for what stores may change.
double ThreadCost::spills(const BasicBlock &block, double work, const Shapes &shapes) const {
  const Loop *loop = facts_.loops.getLoopFor(&block);
  double lanes = double(options_.registers.bits) / FloatBits; ///< of a register
  if (double held = mostHeld(block, shapes); held > forCarried()) {
    double share = 1 - forCarried() * lanes / (held * shapes.width());
    return loop && addsInTurn(*loop) ? 0 : costs_.SpilledValue * work * std::max(0.0, share);
  }
  double ordered = mostOrdered(block, shapes) * shapes.width() / lanes;
  double over = std::max(0.0, ordered - (options_.registers.count - costs_.Temporaries));
  return over > 0 ? costs_.SpilledValue * over * (loop ? work / ordered : 1) : 0;
}

bool ThreadCost::holdsMany() {
  Shapes shapes = shapesAt(WarpSize);
  return any_of(path_.order.blocks,
                [&](const BasicBlock *block) { return mostHeld(*block, shapes) > forCarried(); });
}

/// Values that one loop changes from round to round.
size_t ThreadCost::mostCarried() const {
  size_t most = 0;
  for (const Loop *loop : facts_.loops.getLoopsInPreorder())
    most = std::max<size_t>(most, range_size(loop->getHeader()->phis()));
  return most;
}

bool ThreadCost::carriesMany() const { return 2 * mostCarried() > forCarried(); }

bool ThreadCost::carriesTooMany() const { return 2 * mostCarried() > 3 * forCarried(); }

/// Each round of `loop` uses the value for more than to carry it on.
bool ThreadCost::isUsedInEach(const Value &value, const Loop &loop, const Shapes &shapes) const {
  return any_of(value.users(), [&](const User *user) {
    auto *instruction = cast<Instruction>(user);
    return !isa<PHINode>(instruction) && loop.contains(instruction) &&
           !isGuarded(*instruction->getParent(), shapes);
  });
}

/// A sum goes on in an inner loop: its value so far is not kept beside it.
static bool continues(const Instruction &inner, const Instruction &outer) {
  return isa<PHINode>(inner) && isa<PHINode>(outer);
}

/// Registers that the values hold which live through an inner loop, and those that an instruction
/// wants beside them for what warps share (a row of a matrix, loaded once).
ThreadCost::Held ThreadCost::heldIn(const Loop &loop, const Shapes &shapes) const {
  Held held;
  double shared = 0;
  auto registersOf = [&](const Value *value) {
    unsigned lanes = shapes.of(value).parts();
    return lanes > 1 ? registers(value->getType(), lanes) : 0;
  };
  for (const PHINode &phi : loop.getHeader()->phis())
    if (isUsedInEach(phi, loop, shapes))
      held.changing += registersOf(&phi);
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
          held.fixed += registersOf(value);
      }
      shared = std::max(shared, now);
    }
  held.changing += shared;
  return held;
}

/// The product that is added to `sum` and nothing else, in the same block.
static const CallInst *nextProduct(const Value &sum, const BasicBlock *block) {
  const CallInst *next = nullptr;
  for (const User *user : sum.users()) {
    const auto *call = dyn_cast<IntrinsicInst>(user);
    if (!call)
      continue;
    bool adds = call->getIntrinsicID() == Intrinsic::fma && call->getArgOperand(2) == &sum &&
                (!block || call->getParent() == block);
    if (!adds || next)
      return nullptr;
    next = call;
  }
  return next;
}

/// Most of what the loop carries are sums to which each round adds several products in straight
/// code. They need not be in registers all at the same time (jit/register_block_sums).
bool ThreadCost::addsInTurn(const Loop &loop) {
  unsigned sums = 0, others = 0;
  for (const PHINode &phi : loop.getHeader()->phis()) {
    unsigned length = 0;
    const CallInst *product = nextProduct(phi, nullptr);
    for (; product; product = nextProduct(*product, product->getParent()))
      ++length;
    ++(length >= ShortestChain ? sums : others);
  }
  return sums > others;
}

/// Cycles from one iteration of an inner loop to the next: the longest chain of vector instructions
/// from a value that it carries to the next value of it.
double ThreadCost::latency(const Loop &loop, const Shapes &shapes) const {
  DenseMap<const Value *, double> ready; // cycles after the iteration began
  for (const PHINode &phi : loop.getHeader()->phis())
    if (!shapes.isScalar(&phi))
      ready[&phi] = 0;
  for (const BasicBlock *block : path_.order.blocks) {
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
      const auto *load = dyn_cast<LoadInst>(&instruction);
      if (start >= 0)
        ready[&instruction] =
            start + (isScalar || isFree                                      ? 0
                     : load && isGathered(load->getPointerOperand(), shapes) ? costs_.Gather
                     : instruction.getType()->isFPOrFPVectorTy() ? costs_.FloatLatency
                                                                 : costs_.IntegerLatency);
    }
  }
  double longest = 0;
  const BasicBlock *latch = loop.getLoopLatch();
  for (const PHINode &phi : loop.getHeader()->phis())
    if (latch && !shapes.isScalar(&phi))
      longest = std::max(longest, ready.lookup(phi.getIncomingValueForBlock(latch)));
  return longest;
}

/// What an inner loop takes beside the work of its instructions. Spilled values are stored and
/// loaded while it waits for memory.
double ThreadCost::loopCost(const Loop &loop, const LoopWork &work, const Shapes &shapes) {
  Held held = heldIn(loop, shapes);
  double over = std::max(0.0, held.fixed + held.changing - forCarried());
  double saved = std::max(0.0, over - held.fixed);
  double spills = 0.5 * std::min(over, held.fixed) +
                  costs_.SpilledValue *
                      (addsInTurn(loop) // what does not fit is saved once a round
                           ? saved
                           : work.inRegisters * saved / std::max(1.0, held.fixed + held.changing));
  double idle = std::max(0.0, costs_.PerCycle * latency(loop, shapes) - work.all);
  if (work.all > LooksAhead && options_.isEnabled("straight-cost"))
    idle = std::max(idle, costs_.Multipliers * straightLatency(&loop, shapes) - work.all);
  return timesOf(&loop) * (std::max(0.0, spills - work.waits) + idle);
}

} // namespace heddle::simt
