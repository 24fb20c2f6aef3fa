// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that take turns.
//
// The textbook's loop over tiles waits twice a round: all threads must have stored before anybody
// loads, and all must have loaded before anybody stores the next tile. For a block of several
// programs each wait is a change of coroutines for each of them. Worse, between the second wait and
// the first there is nothing but loads from far away and stores, and between the first and the
// second nothing but arithmetic: the processor looks some hundred instructions ahead, so neither
// hides the other.
//
// With two copies of shared memory that take turns, the second wait is not needed: who is a round
// ahead stores where nobody reads any more, since all have passed the first wait of the round
// between. What is left is one wait a round, and behind it the products of this tile together with
// the loads of the next.
//
// When is it the same program? The old contents must not matter:
//
//  - All accesses to shared memory are in the loop, and the addresses of the stores are the same in
//    each round. They run before the first wait in each round, so what may be read at all has been
//    written in this round. (Other bytes are never written: reading them is undefined anyway.)
//  - All threads that enter the loop leave it together. One that left early would leave its part of
//    the last tile behind for the others.
//  - Nothing else in the loop writes memory. Where other memory is read behind the first wait, the
//    second one orders that too, against what is written behind the loop: it stays there. The loop
//    is in no other, whose next round would begin while some still read the last tile of this one.
//
// Rejected: to let programs run on to the first barrier of the next round by splitting phases in
// the runner, which does not know what they touch.
//
//     loop: store %tile; barrier;             loop: store %tile + %half; barrier;
//           load %tile; barrier         ->          load %tile + %half; %half = bytes - %half
//
// Not done: loops of kernels whose shared memory is not all filled and read in one loop that waits
// exactly twice.
//
// Legality (double-buffer-tiles):
//  1. All accesses to shared memory are in the loop, which is in no other one. [all in the loop]
//  2. Each store has the same address in all rounds. [same places]
//  3. Each round runs all stores, before the first barrier. [all stored]
//  4. The loads are between the first barrier and the second. [read between]
//  5. The threads of the block leave the loop together. [left together]
//  6. Nothing else in the loop writes memory. [writes in the loop]
//  7. Accesses to shared memory are neither volatile nor atomic. [plain accesses]
//  8. Where the loop reads other memory behind the first barrier, the second one stays behind the
//     loop. [reads behind]
#include "simt/tiles/double_buffer_tiles.h"

#include "simt/analysis/block_values.h"
#include "simt/analysis/memory_space.h"
#include "simt/tiles/tile_loop.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

class Alternation {
public:
  Alternation(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), facts_(thread_) {}

  void run() {
    if (program_.staticShared == 0 || program_.staticShared > LargestTiles ||
        program_.usesDynamicShared ||
        !findPlainAccesses(shared_, /*andAtomics=*/false, tiles_.accesses))
      return;
    if (findWaitingLoop(facts_, 2, tiles_) && storesAndLoads() && onlyLoadsBesides(tiles_) &&
        leftTogether())
      alternate();
  }

private:
  bool storesAndLoads() const;
  bool staysTheSame(Value *address) const;
  bool leftTogether() {
    LaneShapes block(thread_, facts_, wholeBlock(options_));
    return isLeftTogether(*tiles_.loop, block.shapes);
  }
  void alternate();

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  LoopFacts facts_;
  TileLoop tiles_;
};

/// Stores run each round before the first barrier, to the same places; loads between the barriers.
bool Alternation::storesAndLoads() const {
  return !tiles_.accesses.empty() && all_of(tiles_.accesses, [&](Instruction *access) {
    if (!tiles_.contains(*access))
      return false;
    if (isa<LoadInst>(access))
      return facts_.dominators.dominates(tiles_.filled, access) &&
             !facts_.dominators.dominates(tiles_.read, access);
    return facts_.dominators.dominates(access, tiles_.filled) &&
           staysTheSame(getLoadStorePointerOperand(access));
  });
}

/// From round to round.
bool Alternation::staysTheSame(Value *address) const {
  auto *step = dyn_cast<GetElementPtrInst>(address);
  if (!step || !tiles_.contains(*step))
    return tiles_.loop->isLoopInvariant(address);
  return staysTheSame(step->getPointerOperand()) &&
         all_of(step->indices(), [&](Value *index) { return tiles_.loop->isLoopInvariant(index); });
}

void Alternation::alternate() {
  unsigned bytes = alignTo(program_.staticShared, 128);
  BasicBlock *header = tiles_.loop->getHeader();
  IRBuilder<> builder(header, header->begin());
  PHINode *half = builder.CreatePHI(builder.getInt64Ty(), 2, "half");
  half->addIncoming(builder.getInt64(0), tiles_.loop->getLoopPreheader());
  builder.SetInsertPoint(tiles_.loop->getLoopLatch()->getTerminator());
  half->addIncoming(builder.CreateSub(builder.getInt64(bytes), half, "half.next"),
                    tiles_.loop->getLoopLatch());
  auto *base = GetElementPtrInst::Create(builder.getInt8Ty(), &shared_, half, "tiles",
                                         header->getFirstNonPHIIt());
  moveAccesses(tiles_.accesses, tiles_.loop->getBlocks(), shared_, *base);
  if (!loadsComeFirst(tiles_, facts_)) {
    SmallVector<BasicBlock *, 4> exits;
    tiles_.loop->getUniqueExitBlocks(exits);
    for (BasicBlock *exit : exits)
      tiles_.read->clone()->insertBefore(exit->getFirstInsertionPt());
  }
  tiles_.read->eraseFromParent();
  program_.staticShared += bytes;
}

} // namespace

void doubleBufferTiles(ThreadProgram &program, const Options &options) {
  Alternation(program, options).run();
}

} // namespace heddle::simt
