// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/flow_facts.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/lanes/lane_values.h"

namespace heddle::simt {

/// Prefetches of what the lanes will read (row_prefetches.cpp).
class RowPrefetches {
public:
  RowPrefetches(Emitter &emitter, const FlowFacts &facts, Masks &masks, LaneArrays &arrays,
                LaneValues &values, LaneLoops &loops)
      : e_(emitter), builder_(emitter.builder), facts_(facts), masks_(masks), arrays_(arrays),
        values_(values), loops_(loops) {}

  /// Before the jump at the end of the block, if that goes into a loop: what lanes read in it that
  /// walk along rows of their own.
  void emitBefore(llvm::BasicBlock &block);
  /// heddle.fetch: a prefetch of each line that the lanes' accesses touch, if they touch few.
  void emitFetch(llvm::CallInst &);

private:
  bool readsRow(llvm::GetElementPtrInst &, int64_t step) const;
  void fetchRow(llvm::GetElementPtrInst &, llvm::Value *start, llvm::CastInst *wide);
  void fetchLine(llvm::Value *address);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  const FlowFacts &facts_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
};

} // namespace heddle::simt
