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
#include "jit/prefetch/prefetch.h"

#include "simt/analysis/pass_notes.h"
#include "simt/analysis/strides.h"

#include "llvm/ADT/MapVector.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr int64_t BytesAhead = Page;
constexpr int64_t ShortestRun = 1024; ///< that a warp reads at once

void fetchAhead(const RangeAccess &load, Fetches &fetches) {
  if (Fetch *fetch = fetches.add(load))
    fetches.setAhead(*fetch, BytesAhead);
}

RangeAccess plainLoad(Instruction &instruction) {
  RangeAccess access = RangeAccess::from(instruction);
  return access.isStore || access.isMasked ? RangeAccess() : access;
}

/// Loads whose address moves on by what they read. (Where other warps read what lies between, the
/// processor's prefetchers have fetched it by then.)
void findWalksIn(const Loop &loop, const FetchedFunction &where, Fetches &fetches) {
  simt::Strides strides(where.evolution, loop);
  for (BasicBlock *block : loop.blocks()) {
    if (where.loops.getLoopFor(block) != &loop)
      continue;
    for (Instruction &instruction : *block) {
      RangeAccess load = plainLoad(instruction);
      if (load.bytes < Line || load.bytes > BytesAhead)
        continue;
      auto *stride = dyn_cast_or_null<SCEVConstant>(strides.of(*load.address));
      if (stride && stride->getAPInt() == load.bytes)
        fetchAhead(load, fetches);
    }
  }
}

/// Loads of one block that lie side by side.
void findRuns(BasicBlock &block, Fetches &fetches) {
  struct Run {
    SmallVector<RangeAccess, 16> loads;
    int64_t begin = INT64_MAX, end = INT64_MIN, bytes = 0;
  };
  MapVector<const Value *, Run> runs;
  for (Instruction &instruction : block) {
    RangeAccess load = plainLoad(instruction);
    if (!load.instruction || !simt::StreamMetadata.isOn(instruction))
      continue;
    auto [base, offset] = load.place();
    Run &run = runs[base];
    run.loads.push_back(load);
    run.begin = std::min(run.begin, offset);
    run.end = std::max(run.end, offset + load.bytes);
    run.bytes += load.bytes;
  }
  for (auto &[base, run] : runs)
    if (run.bytes == run.end - run.begin && run.bytes >= ShortestRun && run.bytes <= BytesAhead)
      for (const RangeAccess &load : run.loads)
        fetchAhead(load, fetches);
}

} // namespace

void findWalks(const FetchedFunction &where, Fetches &fetches) {
  for (const Loop *loop : where.loops.getLoopsInPreorder())
    if (!loop->isInnermost())
      findWalksIn(*loop, where, fetches);
  if (where.function.getName() == simt::RunBlocksName) // prefetch_later_blocks.cpp sees to these
    return;
  for (BasicBlock &block : where.function)
    if (!where.loops.getLoopFor(&block))
      findRuns(block, fetches);
}

} // namespace heddle::jit
