// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What lanes that poll may see of those that are held.
//
// A warp program goes round a loop until no lane is left in it. Meanwhile the other lanes are held
// at the blocks where they wait for these (pending.h). If a lane polls for something that a held
// one would do, it polls for ever:
//
//     while (atomicCAS(lock, 0, 1) != 0)       while (!ready[lane - 1])
//       ;                                        ;
//     ...                                      ...
//     atomicExch(lock, 0);                     ready[lane] = 1;
//
// So from each block at which lanes may be held while a loop polls we follow all ways to the end of
// the kernel, or to where the lane would have to wait for those that poll in any case: a barrier of
// the block or the grid, a warp operation that names all lanes. If there is nothing on the way that
// a loop that polls could see, the warp program is right:
//
//     if (threadIdx.x == 0)                    while (!done) {                 // one lane a turn
//       while (atomicAdd(count, 0) < n)          if (atomicCAS(lock, 0, 1) == 0) {
//         ;                                        ...; atomicExch(lock, 0); done = true;
//     __syncthreads();                           }
//                                              }
//
// What other warps and blocks do is no matter: a loop that polls lets them go on at each turn. What
// a held lane writes may also be what a thread of another warp polls for, which then writes what
// ours polls for; so all addresses count that any loop of the kernel polls.
//
// If one lane of a warp may poll, by its number, it is not held, and where only that lane may come we
// do not follow: `if (lane == 0) lock(); ...; if (lane == 0) unlock();`.
//
// A warp operation waits for those that poll, too, if its mask names all lanes that are in a loop
// around both: the mask was all lanes before the first turn, and is since a ballot by the last
// one's of those that stay (`mask = __ballot_sync(mask, stays)`). What lanes do as they leave a
// loop can be taken into it (exits_in_turn.h).
//
// Where lanes are programs of their own, those that have come past a loop wait for those in it
// (keep_lockstep.h), but not for long if these may wait for them in turn. Who has a lock gives it
// back further down (mayAnswer). Who has not would have to take it before, in the loop, in a copy of
// it, or at the same address. That is a guess, for speed: nobody waits without a limit.
#include "simt/progress/polling_lanes.h"

#include "simt/analysis/intrinsics.h"
#include "simt/progress/meeting_lanes.h"
#include "simt/progress/operations_ahead.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// All threads of the block, or of the warp, wait for each other there.
bool waitsForAll(const CallInst &call) { return isBarrierOfAll(call) || namesWholeWarp(call); }

/// What an instruction writes for other threads to see: an address, the instruction itself if that
/// may be anything, or null.
const Value *writtenBy(const Instruction &instruction) {
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getPointerOperand();
  if (const auto *rmw = dyn_cast<AtomicRMWInst>(&instruction))
    return rmw->getPointerOperand();
  if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return swap->getPointerOperand();
  const auto *call = dyn_cast<CallInst>(&instruction);
  if (!call)
    return nullptr;
  switch (callKind(*call)) {
  case CallKind::Memory:
    return cast<MemIntrinsic>(call)->getDest();
  case CallKind::StorePair:
  case CallKind::MbarrierChange:
    return call->getArgOperand(0);
  case CallKind::Cas128:
  case CallKind::LoadPair:
  case CallKind::DeviceCall:
  case CallKind::TensorCopy:
  case CallKind::Device:
  case CallKind::Indirect:
    return &instruction;
  default:
    return nullptr;
  }
}

/// Lanes that go on to the loop's next turn are those for which `stays` holds.
bool goesOnIf(const Loop &loop, const Value *stays) {
  const BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!latch)
    return false;
  for (unsigned steps = 0; steps < 4; ++steps) {
    const auto *branch = dyn_cast<BranchInst>(latch->getTerminator());
    if (branch && branch->isConditional()) {
      if (branch->getCondition() == stays && branch->getSuccessor(0) == header)
        return true;
      // `leave`, of exits_in_turn.h: those come from elsewhere that do not go on
      const auto *left = dyn_cast<PHINode>(branch->getCondition());
      if (!left || left->getParent() != latch || branch->getSuccessor(1) != header)
        return false;
      const BasicBlock *staying = nullptr;
      for (unsigned i = 0; i < left->getNumIncomingValues(); ++i)
        if (!match(left->getIncomingValue(i), m_One()))
          staying = staying ? latch : left->getIncomingBlock(i);
      if (!staying || staying == latch)
        return false;
      header = latch;
      latch = staying;
    } else {
      header = latch;
      latch = latch->getSinglePredecessor();
      if (!latch)
        return false;
    }
  }
  return false;
}

/// The value that the loop's next turn has for the phi, seen through blocks before the header.
const Value *nextOf(const PHINode &phi, const Loop &loop) {
  const Value *next = phi.getIncomingValueForBlock(loop.getLoopLatch());
  if (const auto *through = dyn_cast<PHINode>(next);
      through && through->getParent() == loop.getLoopLatch())
    for (const Value *value : through->incoming_values())
      if (!isa<PoisonValue>(value))
        next = next == through || next == value ? value : nullptr;
  return next;
}

/// The mask names all lanes that are in the loop, in each turn.
bool namesLanesOf(const Loop &loop, const CallInst &call) {
  const auto *mask = hasMemberMask(call) ? dyn_cast<PHINode>(memberMask(call)) : nullptr;
  if (!mask || mask->getParent() != loop.getHeader() || !loop.getLoopLatch() ||
      !loop.getLoopPreheader() ||
      !match(mask->getIncomingValueForBlock(loop.getLoopPreheader()), m_AllOnes()))
    return false;
  const auto *ballot = dyn_cast_or_null<IntrinsicInst>(nextOf(*mask, loop));
  return ballot && ballot->getIntrinsicID() == Intrinsic::nvvm_vote_ballot_sync &&
         ballot->getArgOperand(0) == mask && goesOnIf(loop, ballot->getArgOperand(1));
}

/// The call waits for lanes that poll in `loop`.
bool waitsForLanesIn(const Loop &loop, const CallInst &call) {
  for (const Loop *around = loop.getParentLoop(); around; around = around->getParentLoop())
    if (around->contains(&call) && namesLanesOf(*around, call))
      return true;
  return false;
}

const Value *readOrWrittenBy(const Instruction &instruction) {
  if (const Value *pointer = getLoadStorePointerOperand(&instruction))
    return pointer;
  return writtenBy(instruction);
}

SmallVector<const Value *, 8> readIn(const Loop &loop) {
  SmallVector<const Value *, 8> addresses;
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (instruction.mayReadFromMemory() && readOrWrittenBy(instruction))
        addresses.push_back(readOrWrittenBy(instruction));
  return addresses;
}

/// Where the kernel was given a pointer: a place among its parameters, the shared memory, or null.
const Value *givenAt(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer);
  const auto *load = dyn_cast<LoadInst>(object);
  if (!load)
    return isa<Argument>(object) ? object : nullptr;
  const auto *params = dyn_cast<LoadInst>(getUnderlyingObject(load->getPointerOperand()));
  return params && isa<Argument>(params->getPointerOperand()) ? load->getPointerOperand() : nullptr;
}

bool areGivenApart(const Value *one, const Value *other) {
  const Value *at = givenAt(one), *with = givenAt(other);
  return at && with && at != with;
}

} // namespace

bool isYield(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  return call && callKind(*call) == CallKind::Yield;
}

bool mayTake(const Instruction &instruction) {
  const auto *operation = dyn_cast<AtomicRMWInst>(&instruction);
  if (operation) // but not atomicAdd(p, 0)
    return operation->getOperation() == AtomicRMWInst::Xchg ||
           !match(operation->getValOperand(), m_Zero());
  const auto *call = dyn_cast<CallInst>(&instruction);
  return isa<AtomicCmpXchgInst>(instruction) || (call && callKind(*call) == CallKind::Cas128);
}

PollingLanes::PollingLanes(ThreadProgram &program, const Options &options, const WarpWalk &walk)
    : program_(program), objects_(*program.body, options), walk_(walk) {
  for (const Instruction &instruction : instructions(*program.body))
    if (isYield(instruction))
      if (const Loop *loop = walk.loops.getLoopFor(instruction.getParent()))
        loops_.insert(loop);
  for (const Loop *loop : loops_)
    append_range(polled_, readIn(*loop));
}

bool PollingLanes::waitForHeldOnes() {
  return any_of(loops_, [&](const Loop *loop) { return waitForHeldOnes(*loop); });
}

bool PollingLanes::waitForHeldOnes(const Loop &loop) {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return any_of(walk_.pending.at(walk_.walkOrder.index(block)).set_bits(), [&](unsigned held) {
      const BasicBlock *place = walk_.walkOrder.blocks[held];
      return !loop.contains(place) && mayBeSeenFrom(*place, loop);
    });
  });
}

/// A lane that goes on from the beginning of the block does something that a poll may see, before
/// it would have to wait.
bool PollingLanes::mayBeSeenFrom(const BasicBlock &from, const Loop &loop) {
  if (auto known = seenFrom_.find({&from, &loop}); known != seenFrom_.end())
    return known->second;
  SmallPtrSet<const BasicBlock *, 16> seen = {&from};
  SmallVector<const BasicBlock *, 16> work = {&from};
  bool found = false;
  while (!work.empty() && !found) {
    const BasicBlock *block = work.pop_back_val();
    bool waits = false;
    for (const Instruction &instruction : *block) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      waits = call && (waitsForAll(*call) || waitsForLanesIn(loop, *call));
      found = !waits && mayBeSeen(instruction);
      if (waits || found)
        break;
    }
    if (!waits)
      for (const BasicBlock *next : successors(block))
        if (!walk_.isForSameLane(loop.getHeader(), next) && seen.insert(next).second)
          work.push_back(next);
  }
  return seenFrom_[{&from, &loop}] = found;
}

bool PollingLanes::mayBeSeen(const Instruction &instruction) {
  const Value *written = writtenBy(instruction);
  if (!written || isa<AllocaInst>(getUnderlyingObject(written)))
    return false;
  if (written == &instruction)
    return true;
  for (const Value *polled : polled_)
    if (!objects_.areApart(written, polled))
      return true;
  program_.trustsObjects = true;
  return false;
}

/// It takes a lock, where one that gives it back has no use for what was there.
bool PollingLanes::triesToTake(const Instruction &instruction) const {
  return mayTake(instruction) && !instruction.use_empty() &&
         any_of(loops_, [&](const Loop *loop) { return loop->contains(&instruction); });
}

/// Two operations are the same one, or copies of it, or at the same address.
static bool doTheSame(const Instruction &one, const Instruction &other) {
  const Value *address = readOrWrittenBy(one);
  return (address && address == readOrWrittenBy(other)) ||
         (one.getDebugLoc() && one.getDebugLoc() == other.getDebugLoc());
}

/// The instruction takes what lanes in the loop try to take, so who comes there does not have it.
bool PollingLanes::takesTheSame(const Instruction &instruction, const Loop &loop) const {
  return any_of(loop.blocks(), [&](const BasicBlock *block) {
    return any_of(*block, [&](const Instruction &inside) {
      return triesToTake(inside) && doTheSame(inside, instruction);
    });
  });
}

bool PollingLanes::mayAnswer(const Instruction &from, const Loop &loop) {
  SmallVector<const Value *, 8> polled = readIn(loop);
  SmallPtrSet<const BasicBlock *, 16> seen = {loop.getHeader()};
  SmallVector<BasicBlock::const_iterator, 16> work = {from.getIterator()};
  while (!work.empty()) {
    BasicBlock::const_iterator next = work.pop_back_val();
    const BasicBlock *block = next->getParent();
    bool waits = false;
    for (; next != block->end() && !waits; ++next) {
      const auto *call = dyn_cast<CallInst>(&*next);
      bool takes = triesToTake(*next);
      waits = (call && waitsForAll(*call)) || (takes && takesTheSame(*next, loop));
      const Value *written = waits || takes ? nullptr : writtenBy(*next);
      if (written &&
          any_of(polled, [&](const Value *address) { return !areGivenApart(written, address); }))
        return true;
    }
    if (!waits)
      for (const BasicBlock *after : successors(block))
        if (!walk_.isForSameLane(loop.getHeader(), after) && seen.insert(after).second)
          work.push_back(after->begin());
  }
  return false;
}

} // namespace heddle::simt
