// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting. A warp says in its WarpState (base/kernel_abi.h) what it waits for and suspends itself;
// the runner resumes it when that has come. A block of one program has nobody to wait for: a
// barrier only keeps memory accesses on their sides. Before each barrier the lanes that have come
// are compared with those that live.
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "simt/lower/lower_nvvm.h"

using namespace llvm;

namespace heddle::simt {

Value *Widener::warpState() {
  if (warpStateAddress_)
    return warpStateAddress_;
  IRBuilder<>::InsertPointGuard guard(builder_);
  builder_.SetInsertPoint(allocaPoint_);
  Value *states = builder_.CreateLoad(builder_.getPtrTy(),
                                      field(warp_.getArg(ParamBlock), offsetof(Block, warps)));
  Value *offset =
      builder_.CreateMul(builder_.CreateZExt(warp_.getArg(ParamWarp), builder_.getInt64Ty()),
                         builder_.getInt64(sizeof(WarpState)));
  warpStateAddress_ = builder_.CreateGEP(builder_.getInt8Ty(), states, offset);
  return warpStateAddress_;
}

/// Says what the warp waits for and suspends it.
void Widener::emitWait(CallInst &call, unsigned kind, Value *id, Value *threads, Value *mask,
                       bool arriveOnly) {
  Value *state = warpState();
  builder_.CreateStore(builder_.getInt32(kind), field(state, offsetof(WarpState, wait)));
  builder_.CreateStore(id, field(state, offsetof(WarpState, barrierId)));
  builder_.CreateStore(threads, field(state, offsetof(WarpState, barrierThreads)));
  builder_.CreateStore(mask, field(state, offsetof(WarpState, mask)));
  builder_.CreateStore(builder_.getInt32(arriveOnly),
                       field(state, offsetof(WarpState, arriveOnly)));
  builder_.CreateStore(sourceLoc(call), field(state, offsetof(WarpState, where)));
  if (context_.program.usesFibers) {
    FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getPtrTy()}, false);
    builder_.CreateCall(type, service(offsetof(Services, suspend)), {warp_.getArg(ParamBlock)});
  } else {
    emitSuspend(builder_);
  }
  builder_.CreateStore(warp_.getArg(ParamWarp),
                       field(warp_.getArg(ParamBlock), offsetof(Block, currentWarp)),
                       /*isVolatile=*/true);
  context_.result.waits = true;
  if (kind == static_cast<unsigned>(WaitKind::Warp))
    context_.result.warpWaits = true;
}

/// The bits of one CUDA warp, numbered as reportedLanes does.
Value *Widener::bitsOfWarp(Value *bits, Value *number) {
  if (width_ <= WarpSize)
    return builder_.CreateZExt(bits, builder_.getInt32Ty());
  Value *inside = builder_.CreateURem(number, builder_.getInt32(width_ / 32));
  Value *shift = builder_.CreateZExt(builder_.CreateShl(inside, 5), bits->getType());
  return builder_.CreateTrunc(builder_.CreateLShr(bits, shift), builder_.getInt32Ty());
}

/// A barrier that only some of the warp's live lanes reach is an error, never a hang.
void Widener::checkConverged(CallInst &call) {
  unsigned exit = order_.blocks.size() - 1;
  Value *live = entryMask_;
  if (pending_.at(current_).test(exit)) {
    Value *gone = builder_.CreateLoad(entryMask_->getType(), maskSlots_[exit]);
    live = builder_.CreateAnd(live, builder_.CreateNot(gone));
  }
  if (width_ == 1 || mask_ == live || pending_.at(current_).none())
    return;
  const Instruction *branch = nullptr;
  for (unsigned i = current_; i-- > 0 && !branch;)
    if (shapes_.isDivergent(order_.blocks[i]))
      branch = order_.blocks[i]->getTerminator();
  Value *present = maskInteger(mask_), *all = maskInteger(live);
  BasicBlock *bad = BasicBlock::Create(warp_.getContext(), "diverged", &warp_);
  BasicBlock *good = BasicBlock::Create(warp_.getContext(), "converged", &warp_);
  builder_.CreateCondBr(builder_.CreateICmpEQ(present, all), good, bad);
  builder_.SetInsertPoint(bad);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, i32, pointer, pointer}, false);
  Value *where =
      branch ? sourceLoc(*const_cast<Instruction *>(branch)) : Constant::getNullValue(pointer);
  Value *missing = builder_.CreateXor(present, all);
  Value *number = reportedLanes(missing).first;
  auto bitsOf = [&](Value *bits) { return bitsOfWarp(bits, number); };
  builder_.CreateCall(
      type, service(offsetof(Services, divergentBarrier)),
      {warp_.getArg(ParamBlock), number, bitsOf(present), bitsOf(all), sourceLoc(call), where});
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(good);
}

/// __syncthreads and its relatives. A block of one warp has nobody to wait for.
Value *Widener::emitBarrier(CallInst &call) {
  unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
  StringRef name = call.getCalledFunction()->getName();
  bool counted = name.contains(".count"), reduces = name.contains(".red."),
       arrives = name.contains(".arrive");
  bool alone = threads <= width_ && !HaltsBlock.isOn(call);
  Value *block = warp_.getArg(ParamBlock);
  Value *yes = nullptr, *no = nullptr; // lanes whose predicate holds and does not
  if (reduces) {
    Value *predicate = vector(call.getArgOperand(call.arg_size() - 1));
    auto count = [&](Value *lanes) {
      Value *bits = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, maskInteger(lanes));
      return builder_.CreateZExtOrTrunc(bits, builder_.getInt32Ty());
    };
    yes = count(activeWhere(predicate));
    no = count(activeWhere(builder_.CreateNot(predicate)));
  }
  if (!counted)
    checkConverged(call);
  auto cell = [&](Value *phase, size_t offset) {
    Value *index = builder_.CreateAnd(phase, builder_.getInt32(1));
    return builder_.CreateGEP(builder_.getInt32Ty(), field(block, offset), index);
  };
  Type *i32 = builder_.getInt32Ty();
  if (reduces && !alone) {
    Value *phase = builder_.CreateLoad(i32, field(block, offsetof(Block, phase)));
    for (auto [offset, amount] : {std::pair(offsetof(Block, reduceTrue), yes),
                                  std::pair(offsetof(Block, reduceFalse), no)}) {
      Value *address = cell(phase, offset);
      builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(i32, address), amount), address);
    }
  }
  if (alone) {
    compilerFence();
  } else {
    Value *participants = counted ? scalar(call.getArgOperand(1)) : builder_.getInt32(0);
    emitWait(call, static_cast<unsigned>(WaitKind::Block), scalar(call.getArgOperand(0)),
             participants, builder_.getInt32(0), arrives);
  }
  if (!reduces)
    return nullptr;
  if (!alone) {
    Value *phase = builder_.CreateLoad(i32, field(block, offsetof(Block, phase)));
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
