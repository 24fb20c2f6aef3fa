// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The quick way costs a comparison of vectors: a result is no finite number in an active lane. Then
// it is wrong if all operands are; otherwise it is passed on. But a NaN of infinities is new:
//
//     inf - inf     0 * inf     inf / inf     sin(inf)
#include "simt/widen/calls/float_checks.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

FloatOperation operationOf(const CallInst &call) {
  return FloatOperation(cast<ConstantInt>(call.getArgOperand(1))->getZExtValue());
}

/// What is wrong is said by the condition alone.
bool saysCondition(FloatOperation operation) {
  return operation == FloatOperation::ToInteger || operation == FloatOperation::IntegerDivide ||
         operation >= FloatOperation::ToHalf;
}

bool maySubtract(FloatOperation operation) {
  return operation == FloatOperation::Add || operation == FloatOperation::Subtract;
}

} // namespace

Value *FloatChecks::isNoNumber(Value *value) {
  return builder_.createIsFPClass(value, fcNan | fcInf);
}

/// A difference that is not zero, of numbers of which it has few of the digits.
Value *FloatChecks::losesDigits(CallInst &call, Lanes lanes, Value *result) {
  constexpr double LeastOfFloat = 0x1p-20, LeastOfDouble = 0x1p-44;
  bool isFloat = result->getType()->getScalarType()->isFloatTy();
  auto magnitude = [&](Value *value) {
    return builder_.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  };
  Value *operand = magnitude(values_.at(call.getArgOperand(FirstFloatOperand), lanes));
  Value *least = builder_.CreateFMul(
      operand, ConstantFP::get(operand->getType(), isFloat ? LeastOfFloat : LeastOfDouble));
  Value *isSmall = builder_.CreateFCmpOLT(magnitude(result), least);
  Value *isSome = builder_.CreateFCmpONE(result, Constant::getNullValue(result->getType()));
  return builder_.CreateAnd(isSmall, isSome);
}

Value *FloatChecks::mayBeBad(CallInst &call, Lanes lanes, Value *result) {
  FloatOperation operation = operationOf(call);
  if (saysCondition(operation))
    return values_.at(call.getArgOperand(FloatCheckCondition), lanes);
  Value *bad = isNoNumber(result);
  if (calls_.isOn(CheckCancellation) && maySubtract(operation) &&
      result->getType()->getScalarSizeInBits() >= 32)
    bad = builder_.CreateOr(bad, losesDigits(call, lanes, result));
  return bad;
}

Value *FloatChecks::isBad(CallInst &call, Lanes lanes, Value *suspects) {
  if (saysCondition(operationOf(call)))
    return suspects;
  suspects =
      builder_.CreateAnd(suspects, values_.at(call.getArgOperand(FloatCheckCondition), lanes));
  Value *isNew = builder_.createIsFPClass(values_.at(call.getArgOperand(0), lanes), fcNan);
  for (unsigned i = FirstFloatOperand; i < call.arg_size(); ++i) {
    Value *operand = values_.at(call.getArgOperand(i), lanes);
    Value *isInfinite = builder_.createIsFPClass(operand, fcInf);
    Value *isPassedOn =
        builder_.CreateOr(builder_.createIsFPClass(operand, fcNan),
                          builder_.CreateAnd(isInfinite, builder_.CreateNot(isNew)));
    suspects = builder_.CreateAnd(suspects, builder_.CreateNot(isPassedOn));
  }
  return suspects;
}

Constant *FloatChecks::site(CallInst &call) {
  unsigned count = 0;
  Constant *frames = calls_.frames(call, count);
  StringRef name = operationOf(call) == FloatOperation::Call ? calls_.calledName(call) : "";
  Type *type = call.getArgOperand(FirstFloatOperand)->getType();
  static_assert(offsetof(FloatSite, frameCount) == 8 && offsetof(FloatSite, operation) == 12 &&
                offsetof(FloatSite, operands) == 13 && offsetof(FloatSite, bits) == 14 &&
                offsetof(FloatSite, name) == 16);
  return calls_.constant(
      {frames, builder_.getInt32(count), builder_.getInt8(uint8_t(operationOf(call))),
       builder_.getInt8(uint8_t(call.arg_size() - FirstFloatOperand)),
       builder_.getInt16(uint16_t(type->getScalarSizeInBits())),
       name.empty() ? Constant::getNullValue(builder_.getPtrTy()) : calls_.text(name)},
      "float");
}

void FloatChecks::tell(CallInst &call, Lanes lanes, Value *suspects) {
  Value *bad = isBad(call, lanes, suspects);
  Type *row = ArrayType::get(builder_.getDoubleTy(), MostCheckedLanes);
  if (!memory_) {
    IRBuilder<> entry(e_.allocaPoint);
    memory_ = entry.CreateAlloca(ArrayType::get(row, 1 + MostFloatOperands));
    memory_->setAlignment(Align(64));
  }
  auto keep = [&](unsigned i, Value *operand) {
    Value *value = values_.at(operand, lanes);
    Type *type = value->getType()->getWithNewType(builder_.getDoubleTy());
    if (value->getType()->isIntOrIntVectorTy())
      value = builder_.CreateSIToFP(value, type);
    else if (value->getType() != type)
      value = builder_.CreateFPExt(value, type);
    builder_.CreateAlignedStore(value, e_.field(memory_, i * MostCheckedLanes * sizeof(double)),
                                Align(8));
  };
  keep(0, call.getArgOperand(0));
  for (unsigned i = FirstFloatOperand; i < call.arg_size(); ++i)
    keep(1 + i - FirstFloatOperand, call.getArgOperand(i));
  Type *pointer = builder_.getPtrTy(), *i32 = builder_.getInt32Ty();
  Value *bits =
      lanes.count == 1 ? bad : builder_.CreateBitCast(bad, builder_.getIntNTy(lanes.count));
  builder_.CreateCall(FunctionType::get(builder_.getVoidTy(),
                                        {pointer, i32, i32, i32, i32, i32, pointer, pointer},
                                        false),
                      calls_.service(offsetof(CheckServices, badNumbers)),
                      {e_.warp.getArg(ParamBlock), e_.warp.getArg(ParamWarp),
                       builder_.CreateZExt(masks_.integer(masks_.active()), i32),
                       builder_.CreateZExtOrTrunc(bits, i32), builder_.getInt32(lanes.step),
                       builder_.getInt32(lanes.step * lanes.count), memory_, site(call)});
}

Value *FloatChecks::emit(CallInst &call) {
  Lanes lanes = values_.lanesOf(&call);
  Value *result = values_.at(call.getArgOperand(0), lanes);
  Value *suspects = mayBeBad(call, lanes, result);
  if (isa<Constant>(suspects) && cast<Constant>(suspects)->isNullValue())
    return result;
  suspects = builder_.CreateAnd(suspects, masks_.activeIn(lanes));
  BasicBlock *bad = e_.newBlock("number.bad"), *good = e_.newBlock("number.good");
  builder_.CreateCondBr(lanes.count == 1 ? suspects : builder_.CreateOrReduce(suspects), bad, good,
                        MDBuilder(e_.warp.getContext()).createUnlikelyBranchWeights());
  builder_.SetInsertPoint(bad);
  LaneValues::Local local = values_.save();
  tell(call, lanes, suspects);
  values_.restore(std::move(local));
  builder_.CreateBr(good);
  builder_.SetInsertPoint(good);
  return result;
}

} // namespace heddle::simt
