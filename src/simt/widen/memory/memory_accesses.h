// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/analysis/near_lanes.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/memory/interleaved_accesses.h"
#include "simt/widen/memory/run_accesses.h"
#include "simt/widen/memory/segment_accesses.h"
#include "simt/widen/memory/shuffled_accesses.h"

namespace heddle::simt {

/// Loads and stores: which form each has.
class MemoryAccesses {
public:
  MemoryAccesses(Emitter &, Masks &, LaneArrays &, LaneValues &);

  void beginBlock() { interleaved_.beginBlock(); }
  llvm::Expected<llvm::Value *> emitLoad(llvm::LoadInst &);
  llvm::Error emitStore(llvm::StoreInst &);
  /// A vector load or store serves the access, or one for all lanes.
  bool hasVectorForm(llvm::Instruction &access) const;

private:
  llvm::Value *loadScalar(llvm::LoadInst &);
  llvm::Value *loadVector(llvm::LoadInst &);
  void noteNear(const llvm::LoadInst &, llvm::CallInst &gather);
  void storeScalar(llvm::StoreInst &);
  void storeVector(llvm::Value *value, llvm::Value *address, llvm::Align, llvm::MDNode *stream);
  bool isOne(const llvm::Value *address) const {
    return e_.width == 1 || e_.shapes.isUniform(address);
  }

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  NearLanes near_;
  SegmentAccesses segments_;
  RunAccesses runs_;
  ShuffledAccesses shuffled_;
  InterleavedAccesses interleaved_;
};

} // namespace heddle::simt
