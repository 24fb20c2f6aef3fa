// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that never waits is called in a loop over blocks and warps, once with a mask of all
// lanes and, if the block's size is no multiple of the width, once more for the last warp with a
// constant mask. Both calls are inlined, so each becomes its own specialised copy: in the first no
// memory access is masked that the program itself does not mask. Where it pays, a row of blocks is
// run row of threads by row of threads (interchange_block_rows.h), or several blocks above each
// other are one call (columns.h), or neighbours of one thread each (coarsen_blocks.h).
#include "base/abi/kernel_abi.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/pass_notes.h"
#include "simt/entry/entry_builder.h"
#include "simt/shared/promote_shared.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

/// for (index = first; index < end; ++index) body(index), at least once; index is an i32.
void Entry::loop(Value *first, Value *end, const Twine &name,
                 function_ref<void(Value *index)> body) {
  BasicBlock *before = builder_.GetInsertBlock();
  Function *function = before->getParent();
  BasicBlock *head = BasicBlock::Create(context_, name, function);
  builder_.CreateBr(head);
  builder_.SetInsertPoint(head);
  PHINode *index = builder_.CreatePHI(builder_.getInt32Ty(), 2, name);
  index->addIncoming(first, before);
  body(index);
  Value *next = builder_.CreateAdd(index, builder_.getInt32(1), "", true, true);
  index->addIncoming(next, builder_.GetInsertBlock());
  BasicBlock *after = BasicBlock::Create(context_, name + ".done", function);
  builder_.CreateCondBr(builder_.CreateICmpULT(next, end), head, after);
  builder_.SetInsertPoint(after);
}

void Entry::runWarp(const BlockArguments &block, Value *warp, unsigned lanes) {
  callWarp({block.launch, block.state, block.shared, warp, block.x, block.y, block.z,
            this->lanes(lanes)});
}

/// All warps of one block.
void Entry::runBlock(const BlockArguments &block) {
  unsigned full = threads_ / options_.width, tail = threads_ % options_.width;
  if (full == 1)
    runWarp(block, builder_.getInt32(0), options_.width);
  else if (full > 1)
    loop(builder_.getInt32(0), builder_.getInt32(full), "warp",
         [&](Value *warp) { runWarp(block, warp, options_.width); });
  if (tail)
    runWarp(block, builder_.getInt32(full), tail);
}

/// Blocks x to `end` of a row, by rows of threads (interchange_block_rows.h).
void Entry::runRow(BlockArguments block, Value *end) {
  unsigned perRow = std::max(1u, options_.blockDim[0] / options_.width);
  unsigned rows = threads_ / options_.width / perRow;
  Value *first = block.x;
  loop(builder_.getInt32(0), builder_.getInt32(rows), "row", [&](Value *row) {
    loop(first, end, "x", [&](Value *x) {
      block.x = x;
      builder_.CreateStore(x, field(block.state, offsetof(Block, blockIdx)));
      if (perRow == 1)
        return runWarp(block, row, options_.width);
      Value *begin = builder_.CreateMul(row, builder_.getInt32(perRow), "", true, true);
      loop(begin, builder_.CreateAdd(begin, builder_.getInt32(perRow), "", true, true), "warp",
           [&](Value *warp) { runWarp(block, warp, options_.width); });
    });
  });
}

/// The address of the block's shared memory; marked where what it holds may become registers.
Value *Entry::sharedMemory(Value *block) {
  auto *shared = cast<LoadInst>(load(builder_.getPtrTy(), block, offsetof(Block, shared)));
  shared->setName("shared");
  if (warps() == 1 && options_.width >= 32 && options_.isOptimised()) // no other program reaches it
    SharedMemory.put(*shared);
  return shared;
}

/// The only warp of a block is always number 0, which the runner has stored. A store for each block
/// would take part of what a short block takes.
void Entry::dropMark(Function &body) {
  for (Instruction &instruction : make_early_inc_range(instructions(body))) {
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    APInt offset(64, 0);
    const Value *base = store->getPointerOperand()->stripAndAccumulateConstantOffsets(
        module_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
    if (base == body.getArg(ParamBlock) && offset == offsetof(Block, currentWarp))
      store->eraseFromParent();
  }
}

static bool hasLoops(Function &function) { return !LoopFacts(function).loops.empty(); }

/// Begins the loop of void runBlocks(launch, block, first, count) over `count` blocks. `start`
/// gives, as i32, the first one's index, the fastest dimension first.
Entry::Turns Entry::beginTurns(Function *function,
                               function_ref<std::array<Value *, 3>(Value *first)> start) {
  Value *state = function->getArg(1), *count = function->getArg(3);
  std::array<Value *, 3> first = start(function->getArg(2));
  Turns turns{function->getArg(0), state, sharedMemory(state)};
  BasicBlock *entry = builder_.GetInsertBlock();
  turns.head = BasicBlock::Create(context_, "block", function);
  turns.done = BasicBlock::Create(context_, "done", function);
  builder_.CreateCondBr(builder_.CreateIsNull(count), turns.done, turns.head);
  builder_.SetInsertPoint(turns.head);
  for (unsigned d : {0u, 1u, 2u}) {
    turns.index[d] = builder_.CreatePHI(builder_.getInt32Ty(), 2, Twine("xyz"[d]));
    turns.index[d]->addIncoming(first[d], entry);
  }
  turns.left = builder_.CreatePHI(builder_.getInt64Ty(), 2, "left");
  turns.left->addIncoming(count, entry);
  return turns;
}

/// What the next turn begins with, when it comes from the block that is being built.
void Entry::setNext(const Turns &turns, const std::array<Value *, 3> &index, Value *left) {
  for (unsigned d : {0u, 1u, 2u})
    turns.index[d]->addIncoming(index[d], builder_.GetInsertBlock());
  turns.left->addIncoming(left, builder_.GetInsertBlock());
}

Constant *Entry::endTurns(const Turns &turns) {
  builder_.SetInsertPoint(turns.done);
  builder_.CreateRetVoid();
  inlineWarps();
  return turns.done->getParent();
}

Function *Entry::createRunBlocks() {
  Type *pointer = builder_.getPtrTy(), *i64 = builder_.getInt64Ty();
  return create(RunBlocksName, FunctionType::get(builder_.getVoidTy(), {pointer, pointer, i64, i64},
                                                 /*isVarArg=*/false));
}

void Entry::storeIndex(const Turns &turns, unsigned dimension, Value *value) {
  builder_.CreateStore(value, field(turns.state, offsetof(Block, blockIdx) + 4 * dimension));
}

/// The dimension of the grid that is the `d`th fastest.
unsigned Entry::dimension(unsigned d) const { return thread_.goesByColumns && d < 2 ? 1 - d : d; }

/// From the first block on, x fastest, or y where the program goes by columns (columns.h). Each
/// turn runs a block, or what is left of a row of blocks. Where blocks are short the step to the
/// next one counts: only the index in the row changes, the others at the row's end.
Constant *Entry::buildRunBlocks() {
  Type *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = createRunBlocks();
  Value *launch = function->getArg(0), *grid[2], *wide[2];
  for (unsigned d : {0u, 1u}) {
    grid[d] = load(i32, launch, offsetof(Launch, gridDim) + 4 * dimension(d));
    wide[d] = builder_.CreateZExt(grid[d], i64);
  }
  Turns turns = beginTurns(function, [&](Value *first) {
    Value *row = builder_.CreateUDiv(first, wide[0]);
    return std::array{builder_.CreateTrunc(builder_.CreateURem(first, wide[0]), i32),
                      builder_.CreateTrunc(builder_.CreateURem(row, wide[1]), i32),
                      builder_.CreateTrunc(builder_.CreateUDiv(row, wide[1]), i32)};
  });
  auto *toTurns = cast<BranchInst>(turns.index[0]->getIncomingBlock(0)->getTerminator());
  builder_.SetInsertPoint(toTurns);
  for (unsigned d : {1u, 2u})
    storeIndex(turns, dimension(d), turns.index[d]->getIncomingValue(0));
  builder_.SetInsertPoint(turns.head);
  Value *x = turns.index[0], *index[3];
  for (unsigned d : {0u, 1u, 2u})
    index[dimension(d)] = turns.index[d];
  storeIndex(turns, dimension(0), x);

  BlockArguments block = {launch, turns.state, turns.shared, index[0], index[1], index[2]};
  Value *taken = builder_.getInt32(1);
  if (goesByRows() || thread_.cutsRows || thread_.neighbours > 1) {
    Value *inRow = builder_.CreateZExt(builder_.CreateSub(grid[0], x), i64);
    taken = builder_.CreateTrunc(builder_.CreateBinaryIntrinsic(Intrinsic::umin, inRow, turns.left),
                                 i32);
  }
  if (thread_.cutsRows) {
    taken =
        builder_.CreateBinaryIntrinsic(Intrinsic::umin, taken, builder_.getInt32(MostBlocksInRow));
    block.shared = builder_.CreateIntToPtr(builder_.CreateZExt(taken, i64), builder_.getPtrTy());
    runWarp(block, builder_.getInt32(0), options_.width);
  } else if (thread_.neighbours > 1)
    taken = thread_.neighbours == threads_ ? runNeighbours(block, taken) : runBeside(block, taken);
  else if (goesByRows())
    runRow(block, builder_.CreateAdd(x, taken));
  else
    runBlock(block);
  goToNextBlock(turns, grid, builder_.CreateAdd(x, taken),
                builder_.CreateSub(turns.left, builder_.CreateZExt(taken, i64)));
  return endTurns(turns);
}

/// The step of buildRunBlocks to the next turn, with index `nextX` in the row or at the next row's
/// beginning. A short turn takes few instructions to it. Around loops, a second way back keeps LLVM
/// and the passes that fetch ahead from seeing sums that do not wrap (a sliding window: 1.7 times
/// as long).
void Entry::goToNextBlock(const Turns &turns, ArrayRef<Value *> grid, Value *nextX,
                          Value *nextLeft) {
  Value *y = turns.index[1], *z = turns.index[2], *zero = builder_.getInt32(0);
  bool hasWayBack = warps() == 1 && !hasLoops(*program_.body);
  if (hasWayBack) {
    Function *function = turns.head->getParent();
    BasicBlock *more = BasicBlock::Create(context_, "more", function),
               *wrap = BasicBlock::Create(context_, "wrap", function);
    builder_.CreateCondBr(builder_.CreateIsNull(nextLeft), turns.done, more);
    builder_.SetInsertPoint(more);
    builder_.CreateCondBr(builder_.CreateICmpEQ(nextX, grid[0]), wrap, turns.head,
                          MDBuilder(context_).createUnlikelyBranchWeights());
    setNext(turns, {nextX, y, z}, nextLeft);
    builder_.SetInsertPoint(wrap);
  }
  Value *wrapX = hasWayBack ? builder_.getTrue() : builder_.CreateICmpEQ(nextX, grid[0]);
  Value *nextY = builder_.CreateAdd(y, builder_.CreateZExt(wrapX, builder_.getInt32Ty()));
  Value *wrapY = builder_.CreateICmpEQ(nextY, grid[1]);
  nextX = builder_.CreateSelect(wrapX, zero, nextX);
  nextY = builder_.CreateSelect(wrapY, zero, nextY);
  Value *nextZ = builder_.CreateAdd(z, builder_.CreateZExt(wrapY, builder_.getInt32Ty()));
  storeIndex(turns, dimension(1), nextY);
  storeIndex(turns, dimension(2), nextZ);
  setNext(turns, {nextX, nextY, nextZ}, nextLeft);
  hasWayBack ? builder_.CreateBr(turns.head)
             : builder_.CreateCondBr(builder_.CreateIsNull(nextLeft), turns.done, turns.head);
}

/// The next blocks of a row that has so many more: as many as there are lanes, or else what is left
/// of the row, or one. Returns how many.
Value *Entry::runNeighbours(const BlockArguments &block, Value *inRow) {
  Function *function = builder_.GetInsertBlock()->getParent();
  auto create = [&](const char *name) { return BasicBlock::Create(context_, name, function); };
  BasicBlock *group = create("group"), *fewer = create("fewer"), *part = create("part"),
             *one = create("one"), *after = create("after");
  unsigned width = options_.width;
  Value *zero = builder_.getInt32(0), *lanesOfGroup = builder_.getInt32(width);
  auto run = [&](BasicBlock *here, const WarpProgram &program, Value *mask) {
    builder_.SetInsertPoint(here);
    builder_.CreateCall(program.body, {block.launch, block.state, block.shared, zero, block.x,
                                       block.y, block.z, mask});
    builder_.CreateBr(after);
  };
  builder_.CreateCondBr(builder_.CreateICmpUGE(inRow, lanesOfGroup), group, fewer);
  builder_.SetInsertPoint(fewer);
  Value *numbers = builder_.CreateStepVector(FixedVectorType::get(inRow->getType(), width));
  Value *inPart = builder_.CreateICmpULT(numbers, builder_.CreateVectorSplat(width, inRow));
  builder_.CreateCondBr(builder_.CreateICmpUGE(inRow, builder_.getInt32(thread_.fewestNeighbours)),
                        part, one);
  run(group, program_, lanes(width));
  run(part, program_, inPart);
  run(one, second_, builder_.getTrue());
  builder_.SetInsertPoint(after);
  PHINode *taken = builder_.CreatePHI(inRow->getType(), 3, "taken");
  taken->addIncoming(lanesOfGroup, group);
  taken->addIncoming(inRow, part);
  taken->addIncoming(builder_.getInt32(1), one);
  return taken;
}

/// Blocks beside each other as one block, of which only the first `taken` run. A program counts on
/// an active lane.
void Entry::runPartOfBeside(const BlockArguments &block, Value *taken) {
  unsigned width = options_.width, row = options_.blockDim[0];
  auto spread = [&](Value *number) { return builder_.CreateVectorSplat(width, number); };
  auto spreadConstant = [&](unsigned number) { return spread(builder_.getInt32(number)); };
  Value *inPart = spread(builder_.CreateMul(taken, builder_.getInt32(row / thread_.neighbours)));
  Value *lanesOfWarp = builder_.CreateStepVector(FixedVectorType::get(taken->getType(), width));
  loop(builder_.getInt32(0), builder_.getInt32(warps()), "warp", [&](Value *warp) {
    Value *first = builder_.CreateMul(warp, builder_.getInt32(width), "", true, true);
    Value *number = builder_.CreateAdd(spread(first), lanesOfWarp);
    Value *inRow = builder_.CreateURem(number, spreadConstant(row));
    Value *runs = builder_.CreateICmpULT(inRow, inPart);
    if (threads_ % width)
      runs = builder_.CreateAnd(runs, builder_.CreateICmpULT(number, spreadConstant(threads_)));
    Function *function = builder_.GetInsertBlock()->getParent();
    BasicBlock *active = BasicBlock::Create(context_, "active", function),
               *next = BasicBlock::Create(context_, "next", function);
    builder_.CreateCondBr(builder_.CreateOrReduce(runs), active, next);
    builder_.SetInsertPoint(active);
    callWarp({block.launch, block.state, block.shared, warp, block.x, block.y, block.z, runs});
    builder_.CreateBr(next);
    builder_.SetInsertPoint(next);
  });
}

/// Blocks beside each other as one block: all of them, or under masks those that are left of a row,
/// or one by itself where they are few. Returns how many.
Value *Entry::runBeside(const BlockArguments &block, Value *inRow) {
  Function *function = builder_.GetInsertBlock()->getParent();
  auto create = [&](const char *name) { return BasicBlock::Create(context_, name, function); };
  BasicBlock *group = create("group"), *part = create("part"), *after = create("after"),
             *fewer = second_.body ? create("fewer") : part;
  Value *all = builder_.getInt32(thread_.neighbours);
  Value *taken = builder_.CreateBinaryIntrinsic(Intrinsic::umin, inRow, all);
  builder_.CreateCondBr(builder_.CreateICmpEQ(taken, all), group, fewer);
  builder_.SetInsertPoint(after);
  PHINode *result = builder_.CreatePHI(taken->getType(), 3, "taken");
  auto end = [&](Value *count) {
    result->addIncoming(count, builder_.GetInsertBlock());
    builder_.CreateBr(after);
  };
  builder_.SetInsertPoint(group);
  runBlock(block);
  end(all);
  builder_.SetInsertPoint(part);
  runPartOfBeside(block, taken);
  end(taken);
  if (second_.body) {
    BasicBlock *one = create("one");
    builder_.SetInsertPoint(fewer);
    builder_.CreateCondBr(
        builder_.CreateICmpUGE(taken, builder_.getInt32(thread_.fewestNeighbours)), part, one);
    builder_.SetInsertPoint(one);
    builder_.CreateCall(second_.body,
                        {block.launch, block.state, block.shared, builder_.getInt32(0), block.x,
                         block.y, block.z, lanes(threads_ / thread_.neighbours, WarpSize)});
    end(builder_.getInt32(1));
  }
  builder_.SetInsertPoint(after);
  return result;
}

/// The blocks that are one program together, or one block.
void Entry::runTogetherOr(Value *canRun, const BlockArguments &block) {
  Function *function = builder_.GetInsertBlock()->getParent();
  BasicBlock *together = BasicBlock::Create(context_, "together", function),
             *one = BasicBlock::Create(context_, "one", function),
             *after = BasicBlock::Create(context_, "after", function);
  builder_.CreateCondBr(canRun, together, one);
  builder_.SetInsertPoint(together);
  unsigned width = threads_ * thread_.together;
  builder_.CreateCall(second_.body, {block.launch, block.state, block.shared, builder_.getInt32(0),
                                     block.x, block.y, block.z, lanes(width, width)});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(one);
  runBlock(block);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

/// The same by bands of rows of blocks (swizzle_blocks.h), in a band y fastest, then x. Blocks
/// above each other that are one program are a band.
Constant *Entry::buildRunBands() {
  Type *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = createRunBlocks();
  unsigned rows = band();
  Value *grid[2], *wide[2], *band = builder_.getInt64(rows);
  for (unsigned d : {0u, 1u}) {
    grid[d] = load(i32, function->getArg(0), offsetof(Launch, gridDim) + 4 * d);
    wide[d] = builder_.CreateZExt(grid[d], i64);
  }
  auto remainder = [&](Value *a, Value *b) { return builder_.CreateURem(a, b); };
  Turns turns = beginTurns(function, [&](Value *first) {
    Value *plane = builder_.CreateMul(wide[0], wide[1]), *inPlane = remainder(first, plane);
    Value *ofBand = builder_.CreateMul(wide[0], band), *inBand = remainder(inPlane, ofBand);
    Value *top = builder_.CreateMul(builder_.CreateUDiv(inPlane, ofBand), band);
    Value *height =
        builder_.CreateBinaryIntrinsic(Intrinsic::umin, band, builder_.CreateSub(wide[1], top));
    Value *y = builder_.CreateAdd(top, remainder(inBand, height));
    return std::array{builder_.CreateTrunc(builder_.CreateUDiv(inBand, height), i32),
                      builder_.CreateTrunc(y, i32),
                      builder_.CreateTrunc(builder_.CreateUDiv(first, plane), i32)};
  });
  Value *x = turns.index[0], *y = turns.index[1], *z = turns.index[2];
  for (unsigned d : {0u, 1u, 2u})
    storeIndex(turns, d, turns.index[d]);
  Value *begin = builder_.CreateAnd(y, builder_.getInt32(~(rows - 1)));
  Value *whole = builder_.CreateAdd(begin, builder_.getInt32(rows));
  BlockArguments block = {turns.launch, turns.state, turns.shared, x, y, z};
  Value *taken = builder_.getInt32(1);
  if (thread_.together > 1) {
    Value *canRun = builder_.CreateAnd(
        builder_.CreateAnd(builder_.CreateICmpEQ(y, begin), builder_.CreateICmpULE(whole, grid[1])),
        builder_.CreateICmpUGE(turns.left, band));
    runTogetherOr(canRun, block);
    taken = builder_.CreateSelect(canRun, builder_.getInt32(rows), taken);
  } else {
    runBlock(block);
  }

  Value *below = builder_.CreateAdd(y, taken);
  Value *end = builder_.CreateBinaryIntrinsic(Intrinsic::umin, whole, grid[1]);
  Value *endsColumn = builder_.CreateICmpEQ(below, end);
  Value *right = builder_.CreateAdd(x, builder_.CreateZExt(endsColumn, i32));
  Value *endsBand = builder_.CreateICmpEQ(right, grid[0]);
  Value *nextY =
      builder_.CreateSelect(endsBand, end, builder_.CreateSelect(endsColumn, begin, below));
  Value *endsPlane = builder_.CreateICmpEQ(nextY, grid[1]), *zero = builder_.getInt32(0);
  Value *left = builder_.CreateSub(turns.left, builder_.CreateZExt(taken, i64));
  setNext(turns,
          {builder_.CreateSelect(endsBand, zero, right),
           builder_.CreateSelect(endsPlane, zero, nextY),
           builder_.CreateAdd(z, builder_.CreateZExt(endsPlane, i32))},
          left);
  builder_.CreateCondBr(builder_.CreateIsNull(left), turns.done, turns.head);
  return endTurns(turns);
}

} // namespace heddle::simt
