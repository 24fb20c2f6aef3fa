// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/calls/device_calls.h"

#include "base/abi/kernel_abi.h"
#include "base/image/module_image.h"

using namespace llvm;

namespace heddle::simt {

/// The context, the mask, and vectors.
Value *DeviceCalls::call(FunctionType *type, Value *target, Value *mask,
                         ArrayRef<Value *> operands) {
  SmallVector<Value *, 12> arguments;
  for (unsigned i = 0; i < ContextParams; ++i)
    arguments.push_back(e_.warp.getArg(i));
  arguments.push_back(mask);
  append_range(arguments, operands);
  return builder_.CreateCall(type, target, arguments);
}

Value *DeviceCalls::emitDirect(CallInst &call) {
  Function *callee = e_.context.functions.lookup(call.getCalledFunction());
  SmallVector<Value *, 8> operands;
  for (Value *operand : drop_begin(call.args(), ContextParams))
    operands.push_back(values_.vector(operand));
  return this->call(callee->getFunctionType(), callee, masks_.active(), operands);
}

/// Warp functions of a type, by the number that a thread program's pointer has (module_image.h);
/// null where there is none.
GlobalVariable *DeviceCalls::functionTable(FunctionType *type) {
  SmallVector<Constant *, 16> entries;
  for (Function *function : e_.context.program.table) {
    Function *target = function ? e_.context.functions.lookup(function) : nullptr;
    bool fits = target && target->getFunctionType() == type;
    entries.push_back(fits ? static_cast<Constant *>(target)
                           : Constant::getNullValue(builder_.getPtrTy()));
  }
  ArrayType *tableType = ArrayType::get(builder_.getPtrTy(), entries.size());
  return new GlobalVariable(e_.module, tableType, true, GlobalValue::PrivateLinkage,
                            ConstantArray::get(tableType, entries), "functions");
}

void DeviceCalls::emitEnd(CallInst &call, Value *number) {
  Type *pointer = builder_.getPtrTy();
  FunctionType *type =
      FunctionType::get(builder_.getVoidTy(),
                        {pointer, builder_.getInt32Ty(), builder_.getInt64Ty(), pointer}, false);
  builder_.CreateCall(
      type, services_.service(offsetof(Services, badCall)),
      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), number, services_.sourceLoc(call)});
}

void DeviceCalls::emitBad(CallInst &call) {
  Value *target = services_.inFirstActive(call.getArgOperand(0));
  emitEnd(call, builder_.CreatePtrToInt(target, builder_.getInt64Ty()));
}

/// A number that no function has ends the launch.
Value *DeviceCalls::targetOf(CallInst &call, GlobalVariable &table, Value *number) {
  BasicBlock *known = e_.newBlock(), *bad = e_.newBlock(), *go = e_.newBlock();
  Type *type = table.getValueType(), *pointer = builder_.getPtrTy();
  Value *index = builder_.CreateLShr(builder_.CreateSub(number, builder_.getInt64(FunctionTag)), 4);
  Value *count = builder_.getInt64(type->getArrayNumElements());
  builder_.CreateCondBr(builder_.CreateICmpULT(index, count), known, bad);
  builder_.SetInsertPoint(known);
  Value *target =
      builder_.CreateLoad(pointer, builder_.CreateGEP(type, &table, {builder_.getInt64(0), index}));
  builder_.CreateCondBr(builder_.CreateIsNull(target), bad, go);
  builder_.SetInsertPoint(bad);
  emitEnd(call, number);
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(go);
  return target;
}

/// What lanes of the mask have now, and others had before.
Value *DeviceCalls::blend(Value *mask, Value *now, Value *before) {
  if (!now->getType()->isAggregateType())
    return builder_.CreateSelect(mask, now, before);
  Value *all = before;
  for (unsigned i = 0; i < now->getType()->getNumContainedTypes(); ++i)
    all = builder_.CreateInsertValue(
        all,
        blend(mask, builder_.CreateExtractValue(now, i), builder_.CreateExtractValue(before, i)),
        i);
  return all;
}

Value *DeviceCalls::emitIndirect(CallInst &call) {
  SmallVector<Value *, 8> operands;
  for (Value *operand : drop_begin(call.args(), ContextParams))
    operands.push_back(values_.vector(operand));
  SmallVector<Type *, 12> types;
  for (unsigned i = 0; i < ContextParams; ++i)
    types.push_back(e_.warp.getArg(i)->getType());
  types.push_back(masks_.type());
  for (Value *operand : operands)
    types.push_back(operand->getType());
  FunctionType *type = FunctionType::get(e_.vectorType(call.getType()), types, false);
  GlobalVariable *table = functionTable(type);
  Value *targets = values_.vector(call.getCalledOperand());
  Type *i32 = builder_.getInt32Ty();
  Value *numbers = builder_.CreatePtrToInt(targets, e_.vectorType(builder_.getInt64Ty()));

  Type *resultType = type->getReturnType();
  AllocaInst *result = resultType->isVoidTy() ? nullptr : e_.newSlot(resultType, "call.result");
  AllocaInst *rest = e_.newSlot(i32, "call.rest");
  if (result)
    builder_.CreateStore(PoisonValue::get(resultType), result);
  builder_.CreateStore(masks_.bits(masks_.active()), rest);
  BasicBlock *loop = e_.newBlock("targets");
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  Value *bits = builder_.CreateLoad(i32, rest);
  Value *lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
  Value *number = arrays_.extractLane(numbers, lane);
  Value *same = builder_.CreateLogicalAnd(masks_.fromBits(bits),
                                          builder_.CreateICmpEQ(numbers, values_.splat(number)));
  Value *target = targetOf(call, *table, number);
  Value *value = this->call(type, target, same, operands);
  if (result)
    builder_.CreateStore(blend(same, value, builder_.CreateLoad(resultType, result)), result);
  Value *left = builder_.CreateAnd(bits, builder_.CreateNot(masks_.bits(same)));
  builder_.CreateStore(left, rest);
  BasicBlock *done = e_.newBlock("targets.done");
  builder_.CreateCondBr(builder_.CreateICmpNE(left, builder_.getInt32(0)), loop, done);
  builder_.SetInsertPoint(done);
  return result ? builder_.CreateLoad(resultType, result) : nullptr;
}

} // namespace heddle::simt
