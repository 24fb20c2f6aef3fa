// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the form of a kernel: how many threads, neighbouring blocks and blocks above each other
// form one program. A form that needs another thread program is built in place and its cost
// estimated; if it does not pay, the earlier program is restored.
#include "simt/analysis/objects.h"
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
#include "simt/lower/debugged_threads.h"
#include "simt/progress/exits_in_turn.h"
#include "simt/progress/join_turns.h"
#include "simt/progress/meet_early.h"
#include "simt/progress/thread_form.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

/// Blocks beside each other become one where that is worth it.
static PreservedAnalyses joinRows(Compilation &kernel) {
  ThreadProgram &thread = kernel.thread;
  Options &options = kernel.options;
  unsigned count = blocksBeside(thread, options);
  if (count == 1)
    return PreservedAnalyses::all();
  double apart = costOfThread(thread, options, coarsenWarps(thread, options));
  std::unique_ptr<Function> before = copyAside(*thread.body);
  fold(*thread.body, kernel.machine);
  joinBeside(*thread.body, options.blockDim[0]);
  fold(*thread.body, kernel.machine);
  renormalize(kernel.module, kernel.machine);
  Options joined = options;
  joined.blockDim[0] *= count;
  kernel.distributeExtensions(joined);
  double together = costOfThread(thread, joined, coarsenWarps(thread, joined));
  if (together > options.costs.Worthwhile * apart ||
      chooseWidth(thread, joined, kernel.machine) == 1) {
    restore(*thread.body, std::move(before));
    return PreservedAnalyses::none();
  }
  thread.neighbours = count;
  thread.band = 1;
  // As many as one program of all lanes takes as long as; a whole warp leaves none idle.
  if (options.threads() < WarpSize)
    thread.fewestNeighbours = std::clamp(unsigned(std::ceil(together / apart * count)), 2u, count);
  options.blockDim = joined.blockDim;
  return PreservedAnalyses::none();
}

PreservedAnalyses CoarsenBlocks::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  Options &options = kernel.options;
  if (!canJoinNeighbours(thread, options))
    return joinRows(kernel);
  std::unique_ptr<Function> before = copyAside(*thread.body);
  joinNeighbours(*thread.body);
  fold(*thread.body, kernel.machine);
  renormalize(kernel.module, kernel.machine);
  Options joined = options;
  joined.blockDim[0] = MostNeighbours;
  kernel.distributeExtensions(joined);
  double cost = costOfVectors(thread, joined, kernel.machine);
  unsigned width = cost < 1 || options.width ? chooseWidth(thread, joined, kernel.machine) : 1;
  if (width == 1) {
    restore(*thread.body, std::move(before));
    return PreservedAnalyses::none();
  }
  thread.neighbours = options.blockDim[0] = options.width = width;
  thread.fewestNeighbours = std::clamp(unsigned(std::ceil(cost * width)), 2u, width);
  thread.band = 1;
  return PreservedAnalyses::none();
}

/// The lanes of one program that is the block.
static unsigned widthOfBlock(const Options &options) {
  return std::max<unsigned>(WarpSize, PowerOf2Ceil(options.threads()));
}

/// A block that is one program may have to be seen with its barrier loops unrolled before it is
/// worth it.
static bool unrollsWholeBlock(Compilation &kernel) {
  ThreadProgram &thread = kernel.thread;
  const Options &options = kernel.options;
  Options wholeBlock = options;
  wholeBlock.width = widthOfBlock(options);
  if (!options.isEnabled("unroll-barrier-loops") || options.width != 0 || options.threads() == 1 ||
      wholeBlock.width > WidestChosen || thread.body->getInstructionCount() > LargestThread)
    return false;
  double rolled = costOfThread(thread, options, WarpSize);
  std::unique_ptr<Function> before = copyAside(*thread.body);
  bool changed = unrollBarrierLoops(kernel.module, thread, wholeBlock, kernel.machine);
  double unrolled = changed ? costOfThread(thread, options, wholeBlock.width) : INFINITY;
  if (unrolled >= rolled) {
    restore(*thread.body, std::move(before));
    return false;
  }
  kernel.options.width = wholeBlock.width;
  return true;
}

/// Of a kernel that would need threads as it is: it does not after a change.
static bool becomesWarps(ThreadProgram &thread, const Options &options) {
  if (options.width == 1)
    return false;
  std::unique_ptr<Function> before = copyAside(*thread.body);
  if (joinTurns(*thread.body, options) && !needsThreads(thread, options))
    return true;
  if (thread.polls && ((meetEarly(*thread.body) && !needsThreads(thread, options)) ||
                       (takeExitsIntoTurn(thread, options) && !needsThreads(thread, options))))
    return true;
  restore(*thread.body, std::move(before)); // the threads go as they are written
  return false;
}

/// Lanes of a warp write one by one, in functions that are called, what they may count on writing
/// together.
static bool partsInFunctions(const Compilation &kernel) {
  if (kernel.options.width == 0 || kernel.options.width >= WarpSize ||
      kernel.options.threads() == 1)
    return false;
  return any_of(kernel.module, [&](const Function &function) {
    return &function != kernel.thread.body && !function.hasFnAttribute(Attribute::Cold) &&
           any_of(instructions(function), [](const Instruction &instruction) {
             const Value *address = addressOfScalarAccess(instruction);
             return address && instruction.isVolatile() && !isa<LoadInst>(instruction) &&
                    !isa<AllocaInst>(getUnderlyingObject(address));
           });
  });
}

static void choose(Compilation &kernel) {
  ThreadProgram &thread = kernel.thread;
  Options &options = kernel.options;
  if (isDebugged(options)) {
    thread.usesFibers = thread.maySpin = true;
    options.width = 1;
    return;
  }
  if (thread.cutsRows) // the width has been chosen
    return;
  if (needsThreads(thread, options) && !becomesWarps(thread, options))
    options.width = 1;
  if (waitsInFunctions(thread, options) || partsInFunctions(kernel)) {
    thread.usesFibers = true;
    options.width = 1;
    return;
  }
  if (unrollsWholeBlock(kernel))
    return;
  if (options.width == 0 && thread.neighbours == 1 && options.isEnabled("blocks-abreast")) {
    thread.abreast = walkAbreast(thread, options);
    if (thread.abreast) {
      options.width = widthOfBlock(options);
      return;
    }
  }
  bool isJoined = thread.neighbours > 1;
  thread.goesByRows = !thread.interchanged && !isJoined && goesByRows(thread, options);
  bool chosen = options.width == 0;
  options.width = chooseWidth(thread, options, kernel.machine);
  if (chosen && thread.goesByRows)
    options.width = std::min(options.width, widthOfRows(options));
  thread.goesByColumns = thread.interchanged || (!isJoined && goesByColumns(thread, options));
  if ((chosen || options.isWholeBlock()) && !thread.interchanged)
    thread.together = blocksTogether(thread, options);
  if (options.isEnabled("unroll-barrier-loops"))
    unrollBarrierLoops(kernel.module, thread, options, kernel.machine);
}

PreservedAnalyses ChooseForm::run(Compilation &kernel, FunctionAnalysisManager &) {
  choose(kernel);
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
