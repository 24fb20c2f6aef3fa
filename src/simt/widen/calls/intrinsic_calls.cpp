// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mathematics of warp programs: intrinsics that exist for vectors, and SLEEF's functions. What has
// no vector form runs for each lane.
#include "simt/widen/calls/intrinsic_calls.h"

#include "simt/analysis/intrinsics.h"
#include "simt/lower/native.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace heddle::simt {

/// A funnel shift by amounts of their own in each lane, by plain shifts. LLVM 22's InstCombine
/// makes `lshr x, 32 - C` of `fshl(0, x, C)` also where the constant C is 0 in some lanes, which is
/// poison in them.
static Value *funnelShift(IRBuilder<> &builder, Intrinsic::ID id, Value *high, Value *low,
                          Value *amount) {
  Constant *most =
      ConstantInt::get(amount->getType(), amount->getType()->getScalarSizeInBits() - 1);
  Constant *one = ConstantInt::get(amount->getType(), 1);
  Value *bits = builder.CreateAnd(amount, most), *others = builder.CreateXor(bits, most);
  return id == Intrinsic::fshl
             ? builder.CreateOr(builder.CreateShl(high, bits),
                                builder.CreateLShr(builder.CreateLShr(low, one), others))
             : builder.CreateOr(builder.CreateShl(builder.CreateShl(high, one), others),
                                builder.CreateLShr(low, bits));
}

Value *IntrinsicCalls::emitVector(CallInst &call) {
  Intrinsic::ID id = call.getIntrinsicID();
  Lanes lanes = values_.lanesOf(&call);
  SmallVector<Value *, 4> arguments;
  SmallVector<Type *, 4> types;
  bool overflow = call.getType()->isStructTy();
  if (!overflow && isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(e_.vectorType(call.getType(), lanes.count));
  for (auto [i, operand] : enumerate(call.args())) {
    bool stays = isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr) || id == Intrinsic::is_fpclass;
    if (stays && i > 0 && !e_.shapes.isUniform(operand))
      return emitPerLane(call);
    bool keep = isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr) ||
                (id == Intrinsic::is_fpclass && i == 1);
    arguments.push_back(keep ? values_.scalar(operand) : values_.at(operand, lanes));
    if (!overflow && isVectorIntrinsicWithOverloadTypeAtArg(id, i, nullptr))
      types.push_back(arguments.back()->getType());
  }
  if ((id == Intrinsic::fshl || id == Intrinsic::fshr) && lanes.count > 1 &&
      isPowerOf2_32(call.getType()->getIntegerBitWidth()) && arguments[0] != arguments[1] &&
      !e_.shapes.isUniform(call.getArgOperand(2))) {
    return funnelShift(builder_, id, arguments[0], arguments[1], arguments[2]);
  }
  if (id == Intrinsic::is_fpclass)
    types = {arguments[0]->getType()};
  else if (id == Intrinsic::frexp)
    types = {arguments[0]->getType(), e_.vectorType(builder_.getInt32Ty(), lanes.count)};
  else if (overflow)
    types = {arguments[0]->getType()};
  Function *callee = Intrinsic::getOrInsertDeclaration(&e_.module, id, types);
  CallInst *copy = builder_.CreateCall(callee, arguments);
  if (isa<FPMathOperator>(copy))
    copy->copyFastMathFlags(&call);
  return copy;
}

namespace {

struct SleefVariant {
  const char *suffix;
  unsigned bytes; ///< of a vector register
};

SleefVariant sleefVariant(const TargetMachine &machine) {
  const MCSubtargetInfo &target = *machine.getMCSubtargetInfo();
  if (machine.getTargetTriple().isAArch64())
    return {"advsimd", 16};
  if (target.checkFeatures("+avx512f"))
    return {"avx512f", 64};
  if (target.checkFeatures("+avx2"))
    return {"avx2", 32};
  return target.checkFeatures("+sse4.1") ? SleefVariant{"sse4", 16} : SleefVariant{"sse2", 16};
}

} // namespace

/// SLEEF on as many registers as `lanes` lanes take. A single value goes through the vector
/// function too, so that all widths give the same bits.
Value *IntrinsicCalls::callSleef(const MathFunction &function, ArrayRef<Value *> arguments,
                                 unsigned lanes) {
  SleefVariant variant = sleefVariant(e_.context.machine);
  Type *element = function.bits == 32 ? builder_.getFloatTy() : builder_.getDoubleTy();
  unsigned native = variant.bytes * 8 / function.bits;
  Type *type = FixedVectorType::get(element, native);
  std::string name = ("Sleef_" + Twine(function.sleef) + (function.bits == 32 ? "f" : "d") +
                      Twine(native) + "_" + function.accuracy + variant.suffix)
                         .str();
  SmallVector<Type *, 3> types(function.arity, type);
  FunctionCallee callee =
      e_.module.getOrInsertFunction(name, FunctionType::get(type, types, false));
  cast<Function>(callee.getCallee())->setDoesNotAccessMemory();
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  cast<Function>(callee.getCallee())->setWillReturn();
  auto part = [&](Value *value, unsigned first) -> Value * {
    if (!value->getType()->isVectorTy())
      return builder_.CreateVectorSplat(native, value);
    SmallVector<int, 32> picks;
    for (unsigned i = 0; i < native; ++i)
      picks.push_back((first + i) % lanes);
    return builder_.CreateShuffleVector(value, picks);
  };
  if (lanes == 1) {
    SmallVector<Value *, 3> operands;
    for (Value *argument : arguments)
      operands.push_back(part(argument, 0));
    return builder_.CreateExtractElement(builder_.CreateCall(callee, operands), uint64_t(0));
  }
  Value *result = PoisonValue::get(FixedVectorType::get(element, lanes));
  for (unsigned first = 0; first < lanes; first += native) {
    SmallVector<Value *, 3> operands;
    for (Value *argument : arguments)
      operands.push_back(part(argument, first));
    Value *piece = builder_.CreateCall(callee, operands);
    unsigned count = std::min(native, lanes - first);
    SmallVector<int, 32> spread(lanes, PoisonMaskElem), merge;
    for (unsigned i = 0; i < count; ++i)
      spread[first + i] = i;
    Value *placed = builder_.CreateShuffleVector(piece, spread);
    for (unsigned i = 0; i < lanes; ++i)
      merge.push_back(i >= first && i < first + count ? lanes + i : i);
    result = builder_.CreateShuffleVector(result, placed, merge);
  }
  return result;
}

Value *IntrinsicCalls::emitMath(CallInst &call) {
  const MathFunction &function = *findMathFunction(call.getCalledFunction()->getName());
  Lanes lanes = values_.lanesOf(&call);
  SmallVector<Value *, 3> arguments;
  for (Value *operand : call.args())
    arguments.push_back(values_.at(operand, lanes));
  Value *result = callSleef(function, arguments, lanes.count);
  if (StringRef(function.sleef) == "cospi") // SLEEF's zeros have signs, C's do not
    result = builder_.CreateFAdd(result, Constant::getNullValue(result->getType()));
  return result;
}

Value *IntrinsicCalls::emitNative(CallInst &call) {
  Lanes lanes = values_.lanesOf(&call);
  SmallVector<Value *, 2> arguments;
  for (Value *operand : call.args())
    arguments.push_back(values_.at(operand, lanes));
  return simt::emitNative(builder_, *findNativeFunction(call.getCalledFunction()->getName()),
                          arguments);
}

Value *IntrinsicCalls::emitScalar(CallInst &call, ArrayRef<Value *> arguments) {
  auto *memory = dyn_cast<MemIntrinsic>(&call);
  if (!memory)
    return builder_.CreateCall(call.getCalledFunction(), arguments);
  if (auto *set = dyn_cast<MemSetInst>(memory))
    return builder_.CreateMemSet(arguments[0], arguments[1], arguments[2], set->getDestAlign(),
                                 set->isVolatile());
  MaybeAlign source = cast<MemTransferInst>(memory)->getSourceAlign();
  if (isa<MemMoveInst>(memory))
    return builder_.CreateMemMove(arguments[0], memory->getDestAlign(), arguments[1], source,
                                  arguments[2], memory->isVolatile());
  return builder_.CreateMemCpy(arguments[0], memory->getDestAlign(), arguments[1], source,
                               arguments[2], memory->isVolatile());
}

Value *IntrinsicCalls::emitPerLane(CallInst &call) {
  bool allUniform = all_of(call.args(), [&](Value *v) { return e_.shapes.isUniform(v); });
  SmallVector<Value *, 4> operands;
  for (Value *operand : call.args())
    operands.push_back(values_.laneOperand(operand));
  auto one = [&](Value *lane) -> Value * {
    SmallVector<Value *, 4> scalars;
    for (auto [i, operand] : enumerate(operands)) {
      bool immediate = call.paramHasAttr(i, Attribute::ImmArg);
      scalars.push_back(immediate ? call.getArgOperand(i) : arrays_.extractLane(operand, lane));
    }
    return emitScalar(call, scalars);
  };
  if (allUniform && isa<MemIntrinsic>(call))
    return one(builder_.getInt32(0));
  bool used = !call.getType()->isVoidTy();
  return loops_.forEachLane(used ? e_.vectorType(call.getType()) : nullptr, one);
}

} // namespace heddle::simt
