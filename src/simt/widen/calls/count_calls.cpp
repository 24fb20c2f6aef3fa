// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A basic block costs two additions in memory, in the tallies of the worker:
//
//     tallies[n].warps += any lane is active;  tallies[n].lanes += active lanes
//     if (block->isTraced) came(...)
//
// An access costs a call for the warp: with the first address and the distance where the lanes' addresses
// are a run, or one in each half of the warp (blocks of 16 threads in x), otherwise with all of them.
#include "simt/widen/calls/count_calls.h"

#include "base/abi/count_abi.h"
#include "base/abi/kernel_abi.h"
#include "simt/analysis/intrinsics.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

Value *CountCalls::activeLanes() {
  return builder_.CreateZExt(masks_.integer(masks_.active()), builder_.getInt32Ty());
}

Value *CountCalls::ofBlock(Type *type, size_t offset) {
  return builder_.CreateLoad(type, e_.field(e_.warp.getArg(ParamBlock), offset));
}

Value *CountCalls::service(size_t offset) {
  Type *pointer = builder_.getPtrTy();
  auto load = [&](Value *object, size_t at) {
    LoadInst *value = builder_.CreateLoad(pointer, e_.field(object, at));
    value->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(pointer->getContext(), {}));
    return value;
  };
  Value *launch = load(e_.warp.getArg(ParamLaunch), offsetof(Launch, count));
  return load(load(launch, offsetof(CountedLaunch, services)), offset);
}

void CountCalls::add(Value *tallies, uint64_t offset, Value *number) {
  Type *i64 = builder_.getInt64Ty();
  Value *place = e_.field(tallies, offset);
  Value *sum =
      builder_.CreateAdd(builder_.CreateLoad(i64, place), builder_.CreateZExt(number, i64));
  builder_.CreateStore(sum, place);
}

void CountCalls::emitBlock(CallInst &call) {
  uint64_t number = cast<ConstantInt>(call.getArgOperand(0))->getZExtValue();
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *lanes = activeLanes();
  Value *tallies = ofBlock(pointer, offsetof(Block, tallies));
  uint64_t tally = number * sizeof(BlockTally);
  add(tallies, tally + offsetof(BlockTally, warps), builder_.CreateIsNotNull(lanes));
  add(tallies, tally + offsetof(BlockTally, lanes),
      builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, lanes));
  Value *isTraced = builder_.CreateIsNotNull(ofBlock(i32, offsetof(Block, isTraced)));
  BasicBlock *traced = e_.newBlock("traced"), *behind = e_.newBlock("behind");
  MDNode *weights = MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights();
  builder_.CreateCondBr(isTraced, traced, behind, weights);
  builder_.SetInsertPoint(traced);
  auto *type = FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, i32}, false);
  builder_.CreateCall(type, service(offsetof(CountServices, came)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), lanes,
                       builder_.getInt32(uint32_t(number))});
  builder_.CreateBr(behind);
  builder_.SetInsertPoint(behind);
}

/// In memory, as numbers.
Value *CountCalls::addressesOf(Value *operand) {
  if (!addresses_) {
    IRBuilder<> entry(e_.allocaPoint);
    addresses_ = entry.CreateAlloca(ArrayType::get(entry.getInt64Ty(), e_.width));
    addresses_->setAlignment(Align(64));
  }
  Value *vector = values_.vector(operand);
  if (vector->getType()->isPtrOrPtrVectorTy())
    vector =
        builder_.CreatePtrToInt(vector, vector->getType()->getWithNewType(builder_.getInt64Ty()));
  builder_.CreateAlignedStore(vector, addresses_, Align(8));
  return addresses_;
}

void CountCalls::emitAccess(CallInst &call) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Value *operand = call.getArgOperand(1);
  Shape shape = e_.shapes.of(operand);
  bool isOne = e_.width == 1 || shape.uniform();
  bool isLine = isOne || (shape.regular && shape.segment == e_.width);
  const uint64_t half = CountedLanes / 2;
  bool isRun = isLine || (e_.width == CountedLanes && shape.segment == half);
  SmallVector<Value *, 7> arguments = {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp),
                                       activeLanes(), call.getArgOperand(0)};
  SmallVector<Type *, 7> types = {pointer, i32, i32, i32};
  if (isRun) {
    const int64_t stride = isOne ? 0 : shape.stride;
    auto number = [&](Value *address) {
      return address->getType()->isPointerTy() ? builder_.CreatePtrToInt(address, i64) : address;
    };
    Value *lanes = isLine ? nullptr : values_.vector(operand);
    Value *first = number(isLine ? values_.scalar(operand)
                                 : builder_.CreateExtractElement(lanes, uint64_t(0)));
    Value *second = isLine ? builder_.CreateAdd(first, builder_.getInt64(half * uint64_t(stride)))
                           : number(builder_.CreateExtractElement(lanes, half));
    arguments.append({first, second, builder_.getInt64(uint64_t(stride))});
    types.append({i64, i64, i64});
  } else {
    arguments.push_back(addressesOf(operand));
    types.push_back(pointer);
  }
  size_t offset = isRun ? offsetof(CountServices, accessRun) : offsetof(CountServices, accessEach);
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), types, false), service(offset),
                      arguments);
}

Value *CountCalls::emitClock(CallInst &call) {
  const Intrinsic::ID id = call.getIntrinsicID();
  const bool isTimer = id == Intrinsic::nvvm_read_ptx_sreg_globaltimer ||
                       id == Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo;
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  auto *type = FunctionType::get(builder_.getInt64Ty(), {pointer, i32, i32}, false);
  e_.context.result.isSequential = true;
  Value *value = builder_.CreateCall(
      type, service(offsetof(CountServices, clock)),
      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), builder_.getInt32(isTimer)});
  return builder_.CreateTrunc(value, call.getType());
}

} // namespace heddle::simt
