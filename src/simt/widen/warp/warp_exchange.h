// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/warp/barriers.h"

namespace heddle::simt {

/// Values of a CUDA warp that is several programs, through memory.
class WarpExchange {
public:
  WarpExchange(Emitter &emitter, LaneArrays &arrays, LaneLoops &loops, Barriers &barriers)
      : e_(emitter), builder_(emitter.builder), arrays_(arrays), loops_(loops),
        barriers_(barriers) {}

  /// Below width 32: publishes this program's lanes of `value` and waits for those of `members`. A
  /// pair: the 32 values, and the bits of the lanes that took part.
  llvm::Value *emit(llvm::CallInst &, llvm::Value *members, llvm::Value *value);
  /// The same apart.
  std::pair<llvm::Value *, llvm::Value *> emitPair(llvm::CallInst &, llvm::Value *members,
                                                   llvm::Value *value);

private:
  llvm::Value *cells();

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  LaneArrays &arrays_;
  LaneLoops &loops_;
  Barriers &barriers_;
};

} // namespace heddle::simt
