// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A warp goes round a loop until no lane is left in it. What a lane does behind the loop waits for
// that, also if others poll for it:
//
//     for (;;) {                               for (;;) {
//       while ((v = state[--block]) == 0)        while ((v = state[--block]) == 0)
//         ;                                        ;
//       sum += v & Value;                        sum += v & Value;
//       if (v & Total)                ->         left = v & Total;
//         break;                                 if (left)
//     }                                            own = Total | sum;
//     own = Total | sum;                         if (left)
//     __syncthreads();                             break;
//                                              }
//                                              __syncthreads();
//
// No thread does anything else than before; only the lanes of a warp that leave first do it before
// the others go on. This is done where the first form would need threads (thread_form.h), as the
// look-back of a sort does, whose lanes each wait for a digit of other blocks.
//
// The block behind the loop must be the only one that lanes leave to, and hold nothing that waits.
// Nor may it look at what other lanes write there, since all lanes may count on going through it
// together (`s[t] += s[t + 16]`); unless one lane goes through it at a time, up to where it gives
// back a lock that it has taken. Its values are those of the loop's last turn, and poison in the
// others, in which nobody uses them.
#include "simt/progress/exits_in_turn.h"

#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/objects.h"
#include "simt/lower/lower_device.h"
#include "simt/progress/polling_lanes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool polls(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      const auto *call = dyn_cast<CallInst>(&instruction);
      return call && callKind(*call) == CallKind::Yield;
    });
  });
}

/// (A volatile load may write, says LLVM.)
bool writes(const Instruction &instruction) {
  return instruction.mayWriteToMemory() && !isa<LoadInst>(instruction);
}

/// Where the block last gives back what lanes have taken as they left the loop, one at a time.
Instruction *givesBack(BasicBlock &block, const Loop &loop) {
  SmallPtrSet<const Value *, 4> tried;
  for (const BasicBlock *inside : loop.blocks())
    for (const Instruction &instruction : *inside)
      if (mayTake(instruction))
        tried.insert(addressOfScalarAccess(instruction));
  tried.erase(nullptr);
  for (Instruction &instruction : reverse(block))
    if (writes(instruction) && tried.contains(addressOfScalarAccess(instruction)))
      return &instruction;
  return nullptr;
}

/// Others may see or change what is there: it is volatile, atomic or shared.
bool isWatched(const Instruction &access, const Value *address) {
  return access.isVolatile() || access.isAtomic() ||
         getUnderlyingObject(address) == access.getFunction()->getArg(ParamShared);
}

/// Lanes that leave together may count on it, as in a sum without __syncwarp: they load what others
/// store, in the loop or in the block before or behind that, by another address of an object that
/// may be the same one.
bool looksAtOthers(const BasicBlock &block, const Loop &loop, ThreadProgram &program,
                   const Options &options) {
  SmallPtrSet<const Value *, 8> stored;
  auto noteStore = [&](const Instruction &instruction) {
    const Value *address = addressOfScalarAccess(instruction);
    if (address && writes(instruction) && isWatched(instruction, address))
      stored.insert(address);
  };
  for (const BasicBlock *inside : loop.blocks())
    for_each(*inside, noteStore);
  for_each(block, noteStore);
  Objects objects(*program.body, options);
  auto mayBeAt = [&](const Value *from, const Value *to) {
    bool areApart = to != from && objects.areApart(to, from);
    program.trustsObjects |= areApart;
    return to != from && !areApart;
  };
  return any_of(block, [&](const Instruction &instruction) {
    const Value *from = addressOfScalarAccess(instruction);
    return from && instruction.mayReadFromMemory() && isWatched(instruction, from) &&
           any_of(stored, [&](const Value *to) { return mayBeAt(from, to); });
  });
}

/// Lanes may count on each other behind the instruction, where they are together again.
bool countOnEachOtherBehind(const Instruction &given) {
  for (const Instruction *next = given.getNextNode(); next; next = next->getNextNode())
    if (const Value *address = addressOfScalarAccess(*next); address && isWatched(*next, address))
      return true;
  return false;
}

/// Memory is written, and nothing is called, so nobody is waited for.
bool onlyStores(BasicBlock &block, const Loop &loop, ThreadProgram &program,
                const Options &options) {
  bool stores = false;
  for (const Instruction &instruction : block) {
    if (isa<CallBase>(instruction) && !isa<DbgInfoIntrinsic>(instruction))
      return false;
    stores |= instruction.mayWriteToMemory();
  }
  return stores && (givesBack(block, loop) || !looksAtOthers(block, loop, program, options));
}

/// The block that all lanes leave the loop to, if it can be taken into a turn.
BasicBlock *exitOf(const Loop &loop, ThreadProgram &program, const Options &options) {
  BasicBlock *exit = loop.getUniqueExitBlock();
  if (!exit || !loop.getLoopLatch() || !onlyStores(*exit, loop, program, options) ||
      !all_of(predecessors(exit), [&](BasicBlock *before) { return loop.contains(before); }))
    return nullptr;
  return exit;
}

/// Uses of `value` outside of its block get it through the block at which lanes leave.
void passThrough(Instruction &value, BasicBlock &from, BasicBlock &leave) {
  SmallVector<Use *, 4> uses;
  for (Use &use : value.uses()) {
    const auto *user = cast<Instruction>(use.getUser());
    if (user->getParent() != &from)
      uses.push_back(&use);
  }
  if (uses.empty())
    return;
  auto *phi = PHINode::Create(value.getType(), 2, value.getName() + ".left", leave.begin());
  for (BasicBlock *before : predecessors(&leave))
    phi->addIncoming(
        before == &from ? static_cast<Value *>(&value) : PoisonValue::get(value.getType()), before);
  for (Use *use : uses)
    use->set(phi);
}

/// Of a value that the latch has.
bool isKnownAt(const Value *value, const BasicBlock &block, const DominatorTree &dominators) {
  const auto *instruction = dyn_cast<Instruction>(value);
  return !instruction || dominators.dominates(instruction->getParent(), &block);
}

/// `exit` goes to the new last block of a turn, where lanes that come from it leave.
void takeIn(Loop &loop, BasicBlock &exit, const DominatorTree &dominators) {
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!exit.getSingleSuccessor())
    exit.splitBasicBlock(exit.getTerminator(), exit.getName() + ".behind");
  BasicBlock *behind = exit.getSingleSuccessor();
  BasicBlock *leave =
      BasicBlock::Create(header->getContext(), "leave", header->getParent(), behind);
  latch->getTerminator()->replaceSuccessorWith(header, leave);
  exit.getTerminator()->replaceSuccessorWith(behind, leave);
  IRBuilder<> builder(leave);
  builder.SetCurrentDebugLocation(latch->getTerminator()->getDebugLoc());
  PHINode *left = builder.CreatePHI(builder.getInt1Ty(), 2, "left");
  left->addIncoming(builder.getTrue(), &exit);
  left->addIncoming(builder.getFalse(), latch);
  builder.CreateCondBr(left, behind, header);

  for (PHINode &phi : behind->phis())
    phi.replaceIncomingBlockWith(&exit, leave);
  for (Instruction &instruction : exit)
    passThrough(instruction, exit, *leave);
  // What the next turn takes over comes through the new block, too.
  for (PHINode &phi : header->phis()) {
    int index = phi.getBasicBlockIndex(latch);
    Value *value = phi.getIncomingValue(index);
    phi.setIncomingBlock(index, leave);
    if (isKnownAt(value, exit, dominators)) // and as uniform as it is
      continue;
    auto *next = PHINode::Create(phi.getType(), 2, phi.getName() + ".next", leave->begin());
    next->addIncoming(PoisonValue::get(phi.getType()), &exit);
    next->addIncoming(value, latch);
    phi.setIncomingValue(index, next);
  }
}

bool takeOne(ThreadProgram &program, const Options &options) {
  LoopFacts facts(*program.body);
  for (Loop *loop : facts.loops.getLoopsInPreorder())
    if (polls(*loop))
      if (BasicBlock *exit = exitOf(*loop, program, options)) {
        if (Instruction *given = givesBack(*exit, *loop); given && countOnEachOtherBehind(*given))
          exit->splitBasicBlock(given->getNextNode(), exit->getName() + ".behind");
        takeIn(*loop, *exit, facts.dominators);
        return true;
      }
  return false;
}

} // namespace

bool takeExitsIntoTurn(ThreadProgram &program, const Options &options) {
  bool changed = false;
  while (takeOne(program, options))
    changed = true;
  if (!changed)
    return false;
  LoopFacts facts(*program.body);
  for (Loop *loop : facts.loops) {
    simplifyLoop(loop, &facts.dominators, &facts.loops, nullptr, nullptr, nullptr, false);
    formLCSSARecursively(*loop, facts.dominators, &facts.loops, nullptr);
  }
  return true;
}

} // namespace heddle::simt
