// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that go together where a program is less than a warp.
//
// Problem. On a GPU the lanes of a warp part in branches and loops, and meet again where the ways
// come together; in between they do each access together. Much code from before compute capability
// 7.0 counts on that without a word (warp_order.cpp). As one program the warp does just this. Where
// lanes that poll for each other need threads (thread_form.h), or HEDDLE_WIDTH asks for fewer
// lanes, each program would run on alone, and read what others have not written yet:
//
//     while (atomicAdd(&flag[t], 0) == 0)      // all lanes leave, one after the other
//       ;
//     s[t] += s[t + 16];                       // sums of the warp, each waits for the others'
//     s[t] += s[t + 8];
//
// Method. Programs of one warp meet right before an access that may be in conflict with one that
// another lane has done, or has still to do: heddle.meet. The block runner lets those go first that
// are at the lowest place of the program, as a warp goes on at its lowest block (order.h), so that
// lanes in a branch or loop come before those that are behind it. What lanes have done since they
// met last is found as data flow, by:
//
//  - *Accesses that others may count on*: volatile and atomic ones, those of shared memory, others
//    once a fence has come. Two of them are in conflict if one writes, and they may come to the
//    same place in different lanes. Atomic operations of one kind are right in any order.
//  - *Polls.* Behind a loop that polls each access counts on what all lanes have waited for, also
//    those that did not poll themselves: `if (lane == 0) while (!*flag); x = data[lane];`.
//  - *Iterations.* Lanes at the beginning of the next iteration are at a lower place than those in a
//    branch or loop of this one. So they meet before they go back, too.
//  - *What is published*: `data[lane] = x; __threadfence(); if (lane == 0) *flag = 1;`. A watched
//    write behind a fence says that the warp has written, and so does a poll.
//
// Lanes that wait for others of their warp, which poll for what they themselves are to do (a lock
// that they hold), go on when the others have polled in vain. Nobody waits for that where nothing
// has been done since the last time that those others might see (MeetsWithoutPolls), and nobody
// goes on soon where no lane of the warp could do what is polled for, or none that waits there
// (polling_lanes.h): others poll for what another warp has, as a lock.
//
// Barriers of the block and operations of the whole warp are meetings, too.
#include "simt/progress/keep_lockstep.h"

#include "base/abi/meet_flags.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/meeting_place.h"
#include "simt/analysis/objects.h"
#include "simt/compilation.h"
#include "simt/progress/meeting_lanes.h"
#include "simt/progress/operations_ahead.h"
#include "simt/progress/polling_lanes.h"

#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// What lanes of a warp may have done since they met.
struct Since {
  SmallPtrSet<const Instruction *, 8> watched; ///< accesses that others may count on
  SmallPtrSet<const Instruction *, 8> plain;   ///< ... when a fence has come
  bool hasPolled = false;
  bool mayBeSeen = false;  ///< something was written that a lane may poll for
  bool isReleased = false; ///< something was written before a fence

  bool isEmpty() const { return watched.empty() && !hasPolled && !isReleased; }

  /// Whether this grows.
  bool join(const Since &other) {
    bool grows = set_union(watched, other.watched);
    grows |= set_union(plain, other.plain);
    auto both = [&](bool Since::*flag) {
      grows |= other.*flag && !(this->*flag);
      this->*flag |= other.*flag;
    };
    both(&Since::hasPolled);
    both(&Since::mayBeSeen);
    both(&Since::isReleased);
    return grows;
  }
};

const Value *addressOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return addressOfScalarAccess(instruction);
  switch (callKind(*call)) {
  case CallKind::Cas128:
  case CallKind::LoadPair:
  case CallKind::StorePair:
  case CallKind::MbarrierChange:
    return call->getArgOperand(0);
  default:
    return nullptr;
  }
}

bool isPair(const Instruction &instruction, CallKind kind) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == kind;
}

bool isWrite(const Instruction &access) {
  return !isa<LoadInst>(access) && !isPair(access, CallKind::LoadPair);
}

/// Other threads may look at what it does at any time.
bool isWatched(const Instruction &access) {
  return access.isVolatile() || access.isAtomic() || isa<CallInst>(access);
}

bool callsFunction(const CallInst &call) {
  return callKind(call) == CallKind::Device || callKind(call) == CallKind::Indirect;
}

/// Of two atomic operations it does not matter which comes first, nor of a load and a swap that
/// looks again.
bool haveNoOrder(const Instruction &one, const Instruction &other) {
  const auto *operation = dyn_cast<AtomicRMWInst>(&one), *with = dyn_cast<AtomicRMWInst>(&other);
  if (operation && with)
    return operation->getOperation() == with->getOperation() &&
           operation->getOperation() != AtomicRMWInst::Xchg;
  bool swaps = isa<AtomicCmpXchgInst>(one), swapsToo = isa<AtomicCmpXchgInst>(other);
  if (swaps && swapsToo)
    return true;
  const Instruction &load = swaps ? other : one;
  return swaps != swapsToo && isa<LoadInst>(load) && addressOf(one) == addressOf(other);
}

/// The meetings of one function.
class Meetings {
public:
  struct Meeting {
    Instruction *before;
    unsigned flags; ///< MeetFlags
  };

  /// `polling`: null in a function that the kernel calls.
  Meetings(Compilation &kernel, Function &function, const WarpWalk *walk, PollingLanes *polling)
      : kernel_(kernel), function_(function), facts_(function), recurrences_(function, facts_),
        lanes_(function, facts_, {WarpSize, kernel.options.blockDim},
               &function != kernel.thread.body),
        objects_(function, kernel.options), walk_(walk), polling_(polling) {
    for (Instruction &instruction : instructions(function))
      if (isYield(instruction)) {
        const Loop *loop = facts_.loops.getLoopFor(instruction.getParent());
        turns_.insert(loop);
        for (; loop; loop = loop->getParentLoop())
          polls_.insert(loop);
      }
    for (const Loop *loop : facts_.loops.getLoopsInPreorder())
      if (!turns_.contains(loop) && partsWithin(*loop)) {
        SmallVector<BasicBlock *, 2> latches;
        loop->getLoopLatches(latches);
        ends_.insert(latches.begin(), latches.end());
      }
  }

  void find() {
    std::vector<bool> isWaiting(order().blocks.size(), true);
    for (bool changed = true; changed;) {
      changed = false;
      for (BasicBlock *block : order().blocks) {
        if (!isWaiting[order().index(block)])
          continue;
        isWaiting[order().index(block)] = false;
        changed = true;
        Since since = atEntry_[block];
        goThrough(*block, since);
        for (BasicBlock *next : successors(block))
          if (atEntry_[next].join(along(*block, *next, since)))
            isWaiting[order().index(next)] = true;
      }
    }
  }

  /// Numbers the places at which lanes wait, from the first on. Of a loop that polls it is the end:
  /// lanes in its other ways go before those that are about to begin the next turn.
  void emit(unsigned &place) {
    DenseMap<const BasicBlock *, SmallVector<Instruction *, 2>> yieldsBy;
    for (Instruction &instruction : instructions(function_))
      if (isYield(instruction))
        yieldsBy[lastOf(instruction)].push_back(&instruction);
    for (BasicBlock *block : order().blocks) {
      for (Instruction &instruction : make_early_inc_range(*block)) {
        if (auto found = flags_.find(&instruction); found != flags_.end()) {
          IRBuilder<> builder(&instruction);
          emitMeet(builder, ++place, found->second | givesNothing(instruction));
        }
        const auto *call = dyn_cast<CallInst>(&instruction);
        if (call && callKind(*call) == CallKind::ActiveMask)
          MeetingPlace.put(instruction, {++place, 0});
      }
      for (Instruction *yield : yieldsBy.lookup(block))
        MeetingPlace.put(*yield, {++place, flagsOf(*yield)});
    }
  }

private:
  const BlockOrder &order() const { return lanes_.order; }

  Since along(const BasicBlock &from, const BasicBlock &to, Since since) const {
    for (const Loop *loop = facts_.loops.getLoopFor(&from); loop; loop = loop->getParentLoop())
      since.hasPolled |= polls_.contains(loop) && !loop->contains(&to);
    return since;
  }

  /// Lanes in the same iteration may be at different places.
  bool partsWithin(const Loop &loop) const {
    return any_of(loop.blocks(), [&](const BasicBlock *block) {
      return lanes_.shapes.isDivergent(block) &&
             count_if(successors(block),
                      [&](const BasicBlock *next) { return loop.contains(next); }) > 1;
    });
  }

  void goThrough(BasicBlock &block, Since &since) {
    for (Instruction &instruction : block) {
      if (isa<FenceInst>(instruction))
        commit(since);
      else if (const Value *address = addressOf(instruction))
        access(instruction, *address, since);
      else if (auto *call = dyn_cast<CallInst>(&instruction))
        come(*call, since);
    }
    if (ends_.contains(&block) && !since.isEmpty())
      meet(*block.getTerminator(), since);
  }

  void commit(Since &since) const {
    set_union(since.watched, since.plain);
    since.plain.clear();
    since.isReleased |=
        any_of(since.watched, [](const Instruction *access) { return isWrite(*access); });
  }

  void access(Instruction &instruction, const Value &address, Since &since) {
    if (isOwn(instruction, address))
      return;
    if (countsOn(instruction, since))
      meet(instruction, since);
    (isWatched(instruction) || isShared(address) ? since.watched : since.plain)
        .insert(&instruction);
    since.mayBeSeen |= isWrite(instruction) && (!polling_ || polling_->mayBeSeen(instruction));
  }

  void come(CallInst &call, Since &since) {
    if (isBarrierOfAll(call) || namesWholeWarp(call)) {
      since = {};
    } else if (callKind(call) == CallKind::Poll || callsFunction(call)) {
      if (!since.isEmpty())
        meet(call, since);
      if (callsFunction(call)) { // it may do anything, maybe without having met
        since.hasPolled |= !call.onlyReadsMemory();
        since.mayBeSeen = true;
      }
    }
  }

  void meet(Instruction &before, Since &since) {
    const Loop *loop = facts_.loops.getLoopFor(before.getParent());
    bool isInTurn = false;
    for (; loop; loop = loop->getParentLoop())
      isInTurn |= turns_.contains(loop);
    unsigned flags =
        (since.hasPolled || since.mayBeSeen ? 0 : MeetsWithoutPolls) | (isInTurn ? 0 : MeetIsStep);
    auto [known, isNew] = flags_.try_emplace(&before, flags);
    known->second &= flags;
    since = {};
  }

  /// Nobody else comes to that memory, or nobody writes it.
  bool isOwn(const Instruction &access, const Value &address) const {
    const auto *load = dyn_cast<LoadInst>(&access);
    if (load && load->hasMetadata(LLVMContext::MD_invariant_load))
      return true;
    const Value *object = getUnderlyingObject(&address);
    const auto *argument = dyn_cast<Argument>(object);
    return isa<AllocaInst>(object) ||
           (argument && argument->getArgNo() < ContextParams && !isShared(address));
  }

  bool isShared(const Value &address) const {
    SmallVector<const Value *, 4> found;
    getUnderlyingObjects(&address, found);
    return is_contained(found, function_.getArg(ParamShared));
  }

  bool countsOn(const Instruction &access, const Since &since) {
    if (since.hasPolled || (since.isReleased && isWatched(access) && isWrite(access)))
      return true;
    return any_of(since.watched,
                  [&](const Instruction *before) { return conflict(*before, access); });
  }

  bool conflict(const Instruction &before, const Instruction &access) {
    bool anyWrites = isWrite(before) || isWrite(access);
    bool onlyWrites =
        isWrite(before) && isWrite(access) && !isWatched(before) && !isWatched(access);
    if (!anyWrites || onlyWrites || haveNoOrder(before, access))
      return false;
    const Value *one = addressOf(before), *other = addressOf(access);
    if (one == other && isEachLanesOwn(access, *one))
      return false;
    if (!objects_.areApart(one, other))
      return true;
    kernel_.thread.trustsObjects = true;
    return false;
  }

  /// Different lanes access different places by the address, also in other rounds of a loop.
  bool isEachLanesOwn(const Instruction &access, const Value &address) {
    Shape shape = lanes_.shapes.of(&address);
    if (shape.segment != WarpSize || shape.stride == 0)
      return false;
    const auto *computed = dyn_cast<Instruction>(&address);
    const Loop *loop = facts_.loops.getLoopFor(access.getParent());
    while (loop && loop->isLoopInvariant(&address))
      loop = loop->getParentLoop();
    if (!computed || !loop)
      return true;
    const APInt *step = constantStep(&address, loop, recurrences_.evolution);
    return step && step->abs().uge(WarpSize * std::abs(shape.stride));
  }

  /// The last block of the innermost loop around an instruction, or its own.
  const BasicBlock *lastOf(const Instruction &instruction) const {
    const BasicBlock *last = instruction.getParent();
    if (const Loop *loop = facts_.loops.getLoopFor(last))
      for (const BasicBlock *block : loop->blocks())
        if (order().index(block) > order().index(last))
          last = block;
    return last;
  }

  /// PollFlags of the loop around.
  unsigned flagsOf(const Instruction &yield) const {
    const Loop *own = facts_.loops.getLoopFor(yield.getParent());
    const Loop *loop = walk_ ? walk_->loops.getLoopFor(yield.getParent()) : nullptr;
    bool isFirm = loop && polling_ && !polling_->waitForHeldOnes(*loop);
    unsigned number = MostPollLoops - 1;
    if (loop && polling_)
      number = std::min<unsigned>(number,
                                  llvm::find(polling_->loops(), loop) - polling_->loops().begin());
    return (isFirm ? PollIsFirm : 0) | (own && takes(*own) ? PollTakes : 0) | PollLoop * number;
  }

  /// MeetGivesNothing
  unsigned givesNothing(const Instruction &before) const {
    unsigned flags = 0;
    if (polling_)
      for (auto [number, loop] : enumerate(polling_->loops().take_front(MostPollLoops - 1)))
        flags |= polling_->mayAnswer(before, *loop) ? 0 : MeetGivesNothing << number;
    return flags;
  }

  /// Something is written by trying, in the loop, or around it where the loop looks.
  static bool takes(const Loop &loop) {
    SmallPtrSet<const Value *, 4> seen;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        if (mayTake(instruction))
          return true;
        if (isa<LoadInst>(instruction))
          seen.insert(addressOf(instruction));
      }
    for (const Loop *around = loop.getParentLoop(); around; around = around->getParentLoop())
      for (const BasicBlock *block : around->blocks())
        for (const Instruction &instruction : *block)
          if (mayTake(instruction) && seen.contains(addressOf(instruction)))
            return true;
    return false;
  }

  Compilation &kernel_;
  Function &function_;
  LoopFacts facts_;
  Recurrences recurrences_;
  LaneShapes lanes_;
  Objects objects_;
  const WarpWalk *walk_;
  PollingLanes *polling_;
  SmallPtrSet<const Loop *, 4> turns_;      ///< loops that poll
  SmallPtrSet<const Loop *, 4> polls_;      ///< ... and those around them
  SmallPtrSet<const BasicBlock *, 4> ends_; ///< of iterations in which lanes may part
  DenseMap<const BasicBlock *, Since> atEntry_;
  DenseMap<const Instruction *, unsigned> flags_;
};

} // namespace

PreservedAnalyses KeepLockstep::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  const Options &options = kernel.options;
  if (options.width >= WarpSize || options.threads() == 1 || thread.neighbours > 1 ||
      !(thread.polls || thread.countsOnWarps || thread.usesFibers))
    return PreservedAnalyses::all();
  Options ofWarp = options;
  ofWarp.width = WarpSize;
  WarpWalk walk(*thread.body, ofWarp);
  PollingLanes polling(thread, ofWarp, walk);
  unsigned place = 0;
  // Lanes in a function go before those that are behind its call.
  if (thread.usesFibers)
    for (Function &function : kernel.module)
      if (!function.isDeclaration() && &function != thread.body) {
        Meetings meetings(kernel, function, nullptr, nullptr);
        meetings.find();
        meetings.emit(place);
      }
  Meetings meetings(kernel, *thread.body, &walk, &polling);
  meetings.find();
  meetings.emit(place);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
