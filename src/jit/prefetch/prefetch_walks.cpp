// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks.
//
// A loop that reads vector after vector of an array, and does something lane by lane with each (a
// histogram), reads nothing for some hundred instructions: more than a processor looks ahead, so in
// each round it waits anew, and its own prefetchers see too few accesses at a time to run far
// ahead.
//
//     walk:  %v = load <256 x i32>, %p            walk:  prefetch %p + 4 KB, its lines
//     lanes: for each lane of %v ...        ->           %v = load <256 x i32>, %p
//            %p = %p + 1 KB                       lanes: ...
//
// The same for a program that waits, where each warp reads a kilobyte or more at once, keeps it,
// and works on it: the lines 4 KB on are those of a warp that comes soon.
//
// A prefetch is harmless at any address.
//
// Not done: loops of the program without a loop over lanes, where fetches take the place of loads.
//
// Legality (prefetch-walks): none: it only adds prefetches at addresses that are there, a fixed
// number of bytes on. They never fault.
#include "jit/prefetch/prefetch_walks.h"

#include "jit/prefetch/prefetch_grid_strides.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64, Ahead = 4096; ///< bytes
constexpr uint64_t ShortestRun = 1024;      ///< that a warp reads at once

/// By how much a value moves on in each round of a loop; 0: not known.
int64_t stepOf(Value *value, const Loop &loop, ScalarEvolution &evolution) {
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(value));
  const auto *step = walk && walk->getLoop() == &loop
                         ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution))
                         : nullptr;
  return step ? step->getAPInt().getSExtValue() : 0;
}

/// The same for an address. An index of 32 bits may wrap around; what is fetched then is of no use,
/// and no harm.
int64_t stepOfAddress(Value *address, const Loop &loop, ScalarEvolution &evolution) {
  if (int64_t step = stepOf(address, loop, evolution))
    return step;
  auto *element = dyn_cast<GetElementPtrInst>(address);
  if (!element || element->getNumIndices() != 1 ||
      !loop.isLoopInvariant(element->getPointerOperand()))
    return 0;
  auto *index = dyn_cast<CastInst>(element->getOperand(1));
  const DataLayout &layout = element->getDataLayout();
  return index ? stepOf(index->getOperand(0), loop, evolution) *
                     int64_t(layout.getTypeAllocSize(element->getSourceElementType()))
               : 0;
}

/// The address moves on by what is read. (Where other warps read what lies between, the processor's
/// prefetchers have fetched it by then.)
bool walks(LoadInst &load, const Loop &loop, ScalarEvolution &evolution) {
  uint64_t size = load.getDataLayout().getTypeStoreSize(load.getType());
  return load.isSimple() && size >= Line && size <= Ahead &&
         stepOfAddress(load.getPointerOperand(), loop, evolution) == int64_t(size);
}

void fetchAhead(LoadInst &load) {
  IRBuilder<> builder(&load);
  prefetchLines(builder,
                builder.CreateConstGEP1_64(builder.getInt8Ty(), load.getPointerOperand(), Ahead),
                load.getDataLayout().getTypeStoreSize(load.getType()));
}

/// Loads of one block that lie side by side.
bool prefetchRuns(BasicBlock &block) {
  struct Run {
    SmallVector<LoadInst *, 16> loads;
    int64_t begin = INT64_MAX, end = INT64_MIN, bytes = 0;
  };
  MapVector<Value *, Run> runs;
  for (Instruction &instruction : block) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !load->isSimple() || !simt::StreamMetadata.isOn(*load))
      continue;
    const DataLayout &layout = load->getDataLayout();
    int64_t offset = 0, size = layout.getTypeStoreSize(load->getType());
    Run &run = runs[GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout)];
    run.loads.push_back(load);
    run.begin = std::min(run.begin, offset);
    run.end = std::max(run.end, offset + size);
    run.bytes += size;
  }
  bool isChanged = false;
  for (auto &[base, run] : runs)
    if (run.bytes == run.end - run.begin && run.bytes >= int64_t(ShortestRun) &&
        run.bytes <= int64_t(Ahead)) {
      for_each(run.loads, [](LoadInst *load) { fetchAhead(*load); });
      isChanged = true;
    }
  return isChanged;
}

} // namespace

PreservedAnalyses PrefetchWalks::run(Function &function, FunctionAnalysisManager &analyses) {
  const LoopInfo &loops = analyses.getResult<LoopAnalysis>(function);
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  SmallVector<LoadInst *, 8> found;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    const Loop *loop = load ? loops.getLoopFor(load->getParent()) : nullptr;
    if (loop && !loop->isInnermost() && walks(*load, *loop, evolution))
      found.push_back(load);
  }
  for (LoadInst *load : found)
    fetchAhead(*load);
  bool isChanged = !found.empty();
  if (function.getName() == simt::RunBlocksName) // prefetch_later_blocks.cpp sees to these
    return simt::changedInBlocks(isChanged);
  for (BasicBlock &block : function)
    if (!loops.getLoopFor(&block))
      isChanged |= prefetchRuns(block);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
