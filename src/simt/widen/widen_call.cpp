// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of warp programs: the runtime's services lane by lane, and device functions that were not
// inlined. Those take the mask and vectors; a call through a pointer runs once for each distinct
// target. (Mathematics: widen_math.cpp.)
#include "simt/widen/widener.h"

#include "base/kernel_abi.h"
#include "base/module_image.h"
#include "simt/lower/lower_nvvm.h"
#include "simt/lower/native.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

Value *Widener::service(size_t offset) {
  Value *services = builder_.CreateLoad(
      builder_.getPtrTy(), e_.field(e_.warp.getArg(ParamLaunch), offsetof(Launch, services)));
  return builder_.CreateLoad(builder_.getPtrTy(), e_.field(services, offset));
}

/// What __trap, __syncthreads and the like are defined in: a report names where the user's code
/// calls them.
static bool isToolkitHeader(StringRef file) {
  return file.contains("/lib/clang/") || file.contains("/include/heddle/");
}

Value *Widener::sourceLoc(Instruction &instruction) {
  const DILocation *where = userLocation(instruction);
  if (!where)
    return Constant::getNullValue(builder_.getPtrTy());
  while (isToolkitHeader(where->getFilename()) && where->getInlinedAt())
    where = where->getInlinedAt();
  Constant *file = cast<Constant>(builder_.CreateGlobalString(where->getFilename(), "file"));
  Constant *fields[] = {file, builder_.getInt32(where->getLine()),
                        builder_.getInt32(where->getColumn())};
  Constant *value = ConstantStruct::getAnon(fields);
  return new GlobalVariable(e_.module, value->getType(), true, GlobalValue::PrivateLinkage, value,
                            "loc");
}

Error Widener::emitCall(CallInst &call) {
  CallKind kind = callKind(call);
  switch (kind) {
  case CallKind::Drop:
    return Error::success();
  case CallKind::Widen:
    return emitWidenedIntrinsic(call);
  case CallKind::Math:
    return emitMath(call);
  case CallKind::Native: {
    Lanes lanes = values_.lanesOf(&call);
    SmallVector<Value *, 2> arguments;
    for (Value *operand : call.args())
      arguments.push_back(values_.at(operand, lanes));
    values_.define(
        call,
        emitNative(builder_, *findNativeFunction(call.getCalledFunction()->getName()), arguments));
    return Error::success();
  }
  case CallKind::Scalar:
    return emitScalarCall(call);
  case CallKind::Fetch:
    prefetches_.emitFetch(call);
    return Error::success();
  case CallKind::Aligned:
    emitAlignmentCheck(call);
    return Error::success();
  case CallKind::AllLanes:
    values_.define(call, emitAllLanes(call));
    return Error::success();
  case CallKind::Device:
    return emitDeviceCall(call);
  case CallKind::Indirect:
    return emitIndirectCall(call);
  case CallKind::Memory:
    return emitPerLane(call);
  case CallKind::Print:
  case CallKind::AssertFail:
  case CallKind::Trap:
  case CallKind::Breakpoint:
  case CallKind::Allocate:
  case CallKind::Release:
  case CallKind::Cas128:
  case CallKind::OnStack:
    return emitService(call, kind);
  case CallKind::Unknown:
    return errorAt(
        call,
        call.getCalledFunction() && call.getCalledFunction()->isIntrinsic()
            ? Twine("'") + call.getCalledFunction()->getName() + "' is not supported on the CPU"
            : Twine("undefined device function '") +
                  (call.getCalledFunction() ? call.getCalledFunction()->getName() : "asm") + "'");
  default:
    return emitWarpOperation(call, kind);
  }
}

/// Clocks and sleep: once for the warp.
Error Widener::emitScalarCall(CallInst &call) {
  Type *i64 = builder_.getInt64Ty();
  auto read = [&](size_t offset) {
    Value *value = builder_.CreateCall(FunctionType::get(i64, false), service(offset));
    return builder_.CreateTrunc(value, call.getType());
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_clock:
  case Intrinsic::nvvm_read_ptx_sreg_clock64:
    values_.define(call, read(offsetof(Services, clock)));
    break;
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
    values_.define(call, read(offsetof(Services, globalTimer)));
    break;
  default: { // nanosleep
    FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getInt32Ty()}, false);
    builder_.CreateCall(type, service(offsetof(Services, nanosleep)),
                        {values_.scalar(call.getArgOperand(0))});
  }
  }
  return Error::success();
}

/// The same scalar call for each active lane.
Error Widener::emitPerLane(CallInst &call) {
  bool allUniform = all_of(call.args(), [&](Value *v) { return e_.shapes.isUniform(v); });
  SmallVector<Value *, 4> operands;
  for (Value *operand : call.args())
    operands.push_back(values_.laneOperand(operand));
  auto one = [&](Value *lane) -> Value * {
    SmallVector<Value *, 4> scalars;
    SmallVector<Type *, 4> types;
    for (auto [i, operand] : enumerate(operands)) {
      bool immediate = call.paramHasAttr(i, Attribute::ImmArg);
      scalars.push_back(immediate ? call.getArgOperand(i) : arrays_.extractLane(operand, lane));
    }
    CallInst *copy = nullptr;
    if (auto *memory = dyn_cast<MemIntrinsic>(&call)) {
      if (auto *set = dyn_cast<MemSetInst>(memory))
        copy = builder_.CreateMemSet(scalars[0], scalars[1], scalars[2], set->getDestAlign(),
                                     set->isVolatile());
      else if (isa<MemMoveInst>(memory))
        copy = builder_.CreateMemMove(scalars[0], memory->getDestAlign(), scalars[1],
                                      cast<MemTransferInst>(memory)->getSourceAlign(), scalars[2],
                                      memory->isVolatile());
      else
        copy = builder_.CreateMemCpy(scalars[0], memory->getDestAlign(), scalars[1],
                                     cast<MemTransferInst>(memory)->getSourceAlign(), scalars[2],
                                     memory->isVolatile());
      return copy;
    }
    return builder_.CreateCall(call.getCalledFunction(), scalars);
  };
  if (allUniform && isa<MemIntrinsic>(call)) {
    one(builder_.getInt32(0));
    return Error::success();
  }
  bool used = !call.getType()->isVoidTy();
  values_.define(call, loops_.forEachLane(used ? e_.vectorType(call.getType()) : nullptr, one));
  return Error::success();
}

Error Widener::emitService(CallInst &call, CallKind kind) {
  Value *block = e_.warp.getArg(ParamBlock);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty();
  Type *none = builder_.getVoidTy();
  auto perLane = [&](size_t offset, FunctionType *type, ArrayRef<Value *> operands) {
    Value *function = service(offset);
    SmallVector<Value *, 4> vectors;
    for (Value *operand : operands)
      vectors.push_back(values_.laneOperand(operand));
    Type *result =
        type->getReturnType()->isVoidTy() ? nullptr : e_.vectorType(type->getReturnType());
    values_.define(call, loops_.forEachLane(result, [&](Value *lane) -> Value * {
      SmallVector<Value *, 4> scalars = {block};
      for (Value *operand : vectors)
        scalars.push_back(arrays_.extractLane(operand, lane));
      return builder_.CreateCall(type, function, scalars);
    }));
  };
  auto operand = [&](unsigned i) { return call.getArgOperand(i); };
  auto firstActive = [&](Value *v) { // assertion texts: those of the first lane that failed
    Value *lane = builder_.CreateZExtOrTrunc(
        builder_.CreateBinaryIntrinsic(Intrinsic::cttz, masks_.integer(masks_.active()),
                                       builder_.getTrue()),
        builder_.getInt32Ty());
    return e_.shapes.isUniform(v) ? values_.scalar(v)
                                  : arrays_.extractLane(values_.vector(v), lane);
  };
  switch (kind) {
  case CallKind::Print:
    e_.context.result.prints = true;
    perLane(offsetof(Services, print), FunctionType::get(i32, {pointer, pointer, pointer}, false),
            {operand(0), operand(1)});
    break;
  case CallKind::Allocate:
    perLane(offsetof(Services, allocate), FunctionType::get(pointer, {pointer, i64}, false),
            {operand(0)});
    break;
  case CallKind::OnStack:
    perLane(offsetof(Services, onStack),
            FunctionType::get(builder_.getInt1Ty(), {pointer, pointer}, false), {operand(0)});
    break;
  case CallKind::Release:
    perLane(offsetof(Services, release), FunctionType::get(none, {pointer, pointer}, false),
            {operand(0)});
    break;
  case CallKind::AssertFail: {
    FunctionType *type =
        FunctionType::get(none, {pointer, i32, i32, pointer, pointer, i32, pointer}, false);
    auto [warp, bits] = masks_.reported(masks_.integer(masks_.active()));
    builder_.CreateCall(type, service(offsetof(Services, assertFail)),
                        {block, warp, bits, firstActive(operand(0)), firstActive(operand(1)),
                         firstActive(operand(2)), firstActive(operand(3))});
    break;
  }
  case CallKind::Trap: {
    FunctionType *type = FunctionType::get(none, {pointer, i32, i32, pointer}, false);
    auto [warp, bits] = masks_.reported(masks_.integer(masks_.active()));
    builder_.CreateCall(type, service(offsetof(Services, trap)),
                        {block, warp, bits, sourceLoc(call)});
    break;
  }
  case CallKind::Breakpoint: {
    FunctionType *type = FunctionType::get(none, {pointer, i32}, false);
    builder_.CreateCall(type, service(offsetof(Services, breakpoint)),
                        {block, masks_.reported(masks_.integer(masks_.active())).first});
    break;
  }
  default: { // Cas128: (address, expected, desired, result), all pointers
    FunctionType *type = FunctionType::get(none, {pointer, pointer, pointer, pointer}, false);
    Value *function = service(offsetof(Services, cas128));
    SmallVector<Value *, 4> vectors;
    for (Value *argument : call.args())
      vectors.push_back(values_.laneOperand(argument));
    loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
      SmallVector<Value *, 4> scalars;
      for (Value *argument : vectors)
        scalars.push_back(arrays_.extractLane(argument, lane));
      return builder_.CreateCall(type, function, scalars);
    });
  }
  }
  return Error::success();
}

/// Where the address of an active lane is misaligned, the launch ends.
void Widener::emitAlignmentCheck(CallInst &call) {
  Value *operand = call.getArgOperand(0), *align = call.getArgOperand(1);
  uint64_t rest = cast<ConstantInt>(align)->getZExtValue() - 1;
  Shape shape = e_.shapes.of(operand);
  bool alike = // the same in all lanes
      e_.width == 1 || (shape.regular && ((shape.stride | shape.step) & rest) == 0);
  Value *address = alike ? values_.scalar(operand) : values_.vector(operand);
  Type *type = address->getType(), *i64 = builder_.getInt64Ty();
  Value *number = builder_.CreatePtrToInt(address, type->getWithNewType(i64));
  Value *low = builder_.CreateAnd(number, ConstantInt::get(number->getType(), rest));
  Value *bad = builder_.CreateIsNotNull(low);
  Value *lanes =
      alike && e_.width > 1 ? masks_.activeWhere(values_.splat(bad)) : masks_.activeWhere(bad);
  BasicBlock *misaligned = e_.newBlock("misaligned");
  BasicBlock *aligned = e_.newBlock("aligned");
  MDNode *weights = MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights();
  builder_.CreateCondBr(masks_.any(lanes), misaligned, aligned, weights);
  builder_.SetInsertPoint(misaligned);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *bits = masks_.integer(lanes);
  if (e_.width > 1) {
    Value *lane = builder_.CreateZExtOrTrunc(
        builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue()), i32);
    address =
        alike ? values_.scalarInLane(address, shape, lane) : arrays_.extractLane(address, lane);
  }
  auto [warp, reported] = masks_.reported(bits);
  FunctionType *service =
      FunctionType::get(builder_.getVoidTy(), {pointer, i32, i32, pointer, i32, pointer}, false);
  builder_.CreateCall(
      service, this->service(offsetof(Services, misaligned)),
      {e_.warp.getArg(ParamBlock), warp, reported, address, align, sourceLoc(call)});
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(aligned);
}

Error Widener::emitDeviceCall(CallInst &call) {
  Function *callee = e_.context.functions.lookup(call.getCalledFunction());
  SmallVector<Value *, 12> arguments;
  for (unsigned i = 0; i < ContextParams; ++i)
    arguments.push_back(e_.warp.getArg(i));
  arguments.push_back(masks_.active());
  for (Value *operand : drop_begin(call.args(), ContextParams))
    arguments.push_back(values_.vector(operand));
  CallInst *copy = builder_.CreateCall(callee, arguments);
  values_.define(call, copy);
  return Error::success();
}

/// Runs once for each distinct target among the active lanes, with the lanes that call it.
Error Widener::emitIndirectCall(CallInst &call) {
  SmallVector<Value *, 8> operands;
  for (Value *operand : drop_begin(call.args(), ContextParams))
    operands.push_back(values_.vector(operand));
  SmallVector<Type *, 12> types;
  for (unsigned i = 0; i < ContextParams; ++i)
    types.push_back(e_.warp.getArg(i)->getType());
  types.push_back(masks_.active()->getType());
  for (Value *operand : operands)
    types.push_back(operand->getType());
  FunctionType *type = FunctionType::get(e_.vectorType(call.getType()), types, false);
  SmallVector<Constant *, 16> entries;
  for (Function *function : e_.context.program.table) {
    Function *target = function ? e_.context.functions.lookup(function) : nullptr;
    bool fits = target && target->getFunctionType() == type;
    entries.push_back(fits ? static_cast<Constant *>(target)
                           : Constant::getNullValue(builder_.getPtrTy()));
  }
  ArrayType *tableType = ArrayType::get(builder_.getPtrTy(), entries.size());
  auto *table = new GlobalVariable(e_.module, tableType, true, GlobalValue::PrivateLinkage,
                                   ConstantArray::get(tableType, entries), "functions");
  Value *targets = values_.vector(call.getCalledOperand());
  Type *i64 = builder_.getInt64Ty();
  Value *numbers =
      builder_.CreatePtrToInt(targets, e_.width == 1 ? i64 : FixedVectorType::get(i64, e_.width));

  bool hasResult = !call.getType()->isVoidTy();
  AllocaInst *result = hasResult ? e_.newSlot(type->getReturnType(), "call.result") : nullptr;
  AllocaInst *rest = e_.newSlot(builder_.getInt32Ty(), "call.rest");
  if (hasResult)
    builder_.CreateStore(PoisonValue::get(type->getReturnType()), result);
  builder_.CreateStore(masks_.bits(masks_.active()), rest);
  BasicBlock *loop = e_.newBlock("targets"), *known = e_.newBlock();
  BasicBlock *bad = e_.newBlock(), *go = e_.newBlock();
  BasicBlock *done = e_.newBlock("targets.done");
  builder_.CreateBr(loop);
  builder_.SetInsertPoint(loop);
  Value *bits = builder_.CreateLoad(builder_.getInt32Ty(), rest);
  Value *lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
  Value *number = arrays_.extractLane(numbers, lane);
  Value *same = builder_.CreateLogicalAnd(masks_.fromBits(bits),
                                          builder_.CreateICmpEQ(numbers, values_.splat(number)));
  Value *index = builder_.CreateLShr(builder_.CreateSub(number, builder_.getInt64(FunctionTag)), 4);
  builder_.CreateCondBr(builder_.CreateICmpULT(index, builder_.getInt64(entries.size())), known,
                        bad);
  builder_.SetInsertPoint(known);
  Value *target = builder_.CreateLoad(
      builder_.getPtrTy(), builder_.CreateGEP(tableType, table, {builder_.getInt64(0), index}));
  builder_.CreateCondBr(builder_.CreateIsNull(target), bad, go);
  builder_.SetInsertPoint(bad);
  FunctionType *badType = FunctionType::get(
      builder_.getVoidTy(), {builder_.getPtrTy(), builder_.getInt32Ty(), i64, builder_.getPtrTy()},
      false);
  builder_.CreateCall(
      badType, service(offsetof(Services, badCall)),
      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp), number, sourceLoc(call)});
  builder_.CreateUnreachable();
  builder_.SetInsertPoint(go);
  SmallVector<Value *, 12> arguments;
  for (unsigned i = 0; i < ContextParams; ++i)
    arguments.push_back(e_.warp.getArg(i));
  arguments.push_back(same);
  append_range(arguments, operands);
  Value *value = builder_.CreateCall(type, target, arguments);
  if (hasResult) {
    Value *old = builder_.CreateLoad(type->getReturnType(), result);
    std::function<Value *(Value *, Value *)> blend = [&](Value *now, Value *before) -> Value * {
      if (!now->getType()->isAggregateType())
        return builder_.CreateSelect(same, now, before);
      Value *all = before;
      for (unsigned i = 0; i < now->getType()->getNumContainedTypes(); ++i)
        all = builder_.CreateInsertValue(
            all, blend(builder_.CreateExtractValue(now, i), builder_.CreateExtractValue(before, i)),
            i);
      return all;
    };
    builder_.CreateStore(blend(value, old), result);
  }
  Value *left = builder_.CreateAnd(bits, builder_.CreateNot(masks_.bits(same)));
  builder_.CreateStore(left, rest);
  builder_.CreateCondBr(builder_.CreateICmpNE(left, builder_.getInt32(0)), loop, done);
  builder_.SetInsertPoint(done);
  if (hasResult)
    values_.define(call, builder_.CreateLoad(type->getReturnType(), result));
  return Error::success();
}

} // namespace heddle::simt
