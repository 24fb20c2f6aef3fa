// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that never waits is called in a loop over blocks and warps, once with a mask of all
// lanes and, if the block's size is no multiple of the width, once more for the last warp with a
// constant mask. Both calls are inlined, so each becomes its own specialised copy: in the first no
// memory access is masked that the program itself does not mask. Where it pays, a row of blocks is
// run row of threads by row of threads (row_order.h), or several blocks above each other are one
// call (columns.h).
#include "base/kernel_abi.h"
#include "simt/entry_builder.h"
#include "simt/shared_registers.h"

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

/// Blocks x to `end` of a row, by rows of threads (row_order.h).
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
  if (warps() == 1 && options_.width >= 32 && !options_.debug) // no other program reaches it
    shared->setMetadata(SharedMemory, MDNode::get(context_, {}));
  return shared;
}

/// The only warp of a block is always number 0, which the runner has stored. A store for each block
/// would take part of what a short block takes.
void Entry::dropMark() {
  Function &body = *program_.body;
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

static bool hasLoops(Function &function) {
  DominatorTree dominators(function);
  return !LoopInfo(dominators).empty();
}

Function *Entry::createRunBlocks() {
  Type *pointer = builder_.getPtrTy(), *i64 = builder_.getInt64Ty();
  return create("runBlocks", FunctionType::get(builder_.getVoidTy(), {pointer, pointer, i64, i64},
                                               /*isVarArg=*/false));
}

/// void runBlocks(launch, block, first, count): from `first` on, x fastest, or y where the program
/// goes by columns (columns.h). Each turn of its loop runs a block, or what is left of a row of
/// blocks. Where blocks are short the step to the next one counts: only the index in the row
/// changes, the others at the row's end.
Constant *Entry::buildRunBlocks() {
  Type *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = createRunBlocks();
  Value *launch = function->getArg(0), *state = function->getArg(1);
  Value *first = function->getArg(2), *count = function->getArg(3);
  unsigned dimensions[] = {0, 1, 2}; // the fastest first
  if (thread_.goesByColumns)
    std::swap(dimensions[0], dimensions[1]);
  Value *gridX = load(i32, launch, offsetof(Launch, gridDim) + 4 * dimensions[0]);
  Value *gridY = load(i32, launch, offsetof(Launch, gridDim) + 4 * dimensions[1]);
  Value *wideX = builder_.CreateZExt(gridX, i64), *wideY = builder_.CreateZExt(gridY, i64);
  Value *row = builder_.CreateUDiv(first, wideX);
  Value *x0 = builder_.CreateTrunc(builder_.CreateURem(first, wideX), i32);
  Value *y0 = builder_.CreateTrunc(builder_.CreateURem(row, wideY), i32);
  Value *z0 = builder_.CreateTrunc(builder_.CreateUDiv(row, wideY), i32);
  Value *shared = sharedMemory(state);
  auto storeIndex = [&](unsigned d, Value *value) {
    builder_.CreateStore(value, field(state, offsetof(Block, blockIdx) + 4 * dimensions[d]));
  };
  storeIndex(1, y0);
  storeIndex(2, z0);
  BasicBlock *entry = builder_.GetInsertBlock();
  BasicBlock *turn = BasicBlock::Create(context_, "block", function),
             *done = BasicBlock::Create(context_, "done", function);
  builder_.CreateCondBr(builder_.CreateIsNull(count), done, turn);
  builder_.SetInsertPoint(turn);
  PHINode *x = builder_.CreatePHI(i32, 2, "x"), *y = builder_.CreatePHI(i32, 2, "y"),
          *z = builder_.CreatePHI(i32, 2, "z"), *left = builder_.CreatePHI(i64, 2, "left");
  for (auto [phi, value] : {std::pair(x, x0), std::pair(y, y0), std::pair(z, z0)})
    phi->addIncoming(value, entry);
  left->addIncoming(count, entry);
  Value *index[3];
  for (auto [d, value] : {std::pair(0, x), std::pair(1, y), std::pair(2, z)})
    index[dimensions[d]] = value;
  storeIndex(0, x);

  BlockArguments block = {launch, state, shared, index[0], index[1], index[2]};
  Value *one = builder_.getInt32(1), *zero = builder_.getInt32(0), *taken = one;
  if (goesByRows()) {
    Value *inRow = builder_.CreateZExt(builder_.CreateSub(gridX, x), i64);
    taken = builder_.CreateTrunc(builder_.CreateBinaryIntrinsic(Intrinsic::umin, inRow, left), i32);
    runRow(block, builder_.CreateAdd(x, taken));
  } else {
    runBlock(block);
  }

  Value *nextX = builder_.CreateAdd(x, taken);
  Value *nextLeft = builder_.CreateSub(left, builder_.CreateZExt(taken, i64));
  // A short turn takes few steps to the next one. Around loops, a second way back keeps LLVM and
  // the passes that fetch ahead from seeing sums that do not wrap (a sliding window: 1.7 times as
  // long).
  BasicBlock *more = nullptr, *wrap = nullptr;
  if (warps() == 1 && !hasLoops(*program_.body)) {
    more = BasicBlock::Create(context_, "more", function);
    wrap = BasicBlock::Create(context_, "wrap", function);
    builder_.CreateCondBr(builder_.CreateIsNull(nextLeft), done, more);
    builder_.SetInsertPoint(more);
    MDBuilder weights(context_);
    builder_.CreateCondBr(builder_.CreateICmpEQ(nextX, gridX), wrap, turn,
                          weights.createUnlikelyBranchWeights());
    for (auto [phi, value] : {std::pair(x, nextX), std::pair<PHINode *, Value *>(y, y),
                              std::pair<PHINode *, Value *>(z, z), std::pair(left, nextLeft)})
      phi->addIncoming(value, more);
    builder_.SetInsertPoint(wrap);
  }
  Value *wrapX = wrap ? builder_.getTrue() : builder_.CreateICmpEQ(nextX, gridX);
  Value *nextY = builder_.CreateAdd(y, builder_.CreateZExt(wrapX, i32));
  Value *wrapY = builder_.CreateICmpEQ(nextY, gridY);
  nextX = builder_.CreateSelect(wrapX, zero, nextX);
  nextY = builder_.CreateSelect(wrapY, zero, nextY);
  Value *nextZ = builder_.CreateAdd(z, builder_.CreateZExt(wrapY, i32));
  storeIndex(1, nextY);
  storeIndex(2, nextZ);
  BasicBlock *end = builder_.GetInsertBlock();
  wrap ? builder_.CreateBr(turn)
       : builder_.CreateCondBr(builder_.CreateIsNull(nextLeft), done, turn);
  for (auto [phi, value] : {std::pair<PHINode *, Value *>(x, nextX), std::pair(y, nextY),
                            std::pair(z, nextZ), std::pair(left, nextLeft)})
    phi->addIncoming(value, end);
  builder_.SetInsertPoint(done);
  builder_.CreateRetVoid();
  inlineWarps();
  return function;
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
  builder_.CreateCall(tall_.body, {block.launch, block.state, block.shared, builder_.getInt32(0),
                                   block.x, block.y, block.z, lanes(width, width)});
  builder_.CreateBr(after);
  builder_.SetInsertPoint(one);
  runBlock(block);
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

/// The same as runBlocks where blocks above each other are one program: by bands of as many rows of
/// blocks, in a band y fastest, then x.
Constant *Entry::buildRunBands() {
  Type *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = createRunBlocks();
  Value *launch = function->getArg(0), *state = function->getArg(1);
  Value *first = function->getArg(2), *count = function->getArg(3);
  Value *grid[2], *wide[2], *band = builder_.getInt64(thread_.together);
  for (unsigned d : {0u, 1u}) {
    grid[d] = load(i32, launch, offsetof(Launch, gridDim) + 4 * d);
    wide[d] = builder_.CreateZExt(grid[d], i64);
  }
  auto remainder = [&](Value *a, Value *b) { return builder_.CreateURem(a, b); };
  Value *plane = builder_.CreateMul(wide[0], wide[1]), *inPlane = remainder(first, plane);
  Value *ofBand = builder_.CreateMul(wide[0], band), *inBand = remainder(inPlane, ofBand);
  Value *top = builder_.CreateMul(builder_.CreateUDiv(inPlane, ofBand), band);
  Value *height =
      builder_.CreateBinaryIntrinsic(Intrinsic::umin, band, builder_.CreateSub(wide[1], top));
  Value *start[] = {builder_.CreateUDiv(inBand, height),
                    builder_.CreateAdd(top, remainder(inBand, height)),
                    builder_.CreateUDiv(first, plane)};
  Value *shared = sharedMemory(state);
  BasicBlock *entry = builder_.GetInsertBlock();
  BasicBlock *turn = BasicBlock::Create(context_, "block", function),
             *done = BasicBlock::Create(context_, "done", function);
  builder_.CreateCondBr(builder_.CreateIsNull(count), done, turn);
  builder_.SetInsertPoint(turn);
  PHINode *index[3], *left = builder_.CreatePHI(i64, 2, "left");
  for (unsigned d : {0u, 1u, 2u}) {
    index[d] = builder_.CreatePHI(i32, 2, Twine("xyz"[d]));
    index[d]->addIncoming(new TruncInst(start[d], i32, "", entry->getTerminator()->getIterator()),
                          entry);
  }
  left->addIncoming(count, entry);
  for (unsigned d : {0u, 1u, 2u})
    builder_.CreateStore(index[d], field(state, offsetof(Block, blockIdx) + 4 * d));

  Value *zero = builder_.getInt32(0), *together = builder_.getInt32(thread_.together);
  Value *x = index[0], *y = index[1];
  Value *begin = builder_.CreateAnd(y, builder_.getInt32(~(thread_.together - 1)));
  Value *whole = builder_.CreateAdd(begin, together);
  Value *canRun = builder_.CreateAnd(
      builder_.CreateAnd(builder_.CreateICmpEQ(y, begin), builder_.CreateICmpULE(whole, grid[1])),
      builder_.CreateICmpUGE(left, band));
  runTogetherOr(canRun, {launch, state, shared, x, y, index[2]});

  Value *taken = builder_.CreateSelect(canRun, together, builder_.getInt32(1));
  Value *below = builder_.CreateAdd(y, taken);
  Value *end = builder_.CreateBinaryIntrinsic(Intrinsic::umin, whole, grid[1]);
  Value *endsColumn = builder_.CreateICmpEQ(below, end);
  Value *right = builder_.CreateAdd(x, builder_.CreateZExt(endsColumn, i32));
  Value *endsBand = builder_.CreateICmpEQ(right, grid[0]);
  Value *nextY =
      builder_.CreateSelect(endsBand, end, builder_.CreateSelect(endsColumn, begin, below));
  Value *endsPlane = builder_.CreateICmpEQ(nextY, grid[1]);
  Value *next[] = {builder_.CreateSelect(endsBand, zero, right),
                   builder_.CreateSelect(endsPlane, zero, nextY),
                   builder_.CreateAdd(index[2], builder_.CreateZExt(endsPlane, i32))};
  Value *nextLeft = builder_.CreateSub(left, builder_.CreateZExt(taken, i64));
  BasicBlock *last = builder_.GetInsertBlock();
  for (unsigned d : {0u, 1u, 2u})
    index[d]->addIncoming(next[d], last);
  left->addIncoming(nextLeft, last);
  builder_.CreateCondBr(builder_.CreateIsNull(nextLeft), done, turn);
  builder_.SetInsertPoint(done);
  builder_.CreateRetVoid();
  inlineWarps();
  return function;
}

} // namespace heddle::simt
