// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp operations. (Barriers: barriers.cpp; matches: matches.cpp.)
//
// At width 32 a CUDA warp is one vector: a shuffle is a permutation, a vote the bits of a mask, and
// nothing waits. Above 32 several CUDA warps are one vector, of which each 32 lanes do the same for
// themselves. Below 32 a CUDA warp is several warp programs, and an operation is an exchange
// through memory: each lane writes its operand to its cell of Block::warpScratch and marks it
// present, waits until all lanes that take part have, reads what it needs, and waits again so that
// nobody writes the next value too early. Both forms compute the result by the same code, from
// `lanes`: the operand of all 32.
#include "simt/widen/warp/warp_operations.h"

#include "simt/analysis/meeting_place.h"
#include "simt/lower/debugged_threads.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/lower/native.h"
#include "simt/progress/meeting_lanes.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

WarpOperations::WarpOperations(Emitter &emitter, Masks &masks, LaneArrays &arrays,
                               LaneValues &values, LaneLoops &loops, ControlFlow &flow,
                               ServiceCalls &services, SyncChecks &checks)
    : e_(emitter), builder_(emitter.builder), masks_(masks), arrays_(arrays), values_(values),
      loops_(loops), checks_(checks), barriers_(emitter, masks, values, flow, services, checks),
      exchange_(emitter, arrays, loops, barriers_),
      matches_(emitter, masks, arrays, values, loops, exchange_) {}

Value *WarpOperations::emitThreadIndex(CallInst &call) {
  Type *i32 = builder_.getInt32Ty();
  Value *first =
      builder_.CreateMul(e_.warp.getArg(ParamWarp), builder_.getInt32(e_.width), "", true, true);
  Lanes lanes = values_.lanesOf(&call);
  Value *thread = values_.splat(first, lanes.count);
  if (lanes.count > 1)
    thread = builder_.CreateAdd(thread, values_.laneNumbers(i32, lanes));
  auto number = [&](uint32_t n) { return values_.splat(builder_.getInt32(n), lanes.count); };
  const auto &shape = e_.options.blockDim;
  Value *lane = builder_.CreateAnd(thread, number(31));
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    if (shape[0] == 1)
      return number(0);
    return shape[1] == 1 && shape[2] == 1 ? thread : builder_.CreateURem(thread, number(shape[0]));
  case Intrinsic::nvvm_read_ptx_sreg_tid_y: {
    if (shape[1] == 1)
      return number(0);
    Value *row = builder_.CreateUDiv(thread, number(shape[0]));
    return shape[2] == 1 ? row : builder_.CreateURem(row, number(shape[1]));
  }
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return shape[2] == 1 ? number(0) : builder_.CreateUDiv(thread, number(shape[0] * shape[1]));
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return lane;
  case Intrinsic::nvvm_read_ptx_sreg_warpid:
    return builder_.CreateLShr(thread, number(5));
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_eq:
    return builder_.CreateShl(number(1), lane);
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_lt:
    return builder_.CreateSub(builder_.CreateShl(number(1), lane), number(1));
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_le:
    return builder_.CreateSub(builder_.CreateShl(number(2), lane), number(1));
  case Intrinsic::nvvm_read_ptx_sreg_lanemask_ge:
    return builder_.CreateShl(number(~0u), lane);
  default: // gt
    return builder_.CreateShl(number(~1u), lane);
  }
}

namespace {

/// Source lane of a shuffle for each lane and whether it is in range (PTX ISA, shfl.sync).
std::pair<Value *, Value *> shuffleSource(IRBuilder<> &b, StringRef mode, Value *lane, Value *bval,
                                          Value *c) {
  Type *type = lane->getType();
  auto number = [&](uint32_t n) { return ConstantInt::get(type, n); };
  Value *segment = b.CreateAnd(b.CreateLShr(c, number(8)), number(31));
  Value *clamp = b.CreateAnd(c, number(31));
  Value *outside = b.CreateXor(segment, number(31));
  Value *minimum = b.CreateAnd(lane, segment);
  Value *maximum = b.CreateOr(minimum, b.CreateAnd(clamp, outside));
  bval = b.CreateAnd(bval, number(31));
  Value *source = nullptr, *inRange = nullptr;
  if (mode == "up") {
    source = b.CreateSub(lane, bval);
    inRange = b.CreateICmpSGE(source, maximum);
  } else {
    source = mode == "down"   ? b.CreateAdd(lane, bval)
             : mode == "bfly" ? b.CreateXor(lane, bval)
                              : b.CreateOr(minimum, b.CreateAnd(bval, outside));
    inRange = b.CreateICmpSLE(source, maximum);
  }
  return {b.CreateSelect(inRange, source, lane), inRange};
}

/// values[index] for each lane.
Value *permute(IRBuilder<> &builder, const TargetMachine &machine, Instruction *allocaPoint,
               Value *values, Value *index) {
  auto *type = cast<FixedVectorType>(values->getType());
  auto *indexType = dyn_cast<FixedVectorType>(index->getType());
  if (!indexType)
    return builder.CreateExtractElement(values, index);
  if (auto *constant = dyn_cast<Constant>(index)) {
    SmallVector<int, 32> picks;
    for (unsigned i = 0; i < indexType->getNumElements(); ++i)
      picks.push_back(cast<ConstantInt>(constant->getAggregateElement(i))->getZExtValue());
    return builder.CreateShuffleVector(values, picks);
  }
  if (Value *native = emitNativePermute(builder, machine, values, index))
    return native;
  auto *memory = new AllocaInst(type, 0, nullptr, Align(64), "permute", allocaPoint->getIterator());
  builder.CreateAlignedStore(values, memory, Align(64));
  Value *wide = builder.CreateZExt(
      index, FixedVectorType::get(builder.getInt64Ty(), indexType->getNumElements()));
  Value *addresses = builder.CreateGEP(type->getElementType(), memory, wide);
  return builder.CreateMaskedGather(
      FixedVectorType::get(type->getElementType(), indexType->getNumElements()), addresses,
      Align(type->getScalarSizeInBits() / 8));
}

} // namespace

/// values[index] within each 32 lanes.
Value *WarpOperations::permuteWarps(Value *values, Value *index) {
  SmallVector<Value *, 32> warps;
  for (unsigned first = 0; first < e_.width; first += 32)
    warps.push_back(permute(builder_, e_.context.machine, e_.allocaPoint,
                            slice(builder_, values, first, 32), slice(builder_, index, first, 32)));
  return concatenate(builder_, warps);
}

/// All lanes of a warp take the value of one, the same in each: as few values as there are warps.
Value *WarpOperations::broadcast(CallInst &call, Value *values) {
  Lanes warps = {32, e_.width / 32};
  Value *from = values_.at(const_cast<Value *>(broadcastLane(call)), warps);
  auto inWarp = [&](unsigned warp, Value *lane) {
    Value *inside = builder_.CreateAnd(lane, builder_.getInt32(31));
    return builder_.CreateExtractElement(values,
                                         builder_.CreateOr(inside, builder_.getInt32(32 * warp)));
  };
  if (warps.count == 1)
    return inWarp(0, from);
  Value *result = PoisonValue::get(e_.vectorType(call.getType(), warps.count));
  for (unsigned warp = 0; warp < warps.count; ++warp)
    result = builder_.CreateInsertElement(
        result, inWarp(warp, builder_.CreateExtractElement(from, warp)), warp);
  return inLanes(result, values_.lanesOf(&call));
}

Value *WarpOperations::emitShuffle(CallInst &call) {
  StringRef name = call.getCalledFunction()->getName(); // llvm.nvvm.shfl[.sync].MODE.TYPE[p]
  SmallVector<StringRef, 6> parts;
  name.split(parts, '.');
  bool sync = parts[3] == "sync";
  StringRef mode = parts[sync ? 4 : 3];
  unsigned first = sync ? 1 : 0;
  Value *value = values_.vector(call.getArgOperand(first));
  Type *i32 = builder_.getInt32Ty();
  Value *lane = nullptr;
  if (e_.width >= 32)
    lane = builder_.CreateAnd(values_.laneNumbers(i32), values_.splat(builder_.getInt32(31)));
  else {
    Value *thread = builder_.CreateMul(e_.warp.getArg(ParamWarp), builder_.getInt32(e_.width));
    lane = builder_.CreateAnd(
        e_.width == 1 ? thread
                      : builder_.CreateAdd(values_.splat(thread), values_.laneNumbers(i32)),
        e_.width == 1 ? builder_.getInt32(31) : values_.splat(builder_.getInt32(31)));
  }
  auto [source, inRange] =
      shuffleSource(builder_, mode, lane, values_.vector(call.getArgOperand(first + 1)),
                    values_.vector(call.getArgOperand(first + 2)));
  checks_.atShuffle(call, source);
  Value *values = value;
  bool isOne =
      e_.width > 1 && e_.shapes.of(&call).constantIn(std::min(e_.width, 32u)); // in each warp
  if (isOne && e_.width >= 32)
    return broadcast(call, value);
  if (e_.width < 32) {
    Value *members = sync ? values_.scalar(call.getArgOperand(0)) : builder_.getInt32(~0u);
    values = builder_.CreateExtractValue(exchange_.emit(call, members, value), 0);
  }
  if (isOne)
    return builder_.CreateExtractElement(
        values,
        builder_.CreateAnd(values_.scalar(call.getArgOperand(first + 1)), builder_.getInt32(31)));
  Value *result = e_.width > 32
                      ? permuteWarps(values, source)
                      : permute(builder_, e_.context.machine, e_.allocaPoint, values, source);
  if (!call.getType()->isStructTy())
    return result;
  Value *pair = PoisonValue::get(e_.vectorType(call.getType()));
  return builder_.CreateInsertValue(builder_.CreateInsertValue(pair, result, 0), inRange, 1);
}

/// A value for each CUDA warp, in other lanes.
Value *WarpOperations::inLanes(Value *perWarp, Lanes lanes) {
  if (!perWarp->getType()->isVectorTy())
    return values_.splat(perWarp, lanes.count);
  SmallVector<int, 128> picks;
  for (unsigned i = 0; i < lanes.count; ++i)
    picks.push_back(i * lanes.step / 32);
  return lanes.count == 1 ? builder_.CreateExtractElement(perWarp, uint64_t(0))
                          : builder_.CreateShuffleVector(perWarp, picks);
}

/// The lanes of each warp whose predicate holds, and those of which it does not.
std::pair<Value *, Value *> WarpOperations::ballots(CallInst &call, Value *members,
                                                    Value *predicate) {
  if (e_.width >= 32) {
    Value *yes = masks_.warpBits(masks_.activeWhere(predicate));
    return {yes, masks_.warpBits(masks_.activeWhere(builder_.CreateNot(predicate)))};
  }
  Type *i32 = builder_.getInt32Ty();
  Value *number = builder_.CreateZExt(predicate, e_.vectorType(i32));
  Value *pair = exchange_.emit(call, values_.scalar(members), number);
  Value *set = builder_.CreateICmpNE(builder_.CreateExtractValue(pair, 0),
                                     Constant::getNullValue(FixedVectorType::get(i32, 32)));
  Value *bits = builder_.CreateBitCast(set, i32), *present = builder_.CreateExtractValue(pair, 1);
  Value *yes = builder_.CreateAnd(bits, present);
  return {yes, builder_.CreateAnd(builder_.CreateNot(bits), present)};
}

Value *WarpOperations::emitVote(CallInst &call) {
  bool sync = call.arg_size() == 2;
  Value *memberOperand = sync ? call.getArgOperand(0) : builder_.getInt32(~0u);
  Value *predicate = values_.vector(call.getArgOperand(sync ? 1 : 0));
  auto [yes, no] = ballots(call, memberOperand, predicate);
  Lanes lanes = values_.lanesOf(&call);
  Value *members = values_.at(memberOperand, lanes);
  yes = inLanes(yes, lanes);
  no = inLanes(no, lanes);
  yes = builder_.CreateAnd(yes, members);
  no = builder_.CreateAnd(no, members);
  Value *zero = Constant::getNullValue(yes->getType());
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_vote_ballot:
  case Intrinsic::nvvm_vote_ballot_sync:
    return yes;
  case Intrinsic::nvvm_vote_any:
  case Intrinsic::nvvm_vote_any_sync:
    return builder_.CreateICmpNE(yes, zero);
  case Intrinsic::nvvm_vote_all:
  case Intrinsic::nvvm_vote_all_sync:
    return builder_.CreateICmpEQ(no, zero);
  default: // uni
    return builder_.CreateOr(builder_.CreateICmpEQ(yes, zero), builder_.CreateICmpEQ(no, zero));
  }
}

namespace {

/// The reduction of the 32 values in the lanes whose bits are set.
Value *reduceLanes(IRBuilder<> &builder, Intrinsic::ID kind, Value *values, Value *bits) {
  Value *lanes = builder.CreateBitCast(bits, FixedVectorType::get(builder.getInt1Ty(), 32));
  auto with = [&](uint32_t identity) {
    return builder.CreateSelect(lanes, values,
                                builder.CreateVectorSplat(32, builder.getInt32(identity)));
  };
  switch (kind) {
  case Intrinsic::nvvm_redux_sync_add:
    return builder.CreateAddReduce(with(0));
  case Intrinsic::nvvm_redux_sync_and:
    return builder.CreateAndReduce(with(~0u));
  case Intrinsic::nvvm_redux_sync_or:
    return builder.CreateOrReduce(with(0));
  case Intrinsic::nvvm_redux_sync_xor:
    return builder.CreateXorReduce(with(0));
  case Intrinsic::nvvm_redux_sync_max:
    return builder.CreateIntMaxReduce(with(0x80000000u), true);
  case Intrinsic::nvvm_redux_sync_min:
    return builder.CreateIntMinReduce(with(0x7fffffffu), true);
  case Intrinsic::nvvm_redux_sync_umax:
    return builder.CreateIntMaxReduce(with(0), false);
  default:
    return builder.CreateIntMinReduce(with(~0u), false);
  }
}

} // namespace

Value *WarpOperations::emitReduce(CallInst &call) {
  Value *value = values_.vector(call.getArgOperand(0));
  Value *memberOperand = call.getArgOperand(1);
  Intrinsic::ID kind = call.getIntrinsicID();
  if (e_.width > 32) {
    Lanes warps = {32, e_.width / 32};
    Value *bits =
        builder_.CreateAnd(masks_.warpBits(masks_.active()), values_.at(memberOperand, warps));
    Value *results = PoisonValue::get(bits->getType());
    for (unsigned i = 0; i < warps.count; ++i) {
      Value *one = reduceLanes(builder_, kind, slice(builder_, value, 32 * i, 32),
                               builder_.CreateExtractElement(bits, i));
      results = builder_.CreateInsertElement(results, one, i);
    }
    return inLanes(results, values_.lanesOf(&call));
  }
  Value *values = value, *present = masks_.bits(masks_.active());
  if (e_.width < 32)
    std::tie(values, present) = exchange_.emitPair(call, values_.scalar(memberOperand), value);
  auto reduce = [&](Value *members) {
    return reduceLanes(builder_, kind, values, builder_.CreateAnd(present, members));
  };
  if (e_.shapes.isScalar(&call))
    return reduce(values_.scalar(memberOperand));
  return loops_.forEachLane(e_.vectorType(builder_.getInt32Ty()),
                            [&, members = values_.vector(memberOperand)](Value *lane) -> Value * {
                              return reduce(arrays_.extractLane(members, lane));
                            });
}

/// Of a program that is no more than a CUDA warp: its active lanes, by their places in the warp.
Value *WarpOperations::ownLanes() {
  Value *shift = builder_.CreateMul(
      builder_.CreateURem(e_.warp.getArg(ParamWarp), builder_.getInt32(32 / e_.width)),
      builder_.getInt32(e_.width));
  return builder_.CreateShl(masks_.bits(masks_.active()), shift);
}

Value *WarpOperations::emitActiveMask(CallInst &call) {
  if (e_.width > 32)
    return inLanes(masks_.warpBits(masks_.active()), values_.lanesOf(&call));
  return e_.width == 32 ? ownLanes() : barriers_.emitMeeting(call, ownLanes());
}

Expected<Value *> WarpOperations::emit(CallInst &call, CallKind kind) {
  if (checks_.isOn() && hasMemberMask(call))
    checks_.atWarpOperation(call);
  switch (kind) {
  case CallKind::ThreadIndex:
    return emitThreadIndex(call);
  case CallKind::Shuffle:
    return emitShuffle(call);
  case CallKind::Vote:
    return emitVote(call);
  case CallKind::Match:
    return matches_.emit(call);
  case CallKind::Reduce:
    return emitReduce(call);
  case CallKind::ActiveMask:
    return emitActiveMask(call);
  case CallKind::BlockBarrier:
    return barriers_.emitBarrier(call);
  case CallKind::WarpSync:
    if (e_.width >= 32)
      e_.compilerFence();
    else
      barriers_.emitWarpWait(call, values_.scalar(call.getArgOperand(0)));
    return nullptr;
  case CallKind::GridBarrier:
    barriers_.emitGridBarrier(call);
    return nullptr;
  case CallKind::ClusterArrive:
    barriers_.emitArrive(call);
    return nullptr;
  case CallKind::ClusterWait:
    barriers_.emitArrivedWait(call);
    return nullptr;
  case CallKind::InCluster:
    barriers_.noteCluster();
    return nullptr;
  case CallKind::Poll:
    barriers_.emitPoll();
    return nullptr;
  case CallKind::Yield:
    if (isMeet(call))
      barriers_.emitMeeting(call, ownLanes());
    else
      barriers_.emitYield(call);
    return nullptr;
  default:
    if (isStatement(call)) {
      barriers_.emitStatement(call);
      return nullptr;
    }
    return errorAt(call,
                   "'" + call.getCalledFunction()->getName() + "' is not supported on the CPU");
  }
}

} // namespace heddle::simt
