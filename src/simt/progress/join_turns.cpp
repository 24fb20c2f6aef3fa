// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp that takes its work from a queue ends its turn with something that one lane does, and the
// next turn begins with something that this lane does. LLVM threads the jump: this lane goes from
// the one to the other, the rest past both, so that one loop has become two.
//
//     while (true) {                         take: %t = atomic add %counter, 1; br ask
//       if (lane == 0)                       ask:  %i = phi [%t, take], [0, entry], [0, work]
//         i = atomicAdd(counter, 1);               %i.all = shuffle %i, 0
//       i = shfl(i, 0);                            br (%i.all < %n), work, exit
//       if (i >= n) break;                   work: ...; br (lane == 0), put, ask      inner turn
//       ...                                  put:  store ...; br take                 outer turn
//       if (lane == 0)
//         out[i] = ...;
//     }
//
// All lanes meet in the shuffle, and with the loops as they are a warp would hold lane 0 outside
// of the inner one. So the outer loop's head, up to the inner one, is copied to where its turn
// ends, and both turns end in one block:
//
//     work: ...; br (lane == 0), put, turn
//     put:  store ...; br take'
//     take': %t' = atomic add %counter, 1; br turn
//     turn: %i.next = phi [%t', take'], [0, work]; br ask
//
// It is the same program for each thread. Which lanes go together changes, so this is done only
// where a kernel would need threads without it (thread_form.h), for loops whose turns lanes end in
// different ways, and in which they meet in a warp operation.
#include "simt/progress/join_turns.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/progress/meeting_lanes.h"
#include "simt/progress/warp_walk.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LongestHead = 64; ///< instructions

using Blocks = SmallSetVector<BasicBlock *, 8>;

/// The blocks from the outer loop's head to the inner one's, through which all its turns go; empty
/// if there are others, or they cannot be copied.
Blocks headOf(const Loop &outer, const Loop &inner) {
  Blocks head;
  SmallVector<BasicBlock *, 8> work = {outer.getHeader()};
  unsigned size = 0;
  while (!work.empty()) {
    BasicBlock *block = work.pop_back_val();
    if (block == inner.getHeader() || !head.insert(block))
      continue;
    size += block->size();
    bool canCopy = none_of(*block, [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      return isa<AllocaInst>(instruction) ||
             (call && (call->cannotDuplicate() || call->isConvergent()));
    });
    bool isInside =
        outer.contains(block) && !inner.contains(block) && block != outer.getLoopLatch();
    if (!canCopy || !isInside || size > LongestHead)
      return {};
    append_range(work, successors(block));
  }
  return head;
}

/// Lanes leave the inner loop, for the rest of the outer one, in different turns.
bool lanesPart(const Loop &outer, const Loop &inner, const Shapes &shapes) {
  return any_of(inner.blocks(), [&](const BasicBlock *block) {
    return shapes.isDivergent(block) && any_of(successors(block), [&](const BasicBlock *next) {
             return !inner.contains(next) && outer.contains(next);
           });
  });
}

bool hasMeeting(const Loop &inner, const LoopInfo &loops) {
  return any_of(inner.blocks(), [&](const BasicBlock *block) {
    return loops.getLoopFor(block) == &inner && any_of(*block, [](const Instruction &instruction) {
             const auto *call = dyn_cast<CallInst>(&instruction);
             return call && hasMemberMask(*call);
           });
  });
}

/// A copy of the outer loop's head, which its turns go on at. The first turn begins in the head.
Blocks copyHead(const Loop &outer, const Loop &inner, const Blocks &head) {
  BasicBlock *first = outer.getHeader(), *latch = outer.getLoopLatch(), *next = inner.getHeader();
  ValueToValueMapTy map;
  Blocks copies;
  for (BasicBlock *block : head) {
    BasicBlock *copy = CloneBasicBlock(block, map, ".turn", block->getParent());
    map[block] = copy;
    copies.insert(copy);
  }
  for (BasicBlock *copy : copies)
    for (Instruction &instruction : *copy)
      RemapInstruction(&instruction, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  for (PHINode &phi : first->phis()) { // the copy is entered from the last turn alone
    auto *copy = cast<PHINode>(map[&phi]);
    copy->removeIncomingValueIf([&](unsigned i) { return copy->getIncomingBlock(i) != latch; },
                                /*DeletePHIIfEmpty=*/false);
    copy->setIncomingValueForBlock(latch, phi.getIncomingValueForBlock(latch));
  }
  for (BasicBlock *block : head)
    if (is_contained(successors(block), next))
      for (PHINode &phi : next->phis()) {
        Value *value = phi.getIncomingValueForBlock(block), *copied = map.lookup(value);
        phi.addIncoming(copied ? copied : value, cast<BasicBlock>(map[block]));
      }
  latch->getTerminator()->replaceSuccessorWith(first, cast<BasicBlock>(map[first]));

  // What others use of the head is what the last turn has made.
  for (BasicBlock *block : head)
    for (Instruction &instruction : *block) {
      SmallVector<Use *, 8> outside;
      for (Use &use : instruction.uses()) {
        auto *user = cast<Instruction>(use.getUser());
        const auto *phi = dyn_cast<PHINode>(user);
        BasicBlock *at = phi ? phi->getIncomingBlock(use) : user->getParent();
        if (!head.contains(at) && !copies.contains(at))
          outside.push_back(&use);
      }
      if (outside.empty())
        continue;
      SSAUpdater updater;
      updater.Initialize(instruction.getType(), instruction.getName());
      updater.AddAvailableValue(block, &instruction);
      updater.AddAvailableValue(cast<BasicBlock>(map[block]), map[&instruction]);
      for (Use *use : outside)
        updater.RewriteUse(*use);
    }
  for (PHINode &phi : make_early_inc_range(first->phis()))
    phi.removeIncomingValue(latch);
  return copies;
}

bool joinOnce(Function &function, const Options &options) {
  LoopFacts facts(function);
  LaneShapes lanes(function, facts, {WarpWalk::widthFor(options), options.blockDim});
  for (Loop *inner : facts.loops.getLoopsInPreorder()) {
    Loop *outer = inner->getParentLoop();
    if (!outer || !outer->getLoopLatch() || !inner->getLoopLatch() ||
        !hasMeeting(*inner, facts.loops) || !lanesPart(*outer, *inner, lanes.shapes))
      continue;
    Blocks head = headOf(*outer, *inner);
    if (head.empty())
      continue;
    BasicBlock *next = inner->getHeader();
    SmallVector<BasicBlock *, 4> ends = {inner->getLoopLatch()};
    for (BasicBlock *copy : copyHead(*outer, *inner, head))
      if (is_contained(successors(copy), next))
        ends.push_back(copy);
    SplitBlockPredecessors(next, ends, ".turn");
    return true;
  }
  return false;
}

} // namespace

bool joinTurns(Function &function, const Options &options) {
  bool changed = false;
  while (joinOnce(function, options))
    changed = true;
  return changed;
}

} // namespace heddle::simt
