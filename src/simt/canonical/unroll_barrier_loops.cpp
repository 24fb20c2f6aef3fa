// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: unroll_barrier_loops.h. In a block that is one program this makes the lanes of each
// phase and the places that they access constants, for simt/shared/promote_shared.cpp.
//
// Legality (unroll-barrier-loops): none: LLVM's unroller makes the copies, and leaves loops alone
// that cannot be unrolled.
#include "simt/canonical/unroll_barrier_loops.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/shape.h"
#include "simt/canonical/loop_unroller.h"
#include "simt/canonical/normalize.h"
#include "simt/canonical/unrolled_numbers.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostRounds = 64;
constexpr unsigned MostWarps = 16;      ///< iterations of loops that go by the thread's index
constexpr unsigned MostFills = 4;       ///< of those that write
constexpr uint64_t LargestBody = 24000; ///< instructions on vector registers, all iterations

/// While it lives, LLVM knows how large a thread's index gets in the block. Not for longer: LLVM
/// would make of the sums that count threads through (`blockIdx.x * 256 + threadIdx.x`) other
/// operations, which the passes to come know less well.
class ThreadRange {
public:
  ThreadRange(Function &thread, const Options &options) {
    for (Instruction &instruction : instructions(thread)) {
      auto *call = dyn_cast<IntrinsicInst>(&instruction);
      if (!call || call->getIntrinsicID() != Intrinsic::nvvm_read_ptx_sreg_tid_x ||
          call->getAttributes().hasRetAttr(Attribute::Range))
        continue;
      call->addRangeRetAttr(ConstantRange(APInt(32, 0), APInt(32, options.blockDim[0])));
      calls_.push_back(call);
    }
  }
  ~ThreadRange() {
    for (WeakVH &call : calls_)
      if (call)
        cast<CallBase>(call)->removeRetAttr(Attribute::Range);
  }

private:
  SmallVector<WeakVH, 4> calls_;
};

class Unroller {
public:
  Unroller(Function &thread, const Options &options, TargetMachine &machine)
      : thread_(thread), options_(options), analyses_(machine) {}

  bool run() {
    ThreadRange range(thread_, options_);
    LoopUnroller unroller(thread_, analyses_.functions);
    bool changed = false;
    while (Loop *loop = find(unroller.loops(), unroller.evolution())) {
      unsigned count = unroller.evolution().getSmallConstantMaxTripCount(loop);
      if (unroller.unroll(*loop, count) == LoopUnrollResult::Unmodified)
        break;
      changed = true;
    }
    return changed;
  }

private:
  /// The outermost loop worth it: the length of an inner one may depend on its number.
  Loop *find(LoopInfo &loops, ScalarEvolution &evolution) {
    for (Loop *loop : loops.getLoopsInPreorder()) {
      unsigned count = evolution.getSmallConstantTripCount(loop);
      if (count > 0 && count <= MostRounds && gains(*loop) && count * size(*loop) <= LargestBody)
        return loop;
      if (isWholeBlock() && followsThread(*loop, evolution)) {
        unsigned most = evolution.getSmallConstantMaxTripCount(loop);
        if (most > 0 && most <= mostOf(*loop, count, evolution) &&
            most * size(*loop) <= LargestBody)
          return loop;
      }
    }
    return nullptr;
  }

  /// Rounds of a loop that goes by the thread's index.
  unsigned mostOf(const Loop &loop, unsigned count, ScalarEvolution &evolution) const {
    if (splitsCounter(loop, evolution) || (!count && onlyComputes(loop)))
      return MostWarps;
    return !count && !meetsLanes(loop) ? MostFills : 0;
  }

  bool isWholeBlock() const {
    return options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2] <= options_.width;
  }

  /// Its length is a matter of the thread's index alone.
  static bool followsThread(const Loop &loop, ScalarEvolution &evolution) {
    const SCEV *length = evolution.getBackedgeTakenCount(&loop);
    return loop.isInnermost() && !isa<SCEVCouldNotCompute>(length) &&
           !SCEVExprContains(length, [](const SCEV *part) {
             const auto *unknown = dyn_cast<SCEVUnknown>(part);
             const auto *call = unknown ? dyn_cast<CallInst>(unknown->getValue()) : nullptr;
             return unknown && !(call && callKind(*call) == CallKind::ThreadIndex);
           });
  }

  static bool onlyComputes(const Loop &loop) {
    return none_of(loop.blocks(), [](const BasicBlock *block) {
      return any_of(*block, [](const Instruction &made) {
        return isa<CallInst>(made) || made.mayWriteToMemory();
      });
    });
  }

  /// Its counter is divided by a constant, as where a tile is filled row by row: the quotient and
  /// the rest are numbers of each thread in each round (analysis/lane_runs.h).
  static bool splitsCounter(const Loop &loop, ScalarEvolution &evolution) {
    auto isOfCounter = [&](Value *value) {
      return evolution.isSCEVable(value->getType()) &&
             SCEVExprContains(evolution.getSCEV(value), [&](const SCEV *part) {
               const auto *counter = dyn_cast<SCEVAddRecExpr>(part);
               return counter && counter->getLoop() == &loop;
             });
    };
    return any_of(loop.blocks(), [&](BasicBlock *block) {
      return any_of(*block, [&](Instruction &made) {
        return made.isIntDivRem() && isa<ConstantInt>(made.getOperand(1)) &&
               isOfCounter(made.getOperand(0));
      });
    });
  }

  bool gains(const Loop &loop) const { return meetsLanes(loop) && roundsDiffer(loop); }

  /// Its lanes meet in it, or hand values over.
  bool meetsLanes(const Loop &loop) const {
    return any_of(loop.blocks(), [&](const BasicBlock *block) {
      return any_of(*block, [&](const Instruction &instruction) {
        const auto *call = dyn_cast<CallInst>(&instruction);
        CallKind kind = call ? callKind(*call) : CallKind::Drop;
        return kind == CallKind::Shuffle || (kind == CallKind::BlockBarrier && isWholeBlock());
      });
    });
  }

  /// Which lanes take part in a round, which they work with, at which places of memory that is not
  /// global, or how often a loop in it goes round is a matter of the round alone.
  bool roundsDiffer(const Loop &loop) const {
    UnrolledNumbers numbers(loop);
    return any_of(loop.blocks(), [&](const BasicBlock *block) {
      return any_of(*block, [&](const Instruction &instruction) {
        if (numbers.dividesThreads(instruction))
          return true;
        if (const auto *branch = dyn_cast<BranchInst>(&instruction))
          return branch->isConditional() && !loop.isLoopExiting(block) &&
                 numbers.followsRound(*branch->getCondition());
        if (const auto *call = dyn_cast<CallInst>(&instruction))
          return callKind(*call) == CallKind::Shuffle &&
                 any_of(call->args(), [&](const Use &v) { return numbers.followsRound(*v); });
        const auto *address = dyn_cast<GetElementPtrInst>(&instruction);
        return address && isBlockMemory(address, thread_) &&
               any_of(address->indices(), [&](const Use &v) { return numbers.followsRound(*v); });
      });
    });
  }

  uint64_t size(const Loop &loop) const {
    uint64_t count = 0;
    for (const BasicBlock *block : loop.blocks())
      count += block->size();
    return count * std::max(1u, options_.width / 16);
  }

  Function &thread_;
  const Options &options_;
  Analyses analyses_;
};

} // namespace

bool unrollBarrierLoops(Module &module, const ThreadProgram &program, const Options &options,
                        TargetMachine &machine) {
  if (!options.isOptimised() || options.width < WarpSize)
    return false;
  bool changed = Unroller(*program.body, options, machine).run();
  if (changed)
    renormalize(module, machine);
  return changed;
}

} // namespace heddle::simt
