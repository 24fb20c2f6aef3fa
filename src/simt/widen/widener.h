// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class behind widen.h, shared by the widen_*.cpp files: control flow (widen.cpp), instructions
// (widen_values.cpp), memory (widen_memory.cpp), atomics (atomics.cpp, widen_atomic_group.cpp,
// widen_deferred.cpp),
// arrays of structures (interleaved_accesses.cpp), loops over lanes (widen_lanes.cpp), blocks of such
// loops (widen_serialized.cpp), calls
// (widen_call.cpp), warp operations and barriers (widen_warp.cpp), heddle.all (widen_all.cpp).
#pragma once

#include "simt/analysis/intrinsics.h"
#include "simt/widen/atomics/atomics.h"
#include "simt/widen/control/control_flow.h"
#include "simt/widen/lanes/elementwise.h"
#include "simt/widen/lanes/lane_loops.h"
#include "simt/widen/memory/local_variables.h"
#include "simt/widen/memory/memory_accesses.h"
#include "simt/widen/memory/row_prefetches.h"

namespace heddle::simt {

/// What emitExchange gives: the values of the warp and the lanes that are there, at any width.
std::pair<llvm::Value *, llvm::Value *> unpackExchange(llvm::IRBuilder<> &, llvm::Value *pair);

class Widener {
public:
  Widener(WidenContext &, llvm::Function &thread, llvm::Function &warp, const BlockOrder &,
          const Shapes &, const llvm::DominatorTree &, std::vector<unsigned> sameMasks);
  llvm::Error run();

private:
  llvm::Error emitBlock(unsigned index);
  llvm::Error emitInstruction(llvm::Instruction &);
  /// Records what a part has made of an instruction.
  llvm::Error define(llvm::Instruction &, llvm::Expected<llvm::Value *>);
  using LaneBody = LaneLoops::LaneBody;
  using LanesBody = LaneLoops::LanesBody;

  // Blocks that run lane by lane (widen_serialized.cpp).
  bool mayPermute(llvm::BasicBlock &) const;
  bool runsSerialized(llvm::BasicBlock &);
  llvm::Error emitSerialized(llvm::BasicBlock &);
  bool isRemade(const llvm::Value *, const llvm::SmallPtrSetImpl<const llvm::Value *> &taken,
                unsigned depth) const;
  llvm::SmallVector<llvm::Instruction *, 16> withRemade(llvm::ArrayRef<llvm::Instruction *> work);
  void emitLane(llvm::ArrayRef<llvm::Instruction *> work,
                const llvm::DenseMap<llvm::Value *, llvm::Value *> &outside,
                const llvm::DenseMap<llvm::Instruction *, llvm::AllocaInst *> &results,
                llvm::Value *lane);
  llvm::SmallPtrSet<const llvm::Instruction *, 16> madeOnce(const llvm::BasicBlock &) const;

  // Calls (widen_call.cpp).
  llvm::Error emitCall(llvm::CallInst &);
  llvm::Error emitWidenedIntrinsic(llvm::CallInst &);
  llvm::Error emitMath(llvm::CallInst &);
  llvm::Error emitScalarCall(llvm::CallInst &);
  void emitAlignmentCheck(llvm::CallInst &);
  llvm::Error emitDeviceCall(llvm::CallInst &);
  llvm::Error emitIndirectCall(llvm::CallInst &);
  llvm::Error emitPerLane(llvm::CallInst &);
  llvm::Error emitService(llvm::CallInst &, CallKind);
  llvm::Value *callSleef(const MathFunction &, llvm::ArrayRef<llvm::Value *> arguments,
                         unsigned lanes);
  /// The function pointer of a service (offset in Services).
  llvm::Value *service(size_t offset);
  llvm::Value *sourceLoc(llvm::Instruction &);

  // heddle.all (widen_all.cpp).
  llvm::Value *emitAllLanes(llvm::CallInst &);
  llvm::Value *holdsEverywhere(llvm::Value *condition, bool expected);
  llvm::Value *comparesEverywhere(llvm::ICmpInst &, bool expected);

  // Warp operations (widen_warp.cpp).
  llvm::Error emitWarpOperation(llvm::CallInst &, CallKind);
  llvm::Value *emitThreadIndex(llvm::CallInst &);
  llvm::Value *emitShuffle(llvm::CallInst &);
  llvm::Value *broadcast(llvm::CallInst &, llvm::Value *values);
  llvm::Value *emitVote(llvm::CallInst &);
  llvm::Value *matchBits(llvm::Value *value, llvm::Value *values, const llvm::APInt &unknown,
                         llvm::Value *peers);
  llvm::Value *emitMatch(llvm::CallInst &);
  llvm::Value *emitReduce(llvm::CallInst &);
  llvm::Value *inLanes(llvm::Value *perWarp, Lanes);
  llvm::Value *permuteWarps(llvm::Value *values, llvm::Value *index);
  llvm::Value *emitBarrier(llvm::CallInst &);
  llvm::Value *emitExchange(llvm::CallInst &, llvm::Value *members, llvm::Value *value);
  void emitWait(llvm::CallInst &, unsigned kind, llvm::Value *id, llvm::Value *threads,
                llvm::Value *mask, bool arriveOnly);
  void checkConverged(llvm::CallInst &);
  llvm::Value *warpState();

  FlowFacts facts_;
  Emitter e_;
  llvm::IRBuilder<> &builder_ = e_.builder;
  Masks masks_;
  LaneArrays arrays_;
  LaneValues values_;
  LaneLoops loops_;
  Elementwise elementwise_;
  ControlFlow flow_;
  SharedRegisters registers_;
  MemoryAccesses memory_;
  LocalVariables variables_;
  RowPrefetches prefetches_;
  Atomics atomics_;
  unsigned current_ = 0; ///< the block being emitted

  llvm::Value *warpStateAddress_ = nullptr;
};

} // namespace heddle::simt
