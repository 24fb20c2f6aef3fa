// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/calls/sync_events.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/mbarriers.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_nvvm.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// The lanes that a collective names; null: all of the warp.
Value *maskOf(CallInst &call, CallKind kind) {
  switch (kind) {
  case CallKind::WarpSync:
  case CallKind::Match:
  case CallKind::Elect:
    return call.getArgOperand(0);
  case CallKind::Reduce:
    return call.getArgOperand(1);
  case CallKind::Vote:
    return call.arg_size() == 2 ? call.getArgOperand(0) : nullptr;
  default: // a shuffle
    return call.getCalledFunction()->getName().contains(".sync.") ? call.getArgOperand(0) : nullptr;
  }
}

bool isCollective(CallKind kind) {
  switch (kind) {
  case CallKind::WarpSync:
  case CallKind::Match:
  case CallKind::Elect:
  case CallKind::Reduce:
  case CallKind::Vote:
  case CallKind::Shuffle:
    return true;
  default:
    return false;
  }
}

} // namespace

void SyncEvents::tell(OrderEvent event, Value *detail, Value *more) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *active = builder_.CreateZExt(masks_.integer(masks_.active()), i32);
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, i32, i32, pointer}, false);
  builder_.CreateCall(type, calls_.service(offsetof(CheckServices, ordered)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), active,
                       builder_.getInt32(uint32_t(event)), detail,
                       more ? more : Constant::getNullValue(pointer)});
}

/// Of a collective whose mask may differ from lane to lane.
void SyncEvents::tellOfWarp(CallInst &call, Value *mask) {
  if (!mask)
    return tell(OrderEvent::WarpSync, builder_.getInt32(~0u));
  if (e_.width == 1 || e_.shapes.isUniform(mask))
    return tell(OrderEvent::WarpSync, values_.scalar(mask));
  if (!lanes_) {
    IRBuilder<> entry(e_.allocaPoint);
    lanes_ = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), 8 * MostCheckedLanes));
    lanes_->setAlignment(Align(64));
  }
  builder_.CreateAlignedStore(values_.vector(mask), lanes_, Align(4));
  tell(OrderEvent::WarpSync, builder_.getInt32(0), lanes_);
}

/// Barriers of some warps have numbers, or counts of threads.
void SyncEvents::emitBarrier(CallInst &call, bool isBefore) {
  if (e_.options.threads() <= e_.width && !HaltsBlock.isOn(call)) {
    if (!isBefore)
      tell(OrderEvent::BlockSync);
    return;
  }
  if (call.getCalledFunction()->getName().ends_with(".all"))
    if (auto *id = dyn_cast<ConstantInt>(call.getArgOperand(0)); id && id->isZero())
      return;
  bool arrives = call.getCalledFunction()->getName().contains(".arrive");
  if (isBefore || !arrives)
    tell(isBefore ? OrderEvent::BarrierArrive : OrderEvent::BarrierWait,
         values_.scalar(call.getArgOperand(0)));
}

void SyncEvents::emitHappened(CallInst &call) {
  Value *swapped = call.getArgOperand(0);
  if (isa<Constant>(swapped))
    return tell(OrderEvent::Happened);
  Value *lanes = masks_.integer(masks_.activeWhere(values_.vector(swapped)));
  tell(OrderEvent::Happened, builder_.CreateZExt(lanes, builder_.getInt32Ty()),
       calls_.constant(cast<Constant>(call.getArgOperand(1)), "found"));
}

void SyncEvents::emitBefore(CallInst &call, CallKind kind) {
  if (!isOn())
    return;
  if (kind == CallKind::Happened)
    return emitHappened(call);
  if (kind == CallKind::BlockBarrier)
    return emitBarrier(call, true);
  if (kind == CallKind::ClusterArrive)
    return tell(isOfOneBlock(call) ? OrderEvent::PieceArrive : OrderEvent::ClusterArrive);
  if (isCollective(kind) && e_.width < 32) {
    Value *mask = maskOf(call, kind);
    tell(OrderEvent::WarpArrive, mask ? values_.scalar(mask) : builder_.getInt32(~0u));
  }
  // Who looks at an mbarrier knows what those did that have arrived.
  if (kind == CallKind::MbarrierChange || kind == CallKind::MbarrierNote) {
    if (!lanes_) {
      IRBuilder<> entry(e_.allocaPoint);
      lanes_ = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), 8 * MostCheckedLanes));
      lanes_->setAlignment(Align(64));
    }
    builder_.CreateAlignedStore(values_.vector(call.getArgOperand(0)), lanes_, Align(8));
    bool looks = kind == CallKind::MbarrierNote && (mbarrierStep(call) == MbarrierStep::Looks ||
                                                    mbarrierStep(call) == MbarrierStep::Waits);
    tell(OrderEvent::Atomic, builder_.getInt32(looks), lanes_);
  }
}

void SyncEvents::emitBehind(CallInst &call, CallKind kind) {
  if (!isOn())
    return;
  if (kind == CallKind::BlockBarrier)
    return emitBarrier(call, false);
  if (kind == CallKind::ClusterWait)
    return tell(isOfOneBlock(call) ? OrderEvent::PieceWait : OrderEvent::ClusterWait);
  if (kind == CallKind::GridBarrier)
    return tell(OrderEvent::GridSync);
  if (!isCollective(kind))
    return;
  Value *mask = maskOf(call, kind);
  if (e_.width == 32)
    return tellOfWarp(call, mask);
  tell(OrderEvent::WarpWait, mask ? values_.scalar(mask) : builder_.getInt32(~0u));
}

void SyncEvents::emitFence(Instruction &fence) {
  if (isOn() && !isThreadFence(fence))
    tell(OrderEvent::Fence, builder_.getInt32(uint32_t(FenceScope.get(fence))));
}

} // namespace heddle::simt
