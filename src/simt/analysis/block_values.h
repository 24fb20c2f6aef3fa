// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/function_facts.h"
#include "simt/analysis/thread_sums.h"
#include "simt/simt.h"

#include "llvm/Support/MathExtras.h"

namespace heddle::simt {

/// The lanes of a program that holds the whole block.
inline LaneFacts wholeBlock(const Options &options) {
  unsigned threads = options.blockDim[0] * options.blockDim[1] * options.blockDim[2];
  return {unsigned(llvm::PowerOf2Ceil(threads)), options.blockDim};
}

/// How the values of a thread program go over the threads of a block.
struct BlockValues : LaneShapes {
  BlockValues(llvm::Function &thread, LoopFacts &facts, const LaneFacts &lanes)
      : LaneShapes(thread, facts, lanes), tables(lanes.blockDim),
        sums(tables, shapes, thread.getDataLayout()) {}
  BlockValues(llvm::Function &thread, LoopFacts &facts, const Options &options)
      : BlockValues(thread, facts, wholeBlock(options)) {}

  bool isCommon(const llvm::Value &value) const { return shapes.isUniform(&value); }

  ThreadTables tables;
  ThreadSums sums;
};

} // namespace heddle::simt
