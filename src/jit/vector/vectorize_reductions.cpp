// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectorises sums of a single thread.
//
// Where each thread adds up a row of its own (a row of a sparse matrix, a list of neighbours), the
// rows of a warp's lanes lie apart and end at different times: loads would be gathers, and all
// lanes wait for the longest row. Such a kernel runs thread by thread (simt/form/choose_width.cpp),
// and the end of the loop dominates its time: no processor predicts the length of a row, and each
// wrong guess costs 20 cycles, while a row of 16 elements costs 50.
//
//     for (i = starts[row]; i < starts[row + 1]; ++i)
//       sum += values[i] * x[columns[i]];
//
// Within its row a thread reads neighbours, so the vector lies along the loop: 16 iterations at once
// under a mask of those that the row still has. Rows of 1 to 16 elements take one iteration,
// whatever their length. Idle lanes read nothing: masked loads and gathers do not fault. ns per row,
// with lengths evenly distributed, from the second cache:
//
//     elements   one by one   16 at once    8     32
//            4          2.1          4.2   2.8    7.9
//       1 to 4          6.4          4.3   2.8    8.1
//      2 to 12         12.1          4.4   6.4    8.2
//      4 to 28         17.1          7.8   8.4    9.0
//           16          7.9          5.5   5.8    8.6
//     20 to 60         30.9         15.7  17.8   16.8
//
// Two vectors of 8 lanes, each with its own sums: a gather of 16 lanes is slower (10.0 in the line
// of 4 to 28). The rows' sums are added across lanes one by one; adding those of 16 rows together,
// by a network of shuffles, takes as long.
//
// A row that may be long first runs without masks, in steps of as many iterations as fill a
// register with the narrowest numbers (64 bytes) and 32 at least; the remainder runs as above. Only
// for four such steps or more: where rows are short, the branch would be one more guess.
//
// simt/form/sum_loops.cpp has the conditions, and when it pays. A loop that always has two or three
// iterations takes 2 ns longer than before, since their number is not known here.
//
// Not where there are more gathers than loads of neighbours.
//
// Legality (vectorize-reductions):
//  1. The order of sums is free: integers, floats with reassoc and nsz, minima and maxima. [order]
//  2. The loop is one block, and its rounds are counted before it begins. [counted]
//  3. Nothing in it writes, is volatile, or calls what might. [writes]
//  4. What idle lanes compute cannot fail: they load by masks and divide by constants that are
//     neither 0 nor -1. What is computed before the loop can be so there. [speculation]
//  5. It hands on counters and sums from round to round; what is added does not depend on the sum.
//     [carried]
//  6. Behind the loop only the sums are wanted. [wanted behind]
//  7. Idle lanes keep their sums: they add what is zero for certain, or are masked out. [idle
//     lanes]
#include "jit/vector/vectorize_reductions.h"

#include "jit/vector/vector_loop.h"
#include "simt/analysis/launch_facts.h"

#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace heddle::jit {

using namespace llvm;
using simt::SumLoop;

namespace {

/// LLVM's passes fold blocks away that are nothing but the way into a loop.
bool addPreheaders(Function &function, FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<LoopAnalysis>(function);
  auto &dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  bool isChanged = false;
  for (Loop *loop : loops.getLoopsInPreorder())
    if (loop->getNumBlocks() == 1 && !loop->getLoopPreheader())
      isChanged |= InsertPreheaderForLoop(loop, &dominators, &loops, /*MSSAU=*/nullptr,
                                          /*PreserveLCSSA=*/false) != nullptr;
  return isChanged;
}

/// One loop of the function; false if there is none.
bool takeOne(Function &function, FunctionAnalysisManager &analyses) {
  auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto [machine, options] = analyses.getResult<simt::LaunchFactsAnalysis>(function);
  for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (SumLoop sums(*loop, evolution, machine, options.isEnabled("gather-words"));
        sums.isFound()) {
      VectorLoop(sums, *loop, evolution).take();
      return true;
    }
  return false;
}

} // namespace

PreservedAnalyses VectorizeReductions::run(Function &function, FunctionAnalysisManager &analyses) {
  bool isChanged = addPreheaders(function, analyses);
  if (isChanged)
    simt::forget(function, analyses);
  while (takeOne(function, analyses)) {
    simt::forget(function, analyses);
    isChanged = true;
  }
  return simt::changed(isChanged);
}

} // namespace heddle::jit
