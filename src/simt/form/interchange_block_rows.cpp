// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: interchange_block_rows.h. A block of 32x8 threads walks down eight rows of a
// matrix, 128 bytes of each, where the prefetchers of a processor like one long row better. What
// depends on the row alone leaves the inner loop. A program then has no more lanes than a row of
// threads.
//
// Legality (interchange-block-rows):
//  1. Nothing orders the threads: no atomics, fences, volatile accesses. [no order]
//  2. They do not work together: no shared memory, barriers, warp operations, loops in which they
//     might wait. [no work together]
#include "simt/form/interchange_block_rows.h"

#include "simt/analysis/access_forms.h"
#include "simt/analysis/function_facts.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/shapes.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// An access of all lanes to one place, or to neighbouring ones.
bool isStraight(const Instruction &access, const Shapes &shapes) {
  const Value *pointer = getLoadStorePointerOperand(&access);
  Shape shape = shapes.of(pointer);
  int64_t size =
      access.getDataLayout().getTypeStoreSize(getLoadStoreType(const_cast<Instruction *>(&access)));
  return shape.uniform() || (shape.segment >= FewestInSegment && shape.stride == size);
}

bool hasRows(const Options &options) {
  auto [x, y, z] = options.blockDim;
  return x * y * z > WarpSize && y * z > 1 && (x % WarpSize == 0 || WarpSize % x == 0) &&
         x * y * z % WarpSize == 0;
}

} // namespace

bool isStraightKernel(const ThreadProgram &program, const Options &options) {
  if (program.staticShared > 0 || program.usesDynamicShared || !options.isOptimised())
    return false;
  return LoopFacts(*program.body).loops.empty() &&
         all_of(instructions(*program.body), isFreeOfOrder);
}

bool goesByRows(const ThreadProgram &program, const Options &options) {
  Function &thread = *program.body;
  if (!options.isEnabled("interchange-block-rows") || !hasRows(options) ||
      !isStraightKernel(program, options))
    return false;
  LoopFacts facts(thread);
  LaneShapes lanes(thread, facts, {WarpSize, options.blockDim});
  return all_of(instructions(thread), [&](const Instruction &instruction) {
    return !getLoadStorePointerOperand(&instruction) || isStraight(instruction, lanes.shapes);
  });
}

unsigned widthOfRows(const Options &options) {
  unsigned x = options.blockDim[0];
  return x % WarpSize == 0 ? 1u << countr_zero(x) : WarpSize;
}

} // namespace heddle::simt
