// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting. A warp says in its WarpState (base/kernel_abi.h) what it waits for and suspends itself;
// the runner resumes it when that has come. A block of one program has nobody to wait for: a
// barrier only keeps memory accesses on their sides. Before each barrier the lanes that have come
// are compared with those that live.
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "simt/form/abreast.h"
#include "simt/lower/lower_nvvm.h"

using namespace llvm;

namespace heddle::simt {

Value *Widener::warpState() {
  if (warpStateAddress_)
    return warpStateAddress_;
  IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(e_.allocaPoint);
  Value *states = builder_.CreateLoad(builder_.getPtrTy(),
                                      e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, warps)));
  Value *offset =
      builder_.CreateMul(builder_.CreateZExt(e_.warp.getArg(ParamWarp), builder_.getInt64Ty()),
                         builder_.getInt64(sizeof(WarpState)));
  warpStateAddress_ = builder_.CreateGEP(builder_.getInt8Ty(), states, offset);
  return warpStateAddress_;
}

/// Says what the warp waits for and suspends it.
void Widener::emitWait(CallInst &call, unsigned kind, Value *id, Value *threads, Value *mask,
                       bool arriveOnly) {
  Value *state = warpState();
  builder_.CreateStore(builder_.getInt32(kind), e_.field(state, offsetof(WarpState, wait)));
  builder_.CreateStore(id, e_.field(state, offsetof(WarpState, barrierId)));
  builder_.CreateStore(threads, e_.field(state, offsetof(WarpState, barrierThreads)));
  builder_.CreateStore(mask, e_.field(state, offsetof(WarpState, mask)));
  builder_.CreateStore(builder_.getInt32(arriveOnly),
                       e_.field(state, offsetof(WarpState, arriveOnly)));
  builder_.CreateStore(sourceLoc(call), e_.field(state, offsetof(WarpState, where)));
  if (e_.context.program.usesFibers) {
    FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
    builder_.CreateCall(type, service(offsetof(Services, suspend)), {e_.warp.getArg(ParamBlock)});
  } else {
    builder_.CreateCall(e_.module.getOrInsertFunction("heddle.suspend", builder_.getVoidTy()));
  }
  builder_.CreateStore(e_.warp.getArg(ParamWarp),
                       e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, currentWarp)),
                       /*isVolatile=*/true);
  e_.context.result.waits = true;
  if (kind == static_cast<unsigned>(WaitKind::Warp))
    e_.context.result.warpWaits = true;
}

/// A barrier that only some of the warp's live lanes reach is an error, never a hang.
void Widener::checkConverged(CallInst &call) {
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
  Value *where = branch ? sourceLoc(*branch) : Constant::getNullValue(pointer);
  Value *missing = builder_.CreateXor(present, all);
  Value *number = masks_.reported(missing).first;
  auto bitsOf = [&](Value *bits) { return masks_.bitsOfWarp(bits, number); };
  builder_.CreateCall(
      type, service(offsetof(Services, divergentBarrier)),
      {e_.warp.getArg(ParamBlock), number, bitsOf(present), bitsOf(all), sourceLoc(call), where});
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(good);
}

/// __syncthreads and its relatives. A block of one warp has nobody to wait for.
Value *Widener::emitBarrier(CallInst &call) {
  unsigned threads = e_.options.blockDim[0] * e_.options.blockDim[1] * e_.options.blockDim[2];
  StringRef name = call.getCalledFunction()->getName();
  bool counted = name.contains(".count"), reduces = name.contains(".red."),
       arrives = name.contains(".arrive");
  bool alone = threads <= e_.width && !call.hasMetadata(HaltMetadata);
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
  if (!counted)
    checkConverged(call);
  auto cell = [&](Value *phase, size_t offset) {
    Value *index = builder_.CreateAnd(phase, builder_.getInt32(1));
    return builder_.CreateGEP(builder_.getInt32Ty(), e_.field(block, offset), index);
  };
  Type *i32 = builder_.getInt32Ty();
  if (reduces && !alone) {
    Value *phase = builder_.CreateLoad(i32, e_.field(block, offsetof(Block, phase)));
    for (auto [offset, amount] : {std::pair(offsetof(Block, reduceTrue), yes),
                                  std::pair(offsetof(Block, reduceFalse), no)}) {
      Value *address = cell(phase, offset);
      builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i32, address), amount), address);
    }
  }
  if (alone) {
    e_.compilerFence();
  } else {
    Value *participants = counted ? values_.scalar(call.getArgOperand(1)) : builder_.getInt32(0);
    emitWait(call, static_cast<unsigned>(WaitKind::Block), values_.scalar(call.getArgOperand(0)),
             participants, builder_.getInt32(0), arrives);
  }
  if (!reduces)
    return nullptr;
  if (!alone) {
    Value *phase = builder_.CreateLoad(i32, e_.field(block, offsetof(Block, phase)));
    Value *before = builder_.CreateSub(phase, builder_.getInt32(1));
    yes = builder_.CreateLoad(i32, cell(before, offsetof(Block, reduceTrue)));
    no = builder_.CreateLoad(i32, cell(before, offsetof(Block, reduceFalse)));
  }
  if (name.contains("red.popc"))
    return yes;
  return name.contains("red.and") ? builder_.CreateICmpEQ(no, builder_.getInt32(0))
                                  : builder_.CreateICmpNE(yes, builder_.getInt32(0));
}

} // namespace heddle::simt
