// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that the block runner calls (base/kernel_abi.h), around a warp program.
//
// A program that never waits is called in a loop over blocks and warps, once with a mask of all
// lanes and, if the block's size is no multiple of the width, once more for the last warp with a
// constant mask. Both calls are inlined, so each becomes its own specialised copy: in the first no
// memory access is masked that the program itself does not mask. Where it pays, a row of blocks is
// run row of threads by row of threads (row_order.h), or several blocks above each other are one
// call (columns.h).
//
// A program that waits is inlined into a coroutine in LLVM's switched-resume form. Its frame is
// taken from the block's bump allocator, so a block's frames lie side by side; they go away with
// the block.
#include "simt/entry.h"

#include "base/kernel_abi.h"
#include "simt/analyses.h"
#include "simt/frame_homes.h"
#include "simt/shared_registers.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Coroutines/CoroCleanup.h"
#include "llvm/Transforms/Coroutines/CoroEarly.h"
#include "llvm/Transforms/Coroutines/CoroSplit.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::simt {

namespace {

class Entry {
public:
  Entry(Module &module, const WarpProgram &program, const WarpProgram &tall,
        const ThreadProgram &thread, const Options &options)
      : module_(module), context_(module.getContext()), builder_(context_), program_(program),
        tall_(tall), thread_(thread), options_(options),
        threads_(options.blockDim[0] * options.blockDim[1] * options.blockDim[2]) {}

  void build() {
    Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
    Constant *null = Constant::getNullValue(pointer);
    Constant *runBlocks = null, *start = null, *resume = null;
    if (program_.waits && thread_.usesFibers) {
      start = buildFiber();
    } else if (program_.waits) {
      start = buildStart();
      resume = buildResume();
    } else {
      if (warps() == 1)
        dropMark();
      runBlocks = thread_.together > 1 ? buildRunBands() : buildRunBlocks();
    }
    uint32_t flags =
        (program_.waits ? KernelWaits : 0) | (program_.separable ? KernelSeparable : 0) |
        (program_.needsGrid ? KernelNeedsGrid : 0) | (program_.warpWaits ? KernelWarpWaits : 0) |
        (program_.waits && thread_.usesFibers ? KernelFibers : 0) |
        (program_.prints ? KernelInOrder : 0) | (thread_.maySpin ? KernelMaySpin : 0) |
        (thread_.flushesByMode ? KernelFlushDenormals : 0);
    StructType *type = StructType::get(context_, {i32, i32, i32, i32, i64, i32, i32, pointer,
                                                  pointer, pointer, pointer, pointer, i32, i32});
    Constant *fields[] = {builder_.getInt32(KernelAbiVersion),
                          builder_.getInt32(options_.width),
                          builder_.getInt32(flags),
                          builder_.getInt32(warps()),
                          builder_.getInt64(0),
                          builder_.getInt32(thread_.staticShared),
                          builder_.getInt32(uint32_t(thread_.deferred)),
                          runBlocks,
                          start,
                          resume,
                          alignedParams(),
                          deferredObjects(),
                          builder_.getInt32(thread_.abreast),
                          builder_.getInt32(thread_.together)};
    static_assert(offsetof(KernelCode, frameBytes) == 16 && offsetof(KernelCode, deferred) == 28 &&
                  offsetof(KernelCode, runBlocks) == 32 &&
                  offsetof(KernelCode, deferredObjects) == 64 &&
                  offsetof(KernelCode, abreast) == 72 && offsetof(KernelCode, together) == 76);
    new GlobalVariable(module_, type, true, GlobalValue::ExternalLinkage,
                       ConstantStruct::get(type, fields), KernelSymbol);
  }

private:
  Constant *alignedParams() {
    if (thread_.alignedParams.empty())
      return Constant::getNullValue(builder_.getPtrTy());
    SmallVector<uint32_t, 8> words;
    for (auto [offset, align] : thread_.alignedParams)
      words.append({offset, align});
    words.append({0, 0});
    return new GlobalVariable(module_, ArrayType::get(builder_.getInt32Ty(), words.size()), true,
                              GlobalValue::PrivateLinkage, ConstantDataArray::get(context_, words),
                              "alignedParams");
  }
  /// DeferredObjects, or null.
  Constant *deferredObjects() {
    if (thread_.deferredSums.empty())
      return Constant::getNullValue(builder_.getPtrTy());
    SmallVector<uint32_t, 8> words = {uint32_t(thread_.deferredSums.size()),
                                      uint32_t(thread_.deferredOthers.size())};
    append_range(words, thread_.deferredSums);
    append_range(words, thread_.deferredOthers);
    Constant *data = ConstantDataArray::get(context_, words);
    return new GlobalVariable(module_, data->getType(), true, GlobalValue::InternalLinkage, data,
                              "deferred");
  }
  unsigned warps() const { return divideCeil(threads_, options_.width); }
  Function *create(StringRef name, FunctionType *type);
  /// What a warp program is called with, beside its number and lanes.
  struct BlockArguments {
    Value *launch, *state, *shared, *x, *y, *z;
  };
  void loop(Value *first, Value *end, const Twine &name, function_ref<void(Value *index)> body);
  void runWarp(const BlockArguments &, Value *warp, unsigned lanes);
  void runBlock(const BlockArguments &);
  void runRow(BlockArguments, Value *end);
  Value *sharedMemory(Value *block);
  void dropMark();
  Constant *buildRunBlocks();
  void runTogetherOr(Value *canRun, const BlockArguments &);
  Constant *buildRunBands();
  Constant *buildStart();
  Constant *buildFiber();
  Constant *buildResume();
  Constant *lanes(unsigned count) const { return lanes(count, options_.width); }
  Constant *lanes(unsigned count, unsigned width) const;
  bool goesByRows() const {
    unsigned x = options_.blockDim[0], width = options_.width;
    return thread_.goesByRows && (x % width == 0 || width % x == 0) && threads_ % width == 0;
  }
  void callWarp(ArrayRef<Value *> arguments) { builder_.CreateCall(program_.body, arguments); }
  void inlineWarps();
  Value *stateOf(Value *block, Value *warp);
  void callOneWarp(Value *block, Value *warp);
  void endWarp(Value *state);
  Value *field(Value *object, uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), object, offset);
  }
  Value *load(Type *type, Value *object, uint64_t offset) {
    return builder_.CreateLoad(type, field(object, offset));
  }

  Module &module_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  const WarpProgram &program_, &tall_;
  const ThreadProgram &thread_;
  const Options &options_;
  unsigned threads_;
};

/// A function with an artificial debug entry, so that inlined code keeps its line table.
Function *Entry::create(StringRef name, FunctionType *type) {
  Function *function = Function::Create(type, GlobalValue::InternalLinkage, name, module_);
  function->addFnAttr(Attribute::NoUnwind);
  builder_.SetInsertPoint(BasicBlock::Create(context_, "entry", function));
  builder_.SetCurrentDebugLocation(DebugLoc());
  if (DISubprogram *kernel = program_.body->getSubprogram()) {
    DIBuilder debug(module_, true, kernel->getUnit());
    DISubroutineType *none = debug.createSubroutineType(debug.getOrCreateTypeArray({}));
    DISubprogram *subprogram = debug.createFunction(
        kernel->getFile(), name, name, kernel->getFile(), kernel->getLine(), none,
        kernel->getLine(), DINode::FlagArtificial, DISubprogram::SPFlagDefinition);
    function->setSubprogram(subprogram);
    builder_.SetCurrentDebugLocation(DILocation::get(context_, kernel->getLine(), 0, subprogram));
    debug.finalizeSubprogram(subprogram);
  }
  return function;
}

Constant *Entry::lanes(unsigned count, unsigned width) const {
  Type *bit = Type::getInt1Ty(context_);
  if (width == 1)
    return ConstantInt::getTrue(bit);
  SmallVector<Constant *, 32> bits;
  for (unsigned lane = 0; lane < width; ++lane)
    bits.push_back(ConstantInt::get(bit, lane < count));
  return ConstantVector::get(bits);
}

/// Inlines every call of the warp program, once the function around it is complete: cloning folds
/// what it can, and an unfinished phi looks like a constant.
void Entry::inlineWarps() {
  SmallVector<CallInst *, 2> calls;
  if (options_.debug && !program_.waits)
    return; // the kernel keeps its own frame in a debugger
  for (const WarpProgram *program : {&program_, &tall_})
    if (program->body)
      for (User *user : program->body->users())
        calls.push_back(cast<CallInst>(user));
  for (CallInst *call : calls) {
    InlineFunctionInfo info;
    InlineFunction(*call, info);
  }
}

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

/// void runBlocks(launch, block, first, count): from `first` on, x fastest, or y where the program
/// goes by columns (columns.h). Each turn of its loop runs a block, or what is left of a row of
/// blocks. Where blocks are short the step to the next one counts: only the index in the row
/// changes, the others at the row's end.
Constant *Entry::buildRunBlocks() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = create(
      "runBlocks", FunctionType::get(builder_.getVoidTy(), {pointer, pointer, i64, i64}, false));
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
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function = create(
      "runBlocks", FunctionType::get(builder_.getVoidTy(), {pointer, pointer, i64, i64}, false));
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

Value *Entry::stateOf(Value *block, Value *warp) {
  Type *i64 = builder_.getInt64Ty();
  Value *states = load(builder_.getPtrTy(), block, offsetof(Block, warps));
  return builder_.CreateGEP(
      builder_.getInt8Ty(), states,
      builder_.CreateMul(builder_.CreateZExt(warp, i64), builder_.getInt64(sizeof(WarpState))));
}

/// What start runs.
void Entry::callOneWarp(Value *block, Value *warp) {
  Type *pointer = builder_.getPtrTy();
  Value *mask = lanes(options_.width);
  if (unsigned tail = threads_ % options_.width) {
    Value *isLast = builder_.CreateICmpEQ(warp, builder_.getInt32(warps() - 1));
    mask = builder_.CreateSelect(isLast, lanes(tail), mask);
  }
  SmallVector<Value *, 8> arguments = {load(pointer, block, offsetof(Block, launch)), block,
                                       load(pointer, block, offsetof(Block, shared)), warp};
  for (unsigned d = 0; d < 3; ++d)
    arguments.push_back(load(builder_.getInt32Ty(), block, offsetof(Block, blockIdx) + 4 * d));
  arguments.push_back(mask);
  callWarp(arguments);
}

void Entry::endWarp(Value *state) {
  builder_.CreateStore(builder_.getInt32(0), field(state, offsetof(WarpState, wait)));
  builder_.CreateStore(Constant::getNullValue(builder_.getPtrTy()),
                       field(state, offsetof(WarpState, frame)));
}

/// void start(block, warp) of a program that is suspended with its stack.
Constant *Entry::buildFiber() {
  Function *function =
      create("start", FunctionType::get(builder_.getVoidTy(),
                                        {builder_.getPtrTy(), builder_.getInt32Ty()}, false));
  Value *block = function->getArg(0), *warp = function->getArg(1);
  callOneWarp(block, warp);
  endWarp(stateOf(block, warp));
  builder_.CreateRetVoid();
  inlineWarps();
  return function;
}

/// void start(block, warp): the coroutine's ramp.
Constant *Entry::buildStart() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Function *function =
      create("start", FunctionType::get(builder_.getVoidTy(), {pointer, i32}, false));
  function->setPresplitCoroutine();
  Value *block = function->getArg(0), *warp = function->getArg(1);
  Constant *null = Constant::getNullValue(pointer);
  Value *id =
      builder_.CreateIntrinsic(Intrinsic::coro_id, {}, {builder_.getInt32(64), null, null, null});
  Value *size = builder_.CreateIntrinsic(Intrinsic::coro_size, {i64}, {});
  Value *align = builder_.CreateIntrinsic(Intrinsic::coro_align, {i64}, {});
  builder_.CreateCall(
      module_.getOrInsertFunction("heddle.framesize", builder_.getVoidTy(), i64, i64),
      {size, align});
  // The frame's alignment is that of the widest vector in it, and code in it counts on that.
  Value *top = load(pointer, block, offsetof(Block, frameTop));
  Value *up = builder_.CreateGEP(builder_.getInt8Ty(), top,
                                 builder_.CreateSub(align, builder_.getInt64(1)));
  Value *frame =
      builder_.CreateIntrinsic(Intrinsic::ptrmask, {pointer, i64}, {up, builder_.CreateNeg(align)});
  builder_.CreateStore(builder_.CreateGEP(builder_.getInt8Ty(), frame, size),
                       field(block, offsetof(Block, frameTop)));
  Value *handle = builder_.CreateIntrinsic(Intrinsic::coro_begin, {}, {id, frame});
  Value *state = stateOf(block, warp);
  builder_.CreateStore(handle, field(state, offsetof(WarpState, frame)));
  callOneWarp(block, warp);
  endWarp(state);
  BasicBlock *suspended = BasicBlock::Create(context_, "suspended", function);
  builder_.CreateBr(suspended);
  builder_.SetInsertPoint(suspended);
  builder_.CreateIntrinsic(Intrinsic::coro_end, {},
                           {handle, builder_.getFalse(), ConstantTokenNone::get(context_)});
  builder_.CreateRetVoid();
  inlineWarps();

  SmallVector<CallInst *, 8> waits;
  for (Instruction &instruction : instructions(*function))
    if (auto *call = dyn_cast<CallInst>(&instruction))
      if (call->getCalledFunction() && call->getCalledFunction()->getName() == "heddle.suspend")
        waits.push_back(call);
  BasicBlock *destroyed = BasicBlock::Create(context_, "destroyed", function);
  new UnreachableInst(context_, destroyed);
  for (CallInst *wait : waits) {
    BasicBlock *before = wait->getParent();
    BasicBlock *after = before->splitBasicBlock(wait, "resumed");
    before->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(before);
    builder_.SetCurrentDebugLocation(wait->getDebugLoc());
    Value *how = builder_.CreateIntrinsic(Intrinsic::coro_suspend, {},
                                          {ConstantTokenNone::get(context_), builder_.getFalse()});
    SwitchInst *branch = builder_.CreateSwitch(how, suspended, 2);
    branch->addCase(builder_.getInt8(0), after);
    branch->addCase(builder_.getInt8(1), destroyed);
    wait->eraseFromParent();
  }
  if (Function *marker = module_.getFunction("heddle.suspend"); marker && marker->use_empty())
    marker->eraseFromParent();
  return function;
}

/// void resume(block, warp)
Constant *Entry::buildResume() {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Function *function =
      create("resume", FunctionType::get(builder_.getVoidTy(), {pointer, i32}, false));
  Value *state = stateOf(function->getArg(0), function->getArg(1));
  Value *handle = load(pointer, state, offsetof(WarpState, frame));
  builder_.CreateIntrinsic(Intrinsic::coro_resume, {}, {handle});
  builder_.CreateRetVoid();
  return function;
}

} // namespace

void buildEntry(Module &module, const WarpProgram &program, const WarpProgram &tall,
                const ThreadProgram &thread, const Options &options) {
  Entry(module, program, tall, thread, options).build();
  for (Function *body : {program.body, tall.body})
    if (body && body->use_empty())
      body->eraseFromParent();
}

void splitCoroutine(Module &module, TargetMachine &machine, bool givesHomes) {
  Analyses analyses(machine);
  Function *start = module.getFunction("start");
  bool hasLocals = any_of(instructions(*start), [](Instruction &i) { return isa<AllocaInst>(i); });
  if (givesHomes)
    giveHomes(*start);
  ModulePassManager passes;
  passes.addPass(CoroEarlyPass());
  passes.addPass(createModuleToPostOrderCGSCCPassAdaptor(CoroSplitPass(/*OptimizeFrame=*/true)));
  passes.addPass(CoroCleanupPass());
  passes.run(module, analyses.modules);
  // Nobody else reads or writes the frame of a running warp. Said only where no per-thread array
  // lies in it, whose address the program may have put anywhere.
  if (Function *resumed = module.getFunction("start.resume"); resumed && !hasLocals)
    resumed->addParamAttr(0, Attribute::NoAlias);

  Function *marker = module.getFunction("heddle.framesize");
  if (!marker)
    return;
  uint64_t bytes = 0;
  for (User *user : make_early_inc_range(marker->users())) {
    auto *call = cast<CallInst>(user);
    uint64_t size = cast<ConstantInt>(call->getArgOperand(0))->getZExtValue();
    uint64_t align = cast<ConstantInt>(call->getArgOperand(1))->getZExtValue();
    bytes = std::max(bytes, alignTo(size + align, 64));
    call->eraseFromParent();
  }
  marker->eraseFromParent();
  GlobalVariable *code = module.getGlobalVariable(KernelSymbol);
  auto *value = cast<ConstantStruct>(code->getInitializer());
  SmallVector<Constant *, 10> fields;
  for (Use &field : value->operands())
    fields.push_back(cast<Constant>(field));
  fields[4] = ConstantInt::get(fields[4]->getType(), bytes);
  code->setInitializer(ConstantStruct::get(value->getType(), fields));
}

} // namespace heddle::simt
