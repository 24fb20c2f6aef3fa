// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point arithmetic (PTX ISA, "Floating-Point Instructions", "Half Precision ...", "Mixed
// Precision ..."). Directed roundings and approximations are the device library's functions, as
// they are for __fadd_rz() and __sinf(). Operations without a rounding may be contracted to fma,
// as ptxas does it; those with .rn stay what they are.
#include "frontend/ptx/float_emitter.h"
#include "frontend/ptx/module/flushes.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

StringRef libraryRounding(StringRef modifier) {
  return modifier == "rm" ? "rd" : modifier == "rp" ? "ru" : modifier;
}

Value *canonicalNan(Type *type) {
  unsigned bits = type->getPrimitiveSizeInBits();
  APInt nan = bits == 64 ? APInt(64, 0x7ff8000000000000) : APInt::getSignedMaxValue(bits);
  return ConstantFP::get(type, APFloat(type->getFltSemantics(), nan));
}

Value *flushed(Emitter &e, Value *value) {
  if (!e.isOfModule() || !value->getType()->isFloatTy())
    return emitFlush(e.b, value);
  const bool movesBits = e.opcode() == "abs" || e.opcode() == "neg";
  return movesBits ? markFlushOfBits(e.b, value) : markFlush(e.b, value);
}

void keepDenormals(Emitter &e) {
  if (e.isOfModule())
    markKeeps(*e.b.GetInsertBlock()->getModule());
}

Value *saturated(Emitter &e, Value *value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0),
        *one = ConstantFP::get(value->getType(), 1.0);
  Value *low = e.b.CreateSelect(e.b.CreateFCmpOGT(value, zero), value, zero);
  return e.b.CreateSelect(e.b.CreateFCmpOLT(low, one), low, one);
}

namespace {

/// What the modifiers say of how an operation rounds and what becomes of its operands and result.
struct Style {
  StringRef rounding; ///< "" where there is none
  bool flushes = false, saturates = false, rectifies = false;
  bool isDirected() const { return !rounding.empty() && rounding != "rn"; }
};

Style takeStyle(Emitter &e) {
  Style style;
  style.rounding = e.takeOneOf({"rn", "rz", "rm", "rp"});
  style.flushes = e.take("ftz");
  style.saturates = e.take("sat");
  style.rectifies = e.take("relu");
  return style;
}

bool isFloat(Emitter &e) {
  std::optional<PtxType> type = e.peekType();
  return type && type->isFloat();
}

/// f32 and an error where there is no type of floating point.
PtxType takeFloat(Emitter &e) {
  PtxType type = e.takeType();
  if (type.isFloat())
    return type;
  e.fail("expected a floating-point type, found '." + type.name + "'");
  return *findType("f32");
}

/// Reads `arity` operands, applies `combine` to each element, and writes the result.
void apply(Emitter &e, const Style &style, const PtxType &type, unsigned arity,
           function_ref<Value *(ArrayRef<Value *>)> combine) {
  e.failUnless(!style.isDirected() || type.elementBits >= 32, "rounds to nearest only");
  SmallVector<Value *, 3> operands;
  for (unsigned i = 0; i < arity; ++i)
    operands.push_back(e.read(i + 1, type));
  IRBuilderBase::FastMathFlagGuard guard(e.b);
  FastMathFlags flags;
  flags.setAllowContract(style.rounding.empty());
  e.b.setFastMathFlags(flags);
  bool flushes = style.flushes && type.elementBits != 64;
  if (type.elementBits == 32 && !flushes && e.opcode() != "abs" && e.opcode() != "neg")
    keepDenormals(e);
  Value *result = e.eachElement(type, operands, [&](ArrayRef<Value *> given) {
    SmallVector<Value *, 3> values(given);
    if (flushes)
      for (Value *&value : values)
        value = flushed(e, value);
    Value *value = combine(values);
    if (flushes)
      value = flushed(e, value);
    if (style.saturates)
      value = saturated(e, value);
    if (style.rectifies) {
      Value *zero = ConstantFP::get(value->getType(), 0.0);
      Value *isNan = e.b.CreateFCmpUNO(value, value);
      value = e.b.CreateSelect(e.b.CreateFCmpOGT(value, zero), value, zero);
      value = e.b.CreateSelect(isNan, canonicalNan(value->getType()), value);
    }
    return value;
  });
  e.write(0, result);
}

/// The library's function for f32 or f64: fadd_rz, dadd_rz.
Value *directed(Emitter &e, const Style &style, StringRef name, ArrayRef<Value *> values) {
  Type *type = values[0]->getType();
  StringRef prefix = name == "fma" ? "" : type->isDoubleTy() ? "d" : "f";
  StringRef suffix = name == "fma" && !type->isDoubleTy() ? "f" : "";
  return e.library("__nv_" + prefix + name + suffix + "_" + libraryRounding(style.rounding), type,
                   values);
}

/// A sum or product with .rn, which is not contracted: as an intrinsic, for LLVM gives operations the
/// flags of what it merges them with.
Value *apart(Emitter &e, Intrinsic::ID ofFloat, Intrinsic::ID ofDouble, ArrayRef<Value *> values) {
  return e.intrinsic(values[0]->getType()->isDoubleTy() ? ofDouble : ofFloat, values);
}

bool isApart(const Style &style, ArrayRef<Value *> values) {
  Type *type = values[0]->getType();
  return style.rounding == "rn" && (type->isFloatTy() || type->isDoubleTy());
}

/// In float, rounded back: exact enough for halves.
Value *inFloat(Emitter &e, Value *value, function_ref<Value *(Value *)> function) {
  Type *type = value->getType();
  if (type->isFloatTy() || type->isDoubleTy())
    return function(value);
  return e.b.CreateFPTrunc(function(e.b.CreateFPExt(value, e.b.getFloatTy())), type);
}

/// 0 where a factor is the NaN that a tensor copy fills with outside of the tensor: all bits but the
/// sign (CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA).
Value *clearedOutside(Emitter &e, Value *value, Value *a, Value *b) {
  auto isOutside = [&](Value *factor) {
    return e.b.CreateICmpEQ(e.asBits(factor), e.number(0x7fff, 16));
  };
  return e.b.CreateSelect(e.b.CreateOr(isOutside(a), isOutside(b)),
                          ConstantFP::get(value->getType(), 0.0), value);
}

} // namespace

bool emitFloatSum(Emitter &e) {
  if (!isFloat(e))
    return false;
  Style style = takeStyle(e);
  PtxType type = takeFloat(e);
  bool isSubtraction = e.opcode() == "sub";
  apply(e, style, type, 2, [&](ArrayRef<Value *> v) {
    if (style.isDirected())
      return directed(e, style, isSubtraction ? "sub" : "add", v);
    if (isApart(style, v))
      return apart(e, Intrinsic::nvvm_add_rn_f, Intrinsic::nvvm_add_rn_d,
                   {v[0], isSubtraction ? e.b.CreateFNeg(v[1]) : v[1]});
    return isSubtraction ? e.b.CreateFSub(v[0], v[1]) : e.b.CreateFAdd(v[0], v[1]);
  });
  return true;
}

bool emitFloatProduct(Emitter &e) {
  if (!isFloat(e))
    return false;
  Style style = takeStyle(e);
  apply(e, style, takeFloat(e), 2, [&](ArrayRef<Value *> v) {
    if (isApart(style, v))
      return apart(e, Intrinsic::nvvm_mul_rn_f, Intrinsic::nvvm_mul_rn_d, v);
    return style.isDirected() ? directed(e, style, "mul", v) : e.b.CreateFMul(v[0], v[1]);
  });
  return true;
}

bool emitFloatFma(Emitter &e) {
  if (!isFloat(e))
    return false;
  const bool clears = e.take("oob");
  Style style = takeStyle(e);
  PtxType type = takeFloat(e);
  e.failUnless(!clears || type.elementBits == 16, "'.oob' is for halves");
  apply(e, style, type, 3, [&](ArrayRef<Value *> v) {
    Value *value = style.isDirected() ? directed(e, style, "fma", v)
                                      : e.b.CreateIntrinsic(Intrinsic::fma, v[0]->getType(), v);
    return clears ? clearedOutside(e, value, v[0], v[1]) : value;
  });
  return true;
}

void lowerFma(Emitter &e) { e.failUnless(emitFloatFma(e), "expected a floating-point type"); }

bool emitFloatQuotient(Emitter &e) {
  if (!isFloat(e))
    return false;
  e.failUnless(e.opcode() == "div", "expected an integer type");
  StringRef estimate = e.takeOneOf({"approx", "full"});
  Style style = takeStyle(e);
  apply(e, style, takeFloat(e), 2, [&](ArrayRef<Value *> v) {
    if (style.isDirected())
      return directed(e, style, "div", v);
    if (estimate == "approx")
      return e.library("__nv_fast_fdividef", v[0]->getType(), v);
    return e.b.CreateFDiv(v[0], v[1]);
  });
  return true;
}

bool emitFloatSign(Emitter &e) {
  if (!isFloat(e))
    return false;
  bool isAbs = e.opcode() == "abs";
  Style style = takeStyle(e);
  apply(e, style, takeFloat(e), 1, [&](ArrayRef<Value *> v) {
    if (!isAbs)
      return e.b.CreateFNeg(v[0]);
    Value *size = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, v[0]);
    if (size->getType()->getPrimitiveSizeInBits() > 16)
      return size;
    return e.b.CreateSelect(e.b.CreateFCmpUNO(v[0], v[0]), canonicalNan(size->getType()), size);
  });
  return true;
}

/// A NaN is the other operand's loss, and with .NaN the result; -0 is below +0. With .xorsign.abs
/// the magnitudes are compared, and the sign is that of the product.
bool emitFloatExtreme(Emitter &e) {
  if (!isFloat(e))
    return false;
  bool isMax = e.opcode() == "max", keepsNan = e.take("NaN");
  bool bySize = e.take("xorsign") && e.take("abs");
  Style style = takeStyle(e);
  apply(e, style, takeFloat(e), 2, [&](ArrayRef<Value *> v) {
    Type *type = v[0]->getType();
    auto operand = [&](Value *value) {
      value = bySize ? e.b.CreateUnaryIntrinsic(Intrinsic::fabs, value) : value;
      return type->getPrimitiveSizeInBits() == 16 ? e.b.CreateFPExt(value, e.b.getFloatTy())
                                                  : value;
    };
    Value *a = operand(v[0]), *b = operand(v[1]);
    Value *result =
        e.b.CreateBinaryIntrinsic(isMax ? Intrinsic::maximumnum : Intrinsic::minimumnum, a, b);
    Value *isNan = keepsNan ? e.b.CreateFCmpUNO(a, b)
                            : e.b.CreateAnd(e.b.CreateFCmpUNO(a, a), e.b.CreateFCmpUNO(b, b));
    if (result->getType() != type)
      result = e.b.CreateFPTrunc(result, type);
    if (bySize) {
      unsigned bits = type->getPrimitiveSizeInBits();
      Value *sign = e.b.CreateAnd(e.b.CreateXor(e.asBits(v[0]), e.asBits(v[1])),
                                  ConstantInt::get(e.context(), APInt::getSignMask(bits)));
      result = e.b.CreateBitCast(e.b.CreateOr(e.asBits(result), sign), type);
    }
    return e.b.CreateSelect(isNan, canonicalNan(type), result);
  });
  return true;
}

/// rcp, sqrt, rsqrt.
void lowerRoot(Emitter &e) {
  bool isEstimate = e.take("approx");
  Style style = takeStyle(e);
  PtxType type = takeFloat(e);
  StringRef op = e.opcode();
  e.failUnless(type == "f32" || type == "f64", "expected .f32 or .f64");
  apply(e, style, type, 1, [&](ArrayRef<Value *> v) -> Value * {
    bool isDouble = type == "f64";
    if (style.isDirected())
      return directed(e, style, op, v);
    if (op == "sqrt")
      return e.b.CreateUnaryIntrinsic(Intrinsic::sqrt, v[0]);
    if (op == "rcp")
      return isDouble && isEstimate ? e.library("__nv_rcp64h", v[0]->getType(), v)
                                    : e.b.CreateFDiv(ConstantFP::get(v[0]->getType(), 1.0), v[0]);
    return e.library(isDouble ? "__nv_rsqrt" : "__nv_rsqrtf", v[0]->getType(), v);
  });
}

/// sin, cos, lg2, ex2, tanh.
void lowerTranscendental(Emitter &e) {
  e.take("approx");
  Style style = takeStyle(e);
  StringRef op = e.opcode();
  StringRef name = op == "sin"   ? "__nv_fast_sinf"
                   : op == "cos" ? "__nv_fast_cosf"
                   : op == "lg2" ? "__nv_fast_log2f"
                   : op == "ex2" ? "__nv_exp2f"
                                 : "__nv_fast_tanhf";
  PtxType type = takeFloat(e);
  bool hasHalves = op == "ex2" || op == "tanh";
  e.failUnless(type == "f32" || (hasHalves && type.isSmallFloat()), "expected .f32");
  apply(e, style, type, 1, [&](ArrayRef<Value *> v) {
    return inFloat(e, v[0], [&](Value *x) { return e.library(name, e.b.getFloatTy(), {x}); });
  });
}

/// The sign of the first operand and the magnitude of the second.
void lowerCopysign(Emitter &e) {
  PtxType type = takeFloat(e);
  if (type.isPacked())
    return e.fail("expected .f32 or .f64");
  e.write(0, e.b.CreateBinaryIntrinsic(Intrinsic::copysign, e.read(2, type), e.read(1, type)));
}

void lowerTestp(Emitter &e) {
  StringRef test =
      e.takeOneOf({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  PtxType type = takeFloat(e);
  if (test.empty() || type.isPacked())
    return e.fail("expected a test and a floating-point type");
  Value *a = e.read(1, type), *size = e.b.CreateUnaryIntrinsic(Intrinsic::fabs, a);
  keepDenormals(e);
  Value *infinity = ConstantFP::getInfinity(a->getType());
  Value *least = ConstantFP::get(a->getType(),
                                 APFloat::getSmallestNormalized(a->getType()->getFltSemantics()));
  Value *isFinite = e.b.CreateFCmpOLT(size, infinity);
  Value *result = nullptr;
  if (test == "finite")
    result = isFinite;
  else if (test == "infinite")
    result = e.b.CreateFCmpOEQ(size, infinity);
  else if (test == "number" || test == "notanumber")
    result = test == "number" ? e.b.CreateFCmpORD(a, a) : e.b.CreateFCmpUNO(a, a);
  else { // zeros are normal
    Value *isSmall = e.b.CreateAnd(e.b.CreateFCmpOLT(size, least),
                                   e.b.CreateFCmpONE(a, ConstantFP::get(a->getType(), 0.0)));
    result = test == "subnormal" ? isSmall : e.b.CreateAnd(isFinite, e.b.CreateNot(isSmall));
  }
  e.write(0, result);
}

} // namespace heddle::frontend::ptx
