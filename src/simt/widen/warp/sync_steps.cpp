// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers that are objects (mbarriers), come in pieces, or have a number of threads: the code tells
// each step before it does it, and src/check/sync_steps.cpp keeps account.
#include "simt/analysis/async_copies.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/mbarriers.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/widen/warp/sync_checks.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

void SyncChecks::tellStep(CallInst &call, SyncStep step, SyncKind kind, Value *object,
                          ArrayRef<Value *> numbers) {
  constexpr uint64_t RowBytes = 8 * MostCheckedLanes;
  if (!steps_) {
    IRBuilder<> entry(e_.allocaPoint);
    steps_ = entry.CreateAlloca(ArrayType::get(entry.getInt8Ty(), (1 + SyncNumbers) * RowBytes));
    steps_->setAlignment(Align(64));
  }
  auto keep = [&](unsigned row, Value *value) {
    builder_.CreateAlignedStore(value, e_.field(steps_, row * RowBytes), Align(8));
  };
  if (object)
    keep(0, values_.vector(object));
  for (auto [i, number] : enumerate(numbers)) {
    Value *value = values_.vector(number);
    keep(1 + i,
         builder_.CreateZExt(value, value->getType()->getWithNewType(builder_.getInt64Ty())));
  }
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *none = Constant::getNullValue(pointer);
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(),
                                        {pointer, i32, i32, i32, pointer, pointer, pointer}, false),
                      calls_.service(offsetof(CheckServices, syncStep)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), bits(masks_.active()),
                       builder_.getInt32(uint32_t(step)), object ? steps_ : none,
                       numbers.empty() ? none : e_.field(steps_, RowBytes), site(call, kind)});
}

static SyncStep stepOf(const CallInst &note) {
  switch (mbarrierStep(note)) {
  case MbarrierStep::Begins:
    return SyncStep::MbarrierBegins;
  case MbarrierStep::Ends:
    return SyncStep::MbarrierEnds;
  case MbarrierStep::Looks:
    return SyncStep::MbarrierLooks;
  case MbarrierStep::Waits:
    return SyncStep::MbarrierWaits;
  }
}

/// In a module without notes, of an older compiler, nothing is known of how barriers begin.
void SyncChecks::atMbarrier(CallInst &call) {
  if (!isOn_ || !e_.context.program.notesMbarriers)
    return;
  Value *barrier = call.getArgOperand(0);
  if (callKind(call) == CallKind::MbarrierNote)
    return tellStep(call, stepOf(call), SyncKind::Mbarrier, barrier, call.getArgOperand(2));
  tellStep(call, SyncStep::MbarrierChanges, SyncKind::Mbarrier, barrier,
           {call.getArgOperand(1), call.getArgOperand(2), call.getArgOperand(3)});
}

void SyncChecks::atPiece(CallInst &call) {
  if (isOn_)
    tellStep(call,
             callKind(call) == CallKind::ClusterWait ? SyncStep::PieceWaits
                                                     : SyncStep::PieceArrives,
             isOfOneBlock(call) ? SyncKind::BlockBarrier : SyncKind::ClusterBarrier, nullptr, {});
}

void SyncChecks::atCount(CallInst &call) {
  if (!isOn_)
    return;
  Value *threads = call.getArgOperand(1);
  Value *rest = builder_.CreateAnd(values_.scalar(threads), builder_.getInt32(WarpSize - 1));
  if (auto *constant = dyn_cast<ConstantInt>(rest); constant && constant->isZero())
    return;
  BasicBlock *tell = e_.newBlock("odd"), *after = e_.newBlock("even");
  builder_.CreateCondBr(builder_.CreateIsNotNull(rest), tell, after,
                        MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(tell);
  LaneValues::Local local = values_.save();
  tellStep(call, SyncStep::CountedBarrier, SyncKind::BlockBarrier, nullptr, threads);
  values_.restore(std::move(local));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void SyncChecks::atAsyncCopy(CallInst &call) {
  auto step = AsyncStep(cast<ConstantInt>(call.getArgOperand(1))->getZExtValue());
  bool isForMemory = step == AsyncStep::Tensor && calls_.isOn(CheckMemory);
  if (!calls_.isOn(CheckRaces) && !isForMemory)
    return;
  bool commits = step == AsyncStep::Commits || step == AsyncStep::BulkCommits;
  bool waits = step == AsyncStep::Waits || step == AsyncStep::BulkWaits;
  SyncStep told = commits ? SyncStep::AsyncCopiesCommit
                  : waits ? SyncStep::AsyncCopiesWait
                          : SyncStep::AsyncCopyBegins;
  tellStep(call, told, SyncKind::AsyncCopy, call.getArgOperand(0),
           {call.getArgOperand(2), builder_.getInt64(uint64_t(step))});
}

} // namespace heddle::simt
