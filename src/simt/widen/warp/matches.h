// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/warp/warp_exchange.h"

namespace heddle::simt {

/// __match_any_sync and __match_all_sync (matches.cpp).
class Matches {
public:
  Matches(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values, LaneLoops &loops,
          WarpExchange &exchange)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        loops_(loops), exchange_(exchange) {}

  llvm::Value *emit(llvm::CallInst &);

private:
  llvm::Value *matchBits(llvm::Value *value, llvm::Value *values, const llvm::APInt &unknown,
                         llvm::Value *peers);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  WarpExchange &exchange_;
};

} // namespace heddle::simt
