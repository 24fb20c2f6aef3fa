// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread costs in a program of so many lanes: the first guess of a kernel's width. Programs
// that run long are measured at other widths (device/kernel_forms.h), so the model need not be
// fine; it must not be far off.
//
// A part of a program is a block, which does work of five kinds (work.cpp counts them), as often as
// the loops around it go round, shared by the threads of the program. Vectors count 1, the other
// kinds have a constant each. Four more things are not sums:
//
//  - A loop waits for its own results where they take longer than the work of a round.
//  - What lies behind a branch on data is done for all lanes if one goes there; a thread alone goes
//    there half of the time, or a quarter behind two of them.
//  - A loop that lanes leave one by one goes round until the last has left it: the oftener, the
//    more lanes there are.
//  - Programs of more lanes take longer for reasons that are not counted: code, caches, the rims of
//    what a kernel computes.
//
// bench/fit_forms.py fits the constants to the times of the corpus at all widths, on AVX-512 and
// AVX2 together. They stand for what happens on the whole: a scalar instruction of a program counts
// more than one on a vector register, since other scalars wait for it; a mask that the mask
// registers do not hold is stored, loaded and taken apart for each access.
//
// The numbers at the top of work.cpp are taken for given, not fitted.
//
// Rejected, since the corpus does not ask for it: a fixed number of lanes for rows of a pitch
// (their gathers count more, the more lanes there are), chains of programs without loops, searches
// apart from other loops that lanes leave one by one, gathers of bytes and from near tables,
// distances of a grid's strides, guarded code as a share that grows with the lanes, atomics apart
// from gathers, calls of math apart from other operations, widths that must gain so many per cent,
// AMD's gathers apart from Intel's.
#include "simt/form/thread_cost.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/lane_subset.h"
#include "simt/analysis/pending.h"
#include "simt/form/sum_loops.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

// What bench/fit_forms.py has fitted; it prints these lines.
constexpr Work Constants = {1, 1.3, 2.1, 10, 13};
constexpr double Wait = 4;      ///< of a cycle in which a loop waits for its own results
constexpr double Growth = 0.13; ///< a program's time grows with its lanes, as a power
constexpr double Late = 0.57;   ///< so do loops that lanes leave one by one

constexpr unsigned LongestLoop = 256, UnknownLoop = 8; ///< rounds
constexpr unsigned MostGuards = 2; ///< that halve: neighbours mostly go the same way from then on
constexpr double LargestProgram = 16000; ///< registers computed: what the back end takes well

/// The condition is made of comparisons of such values.
bool isMadeOf(const Value *condition, function_ref<bool(const Value *)> isOne) {
  const Value *left, *right;
  if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))) ||
      match(condition, m_LogicalOr(m_Value(left), m_Value(right))))
    return isMadeOf(left, isOne) && isMadeOf(right, isOne);
  const auto *compare = dyn_cast<CmpInst>(condition);
  return isOne(condition) || (compare && all_of(compare->operands(), isOne));
}

double sumOf(const Work &work) {
  double sum = 0;
  for (unsigned kind = 0; kind < WorkKinds; ++kind)
    sum += Constants[kind] * work[kind];
  return sum;
}

} // namespace

ThreadCost::ThreadCost(const ThreadProgram &program, const Options &options,
                       const TargetMachine &machine)
    : thread_(*program.body), options_(options), threads_(options.threads()), facts_(thread_),
      path_(thread_, facts_), recurrences_(thread_, facts_),
      target_(machine.getTargetTransformInfo(thread_)), ofWarp_(shapesAt(WarpSize)) {
  if (options.debug || !options.isEnabled("vectorize-reductions"))
    return;
  for (Loop *loop : facts_.loops.getLoopsInPreorder())
    if (SumLoop(*loop, recurrences_.evolution, machine, options.isEnabled("gather-words"))
            .isFound())
      sums_.insert(loop->getHeader());
}

bool ThreadCost::isPossible(unsigned width) {
  Shapes shapes = shapesAt(width);
  return isPossible(PendingBlocks(path_.order, shapes));
}

bool ThreadCost::isPossible(const PendingBlocks &pending) const {
  return none_of(instructions(thread_), [&](const Instruction &instruction) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    CallKind kind = call ? callKind(*call) : CallKind::Drop;
    return (kind == CallKind::BlockBarrier || kind == CallKind::GridBarrier) &&
           !pending.isConvergent(path_.order.index(call->getParent()));
  });
}

/// Lanes part at the end of the block by what they compute, not by their number.
bool ThreadCost::partsByValue(const BasicBlock &block) const {
  return ofWarp_.isDivergent(&block) &&
         !isMadeOf(cast<BranchInst>(block.getTerminator())->getCondition(),
                   [&](const Value *value) { return ofWarp_.isScalar(value); });
}

/// Lanes wait elsewhere while the block runs. Not for guards that ask what goes straight from lane
/// to lane: there is a copy without masks (version_guards.h).
bool ThreadCost::isMasked(const BasicBlock &block, const Shapes &shapes) const {
  auto goesStraight = [&](const Value *value) {
    Shape shape = shapes.of(value);
    return shape.uniform() || (shape.regular && shape.segment == shapes.width());
  };
  return any_of(path_.order.blocks, [&](const BasicBlock *branch) {
    return shapes.isDivergent(branch) &&
           !isMadeOf(cast<BranchInst>(branch->getTerminator())->getCondition(), goesStraight) &&
           facts_.dominators.properlyDominates(branch, &block) &&
           !path_.postDominators.dominates(&block, branch);
  });
}

/// How often the body of `loop` runs: its known length and that of those around it.
double ThreadCost::timesOf(const Loop *loop) const {
  double times = 1;
  for (; loop; loop = loop->getParentLoop()) {
    unsigned length = recurrences_.evolution.getSmallConstantTripCount(loop);
    times *= length                              ? std::min(length, LongestLoop)
             : sums_.contains(loop->getHeader()) ? SumLoop::Turn
                                                 : UnknownLoop;
  }
  return times;
}

/// Branches on what threads compute that decide whether `block` runs, but for ends of loops.
unsigned ThreadCost::guardsOf(const BasicBlock &block) const {
  auto guards = count_if(path_.order.blocks, [&](const BasicBlock *branch) {
    const Loop *loop = facts_.loops.getLoopFor(branch);
    return partsByValue(*branch) && !(loop && loop->isLoopExiting(branch)) &&
           facts_.dominators.properlyDominates(branch, &block) &&
           !path_.postDominators.dominates(&block, branch);
  });
  return std::min<unsigned>(guards, MostGuards);
}

/// `value` in a round of `loop` follows from what is known before the loop and the round's number.
bool ThreadCost::isOfRound(const Value *value, const Loop &loop,
                           SmallPtrSetImpl<const Value *> &seen) const {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop.contains(instruction) || !seen.insert(value).second)
    return true;
  if (isa<PHINode>(instruction) && instruction->getParent() == loop.getHeader()) {
    ScalarEvolution &evolution = recurrences_.evolution;
    if (!evolution.isSCEVable(instruction->getType()))
      return false;
    const auto *count =
        dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(const_cast<Instruction *>(instruction)));
    return count && count->getLoop() == &loop && count->isAffine();
  }
  return all_of(instruction->operands(), [&](const Value *operand) {
    return isa<BasicBlock>(operand) || isOfRound(operand, loop, seen);
  });
}

/// Loops around that lanes leave one by one, by counts or trials of their own: all wait for the
/// last. Not those by what a round hands on to the next (Euclid's algorithm, a binary search, a
/// point of the Mandelbrot set): neighbours go nearly as long as each other, or all go long.
unsigned ThreadCost::partingOf(const Loop *loop) const {
  unsigned count = 0;
  for (; loop; loop = loop->getParentLoop()) {
    SmallVector<BasicBlock *, 4> exiting;
    loop->getExitingBlocks(exiting);
    count += any_of(exiting, [&](const BasicBlock *block) {
      SmallPtrSet<const Value *, 16> seen;
      return partsByValue(*block) &&
             isOfRound(cast<BranchInst>(block->getTerminator())->getCondition(), *loop, seen);
    });
  }
  return count;
}

double ThreadCost::timeOf(const Part &part, unsigned width) const {
  double active = width == 1 ? 1.0 / (1 << part.guards) : 1;
  double rounds = part.times * active * std::pow(width, Late * part.parting);
  double work = sumOf(part.work);
  return rounds * (part.latency > 0 ? std::max(0.0, Wait * part.latency - work) : work);
}

/// The threads that share the time of a program of so many lanes.
double ThreadCost::threadsOf(unsigned width) const {
  if (width >= WarpSize && width > threads_) // idle registers are left out (eliminate_dead_lanes.h)
    return double(threads_) * width / alignTo(threads_, options_.registers.bits / 32);
  return double(threads_) / divideCeil(threads_, width);
}

double ThreadCost::at(unsigned width) {
  Shapes shapes = shapesAt(width);
  if (width > WarpSize && !isPossible(PendingBlocks(path_.order, shapes)))
    return INFINITY;
  double total = 0, size = 0;
  for (const Part &part : partsAt(shapes)) {
    total += timeOf(part, width);
    size += part.latency > 0 ? 0 : part.work[Vectors];
  }
  if (width > WarpSize && size * options_.registers.bits / 512 > LargestProgram)
    return INFINITY;
  return total * std::pow(width, Growth) / threadsOf(width);
}

void ThreadCost::print(raw_ostream &out, ArrayRef<unsigned> widths) {
  for (unsigned width : widths) {
    double cost = at(width);
    out << "form " << thread_.getName() << ' ' << threads_ << ' ' << width << ' ' << cost << ' '
        << threadsOf(width) << '\n';
    if (std::isinf(cost))
      continue;
    for (const Part &part : partsAt(shapesAt(width))) {
      out << "part " << part.times << ' ' << part.guards << ' ' << part.parting << ' '
          << part.latency;
      for (double kind : part.work)
        out << ' ' << kind;
      out << '\n';
    }
  }
}

} // namespace heddle::simt
