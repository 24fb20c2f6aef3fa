// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/calls/service_calls.h"

#include "base/abi/kernel_abi.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

static const Align PairAlign(16);

Value *ServiceCalls::service(size_t offset) {
  Value *services = builder_.CreateLoad(
      builder_.getPtrTy(), e_.field(e_.warp.getArg(ParamLaunch), offsetof(Launch, services)));
  return builder_.CreateLoad(builder_.getPtrTy(), e_.field(services, offset));
}

/// What __trap, __syncthreads and the like are defined in: a report names where the user's code
/// calls them.
static bool isToolkitHeader(StringRef file) {
  return file.contains("/lib/clang/") || file.contains("/include/heddle/");
}

Value *ServiceCalls::sourceLoc(Instruction &instruction) {
  const DILocation *where = userLocation(instruction);
  if (!where)
    return Constant::getNullValue(builder_.getPtrTy());
  while (isToolkitHeader(frontend::fileOf(*where)) && where->getInlinedAt())
    where = where->getInlinedAt();
  Constant *file = cast<Constant>(builder_.CreateGlobalString(frontend::fileOf(*where), "file"));
  Constant *fields[] = {file, builder_.getInt32(where->getLine()),
                        builder_.getInt32(where->getColumn())};
  Constant *value = ConstantStruct::getAnon(fields);
  return new GlobalVariable(e_.module, value->getType(), true, GlobalValue::PrivateLinkage, value,
                            "loc");
}

Value *ServiceCalls::emitClock(CallInst &call) {
  Type *i64 = builder_.getInt64Ty();
  auto read = [&](size_t offset) {
    Value *value = builder_.CreateCall(FunctionType::get(i64, false), service(offset));
    return builder_.CreateTrunc(value, call.getType());
  };
  switch (call.getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_clock:
  case Intrinsic::nvvm_read_ptx_sreg_clock64:
    return read(offsetof(Services, clock));
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
    return read(offsetof(Services, globalTimer));
  default: { // nanosleep
    FunctionType *type = FunctionType::get(builder_.getVoidTy(), {builder_.getInt32Ty()}, false);
    builder_.CreateCall(type, service(offsetof(Services, nanosleep)),
                        {values_.scalar(call.getArgOperand(0))});
    return nullptr;
  }
  }
}

/// `operands` are those of each lane; `before` stands before them, `after` behind.
Value *ServiceCalls::callPerLane(size_t offset, FunctionType *type, ArrayRef<Value *> before,
                                 ArrayRef<Value *> operands, ArrayRef<Value *> after) {
  Value *function = service(offset);
  SmallVector<Value *, 4> vectors;
  for (Value *operand : operands)
    vectors.push_back(values_.laneOperand(operand));
  Type *result = type->getReturnType()->isVoidTy() ? nullptr : e_.vectorType(type->getReturnType());
  return loops_.forEachLane(result, [&](Value *lane) -> Value * {
    SmallVector<Value *, 4> scalars(before);
    for (Value *operand : vectors)
      scalars.push_back(arrays_.extractLane(operand, lane));
    append_range(scalars, after);
    return builder_.CreateCall(type, function, scalars);
  });
}

Value *ServiceCalls::emitService(CallInst &call, CallKind kind) {
  Value *block = e_.warp.getArg(ParamBlock);
  Type *pointer = builder_.getPtrTy(), *none = builder_.getVoidTy();
  Type *i32 = builder_.getInt32Ty(), *i64 = builder_.getInt64Ty(), *i1 = builder_.getInt1Ty();
  auto type = [&](Type *result, ArrayRef<Type *> arguments) {
    return FunctionType::get(result, arguments, false);
  };
  auto operand = [&](unsigned i) { return call.getArgOperand(i); };
  switch (kind) {
  case CallKind::Print:
    e_.context.result.prints = true;
    return callPerLane(offsetof(Services, print), type(i32, {pointer, pointer, pointer}), {block},
                       {operand(0), operand(1)});
  case CallKind::Allocate:
    return callPerLane(offsetof(Services, allocate), type(pointer, {pointer, i64}), {block},
                       {operand(0)});
  case CallKind::OnStack:
    return callPerLane(offsetof(Services, onStack), type(i1, {pointer, pointer}), {block},
                       {operand(0)});
  case CallKind::DeviceCall: // (function, call)
    return callPerLane(offsetof(Services, deviceCall), type(i32, {pointer, i32, pointer}), {block},
                       {operand(0), operand(1)});
  case CallKind::TensorCopy:
    return callPerLane(offsetof(Services, tensorCopy), type(i32, {pointer, pointer, pointer}),
                       {block}, {operand(0)}, {sourceLoc(call)});
  case CallKind::Release:
    return callPerLane(offsetof(Services, release), type(none, {pointer, pointer}), {block},
                       {operand(0)});
  case CallKind::Cas128: { // (address, expected, desired, result)
    SmallVector<Value *, 4> operands(call.args());
    return callPerLane(offsetof(Services, cas128), type(none, {pointer, pointer, pointer, pointer}),
                       {}, operands);
  }
  case CallKind::LoadPair:
  case CallKind::StorePair:
    emitPair(call, kind);
    return nullptr;
  default:
    emitReport(call, kind);
    return nullptr;
  }
}

/// One access of 16 bytes for each lane. It is whole for others: on x86-64 with AVX as Intel and
/// AMD document it (Intel SDM 3A, 9.1.1). On AArch64 LLVM knows what is, with FEAT_LSE2 and without.
void ServiceCalls::emitPair(CallInst &call, CallKind kind) {
  auto *words = FixedVectorType::get(builder_.getInt64Ty(), 2);
  bool isAtomic = e_.context.machine.getTargetTriple().isAArch64();
  Type *pair = isAtomic ? builder_.getInt128Ty() : cast<Type>(words);
  auto ordering = isAtomic ? AtomicOrdering::Monotonic : AtomicOrdering::NotAtomic;
  SmallVector<Value *, 3> operands;
  for (Value *operand : call.args())
    operands.push_back(values_.laneOperand(operand));
  loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
    SmallVector<Value *, 3> of;
    for (Value *operand : operands)
      of.push_back(arrays_.extractLane(operand, lane));
    if (kind == CallKind::LoadPair) { // (address, result)
      LoadInst *loaded = builder_.CreateAlignedLoad(pair, of[0], PairAlign, /*isVolatile=*/true);
      loaded->setAtomic(ordering);
      builder_.CreateAlignedStore(loaded, of[1], Align(8));
    } else { // (address, low, high)
      Value *stored = builder_.CreateInsertElement(PoisonValue::get(words), of[1], uint64_t(0));
      stored = builder_.CreateInsertElement(stored, of[2], uint64_t(1));
      builder_
          .CreateAlignedStore(builder_.CreateBitCast(stored, pair), of[0], PairAlign,
                              /*isVolatile=*/true)
          ->setAtomic(ordering);
    }
    return nullptr;
  });
}

Value *ServiceCalls::inFirstActive(Value *value) {
  Value *lane = masks_.lowest(masks_.integer(masks_.active()));
  return e_.shapes.isUniform(value) ? values_.scalar(value)
                                    : arrays_.extractLane(values_.vector(value), lane);
}

void ServiceCalls::emitReport(CallInst &call, CallKind kind) {
  Value *block = e_.warp.getArg(ParamBlock);
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty(), *none = builder_.getVoidTy();
  auto active = [&] { return masks_.reported(masks_.integer(masks_.active())); };
  switch (kind) {
  case CallKind::AssertFail: {
    FunctionType *type =
        FunctionType::get(none, {pointer, i32, i32, pointer, pointer, i32, pointer}, false);
    auto operand = [&](unsigned i) { return inFirstActive(call.getArgOperand(i)); };
    auto [warp, bits] = active();
    builder_.CreateCall(type, service(offsetof(Services, assertFail)),
                        {block, warp, bits, operand(0), operand(1), operand(2), operand(3)});
    break;
  }
  case CallKind::Trap: {
    FunctionType *type = FunctionType::get(none, {pointer, i32, i32, pointer}, false);
    auto [warp, bits] = active();
    builder_.CreateCall(type, service(offsetof(Services, trap)),
                        {block, warp, bits, sourceLoc(call)});
    break;
  }
  default: { // Breakpoint
    FunctionType *type = FunctionType::get(none, {pointer, i32}, false);
    builder_.CreateCall(type, service(offsetof(Services, breakpoint)), {block, active().first});
  }
  }
}

void ServiceCalls::emitAlignmentCheck(CallInst &call) {
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
    Value *lane = masks_.lowest(bits);
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

} // namespace heddle::simt
