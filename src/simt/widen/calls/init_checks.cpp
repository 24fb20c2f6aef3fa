// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shadow of a run is a run: one comparison says where the first lane's lies, and the accesses of
// it have the forms that accesses of memory have.
#include "simt/widen/calls/init_checks.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

enum ShadowOperand : unsigned { Pointer, Low, Bytes, Distance, Other, Asks };

} // namespace

AllocaInst *InitChecks::pointers() {
  if (!pointers_) {
    IRBuilder<> entry(e_.allocaPoint);
    pointers_ = entry.CreateAlloca(ArrayType::get(entry.getPtrTy(), MostCheckedLanes));
    pointers_->setAlignment(Align(64));
  }
  return pointers_;
}

/// The device's answer, as the result is kept.
Value *InitChecks::ask(CallInst &call, bool isRun) {
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  builder_.CreateAlignedStore(values_.vector(call.getArgOperand(Pointer)), pointers(), Align(8));
  Value *active = builder_.CreateZExt(masks_.integer(masks_.active()), i32);
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, pointer, i32, pointer}, false);
  builder_.CreateCall(type, calls_.service(offsetof(CheckServices, findShadow)),
                      {e_.warp.getArg(ParamBlock), active, pointers(), builder_.getInt32(isRun),
                       values_.scalar(call.getArgOperand(Other))});
  return builder_.CreateAlignedLoad(values_.keptType(&call), pointers(), Align(8));
}

/// `inside`, or where some active lane is not inside what the device says. Where no lane is active
/// it does not matter.
Value *InitChecks::orAsk(CallInst &call, bool isRun, Value *isInside, Value *inside) {
  Value *outside = builder_.CreateNot(isInside);
  Value *condition = outside->getType()->isVectorTy()
                         ? masks_.any(masks_.activeWhere(outside))
                         : builder_.CreateAnd(outside, masks_.any(masks_.active()));
  BasicBlock *before = builder_.GetInsertBlock();
  BasicBlock *asks = e_.newBlock("shadow.asks"), *known = e_.newBlock("shadow.known");
  builder_.CreateCondBr(condition, asks, known,
                        MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(asks);
  LaneValues::Local local = values_.save();
  Value *answer = ask(call, isRun);
  values_.restore(std::move(local));
  BasicBlock *end = builder_.GetInsertBlock();
  builder_.CreateBr(known);
  builder_.SetInsertPoint(known);
  PHINode *result = builder_.CreatePHI(inside->getType(), 2);
  result->addIncoming(inside, before);
  result->addIncoming(answer, end);
  return result;
}

Value *InitChecks::emitShadow(CallInst &call) {
  Value *pointer = call.getArgOperand(Pointer);
  bool isVector = values_.keptType(&call)->isVectorTy();
  bool isRun = !isVector && !e_.shapes.isUniform(pointer) && e_.width > 1;
  auto operand = [&](unsigned i) {
    Value *value = values_.scalar(call.getArgOperand(i)); // the same in all lanes
    return isVector ? values_.splat(value) : value;
  };
  Value *address = isVector ? values_.vector(pointer) : values_.scalar(pointer);
  Type *number = address->getType()->getWithNewType(builder_.getInt64Ty());
  Value *place = builder_.CreateSub(builder_.CreatePtrToInt(address, number), operand(Low));
  Value *isInside = builder_.CreateICmpULT(place, operand(Bytes));
  Value *shadow = builder_.CreateIntToPtr(
      builder_.CreateAdd(builder_.CreatePtrToInt(address, number), operand(Distance)),
      address->getType());
  bool asks = cast<ConstantInt>(call.getArgOperand(Asks))->isOne();
  if (asks)
    return orAsk(call, isRun, isInside, shadow);
  return builder_.CreateSelect(isInside, shadow, operand(Other));
}

void InitChecks::emitUninitialized(CallInst &call) {
  Value *bad = call.getArgOperand(0);
  if (auto *constant = dyn_cast<Constant>(bad); constant && constant->isNullValue())
    return;
  bool isOne = e_.width == 1 || e_.shapes.isUniform(bad);
  Value *condition = isOne ? builder_.CreateAnd(values_.scalar(bad), masks_.any(masks_.active()))
                           : masks_.any(masks_.activeWhere(values_.vector(bad)));
  BasicBlock *tells = e_.newBlock("uninitialized"), *after = e_.newBlock("initialized");
  builder_.CreateCondBr(condition, tells, after,
                        MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(tells);
  LaneValues::Local local = values_.save();
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *lanes = isOne ? masks_.active() : masks_.activeWhere(values_.vector(bad));
  builder_.CreateAlignedStore(values_.vector(call.getArgOperand(1)), pointers(), Align(8));
  builder_.CreateCall(
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, pointer, pointer}, false),
      calls_.service(offsetof(CheckServices, uninitialized)),
      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp),
       builder_.CreateZExt(masks_.integer(lanes), i32), accesses_.site(call), pointers()});
  values_.restore(std::move(local));
  builder_.CreateBr(after);
  builder_.SetInsertPoint(after);
}

void InitChecks::emitCopy(CallInst &call) {
  Type *pointer = builder_.getPtrTy(), *i64 = builder_.getInt64Ty();
  Value *service = calls_.service(offsetof(CheckServices, copyShadow));
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(), {pointer, pointer, pointer, i64}, false);
  SmallVector<Value *, 3> operands;
  for (Value *operand : call.args())
    operands.push_back(values_.laneOperand(operand));
  loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
    SmallVector<Value *, 4> arguments = {e_.warp.getArg(ParamBlock)};
    for (Value *operand : operands)
      arguments.push_back(arrays_.extractLane(operand, lane));
    builder_.CreateCall(type, service, arguments);
    return nullptr;
  });
}

} // namespace heddle::simt
