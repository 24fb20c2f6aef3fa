// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/lanes/lane_values.h"
#include "simt/widen/lanes/masks.h"

namespace heddle::simt {

/// What counted code counts (heddle.count.block and .access, base/abi/count_abi.h).
class CountCalls {
public:
  CountCalls(Emitter &emitter, Masks &masks, LaneValues &values)
      : e_(emitter), builder_(emitter.builder), masks_(masks), values_(values) {}

  void emitBlock(llvm::CallInst &);
  void emitAccess(llvm::CallInst &);
  /// Once for the warp: the counter's clock.
  llvm::Value *emitClock(llvm::CallInst &);

private:
  llvm::Value *activeLanes();
  llvm::Value *ofBlock(llvm::Type *, size_t offset);
  llvm::Value *service(size_t offset);
  void add(llvm::Value *tallies, uint64_t offset, llvm::Value *number);
  llvm::Value *addressesOf(llvm::Value *operand);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneValues &values_;
  llvm::AllocaInst *addresses_ = nullptr; ///< one for each lane
};

} // namespace heddle::simt
