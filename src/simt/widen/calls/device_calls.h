// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "simt/widen/calls/service_calls.h"

namespace heddle::simt {

/// Calls of device functions that were not inlined. They take the mask and vectors.
class DeviceCalls {
public:
  DeviceCalls(Emitter &emitter, Masks &masks, LaneArrays &arrays, LaneValues &values,
              ServiceCalls &services)
      : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
        services_(services) {}

  llvm::Value *emitDirect(llvm::CallInst &);
  /// Through a pointer: runs once for each distinct target among the active lanes, with the lanes
  /// that call it.
  llvm::Value *emitIndirect(llvm::CallInst &);
  /// Of a function that there is not: ends the launch.
  void emitBad(llvm::CallInst &);

private:
  llvm::GlobalVariable *functionTable(llvm::FunctionType *);
  void emitEnd(llvm::CallInst &, llvm::Value *number);
  llvm::Value *targetOf(llvm::CallInst &, llvm::GlobalVariable &table, llvm::Value *number);
  llvm::Value *call(llvm::FunctionType *, llvm::Value *target, llvm::Value *mask,
                    llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *blend(llvm::Value *mask, llvm::Value *now, llvm::Value *before);

  Emitter &e_;
  llvm::IRBuilder<> &builder_;
  Masks &masks_;
  LaneArrays &arrays_;
  LaneValues &values_;
  ServiceCalls &services_;
};

} // namespace heddle::simt
