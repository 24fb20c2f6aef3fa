// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The widener turns a thread function into a warp function (emitter.h describes its parts).
#pragma once

#include "simt/widen/atomics/atomics.h"
#include "simt/widen/calls/access_checks.h"
#include "simt/widen/calls/count_calls.h"
#include "simt/widen/calls/device_calls.h"
#include "simt/widen/calls/float_checks.h"
#include "simt/widen/calls/init_checks.h"
#include "simt/widen/calls/intrinsic_calls.h"
#include "simt/widen/calls/mbarrier_changes.h"
#include "simt/widen/calls/sync_events.h"
#include "simt/widen/control/all_lanes.h"
#include "simt/widen/control/serialized_blocks.h"
#include "simt/widen/lanes/elementwise.h"
#include "simt/widen/memory/local_variables.h"
#include "simt/widen/memory/row_prefetches.h"
#include "simt/widen/warp/warp_operations.h"

namespace heddle::simt {

/// Walks over the blocks of a thread function and hands each instruction to the part that knows it.
class Widener {
public:
  Widener(WidenContext &, llvm::Function &thread, llvm::Function &warp, const BlockOrder &,
          const Shapes &, const llvm::DominatorTree &, std::vector<unsigned> sameMasks);
  llvm::Error run();

private:
  llvm::Error emitBlock(unsigned index);
  llvm::Error emitInstructions(llvm::BasicBlock &);
  llvm::Error emitInstruction(llvm::Instruction &);
  /// The value, if the instruction has one.
  llvm::Expected<llvm::Value *> emitValue(llvm::Instruction &);
  llvm::Expected<llvm::Value *> emitCall(llvm::CallInst &);
  llvm::Expected<llvm::Value *> emitCallOf(llvm::CallInst &, CallKind);

  FlowFacts facts_;
  Emitter e_;
  Masks masks_;
  LaneArrays arrays_;
  LaneValues values_;
  LaneLoops loops_;
  ControlFlow flow_;
  Elementwise elementwise_;
  SharedRegisters registers_;
  MemoryAccesses memory_;
  LocalVariables variables_;
  RowPrefetches prefetches_;
  SerializedBlocks serialized_;
  Atomics atomics_;
  AllLanes allLanes_;
  IntrinsicCalls intrinsics_;
  ServiceCalls services_;
  CheckCalls checkCalls_;
  AccessChecks checks_;
  CountCalls counts_;
  SyncChecks syncChecks_;
  FloatChecks floatChecks_;
  SyncEvents events_;
  InitChecks initChecks_;
  MbarrierChanges mbarriers_;
  DeviceCalls devices_;
  WarpOperations operations_;
};

} // namespace heddle::simt
