// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the bits of an mbarrier object are is said in include/heddle/device_mbarrier.h. Whoever
// shares one runs on one worker, and nobody stops within a change, so that a load and a store are
// enough.
//
// Lanes that arrive at one barrier do so together, where their tokens only say which phase to wait
// for: as many arrivals as lanes are active, and one token. So what they do next, a loop that waits
// for the phase, is the same for all, and a warp waits as one (progress.md).
//
//     token = change(barrier, 1, 0, 0)    ->    before = *barrier; n = lanes that are active
//                                               if (n > arrivals missing in before) one by one
//                                               *barrier = next(before, n); token = before
//
// More arrivals than the phase has room for: the last lanes are in the next phase, and their tokens
// differ. Nobody can count on which lanes these are, and those of the first phase would find it two
// phases old. If tokens are used, that ends the kernel with an error: a warp cannot wait for both.
#include "simt/widen/calls/mbarrier_changes.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/mbarriers.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t Parity = uint64_t(1) << 63, Count = 0xfffff,
                   BytesMask = uint64_t(0x7fffff) << 40;

} // namespace

/// The compiler alone must keep accesses on their sides.
void MbarrierChanges::keepOrder() {
  builder_.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
}

Value *MbarrierChanges::load(Value *barrier) {
  return builder_.CreateAlignedLoad(builder_.getInt64Ty(), barrier, Align(8), /*isVolatile=*/true);
}

void MbarrierChanges::store(Value *barrier, Value *state) {
  builder_.CreateAlignedStore(state, barrier, Align(8), /*isVolatile=*/true);
}

Value *MbarrierChanges::next(Value *before, const Change &change) {
  IRBuilder<> &b = builder_;
  Value *zero = b.getInt64(0);
  Value *expected = b.CreateSub(b.CreateAnd(b.CreateLShr(before, 20), Count), change.drops);
  Value *missing = b.CreateSub(b.CreateAnd(before, Count), change.arrivals);
  Value *outstanding = b.CreateAnd(
      b.CreateAdd(b.CreateAnd(before, ~Parity), b.CreateShl(change.bytes, 40)), BytesMask);
  Value *isOver = b.CreateICmpEQ(b.CreateOr(missing, outstanding), zero);
  Value *parity =
      b.CreateAnd(b.CreateXor(before, b.CreateSelect(isOver, b.getInt64(Parity), zero)), Parity);
  Value *left = b.CreateAnd(b.CreateSelect(isOver, expected, missing), Count);
  return b.CreateOr(b.CreateOr(parity, outstanding), b.CreateOr(b.CreateShl(expected, 20), left));
}

/// Operands are those of each lane, or scalars; numbers have 64 bits.
Value *MbarrierChanges::emitOneByOne(CallInst &call, const Change &operands) {
  return loops_.forEachLane(e_.vectorType(call.getType()), [&](Value *lane) -> Value * {
    auto of = [&](Value *operand) { return arrays_.extractLane(operand, lane); };
    auto number = [&](Value *operand) {
      return builder_.CreateZExt(of(operand), builder_.getInt64Ty());
    };
    Change change = {of(operands.barrier), number(operands.arrivals), number(operands.drops),
                     of(operands.bytes)};
    Value *before = load(change.barrier);
    store(change.barrier, next(before, change));
    return before;
  });
}

void MbarrierChanges::reportPhases(CallInst &call) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  auto [warp, lanes] = masks_.reported(masks_.integer(masks_.active()));
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, pointer}, false),
                      services_.service(offsetof(Services, otherPhase)),
                      {e_.warp.getArg(ParamBlock), warp, lanes, services_.sourceLoc(call)});
}

Value *MbarrierChanges::emitTogether(CallInst &call) {
  Type *i64 = builder_.getInt64Ty();
  Value *barrier = values_.scalar(call.getArgOperand(0));
  Value *arrivals = values_.scalar(call.getArgOperand(1));
  Value *drops = values_.scalar(call.getArgOperand(2));
  Value *lanes = builder_.CreateZExtOrTrunc(
      builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, masks_.bits(masks_.active())), i64);
  auto ofAll = [&](Value *number) {
    return builder_.CreateMul(builder_.CreateZExt(number, i64), lanes);
  };
  Change change = {barrier, ofAll(arrivals), ofAll(drops), builder_.getInt64(0)};
  Value *before = load(barrier);
  Value *fits = builder_.CreateICmpULE(change.arrivals, builder_.CreateAnd(before, Count));
  BasicBlock *together = e_.newBlock("together"), *apart = e_.newBlock("apart"),
             *done = e_.newBlock("arrived");
  builder_.CreateCondBr(fits, together, apart,
                        MDBuilder(e_.warp.getContext()).createLikelyBranchWeights());
  builder_.SetInsertPoint(apart);
  if (call.use_empty()) {
    emitOneByOne(call, {barrier, arrivals, drops, builder_.getInt64(0)});
    builder_.CreateBr(done);
  } else {
    reportPhases(call);
    builder_.CreateUnreachable();
  }
  builder_.SetInsertPoint(together);
  store(barrier, next(before, change));
  builder_.CreateBr(done);
  builder_.SetInsertPoint(done);
  return before;
}

Value *MbarrierChanges::emit(CallInst &call) {
  keepOrder();
  auto operand = [&](unsigned i) { return values_.laneOperand(call.getArgOperand(i)); };
  Value *before = e_.width > 1 && arriveTogether(call, e_.shapes)
                      ? emitTogether(call)
                      : emitOneByOne(call, {operand(0), operand(1), operand(2), operand(3)});
  keepOrder();
  return before;
}

} // namespace heddle::simt
