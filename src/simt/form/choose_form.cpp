// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of a kernel: how many neighbouring blocks, threads and blocks above each other are one
// program. A form that needs another thread program is made in place and weighed; where it does not
// pay, the program from before comes back.
#include "simt/canonical/normalize.h"
#include "simt/canonical/unroll_barrier_loops.h"
#include "simt/compilation.h"
#include "simt/form/abreast.h"
#include "simt/form/choose_width.h"
#include "simt/form/coarsen_blocks.h"
#include "simt/form/coarsen_warps.h"
#include "simt/form/columns.h"
#include "simt/form/interchange_block_rows.h"
#include "simt/form/restore_function.h"
#include "simt/progress/thread_form.h"
#include "simt/thread/merge_warp_counters.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

/// Neighbouring blocks as one, of so many threads as it has lanes, if that pays.
void Compilation::coarsenBlocks() {
  if (!canJoinNeighbours(thread, options))
    return;
  std::unique_ptr<Function> before = copyAside(*thread.body);
  joinNeighbours(*thread.body);
  fold(*thread.body, machine);
  renormalize(module, machine);
  Options joined = options;
  joined.blockDim[0] = MostNeighbours;
  distributeExtensions(joined);
  double cost = costOfVectors(thread, joined, machine);
  unsigned width = cost < 1 || options.width ? chooseWidth(thread, joined, machine) : 1;
  if (width == 1)
    return restore(*thread.body, std::move(before));
  thread.neighbours = options.blockDim[0] = options.width = width;
  thread.fewestNeighbours = std::clamp(unsigned(std::ceil(cost * width)), 2u, width);
  thread.band = 1;
}

/// The lanes of one program that is the block.
unsigned Compilation::widthOfBlock() const {
  return std::max<unsigned>(WarpSize, PowerOf2Ceil(options.threads()));
}

/// A block that is one program may have to be seen with its barrier loops unrolled before it is
/// worth it.
bool Compilation::unrollsWholeBlock() {
  Options wholeBlock = options;
  wholeBlock.width = widthOfBlock();
  if (!options.isEnabled("unroll-barrier-loops") || options.width != 0 || options.threads() == 1 ||
      wholeBlock.width > WidestChosen || thread.body->getInstructionCount() > LargestThread)
    return false;
  double rolled = costOfThread(thread, options, WarpSize);
  std::unique_ptr<Function> before = copyAside(*thread.body);
  bool changed = unrollBarrierLoops(module, thread, wholeBlock, machine);
  double unrolled = changed ? costOfThread(thread, options, wholeBlock.width) : INFINITY;
  if (unrolled >= rolled) {
    restore(*thread.body, std::move(before));
    return false;
  }
  options.width = wholeBlock.width;
  return true;
}

/// The width, and with it the loops to unroll.
void Compilation::chooseForm() {
  chosenWidth_ = options.width == 0;
  if (needsThreads(thread, options))
    options.width = 1;
  if (waitsInFunctions(thread, options)) {
    thread.usesFibers = true;
    options.width = 1;
    return;
  }
  if (unrollsWholeBlock())
    return;
  if (options.width == 0 && options.isEnabled("blocks-abreast")) {
    thread.abreast = walkAbreast(thread, options);
    if (thread.abreast) {
      options.width = widthOfBlock();
      return;
    }
  }
  thread.goesByRows = goesByRows(thread, options);
  bool chosen = options.width == 0;
  options.width = chooseWidth(thread, options, machine);
  if (chosen && thread.goesByRows)
    options.width = std::min(options.width, widthOfRows(options));
  thread.goesByColumns = goesByColumns(thread, options);
  if (chosen || options.isWholeBlock())
    thread.together = blocksTogether(thread, options);
  if (options.isEnabled("unroll-barrier-loops"))
    unrollBarrierLoops(module, thread, options, machine);
}

/// One program for the block: it has little left to do but one thread's work.
void Compilation::takeWholeBlock() {
  options.width = widthOfBlock();
  if (options.isEnabled("unroll-barrier-loops"))
    unrollBarrierLoops(module, thread, options, machine);
}

void Compilation::mergeWarpCounters() {
  if (!thread.polls && simt::mergeWarpCounters(module, thread, options, machine) && chosenWidth_)
    takeWholeBlock();
}

} // namespace heddle::simt
