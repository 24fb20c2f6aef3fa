// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in steps of the grid's size.
//
// `for (i = thread; i < n; i += gridDim.x * blockDim.x)` reads the warp's few cache lines, and then
// as many a hundred kilobytes further on: another page each time, where the processor's own
// prefetchers do not follow. The address of a later iteration is known, so it is fetched here:
//
//     %i = phi [%first], [%next]                %i = phi [%first], [%next]
//     %p = gep %in, %i                          %p = gep %in, %i
//     %x = load <64 x i8>, %p            ->     %ahead = add %i, 4 * %step;  %q = gep %in, %ahead
//     ...                                       prefetch %q;  %x = load <64 x i8>, %p
//     %next = add %i, %step
//
// %step must be computed from the grid's size. Other steps that are known at run time only are
// mostly the rows of matrices, which lie in a cache when they are read again and again: there
// prefetches would only take the place of loads. Prefetching is harmless at any address, so nothing
// is tested.
//
// Nor where an iteration reads half a page of an array in one piece: the processor follows in it,
// and has fetched the beginning of the next one when it comes (a sum over 64 MB, two cores: 0.49
// ms, with fetches 0.59; of 1 KB in each iteration 0.70 and 0.66).
//
// Nor where the loop may store past the caches (simt/mark_streams.h): such stores and fetches want
// the same buffers (a[i] + 3 * b[i] over 96 MB, two cores: 2.9 ms, with fetches 3.1 to 3.7).
//
// Programs that wait fetch too (halves of a block with AVX2).
//
// Rejected: LLVM's LoopDataPrefetch, which knows neither masked loads nor accesses of several
// lines.
//
// Legality (prefetch-grid-strides):
//  1. The later address is computed by what cannot fail, no divisions (later_address.h). A prefetch
//     changes nothing. [division]
#include "jit/prefetch/prefetch_grid_strides.h"

#include "base/kernel_abi.h"
#include "jit/prefetch/later_address.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned Line = 64;        ///< bytes
constexpr unsigned MostLines = 64;   ///< of one access
constexpr unsigned Ahead = 4;        ///< iterations
constexpr uint64_t LongPiece = 2048; ///< bytes that an iteration reads
constexpr unsigned LongestChain = 8; ///< instructions from the grid's size to a step

/// i, and what is added to it in each iteration.
struct Walk {
  PHINode *variable;
  Value *step;
};

/// The launch, as `runBlocks` has it, or `start` in its block.
bool isLaunch(const Value *value, const Function &function) {
  if (function.arg_empty())
    return false;
  static_assert(offsetof(Block, launch) == 0);
  const auto *load = dyn_cast<LoadInst>(value);
  return (load ? load->getPointerOperand() : value) == function.getArg(0);
}

/// A number of blocks in the launch.
bool isGridSize(const Value *value) {
  const auto *load = dyn_cast<LoadInst>(value);
  if (!load)
    return false;
  const Function &function = *load->getFunction();
  APInt offset(64, 0);
  const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
      function.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return isLaunch(base, function) && offset.uge(offsetof(Launch, gridDim)) &&
         offset.ult(offsetof(Launch, gridDim) + sizeof(Launch::gridDim));
}

bool dependsOnGridSize(const Value *value, unsigned depth = LongestChain) {
  if (isGridSize(value))
    return true;
  const auto *instruction = dyn_cast<Instruction>(value);
  return instruction && depth > 0 &&
         (isa<BinaryOperator>(instruction) || isa<CastInst>(instruction)) &&
         any_of(instruction->operands(),
                [&](const Value *operand) { return dependsOnGridSize(operand, depth - 1); });
}

SmallVector<Walk, 2> findWalks(const Loop &loop) {
  SmallVector<Walk, 2> walks;
  BasicBlock *latch = loop.getLoopLatch();
  if (!latch)
    return walks;
  for (PHINode &phi : loop.getHeader()->phis()) {
    auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
    if (!next || next->getOpcode() != Instruction::Add)
      continue;
    Value *step = next->getOperand(0) == &phi   ? next->getOperand(1)
                  : next->getOperand(1) == &phi ? next->getOperand(0)
                                                : nullptr;
    if (step && loop.isLoopInvariant(step) && dependsOnGridSize(step))
      walks.push_back({&phi, step});
  }
  return walks;
}

/// What an instruction reads by a plain or masked load: its address, or null.
Value *addressLoadedFrom(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() ? const_cast<Value *>(load->getPointerOperand()) : nullptr;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::masked_load ? call->getArgOperand(0)
                                                                  : nullptr;
}

/// It stores what nobody reads before the kernel ends.
bool mayStream(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      return instruction.mayWriteToMemory() && simt::StreamMetadata.isOn(instruction);
    });
  });
}

/// What it is a constant number of bytes behind.
const Value *startOf(const Value *address) {
  const auto *element = dyn_cast<GEPOperator>(address);
  return element && element->hasAllConstantIndices() ? startOf(element->getPointerOperand())
                                                     : address;
}

bool prefetchIn(const Loop &loop, const LoopInfo &loops, const Walk &walk) {
  bool isChanged = false;
  LaterAddress later(loop, walk.variable);
  const DataLayout &layout = loop.getHeader()->getDataLayout();
  SmallVector<Instruction *, 8> accesses;
  SmallPtrSet<Value *, 8> seen;
  DenseMap<const Value *, uint64_t> bytesFrom; // an address
  for (BasicBlock *block : loop.blocks())
    for (Instruction &instruction : *block)
      if (Value *address = addressLoadedFrom(instruction);
          address && loops.getLoopFor(block) == &loop && later.isKnown(address) &&
          layout.getTypeStoreSize(instruction.getType()) <= MostLines * Line &&
          seen.insert(address).second) {
        accesses.push_back(&instruction);
        bytesFrom[startOf(address)] += layout.getTypeStoreSize(instruction.getType());
      }
  for (Instruction *access : accesses) {
    if (bytesFrom[startOf(addressLoadedFrom(*access))] >= LongPiece)
      continue;
    IRBuilder<> builder(access);
    Constant *rounds = ConstantInt::get(walk.step->getType(), Ahead);
    Value *then = builder.CreateAdd(walk.variable, builder.CreateMul(walk.step, rounds));
    prefetchLines(builder, later.make(builder, addressLoadedFrom(*access), then),
                  layout.getTypeStoreSize(access->getType()));
    isChanged = true;
  }
  return isChanged;
}

} // namespace

void prefetchLines(IRBuilder<> &builder, Value *address, uint64_t bytes, FetchInto into,
                   FetchFor what) {
  enum { ForReading = 0, ForWriting = 1, InSecondCache = 2, InAllCaches = 3, Data = 1 };
  int locality = into == FetchInto::First ? InAllCaches : InSecondCache;
  for (uint64_t offset = 0; offset < bytes; offset += Line)
    builder.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                            {builder.CreateConstGEP1_64(builder.getInt8Ty(), address, offset),
                             builder.getInt32(what == FetchFor::Writing ? ForWriting : ForReading),
                             builder.getInt32(locality), builder.getInt32(Data)});
}

void prefetchRow(IRBuilder<> &builder, Value *address, uint64_t bytes, FetchInto into,
                 FetchFor what) {
  prefetchLines(builder, address, bytes, into, what);
  Value *last = builder.CreateConstGEP1_64(builder.getInt8Ty(), address, bytes - 1);
  prefetchLines(builder, last, 1, into, what);
}

PreservedAnalyses PrefetchGridStrides::run(Function &function, FunctionAnalysisManager &analyses) {
  if (none_of(instructions(function), [](const Instruction &i) { return isGridSize(&i); }))
    return PreservedAnalyses::all();
  bool isChanged = false;
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  for (const Loop *loop : loops.getLoopsInPreorder())
    if (!mayStream(*loop))
      for (const Walk &walk : findWalks(*loop))
        isChanged |= prefetchIn(*loop, loops, walk);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
