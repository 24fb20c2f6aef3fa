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
// How it is decided: by the cost of a thread, from the shapes at each width (thread_cost.h). A row
// of the block that is a part of a warp is weighed too, where half a warp may go without the other:
// a loop along a list of each row's own ends with the row, and what rows have loaded is scalar.
#include "simt/form/coarsen_warps.h"

#include "simt/analysis/intrinsics.h"
#include "simt/form/pitched_rows.h"
#include "simt/form/thread_cost.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

namespace {

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

/// Warps that wait for each other other than at barriers.
bool waitsInLoop(const Instruction &instruction, LoopInfo &loops) {
  const auto *load = dyn_cast<LoadInst>(&instruction);
  bool ordered = instruction.isAtomic() || (load && load->isVolatile());
  return ordered && !instruction.getType()->isVoidTy() && !instruction.use_empty() &&
         loops.getLoopFor(instruction.getParent());
}

/// What the instructions of a program allow, at every width.
struct Allowed {
  bool severalWarps = true;
  bool partOfWarp = true; ///< nothing for which half a warp would have to wait for the other
};

Allowed allowedIn(const ThreadProgram &program) {
  Function &thread = *program.body;
  Allowed allowed;
  allowed.severalWarps = !program.polls; // for what another warp may write
  allowed.partOfWarp = !program.countsOnWarps;
  for (const Function &function : *thread.getParent()) {
    allowed.severalWarps &= function.isDeclaration() || &function == &thread;
    for (const Instruction &instruction : instructions(function)) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      allowed.partOfWarp &= !(call && isWarpOperation(*call));
    }
  }
  LoopFacts facts(thread);
  for (const Instruction &instruction : instructions(thread)) {
    const auto *call = dyn_cast<CallInst>(&instruction);
    allowed.severalWarps &= !(call && !canSpanWarps(*call)) &&
                            !(program.maySpin && waitsInLoop(instruction, facts.loops));
  }
  return allowed;
}

class Fusion {
public:
  Fusion(const ThreadProgram &program, const Options &options)
      : thread_(*program.body), options_(options), allowed_(allowedIn(program)),
        cost_(program, options) {
    threads_ = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  }

  unsigned widest(unsigned most) {
    for (unsigned width = limit(most); width > WarpSize; width /= 2)
      if (cost_.isPossible(width))
        return width;
    return WarpSize;
  }

  unsigned cheapest() {
    if (allowed_.partOfWarp && options_.isEnabled("pitched-rows") &&
        cost_.walksPitchedRows(limit(MostFused)))
      return PitchedLanes;
    if (allowed_.partOfWarp && (cost_.carriesMany() || cost_.holdsMany()))
      return halvedOrWhole();
    unsigned best = WarpSize;
    if (thread_.getInstructionCount() > LargestThread)
      return best;
    double share = options_.costs.Worthwhile, least = share * costOf(WarpSize);
    auto consider = [&](unsigned width) {
      double cost = costOf(width);
      if (cost >= least)
        return;
      best = width;
      share = options_.costs.WorthTwice;
      least = share * cost;
    };
    for (unsigned width = 2 * WarpSize; width <= limit(MostFused); width *= 2)
      consider(width);
    unsigned whole = limit(WidestChosen);
    // No last program of few lanes, or nobody to wait for at barriers: programs that halt there
    // keep what they hold in memory, too, as one does that holds more than there are registers.
    if (whole > MostFused && (whole > threads_ || waitsAtBarriers())) {
      least += share * cost_.ofHalting(best);
      consider(whole);
    }
    if (best < whole && whole <= MostFused && whole >= threads_ && waitsToCount() &&
        costOf(whole) < (best == WarpSize ? options_.costs.WorthTwice : 1) * costOf(best))
      return whole;
    unsigned row = rowOfBlock();
    return row && costOf(row) < options_.costs.Worthwhile * costOf(best) ? row : best;
  }

  /// A row of a block whose rows are parts of a warp, as one program; 0 if there is none. What is
  /// the same in a row (an element of a sparse matrix that threads along y walk through) is scalar
  /// then, and a loop ends with its row.
  unsigned rowOfBlock() const {
    unsigned row = options_.blockDim[0];
    bool isRow = row < WarpSize && row < threads_ && isPowerOf2_32(row) &&
                 row >= options_.registers.bits / 64;
    return isRow && allowed_.partOfWarp ? row : 0;
  }

  /// For a thread that holds more values than warps of them have registers: the width at which they
  /// fit gains more than is counted. (If there is one.)
  unsigned halved() {
    unsigned best = WarpSize;
    double least = costOf(WarpSize) / (cost_.carriesTooMany() ? 1 : options_.costs.Worthwhile);
    for (unsigned width = WarpSize / 2; width >= options_.registers.bits / 32; width /= 2)
      if (double cost = costOf(width); cost < least) {
        best = width;
        least = cost;
      }
    return best;
  }

  /// Programs that halt in each round of a loop keep what they carry in memory, as a program does
  /// that is the whole block and does not halt.
  unsigned halvedOrWhole() {
    unsigned best = halved(), whole = limit(WidestChosen);
    bool isKept = whole >= threads_ && whole > WarpSize && cost_.haltsWithoutSums() &&
                  thread_.getInstructionCount() <= LargestThread;
    return isKept && costOf(whole) <
                         options_.costs.Worthwhile * (costOf(best) + cost_.ofHalting(best))
               ? whole
               : best;
  }

  /// Of one thread; infinite where the width is not possible or not sensible.
  double costOf(unsigned width) {
    return width > WarpSize && !allowed_.severalWarps ? INFINITY : cost_.at(width);
  }

private:
  /// Programs that are parts of a block halt at its barriers.
  bool waitsAtBarriers() const {
    return any_of(instructions(thread_), [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      return call && callKind(*call) == CallKind::BlockBarrier;
    });
  }

  /// ... and what they share stays in memory, for they count in it: what shared memory in registers
  /// takes (promote_shared.h) is not weighed here.
  bool waitsToCount() const {
    return waitsAtBarriers() && any_of(instructions(thread_), [&](const Instruction &instruction) {
             const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
             return rmw &&
                    getUnderlyingObject(rmw->getPointerOperand(), 0) == thread_.getArg(ParamShared);
           });
  }

  unsigned limit(unsigned most) const {
    return allowed_.severalWarps ? std::min<unsigned>(most, PowerOf2Ceil(threads_)) : WarpSize;
  }

  Function &thread_;
  const Options &options_;
  unsigned threads_;
  Allowed allowed_;
  ThreadCost cost_;
};

} // namespace

double costOfThread(const ThreadProgram &program, const Options &options, unsigned width) {
  return Fusion(program, options).costOf(width);
}

unsigned widestFused(const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  return std::clamp<unsigned>(PowerOf2Ceil(threads), WarpSize, MostFused);
}

unsigned coarsenWarps(const ThreadProgram &program, const Options &options) {
  Fusion fusion(program, options);
  return options.width ? fusion.widest(options.width) : fusion.cheapest();
}

} // namespace heddle::simt
