// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp operations under divergence.
//
// From compute capability 7.0 on the threads that a mask names meet in "the same intrinsic with the
// same mask" (CUDA guide, "Warp Shuffle Functions"), not at the same instruction:
//
//     if (lane < 16)
//       x = __shfl_xor_sync(~0u, a, 16);
//     else
//       x = __shfl_xor_sync(~0u, b, 16);
//
// A warp program does such an operation for the lanes that are there. This is right if no lane that
// the mask names comes to another one that it could meet in: lanes that have ended do not count,
// and if one waits at a barrier of the block the program would hang on a GPU too. So, for each
// operation and each block at which lanes may be held meanwhile (pending.h):
//  - The mask may be known to name active lanes only: it is the result of __activemask, a vote or a
//    match among these very lanes (cooperative groups' coalesced_threads), a ballot of the
//    condition behind which they are, a part of such a mask, or constants say so (`if (lane < 16)`
//    with mask 0xffff; the tiles of a tiled_partition).
//  - From the block there may be no way to the same operation, with a mask that may be the same,
//    before a barrier of the block, another operation of the whole warp, or the end.
//  - Lanes may be there and at the operation in no valid program, since they would come to the next
//    barrier of the block with different numbers of operations done (operations_ahead.h).
//  - __syncwarp only orders memory. The lanes that are held do nothing before they meet, if they
//    write nothing on the way.
// What is left needs threads (thread_form.h).
#include "simt/progress/meeting_lanes.h"

#include "simt/analysis/intrinsics.h"
#include "simt/progress/operations_ahead.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

class MeetingLanes {
public:
  MeetingLanes(Function &thread, const Options &options, WarpWalk &walk)
      : thread_(thread), walk_(walk), width_(walk.shapes.width()),
        threads_(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]),
        subsets_(walk.threads), ahead_(walk.walkOrder) {}

  bool found() {
    for (Instruction &instruction : instructions(thread_)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || !hasMemberMask(*call))
        continue;
      // The parts of a warp wait for the lanes of one mask at a time.
      bool isPart = width_ < WarpSize && !walk_.shapes.isUniform(memberMask(*call));
      if (isPart || mayMeetOthers(*call))
        return true;
    }
    return false;
  }

private:
  unsigned indexOf(const Instruction &instruction) const {
    return walk_.walkOrder.index(instruction.getParent());
  }

  bool mayMeetOthers(CallInst &call) {
    const BitVector &pending = walk_.pending.at(indexOf(call));
    return walk_.lanesAreElsewhere(indexOf(call)) && !namesActiveLanesOnly(call) &&
           any_of(pending.set_bits(), [&](unsigned held) {
             return !ahead_.exclude(indexOf(call), held) &&
                    mayComeToOther(*walk_.walkOrder.blocks[held], call);
           });
  }

  /// From the beginning of the block.
  bool mayComeToOther(BasicBlock &from, CallInst &call) {
    bool onlyOrders = callKind(call) == CallKind::WarpSync;
    // Blocks come to without, and with something written on the way.
    SmallPtrSet<BasicBlock *, 16> seen[2];
    SmallVector<std::pair<BasicBlock *, bool>, 16> work = {{&from, !onlyOrders}};
    while (!work.empty()) {
      auto [block, counts] = work.pop_back_val();
      if (!seen[counts].insert(block).second)
        continue;
      bool ends = false;
      for (Instruction &instruction : *block) {
        auto *other = dyn_cast<CallInst>(&instruction);
        counts |= instruction.mayWriteToMemory() && !(other && staysInBlock(*other));
        if (!other)
          continue;
        ends = isBarrierOfAll(*other);
        if (ends)
          break;
        if (counts && mayMeet(call, *other))
          return true;
        ends = mustNotMeet(call, *other);
        if (ends)
          break;
      }
      if (!ends)
        for (BasicBlock *next : successors(block))
          work.push_back({next, counts});
    }
    return false;
  }

  /// But for the type of the values.
  static bool isSameOperation(const CallInst &one, const CallInst &other) {
    auto nameOf = [](const CallInst &call) {
      StringRef name = call.getCalledFunction()->getName();
      auto [operation, type] = name.rsplit('.');
      return callKind(call) == CallKind::Shuffle || callKind(call) == CallKind::Match ? operation
                                                                                      : name;
    };
    return nameOf(one) == nameOf(other);
  }

  /// Lanes that come to the other operation wait there for those at the first, in vain.
  static bool mustNotMeet(const CallInst &one, const CallInst &other) {
    auto waitsForWarp = [](const CallInst &call) {
      return namesWholeWarp(call) && callKind(call) != CallKind::WarpSync;
    };
    return waitsForWarp(one) && waitsForWarp(other) && !isSameOperation(one, other);
  }

  bool mayMeet(CallInst &one, CallInst &other) {
    if (!hasMemberMask(other) || !isSameOperation(one, other))
      return false;
    const Value *mask = memberMask(one), *otherMask = memberMask(other);
    bool differ = isa<ConstantInt>(mask) && isa<ConstantInt>(otherMask) && mask != otherMask;
    // Lanes that found each other there, in this turn, do not name one that is elsewhere.
    return !differ && (&one == &other || !isMaskOf(otherMask, indexOf(other), 0));
  }

  // Masks.

  bool namesActiveLanesOnly(CallInst &call) {
    return isMaskOf(memberMask(call), indexOf(call), 0) || namesCertainLanes(call);
  }

  /// All lanes that the mask names are active wherever a lane of the block `index` is.
  bool isMaskOf(const Value *mask, unsigned index, unsigned depth) {
    constexpr unsigned Deepest = 6;
    const Value *left = nullptr, *right = nullptr;
    if (depth > Deepest)
      return false;
    if (match(mask, m_And(m_Value(left), m_Value(right))))
      return isMaskOf(left, index, depth + 1) || isMaskOf(right, index, depth + 1);
    if (const auto *freeze = dyn_cast<FreezeInst>(mask))
      return isMaskOf(freeze->getOperand(0), index, depth + 1);
    if (const auto *extract = dyn_cast<ExtractValueInst>(mask)) // of match.all
      return isMaskOf(extract->getAggregateOperand(), index, depth + 1);
    const auto *call = dyn_cast<CallInst>(mask);
    if (!call)
      return false;
    switch (callKind(*call)) {
    case CallKind::ActiveMask:
    case CallKind::Match:
      return haveSameLanes(indexOf(*call), index);
    case CallKind::Vote:
      return isBallot(*call) &&
             (haveSameLanes(indexOf(*call), index) ||
              isBehind(*call->getArgOperand(call->arg_size() - 1), indexOf(*call), index));
    default:
      return false;
    }
  }

  static bool isBallot(const CallInst &vote) {
    return vote.getIntrinsicID() == Intrinsic::nvvm_vote_ballot_sync ||
           vote.getIntrinsicID() == Intrinsic::nvvm_vote_ballot;
  }

  bool haveSameLanes(unsigned one, unsigned other) const {
    return &firstWithLanesOf(one) == &firstWithLanesOf(other);
  }

  /// The first block that certainly has the same lanes, also before loops that lanes leave
  /// together.
  BasicBlock &firstWithLanesOf(unsigned index) const {
    for (;;) {
      BasicBlock *first = walk_.walkOrder.blocks[walk_.sameMasks[index]];
      const Loop *loop = walk_.loops.getLoopFor(first);
      BasicBlock *before = loop && loop->getHeader() == first ? loop->getLoopPreheader() : nullptr;
      if (!before || lanesLeaveOneByOne(*loop))
        return *first;
      index = walk_.walkOrder.index(before);
    }
  }

  bool lanesLeaveOneByOne(const Loop &loop) const {
    SmallVector<BasicBlock *, 4> exiting;
    loop.getExitingBlocks(exiting);
    return any_of(exiting, [&](BasicBlock *block) { return walk_.isDivergent(block); });
  }

  /// The lanes in `inner` are those of the block `outer` in which the condition holds.
  bool isBehind(const Value &condition, unsigned outer, unsigned inner) {
    const BasicBlock *first = &firstWithLanesOf(inner);
    const BasicBlock *before = first->getSinglePredecessor();
    const auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1) ||
        !haveSameLanes(walk_.walkOrder.index(before), outer))
      return false;
    bool holds = branch->getSuccessor(0) == first;
    return isSame(*branch->getCondition(), condition, holds);
  }

  /// `one` is the other, or if `same` is false its opposite.
  static bool isSame(const Value &one, const Value &other, bool same) {
    if (&one == &other)
      return same;
    const Value *negated = nullptr;
    if (match(&one, m_Not(m_Value(negated))) && negated == &other)
      return !same;
    if (match(&other, m_Not(m_Value(negated))) && negated == &one)
      return !same;
    const auto *compare = dyn_cast<ICmpInst>(&one), *with = dyn_cast<ICmpInst>(&other);
    return compare && with && compare->getOperand(0) == with->getOperand(0) &&
           compare->getOperand(1) == with->getOperand(1) &&
           compare->getPredicate() == (same ? with->getPredicate() : with->getInversePredicate());
  }

  /// Constants say which lanes the mask names and which are there.
  bool namesCertainLanes(CallInst &call) {
    BitVector there = certainThreads(walk_.walkOrder.blocks[indexOf(call)], 0);
    const BitVector &mayCome = subsets_.at(indexOf(call));
    auto *mask = const_cast<Value *>(memberMask(call));
    for (unsigned thread : mayCome.set_bits()) {
      std::optional<APInt> named = subsets_.valueIn(mask, thread);
      if (!named)
        return false;
      unsigned first = thread / WarpSize * WarpSize;
      for (unsigned lane = 0; lane < WarpSize && first + lane < threads_; ++lane)
        if ((*named)[lane] && !there.test(first + lane))
          return false;
    }
    return true;
  }

  /// Those of the block's threads that are in a basic block whenever one of their warp is.
  BitVector certainThreads(BasicBlock *block, unsigned depth) {
    constexpr unsigned Deepest = 8;
    BitVector none(subsets_.at(0).size()), all(subsets_.at(0).size(), true);
    BasicBlock *first = &firstWithLanesOf(walk_.walkOrder.index(block));
    if (first == &thread_.getEntryBlock())
      return all;
    BasicBlock *before = first->getSinglePredecessor();
    auto *branch = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
    if (!branch || depth > Deepest ||
        walk_.loops.getLoopFor(before) != walk_.loops.getLoopFor(first))
      return none;
    BitVector threads = certainThreads(before, depth + 1);
    if (branch->isConditional() && walk_.isDivergent(before)) {
      bool taken = branch->getSuccessor(0) == first;
      for (unsigned thread : subsets_.at(0).set_bits()) {
        std::optional<APInt> condition = subsets_.valueIn(branch->getCondition(), thread);
        if (!condition || condition->isOne() != taken)
          threads.reset(thread);
      }
    }
    return threads;
  }

  Function &thread_;
  const WarpWalk &walk_;
  unsigned width_, threads_;
  LaneSubsets &subsets_; ///< of all of the block's threads
  OperationsAhead ahead_;
};

} // namespace

bool isBarrierOfAll(const CallInst &call) {
  return isBarrierOfBlocks(call) || (callKind(call) == CallKind::BlockBarrier &&
                                     call.getCalledFunction()->getName().ends_with(".all"));
}

bool hasMemberMask(const CallInst &call) {
  switch (callKind(call)) {
  case CallKind::Shuffle:
    return call.getCalledFunction()->getName().contains(".sync");
  case CallKind::Vote:
    return call.arg_size() == 2;
  case CallKind::Match:
  case CallKind::Reduce:
  case CallKind::WarpSync:
    return true;
  default:
    return false;
  }
}

bool lanesMeet(Function &thread, const Options &options, WarpWalk &walk) {
  return MeetingLanes(thread, options, walk).found();
}

} // namespace heddle::simt
