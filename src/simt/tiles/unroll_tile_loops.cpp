// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two rounds at once.
//
// A kernel that computes a large tile of a product keeps many sums a thread in registers, of which
// a GPU has plenty. Here a program has them in its frame: at each barrier all programs of the block
// save theirs and load them again, 64 KB for a tile of 128x128, which the nearest cache does not
// hold. What is done with them in between is as deep as a slice in shared memory is, and GPUs have
// little of that: eight products a sum, mostly. A slice twice as deep halves the way of the sums.
//
// So two rounds are done with one barrier (a copy of the loop; the loop does the last round if
// their number is odd, split_loop.h):
//
//     store tile 0; barrier; fetch; products 0     (a) store tile 0; fetch; store tile 1; barrier;
//     store tile 1; barrier; fetch; products 1  ->     fetch; products 0; products 1
//                                                  (b) the same with tiles 2 and 3
//
// What a round computes from the tiles goes behind the second round's barrier; what the second
// round stores, and its branches, stays before it with all that it is computed from. Tiles of two
// turns that follow each other lie apart: who is a turn ahead stores where nobody reads any more,
// since all have come to the barrier of the turn between. That is why one barrier is enough.
//
// When is it the same program?
//
//  - What is loaded from shared memory was stored before the barrier of the same round
//    (tile_copies.h), by stores that each thread runs. So the tiles of no other round are needed.
//  - Nothing else in the loop writes memory. Behind the loop somebody may write what others still
//    load in their last turn: if it is not known to lie elsewhere, a barrier stays in between.
//
// Not with AVX2, whose products take as long as the way to the frame, nor where 16 products a sum
// lie between two barriers. Compilation takes longer.
//
// Legality (unroll-tile-loops):
//  1. The threads of the block leave the loop together, at the end of a round. [left together]
//  2. Whether another round follows is known in front of it. [end known]
//  3. Nothing in the loop but the stores to the tiles writes memory. [writes in the loop]
//  4. What a round stores does not depend on what the round before has loaded from its tiles.
//     [stores depend]
//  5. What is loaded from the tiles was stored in the same round, by stores that all threads run.
//     [same round]
//  6. Where something behind the loop may write what others still load, a barrier stays there.
//     [writes behind]
#include "simt/tiles/unroll_tile_loops.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/objects.h"
#include "simt/tiles/block_conditions.h"
#include "simt/tiles/split_loop.h"
#include "simt/tiles/tile_copies.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostMoved = 1500; ///< instructions of a round

class RoundPairs {
public:
  RoundPairs(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), shared_(*thread_.getArg(ParamShared)),
        options_(options), facts_(thread_), recurrences_(thread_, facts_),
        block_(thread_, facts_, options), all_(thread_, tiles_, facts_, recurrences_, block_) {}

  bool run() {
    if (!findPlainAccesses(shared_, /*andAtomics=*/false, tiles_.accesses) ||
        !findWaitingLoop(facts_, 1, tiles_) || !isTileLoop() || !all_.find() || !findProducts() ||
        !isWorthIt())
      return false;
    BasicBlock *before = tiles_.loop->getLoopPreheader();
    IRBuilder<> builder(before->getTerminator());
    RoundValues round(*tiles_.loop, builder,
                      [&](PHINode &phi) { return phi.getIncomingValueForBlock(before); });
    Value *more = goesOn(round);
    if (more)
      pair(*more);
    return more;
  }

private:
  bool isTileLoop();
  bool findProducts();
  bool isWorthIt() const;
  bool mayWriteRead();
  Value *goesOn(RoundValues &) const;
  void pair(Value &more);
  void moveTo(Value &offset, ArrayRef<BasicBlock *> loop, BasicBlock::iterator place,
              ValueToValueMapTy *copies);
  void joinProducts(SplitLoop &, ValueToValueMapTy &first);

  ThreadProgram &program_;
  Function &thread_;
  Argument &shared_;
  const Options &options_;
  LoopFacts facts_;
  Recurrences recurrences_;
  BlockValues block_;
  TileLoop tiles_;
  TileCopies all_;
  BasicBlock *products_ = nullptr;        ///< the latch: all that is computed from the tiles
  SmallVector<Instruction *, 64> moving_; ///< of it, what goes behind the next round's barrier
};

/// All threads of the block go through all rounds together, and nothing in it writes memory.
bool RoundPairs::isTileLoop() {
  Loop &loop = *tiles_.loop;
  products_ = loop.getLoopLatch();
  return loop.getLoopPreheader() && loop.getExitingBlock() == products_ &&
         loop.getUniqueExitBlock() && loop.isInnermost() && onlyLoadsBesides(tiles_) &&
         isLeftTogether(loop, block_.shapes) && isa<BranchInst>(products_->getTerminator()) &&
         loop.isLCSSAForm(facts_.dominators) && all_of(tiles_.accesses, [&](Instruction *access) {
           return isa<LoadInst>(access) ? access->getParent() == products_
                                        : tiles_.contains(*access);
         });
}

/// What of the latch the next round needs before its barrier stays, with what it is computed from.
bool RoundPairs::findProducts() {
  Loop &loop = *tiles_.loop;
  SmallPtrSet<Value *, 32> stays;
  SmallVector<Value *, 64> needed;
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (!isa<PHINode>(instruction) && (block != products_ || instruction.isTerminator() ||
                                         !facts_.dominators.dominates(tiles_.filled, &instruction)))
        needed.push_back(&instruction);
  while (!needed.empty()) {
    auto *instruction = dyn_cast<Instruction>(needed.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !stays.insert(instruction).second)
      continue;
    if (auto *phi = dyn_cast<PHINode>(instruction))
      append_range(needed, phi->incoming_values());
    else
      append_range(needed, instruction->operand_values());
  }
  for (Instruction &instruction : *products_)
    if (!stays.contains(&instruction) && !isa<PHINode>(instruction) &&
        facts_.dominators.dominates(tiles_.filled, &instruction) && &instruction != tiles_.filled)
      moving_.push_back(&instruction);
  return all_of(tiles_.accesses, [&](Instruction *access) {
    return isa<StoreInst>(access) || !stays.contains(access);
  });
}

/// The sums are more than the registers, and a round does little for each: a register goes to the
/// second cache and back in the time of a product for each eight bytes.
bool RoundPairs::isWorthIt() const {
  auto [bits, count] = options_.registers;
  unsigned sums = 0, sumBits = 0, products = 0;
  for (const PHINode &phi : tiles_.loop->getHeader()->phis())
    if (phi.getType()->isFloatingPointTy() && !block_.shapes.isUniform(&phi) &&
        is_contained(moving_, phi.getIncomingValueForBlock(products_))) {
      ++sums;
      sumBits += phi.getType()->getScalarSizeInBits() * options_.width;
    }
  for (const Instruction *instruction : moving_)
    products += instruction->getType()->isFloatingPointTy() && !isa<LoadInst>(instruction);
  return sumBits > bits * count && products <= sums * (bits / 64) && moving_.size() <= MostMoved;
}

/// Behind the loop, where other threads may still be in their last turn.
bool RoundPairs::mayWriteRead() {
  auto *first = dyn_cast<CallInst>(&*tiles_.loop->getUniqueExitBlock()->getFirstNonPHIIt());
  if (first && callKind(*first) == CallKind::BlockBarrier && isPlainBarrier(*first))
    return false;
  SmallVector<LoadInst *, 16> loads;
  for (Instruction *instruction : moving_)
    if (auto *load = dyn_cast<LoadInst>(instruction); load && !is_contained(tiles_.accesses, load))
      loads.push_back(load);
  Objects objects(thread_, options_);
  for (Instruction &writer : instructions(thread_)) {
    auto *call = dyn_cast<CallInst>(&writer);
    auto *store = dyn_cast<StoreInst>(&writer);
    if (loads.empty() || tiles_.contains(writer) || !writer.mayWriteToMemory() ||
        (call && onlyComputes(*call)))
      continue;
    if (!store || !store->isSimple() || !all_of(loads, [&](LoadInst *load) {
          return objects.areApart(store->getPointerOperand(), load->getPointerOperand());
        }))
      return true;
    program_.trustsObjects = true;
  }
  return false;
}

/// Of the front loop's two rounds: the first one's barrier goes, and its products go behind the
/// second one's.
void RoundPairs::joinProducts(SplitLoop &front, ValueToValueMapTy &first) {
  auto *behind = cast<BasicBlock>(&*front.map[products_]);
  BasicBlock::iterator place = behind->getFirstNonPHIIt();
  if (behind == cast<Instruction>(&*front.map[tiles_.filled])->getParent())
    place = std::next(cast<Instruction>(&*front.map[tiles_.filled])->getIterator());
  for (Instruction *instruction : moving_)
    cast<Instruction>(&*first[instruction])->moveBefore(*behind, place);
  cast<Instruction>(&*first[tiles_.filled])->eraseFromParent();
}

/// Those of one round to tiles at `offset` from their own.
void RoundPairs::moveTo(Value &offset, ArrayRef<BasicBlock *> loop, BasicBlock::iterator place,
                        ValueToValueMapTy *copies) {
  auto *base = GetElementPtrInst::Create(Type::getInt8Ty(thread_.getContext()), &shared_, &offset,
                                         "tiles", place);
  SmallVector<Instruction *, 16> accesses;
  for (Instruction *access : tiles_.accesses)
    accesses.push_back(copies ? cast<Instruction>(&*(*copies)[access]) : access);
  moveAccesses(accesses, loop, shared_, *base);
}

/// There is another behind this round; null if that is not known in front of it.
Value *RoundPairs::goesOn(RoundValues &round) const {
  auto *last = cast<BranchInst>(products_->getTerminator());
  Value *condition = round.of(*last->getCondition());
  return condition ? staysIf(*tiles_.loop, *condition, round.builder()) : nullptr;
}

/// `more`: a second round follows the first.
void RoundPairs::pair(Value &more) {
  Loop &loop = *tiles_.loop;
  std::vector<BasicBlock *> blocks = loop.getBlocksVector();
  uint64_t bytes = alignTo(program_.staticShared, 128);
  bool waits = mayWriteRead();
  SplitLoop front(loop, more);
  ValueToValueMapTy first;
  front.doubleRounds(first);

  // Behind the first round there is another.
  IRBuilder<> builder(thread_.getContext());
  auto *last = cast<BranchInst>(products_->getTerminator());
  if (Value *condition = first.lookup(last->getCondition()))
    condition->replaceAllUsesWith(builder.getInt1(last->getSuccessor(0) == loop.getHeader()));
  joinProducts(front, first);

  // The tiles of turns alternate.
  builder.SetInsertPoint(front.header, front.header->begin());
  PHINode *turn = builder.CreatePHI(builder.getInt64Ty(), 2, "turn");
  builder.SetInsertPoint(front.header, front.header->getFirstNonPHIIt());
  Value *second = builder.CreateAdd(turn, builder.getInt64(bytes), "turn.second");
  builder.SetInsertPoint(front.end());
  Value *next = builder.CreateSub(builder.getInt64(2 * bytes), turn, "turn.next");
  turn->addIncoming(builder.getInt64(0), front.enter);
  turn->addIncoming(next, front.latch);
  moveTo(*turn, front.blocks, front.header->getFirstNonPHIIt(), &first);
  moveTo(*second, front.blocks, std::next(cast<Instruction>(second)->getIterator()), &front.map);

  RoundValues behind(loop, builder, [&](PHINode &phi) { return front.valueAtEnd(phi); });
  Value *one = staysIf(loop, *front.end()->getCondition(), builder), *two = goesOn(behind);
  front.finish(*builder.CreateLogicalAnd(one, two), *one);

  // The loop's own round takes tiles that the last turn has not.
  auto *free = PHINode::Create(builder.getInt64Ty(), 2, "free", front.rest->begin());
  free->addIncoming(builder.getInt64(0), front.before);
  free->addIncoming(front.leave(*next), front.out);
  moveTo(*free, blocks, front.rest->getFirstNonPHIIt(), nullptr);
  if (waits)
    tiles_.filled->clone()->insertBefore(front.join->getFirstNonPHIIt());
  program_.staticShared = 4 * bytes;
}

} // namespace

bool unrollTileLoops(ThreadProgram &program, const Options &options) {
  if (program.staticShared == 0 || program.staticShared > LargestTiles || program.usesDynamicShared)
    return false;
  return RoundPairs(program, options).run();
}

} // namespace heddle::simt
