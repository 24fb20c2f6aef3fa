// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/lanes/lane_values.h"

namespace heddle::simt {

/// Where each lane's atomic is: made before a loop over lanes, for code in it.
struct LaneAddress {
  struct Index {
    llvm::Value *value;
    llvm::CastInst *extension;
  };
  llvm::Value *base = nullptr; ///< of lane 0, of the array, or the addresses themselves
  int64_t stride = 0;
  llvm::GetElementPtrInst *element = nullptr;
  llvm::SmallVector<Index, 2> indices;
};

/// Atomics that run for one lane after the other.
class LaneAtomics {
public:
  LaneAtomics(Emitter &emitter, LaneArrays &arrays, LaneValues &values, LaneLoops &loops)
      : e_(emitter), builder_(emitter.builder), arrays_(arrays), values_(values), loops_(loops) {}

  LaneAddress laneAddress(llvm::Value *pointer);
  llvm::Value *addressOfLane(const LaneAddress &, llvm::Value *lane);
  /// The atomic for each active lane, in lane order. `resultType` is null where nobody looks at the
  /// old values; those of a compare-and-swap come without its success.
  llvm::Value *emitLanesInTurn(llvm::Instruction &, llvm::Type *resultType);

private:
  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
};

} // namespace heddle::simt
