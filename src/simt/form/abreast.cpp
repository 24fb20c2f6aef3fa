// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs neighbouring blocks in turns.
//
// A block of a stencil in space holds a tile of 32x8 cells and walks up the planes. In each step it
// reads and writes eight rows of 128 bytes, and the next plane is far away. So hardware prefetchers
// see no stream, each page of memory is opened for two cache lines, and half of the writes combine
// badly. The neighbouring block will access the same pages after all of this one's steps.
//
//     block 0: step 0, step 1, step 2, ...   ->   step 0 of blocks 0 to 3, step 1 of blocks 0 to 3,
//     block 1: step 0, step 1, step 2, ...        step 2 of blocks 0 to 3, ...
//
// A GPU does this by itself, by running many blocks at a time. Here the runner takes some
// neighbours and runs each to its next barrier in turn. Each block is one program, so that one
// suspension per step is enough, and what it carries from step to step lies in its frame.
//
// Which kernels: those with a barrier loop that writes global memory and in which each address
// advances, per iteration, by a distance that is large, or constant but unknown (the size of a
// plane). Tiled matrix products are not among them: they write after the loop, and one of their
// tiles advances by neighbouring elements.
//
// Not for loops with the grid's stride and no barriers (each step is too short for a coroutine
// switch), nor for blocks of several programs (a switch at each barrier for each of them).
//
// Neighbours that together read 512 bytes of each row run together, eight at most. More would fill
// the first-level cache with their frames and tiles. A program that waits also has stores that
// bypass the caches (stream_stores.h), and the next step's lines are prefetched
// (prefetch_next_round.cpp); both are worth most here.
//
// Legality (blocks-abreast):
//  1. No loop waits for other blocks. (Else blocks may run in any order, and in turns.)
//     [no waiting]
#include "simt/form/abreast.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/pass_notes.h"
#include "simt/form/coarsen_warps.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LongRow = 512; ///< bytes that the blocks abreast read together
/// The cost of a thread against that in a warp. More than 1 by what a wide program carries from
/// step to step, which counts as spilled where registers are few; but here it goes through the
/// frame anyway.
constexpr double MostExpensive = 2.5;

class Walk {
public:
  Walk(const ThreadProgram &program, const Options &options, unsigned width)
      : thread_(*program.body), facts_(thread_), lanes_(thread_, facts_, {width, options.blockDim}),
        recurrences_(thread_, facts_) {}

  /// The barrier of a walking loop at which to halt, or null.
  CallInst *halt() {
    CallInst *found = nullptr;
    for (Instruction &instruction : instructions(thread_)) {
      auto *call = dyn_cast<CallInst>(&instruction);
      if (!call || callKind(*call) != CallKind::BlockBarrier)
        continue;
      const Loop *loop = facts_.loops.getLoopFor(call->getParent());
      if (!loop) // what is done once
        continue;
      bool everyRound = loop->getLoopLatch() && call->getType()->isVoidTy() &&
                        facts_.dominators.dominates(call->getParent(), loop->getLoopLatch());
      if (!everyRound || (found && loop != facts_.loops.getLoopFor(found->getParent())))
        return nullptr; // no such simple walk
      found = call;
    }
    return found && walks(*facts_.loops.getLoopFor(found->getParent())) ? found : nullptr;
  }

  /// The bytes of a block's shortest row.
  unsigned row() const { return row_; }

private:
  bool walks(const Loop &loop) {
    bool writes = false;
    for (BasicBlock *block : loop.blocks())
      for (Instruction &instruction : *block) {
        Value *pointer = getLoadStorePointerOperand(&instruction);
        if (!pointer || !isGivenMemory(pointer) || loop.isLoopInvariant(pointer))
          continue;
        if (!isRow(instruction, *pointer) || !goesFar(*pointer, loop, recurrences_.evolution))
          return false;
        writes |= isa<StoreInst>(instruction);
      }
    return writes;
  }

  bool isRow(Instruction &access, const Value &pointer) {
    Shape shape = lanes_.shapes.of(&pointer);
    int64_t size = access.getDataLayout().getTypeStoreSize(getLoadStoreType(&access));
    if (shape.segment < FewestInSegment || shape.stride != size)
      return false;
    row_ = std::min<unsigned>(row_, shape.segment * size);
    return true;
  }

  Function &thread_;
  LoopFacts facts_;
  LaneShapes lanes_;
  Recurrences recurrences_;
  unsigned row_ = LongRow;
};

} // namespace

unsigned walkAbreast(const ThreadProgram &program, const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  unsigned width = std::max<unsigned>(WarpSize, PowerOf2Ceil(threads));
  if (threads <= 1 || width > MostFused || program.maySpin || !options.isOptimised() ||
      program.body->getInstructionCount() > LargestThread)
    return 0;
  Walk walk(program, options, width);
  CallInst *halt = walk.halt();
  unsigned count = std::min(LongRow / walk.row(), MostAbreast);
  if (!halt || count < 2)
    return 0;
  if (costOfThread(program, options, width) >
      MostExpensive * costOfThread(program, options, WarpSize))
    return 0;
  HaltsBlock.put(*halt);
  return count;
}

} // namespace heddle::simt
