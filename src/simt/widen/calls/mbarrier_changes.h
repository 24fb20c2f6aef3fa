// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/calls/service_calls.h"

namespace heddle::simt {

/// Changes of mbarrier objects (analysis/mbarriers.h; the essay is in mbarrier_changes.cpp).
class MbarrierChanges {
public:
  MbarrierChanges(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
                  LaneLoops &loops, ServiceCalls &services)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        loops_(loops), services_(services) {}

  llvm::Value *emit(llvm::CallInst &);

private:
  struct Change {
    llvm::Value *barrier, *arrivals, *drops, *bytes;
  };
  llvm::Value *emitTogether(llvm::CallInst &);
  llvm::Value *emitOneByOne(llvm::CallInst &, const Change &operands);
  void keepOrder();
  llvm::Value *load(llvm::Value *barrier);
  void store(llvm::Value *barrier, llvm::Value *state);
  llvm::Value *next(llvm::Value *before, const Change &);
  void reportPhases(llvm::CallInst &);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  LaneLoops &loops_;
  ServiceCalls &services_;
};

} // namespace heddle::simt
