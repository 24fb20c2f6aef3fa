// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting. A warp says in its WarpState (base/abi/kernel_abi.h) what it waits for and suspends itself;
// the runner resumes it when that has come. A block of one program has nobody to wait for: a
// barrier only keeps memory accesses on their sides. Before each barrier the lanes that have come
// are compared with those that live.
#include "simt/widen/warp/barriers.h"

#include "base/abi/debugger_abi.h"
#include "simt/analysis/meeting_place.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace heddle::simt {

Value *Barriers::warpState() {
  if (warpState_)
    return warpState_;
  IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(e_.allocaPoint);
  Value *states = builder_.CreateLoad(builder_.getPtrTy(),
                                      e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, warps)));
  Value *offset =
      builder_.CreateMul(builder_.CreateZExt(e_.warp.getArg(ParamWarp), builder_.getInt64Ty()),
                         builder_.getInt64(sizeof(WarpState)));
  warpState_ = builder_.CreateGEP(builder_.getInt8Ty(), states, offset);
  return warpState_;
}

/// Says what the warp waits for and suspends it.
void Barriers::emitWait(CallInst &call, WaitKind kind, Barrier barrier, Value *members) {
  Value *state = warpState();
  auto set = [&](size_t offset, Value *value) {
    builder_.CreateStore(value, e_.field(state, offset));
  };
  set(offsetof(WarpState, wait), builder_.getInt32(static_cast<unsigned>(kind)));
  set(offsetof(WarpState, barrierId), barrier.id);
  set(offsetof(WarpState, barrierThreads), barrier.threads);
  set(offsetof(WarpState, mask), members);
  set(offsetof(WarpState, arriveOnly), builder_.getInt32(barrier.arriveOnly));
  set(offsetof(WarpState, where), services_.sourceLoc(call));
  suspendWarp();
  e_.context.result.waits = true;
  if (kind == WaitKind::Warp || kind == WaitKind::Meet)
    e_.context.result.warpWaits = true;
}

void Barriers::suspendWarp() {
  if (e_.context.program.usesFibers) {
    FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
    builder_.CreateCall(type, services_.service(offsetof(Services, suspend)),
                        {e_.warp.getArg(ParamBlock)});
  } else {
    emitSuspend(builder_);
  }
  builder_.CreateStore(e_.warp.getArg(ParamWarp),
                       e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, currentWarp)),
                       /*isVolatile=*/true);
}

/// For no barrier of a number.
void Barriers::emitWait(CallInst &call, WaitKind kind) {
  Value *zero = builder_.getInt32(0);
  emitWait(call, kind, {zero, zero, false}, zero);
}

void Barriers::emitWarpWait(CallInst &call, Value *members) {
  Value *zero = builder_.getInt32(0);
  emitWait(call, WaitKind::Warp, {zero, zero, false}, members);
}

Value *Barriers::emitMeeting(CallInst &call, Value *own) {
  Value *zero = builder_.getInt32(0);
  Barrier place = {nullptr, zero, false};
  if (isMeet(call))
    place = {call.getArgOperand(0), call.getArgOperand(1), false};
  else if (auto known = MeetingPlace.get(call))
    place.id = builder_.getInt32(known->place);
  else
    place.id = builder_.getInt32(uint32_t(xxh3_64bits(e_.warp.getName())) + meetings_++);
  emitWait(call, WaitKind::Meet, place, own);
  return builder_.CreateLoad(builder_.getInt32Ty(),
                             e_.field(warpState(), offsetof(WarpState, mask)));
}

void Barriers::emitYield(CallInst &call) {
  PlaceNote::Facts place = MeetingPlace.get(call).value_or(PlaceNote::Facts{0, 0});
  emitWait(call, WaitKind::Yield,
           {builder_.getInt32(place.place), builder_.getInt32(place.flags), false},
           builder_.getInt32(0));
}

/// Behind the call comes an instruction of the statement, for a breakpoint, at the place where the
/// threads gather: what values are brought back into registers comes behind it, since it overwrites
/// those that a call does.
void Barriers::emitStatement(CallInst &call) {
  FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
  builder_.CreateCall(type, services_.service(offsetof(DebugServices, atStatement)),
                      {e_.warp.getArg(ParamBlock)});
  noteWait();
  if (!e_.module.getTargetTriple().isX86())
    return;
  std::string overwritten = "~{rax},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{flags}";
  for (unsigned i = 0; i < 16; ++i)
    overwritten += ",~{xmm" + std::to_string(i) + "}";
  DebugLoc before = builder_.getCurrentDebugLocation();
  builder_.SetCurrentDebugLocation(call.getNextNode()->getDebugLoc());
  builder_.CreateCall(InlineAsm::get(FunctionType::get(builder_.getVoidTy(), false), "nop",
                                     overwritten, /*hasSideEffects=*/true));
  builder_.SetCurrentDebugLocation(before);
}

void Barriers::emitGridBarrier(CallInst &call) {
  checkConverged(call);
  emitWait(call, WaitKind::Grid);
  e_.context.result.needsGrid = true;
}

/// A warp has arrived when any of its lanes has: what waits is the warp.
void Barriers::emitArrive(CallInst &call) {
  bool isBlock = isOfOneBlock(call);
  checks_.atPiece(call);
  Value *notes = e_.field(warpState(), offsetof(WarpState, hasArrived));
  Value *note = builder_.getInt32(isBlock ? ArrivedAtBlock : ArrivedAtCluster);
  Value *before = builder_.CreateLoad(builder_.getInt32Ty(), notes);
  builder_.CreateStore(builder_.CreateOr(before, note), notes);
  isBlock ? noteWait() : noteCluster();
}

void Barriers::noteWait() { e_.context.result.waits = true; }

void Barriers::noteCluster() {
  e_.context.result.needsCluster = true;
  noteWait();
}

void Barriers::emitArrivedWait(CallInst &call) {
  checkConverged(call);
  checks_.atPiece(call);
  bool isBlock = isOfOneBlock(call);
  emitWait(call, isBlock ? WaitKind::Arrived : WaitKind::Cluster);
  isBlock ? noteWait() : noteCluster();
}

void Barriers::emitPoll() {
  Value *count = e_.field(warpState(), offsetof(WarpState, polls));
  Value *more =
      builder_.CreateAdd(builder_.CreateLoad(builder_.getInt32Ty(), count), builder_.getInt32(1));
  builder_.CreateStore(more, count);
}

/// A barrier that only some of the warp's live lanes reach is told of, and the warp has come.
void Barriers::checkConverged(CallInst &call) {
  if (checks_.isOn())
    return checks_.atBarrier(call);
  Value *live = flow_.live();
  if (e_.width == 1 || masks_.active() == live || !flow_.mayHaveParted())
    return;
  Instruction *branch = flow_.lastParting();
  Value *present = masks_.integer(masks_.active()), *all = masks_.integer(live);
  BasicBlock *bad = e_.newBlock("diverged");
  BasicBlock *good = e_.newBlock("converged");
  builder_.CreateCondBr(builder_.CreateICmpEQ(present, all), good, bad);
  builder_.SetInsertPoint(bad);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, i32, pointer, pointer}, false);
  Value *where = branch ? services_.sourceLoc(*branch) : Constant::getNullValue(pointer);
  Value *missing = builder_.CreateXor(present, all);
  Value *number = masks_.reported(missing).first;
  auto bitsOf = [&](Value *bits) { return masks_.bitsOfWarp(bits, number); };
  builder_.CreateCall(type, services_.service(offsetof(Services, divergentBarrier)),
                      {e_.warp.getArg(ParamBlock), number, bitsOf(present), bitsOf(all),
                       services_.sourceLoc(call), where});
  builder_.CreateBr(good);
  builder_.SetInsertPoint(good);
}

/// What the block's programs have added up, for the present round and the one before.
Value *Barriers::cellOf(Value *phase, size_t offset) {
  Value *index = builder_.CreateAnd(phase, builder_.getInt32(1));
  return builder_.CreateGEP(builder_.getInt32Ty(), e_.field(e_.warp.getArg(ParamBlock), offset),
                            index);
}

/// A block of one warp has nobody to wait for.
Value *Barriers::emitBarrier(CallInst &call) {
  unsigned threads = e_.options.threads();
  StringRef name = call.getCalledFunction()->getName();
  bool counted = name.contains(".count"), reduces = name.contains(".red."),
       arrives = name.contains(".arrive");
  bool alone = threads <= e_.width && !HaltsBlock.isOn(call);
  Value *block = e_.warp.getArg(ParamBlock);
  Value *yes = nullptr, *no = nullptr; // lanes whose predicate holds and does not
  if (reduces) {
    Value *predicate = values_.vector(call.getArgOperand(call.arg_size() - 1));
    auto count = [&](Value *lanes) {
      Value *bits = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, masks_.integer(lanes));
      return builder_.CreateZExtOrTrunc(bits, builder_.getInt32Ty());
    };
    yes = count(masks_.activeWhere(predicate));
    no = count(masks_.activeWhere(builder_.CreateNot(predicate)));
  }
  if (counted)
    checks_.atCount(call);
  else
    checkConverged(call);
  Type *i32 = builder_.getInt32Ty();
  if (reduces && !alone) {
    Value *phase = builder_.CreateLoad(i32, e_.field(block, offsetof(Block, phase)));
    for (auto [offset, amount] : {std::pair(offsetof(Block, reduceTrue), yes),
                                  std::pair(offsetof(Block, reduceFalse), no)}) {
      Value *address = cellOf(phase, offset);
      builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i32, address), amount), address);
    }
  }
  if (alone) {
    e_.compilerFence();
  } else {
    Value *participants = counted ? values_.scalar(call.getArgOperand(1)) : builder_.getInt32(0);
    Value *id = values_.scalar(call.getArgOperand(0));
    emitWait(call, WaitKind::Block, {id, participants, arrives}, builder_.getInt32(0));
  }
  if (!reduces)
    return nullptr;
  if (!alone) {
    Value *phase = builder_.CreateLoad(i32, e_.field(block, offsetof(Block, phase)));
    Value *before = builder_.CreateSub(phase, builder_.getInt32(1));
    yes = builder_.CreateLoad(i32, cellOf(before, offsetof(Block, reduceTrue)));
    no = builder_.CreateLoad(i32, cellOf(before, offsetof(Block, reduceFalse)));
  }
  if (name.contains("red.popc"))
    return yes;
  return name.contains("red.and") ? builder_.CreateICmpEQ(no, builder_.getInt32(0))
                                  : builder_.CreateICmpNE(yes, builder_.getInt32(0));
}

} // namespace heddle::simt
