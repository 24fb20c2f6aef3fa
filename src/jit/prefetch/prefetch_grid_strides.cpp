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
//     %x = load <64 x i8>, %p            ->     %q = gep i8, %p, 4 * %step;  prefetch %q
//     ...                                       %x = load <64 x i8>, %p
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
//  1. The distance is computed by what cannot fail, no divisions, as far as it is not there. A
//     prefetch changes nothing. [division]
#include "jit/prefetch/prefetch.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/pass_notes.h"
#include "simt/analysis/strides.h"

#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t MostStridedBytes = 64 * Line; ///< of one access
constexpr unsigned RoundsAhead = 4;             ///< iterations
constexpr int64_t LongPiece = 2048;             ///< bytes that an iteration reads
constexpr unsigned LongestChain = 8;            ///< instructions from the grid's size to a step

/// The launch, as `runBlocks` has it, or `start` in its block. (What `runBlocks` loads from there
/// are the kernel's parameters.)
bool isLaunch(const Value *value, const Function &function) {
  if (function.arg_empty())
    return false;
  if (function.getName() == simt::RunBlocksName)
    return value == function.getArg(0);
  static_assert(offsetof(Block, launch) == 0);
  const auto *load = dyn_cast<LoadInst>(value);
  return load && load->getPointerOperand() == function.getArg(0);
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

bool dependsOnGridSize(const SCEV &value) {
  return SCEVExprContains(&value, [](const SCEV *part) {
    const auto *unknown = dyn_cast<SCEVUnknown>(part);
    return unknown && dependsOnGridSize(unknown->getValue());
  });
}

/// It stores what nobody reads before the kernel ends.
bool mayStream(const Loop &loop) {
  return any_of(loop.blocks(), [](const BasicBlock *block) {
    return any_of(*block, [](const Instruction &instruction) {
      return instruction.mayWriteToMemory() && simt::StreamMetadata.isOn(instruction);
    });
  });
}

/// What the loop itself reads, not loops inside.
void findStridesIn(const Loop &loop, const FetchedFunction &where, Fetches &fetches) {
  simt::Strides strides(where.evolution, loop);
  SmallVector<std::pair<RangeAccess, const SCEV *>, 8> found;
  SmallPtrSet<const Value *, 8> seen;
  DenseMap<const Value *, int64_t> bytesFrom;
  for (BasicBlock *block : loop.blocks()) {
    if (where.loops.getLoopFor(block) != &loop)
      continue;
    for (Instruction &instruction : *block) {
      RangeAccess load = RangeAccess::from(instruction);
      if (!load.instruction || load.isStore || load.bytes > MostStridedBytes)
        continue;
      const SCEV *stride = strides.of(*load.address);
      if (!stride || !dependsOnGridSize(*stride) || !seen.insert(load.address).second)
        continue;
      found.push_back({load, stride});
      bytesFrom[load.place().first] += load.bytes;
    }
  }
  for (auto [load, stride] : found)
    if (bytesFrom[load.place().first] < LongPiece)
      if (Fetch *fetch = fetches.add(load))
        fetches.setAhead(*fetch, *stride, RoundsAhead);
}

} // namespace

void findGridStrides(const FetchedFunction &where, Fetches &fetches) {
  if (none_of(instructions(where.function), [](const Instruction &i) { return isGridSize(&i); }))
    return;
  for (const Loop *loop : where.loops.getLoopsInPreorder())
    if (!mayStream(*loop))
      findStridesIn(*loop, where, fetches);
}

} // namespace heddle::jit
