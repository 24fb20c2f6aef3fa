// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions (PTX ISA, "cvt", "cvt.pack"). What rounds in a direction, and what becomes an
// integer, is a function of the device library, as __float2int_rz() is; what becomes a number of 16
// bits or fewer goes through a float that any further rounding is right for (small_formats.h).
#include "frontend/ptx/float_emitter.h"
#include "frontend/ptx/small_formats.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Conversion {
  StringRef rounding; ///< "rn", ..., "rni", ..., or ""
  bool flushes, saturates, rectifies, isFinite;
  PtxType to, from;

  bool isToWhole() const { return rounding.ends_with("i"); }
  /// "rz" for "rz" and "rzi"; "rn" where there is none.
  StringRef direction() const { return rounding.empty() ? "rn" : rounding.take_front(2); }
};

bool isPair(const PtxType &type) { return type.isPacked(); }

/// Within what `to` holds.
Value *clampInteger(Emitter &e, const PtxType &to, const PtxType &from, Value *value) {
  unsigned bits = from.bits();
  auto within = [&](Intrinsic::ID id, APInt limit) {
    value = e.b.CreateBinaryIntrinsic(id, value, ConstantInt::get(e.context(), limit));
  };
  unsigned digits = to.bits() - to.isSigned(), sourceDigits = bits - from.isSigned();
  if (from.isSigned() && !to.isSigned())
    within(Intrinsic::smax, APInt::getZero(bits));
  if (from.isSigned() && to.isSigned() && digits < sourceDigits)
    within(Intrinsic::smax, APInt::getSignedMinValue(to.bits()).sext(bits));
  if (digits < sourceDigits)
    within(from.isSigned() ? Intrinsic::smin : Intrinsic::umin, APInt::getLowBitsSet(bits, digits));
  return value;
}

void convertInteger(Emitter &e, const Conversion &c) {
  Value *value = e.readLow(e.operand(1), c.from);
  if (c.saturates)
    value = clampInteger(e, c.to, c.from, value);
  value = e.b.CreateIntCast(value, e.ir(c.to), c.from.isSigned());
  e.writeExtended(e.operand(0), value, c.to.isSigned());
}

/// The exact float or double of a number of 16 bits; others as they are.
Value *widened(Emitter &e, Value *value) {
  return value->getType()->getPrimitiveSizeInBits() == 16 ? e.b.CreateFPExt(value, e.b.getFloatTy())
                                                          : value;
}

Intrinsic::ID roundingToWhole(const Conversion &c) {
  return c.rounding == "rni"   ? Intrinsic::roundeven
         : c.rounding == "rzi" ? Intrinsic::trunc
         : c.rounding == "rmi" ? Intrinsic::floor
                               : Intrinsic::ceil;
}

void convertToInteger(Emitter &e, const Conversion &c) {
  Value *value = widened(e, e.read(1, c.from));
  if (c.flushes && value->getType()->isFloatTy())
    value = flushed(e, value);
  else if (c.from == "f32")
    keepDenormals(e);
  bool isLong = c.to.bits() == 64;
  Type *whole = isLong ? e.b.getInt64Ty() : e.b.getInt32Ty();
  bool isSigned = c.to.isSigned(), isDouble = value->getType()->isDoubleTy();
  Value *rounded =
      c.rounding == "rzi" ? value : e.b.CreateUnaryIntrinsic(roundingToWhole(c), value);
  // What fits not is the nearest that does. Of a NaN it is 0, or with 64 bits on either side only the
  // highest bit.
  Value *result = e.b.CreateIntrinsic(isSigned ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat,
                                      {whole, value->getType()}, {rounded});
  if (isLong || isDouble)
    result = e.b.CreateSelect(
        e.b.CreateFCmpUNO(value, value),
        ConstantInt::get(e.context(), APInt::getSignedMinValue(isLong ? 64 : 32)), result);
  if (c.to.bits() < 32) {
    PtxType word = *findType(isSigned ? "s32" : "u32");
    result = e.b.CreateTrunc(clampInteger(e, c.to, word, result), e.ir(c.to));
    if (isDouble) // as in wider results
      result = e.b.CreateSelect(
          e.b.CreateFCmpUNO(value, value),
          ConstantInt::get(e.context(), APInt::getSignedMinValue(c.to.bits())), result);
  }
  e.writeExtended(e.operand(0), result, isSigned);
}

/// A float or double, rounded by the library; one that is to be rounded again to odd.
Value *fromInteger(Emitter &e, const Conversion &c, Value *value) {
  bool isSigned = c.from.isSigned();
  if (c.from.bits() < 32)
    value = e.b.CreateIntCast(value, e.b.getInt32Ty(), isSigned);
  bool isLong = c.from.bits() == 64, isSmall = c.to.elementBits == 16;
  StringRef from = isLong ? (isSigned ? "ll" : "ull") : isSigned ? "int" : "uint";
  if (isSmall) {
    if (isLong) { // the bits below the 40 that matter are gathered in one
      Value *low = e.b.CreateAnd(value, e.b.getInt64(0xffffff));
      Value *sticky = e.b.CreateSelect(e.b.CreateICmpNE(low, e.b.getInt64(0)),
                                       e.b.getInt64(1 << 20), e.b.getInt64(0));
      Value *size =
          isSigned ? e.b.CreateBinaryIntrinsic(Intrinsic::abs, value, e.b.getFalse()) : value;
      Value *isLarge = e.b.CreateICmpNE(e.b.CreateLShr(size, 40), e.b.getInt64(0));
      Value *gathered = e.b.CreateOr(e.b.CreateAnd(value, e.b.getInt64(~0xffffffull)), sticky);
      value = e.b.CreateSelect(isLarge, gathered, value);
    }
    Value *exact = isSigned ? e.b.CreateSIToFP(value, e.b.getDoubleTy())
                            : e.b.CreateUIToFP(value, e.b.getDoubleTy());
    return oddFloat(e, exact);
  }
  if (c.to == "f64" && !isLong)
    return isSigned ? e.b.CreateSIToFP(value, e.ir(c.to)) : e.b.CreateUIToFP(value, e.ir(c.to));
  StringRef to = c.to == "f64" ? "double" : "float";
  return e.library("__nv_" + from + "2" + to + "_" + libraryRounding(c.direction()), e.ir(c.to),
                   {value});
}

/// A NaN of double in 16 bits keeps its sign and the upper bits of its payload.
Value *keepNan(Emitter &e, const PtxType &to, Value *from, Value *result) {
  Value *bits = e.asBits(from);
  bool isHalf = to.kind == TypeKind::Float;
  auto part = [&](unsigned shift, unsigned mask) {
    return e.b.CreateAnd(e.b.CreateLShr(bits, shift), e.number(mask, 64));
  };
  Value *nan = e.b.CreateOr(part(48, 0x8000), e.number(isHalf ? 0x7e00 : 0x7fc0, 64));
  nan = e.b.CreateOr(nan, isHalf ? part(42, 0x1ff) : part(45, 0x3f));
  nan = e.asType(e.b.CreateTrunc(nan, e.b.getInt16Ty()), to);
  return e.b.CreateSelect(e.b.CreateFCmpUNO(from, from), nan, result);
}

/// A float as a number of 16 bits.
Value *toSmall(Emitter &e, const Conversion &c, Value *number) {
  PtxType to = c.to.element();
  StringRef rounding = c.rounding.empty() ? "rn" : c.rounding;
  if (to.kind == TypeKind::Brain) {
    if (rounding == "rn")
      return e.b.CreateFPTrunc(number, e.ir(to));
    Value *bits = e.asBits(number), *high = e.b.CreateLShr(bits, 16);
    Value *isLost = e.b.CreateICmpNE(e.b.CreateAnd(bits, 0xffff), e.number(0));
    Value *isNegative = e.b.CreateICmpSLT(bits, e.number(0));
    Value *isAway = rounding == "rz"   ? e.b.getFalse()
                    : rounding == "rm" ? isNegative
                                       : e.b.CreateNot(isNegative);
    high = e.b.CreateAdd(high, e.b.CreateZExt(e.b.CreateAnd(isLost, isAway), e.b.getInt32Ty()));
    high = e.b.CreateSelect(e.b.CreateFCmpUNO(number, number), e.number(0x7fff), high);
    return e.asType(e.b.CreateTrunc(high, e.b.getInt16Ty()), to);
  }
  if (rounding != "rn" || c.isFinite)
    return e.asType(encode(e, *findFormat("f16"), number, rounding, c.isFinite), to);
  Value *half = e.b.CreateFPTrunc(number, e.b.getHalfTy());
  return e.b.CreateSelect(e.b.CreateFCmpUNO(number, number), canonicalNan(half->getType()), half);
}

Value *rectified(Emitter &e, Value *value) {
  Value *zero = ConstantFP::get(value->getType(), 0.0);
  return e.b.CreateSelect(e.b.CreateFCmpOLE(value, zero), zero, value); // NaN stays
}

Value *toWhole(Emitter &e, const Conversion &c, Value *value) {
  return e.b.CreateSelect(e.b.CreateFCmpUNO(value, value), canonicalNan(value->getType()),
                          e.b.CreateUnaryIntrinsic(roundingToWhole(c), value));
}

/// One number, of a floating-point type or an integer, as `to`.
Value *convertToFloat(Emitter &e, const Conversion &c, Value *value) {
  if (c.from.isInteger()) {
    value = fromInteger(e, c, value);
  } else {
    value = widened(e, value);
    if (c.flushes && value->getType()->isFloatTy())
      value = flushed(e, value);
    if (c.isToWhole())
      value = toWhole(e, c, value);
  }
  const bool isBetweenWide = c.from.isFloat() && c.from.elementBits >= 32 && c.to.elementBits >= 32;
  if (!c.flushes && isBetweenWide && (c.from == "f32" || c.to == "f32"))
    keepDenormals(e);
  if (c.rectifies)
    value = rectified(e, value);
  if (c.to.elementBits == 16) {
    Value *exact = value;
    if (value->getType()->isDoubleTy())
      value = oddFloat(e, value);
    if (c.saturates)
      value = saturated(e, value);
    Value *result = toSmall(e, c, value);
    return exact == value || c.saturates ? result : keepNan(e, c.to, exact, result);
  }
  bool narrows = c.to == "f32" && value->getType()->isDoubleTy();
  if (narrows)
    value = e.library("__nv_double2float_" + libraryRounding(c.direction()), e.ir(c.to), {value});
  else if (c.to == "f64" && value->getType()->isFloatTy())
    value = e.b.CreateFPExt(value, e.ir(c.to));
  if (c.flushes && c.to == "f32")
    value = flushed(e, value);
  return c.saturates ? saturated(e, value) : value;
}

/// tf32 is a float of ten digits behind the point.
void convertToTensor(Emitter &e, const Conversion &c) {
  Value *value = e.read(1, c.from);
  if (c.rectifies)
    value = rectified(e, value);
  Value *bits = e.asBits(value);
  Value *odd = e.b.CreateAnd(e.b.CreateLShr(bits, 13), 1);
  Value *more = c.rounding == "rna"  ? e.number(0x1000)
                : c.rounding == "rn" ? e.b.CreateAdd(e.number(0xfff), odd)
                                     : e.number(0);
  Value *cut = e.b.CreateAnd(e.b.CreateAdd(bits, more), e.number(~0x1fffu));
  Value *size = e.b.CreateAnd(bits, e.number(0x7fffffff));
  if (c.isFinite) { // the largest number in place of infinities
    Value *isLarge = e.b.CreateICmpUGE(e.b.CreateAnd(cut, 0x7fffffff), e.number(0x7f800000));
    Value *sign = e.b.CreateAnd(bits, e.number(0x80000000));
    cut = e.b.CreateSelect(isLarge, e.b.CreateOr(sign, e.number(0x7f7fe000)), cut);
  }
  Value *nan = c.isFinite ? e.number(0x7fffffff) : e.b.CreateAnd(bits, e.number(~0x1fffu));
  cut = e.b.CreateSelect(e.b.CreateICmpUGT(size, e.number(0x7f800000)), nan, cut);
  e.write(0, cut);
}

/// d, a, b: two numbers as a pair, the second in the low half; d, a: a pair as a pair.
void convertToPair(Emitter &e, const Conversion &c) {
  auto isNarrow = [](const PtxType &type) {
    return type.isSmallFloat() || type.kind == TypeKind::Small;
  };
  if (!isNarrow(c.to) || !(isPair(c.from) ? isNarrow(c.from) : c.from == "f32"))
    return e.fail("is not supported");
  SmallVector<Value *, 2> numbers;
  if (isPair(c.from)) {
    const SmallFormat *format = c.from.kind == TypeKind::Small ? findFormat(c.from.name) : nullptr;
    for (Value *part : e.split(e.bits(1, c.from.bits()), c.from.element()))
      numbers.push_back(format ? decode(e, *format, part) : widened(e, part));
  } else {
    numbers = {e.read(2, c.from), e.read(1, c.from)};
  }
  const SmallFormat *format = c.to.kind == TypeKind::Small ? findFormat(c.to.name) : nullptr;
  SmallVector<Value *, 2> results;
  for (Value *number : numbers) {
    if (c.rectifies)
      number = rectified(e, number);
    if (!format) {
      results.push_back(toSmall(e, c, number));
      continue;
    }
    e.failUnless(c.isFinite && c.rounding == "rn", "expected .rn.satfinite");
    Value *code = encode(e, *format, number, "rn", true);
    results.push_back(e.b.CreateTrunc(code, e.b.getIntNTy(c.to.elementBits)));
  }
  e.write(0, e.join(results));
}

/// cvt.pack.sat.u16.s32 d, a, b;   cvt.pack.sat.u8.s32.b32 d, a, b, c;   the last in the high bits
void convertPacked(Emitter &e) {
  e.failUnless(e.take("sat"), "expected .sat");
  PtxType to = e.takeType(), from = e.takeType();
  bool hasRest = e.take("b32");
  if (from != "s32" || !to.isInteger() || isPair(to) || to.bits() > 16 ||
      (!hasRest && to.bits() != 16))
    return e.fail("is not supported");
  auto part = [&](unsigned i) {
    Value *value = clampInteger(e, to, from, e.read(i, from));
    return e.b.CreateAnd(value, e.number((1ull << to.bits()) - 1));
  };
  Value *both = e.b.CreateOr(e.b.CreateShl(part(1), to.bits()), part(2));
  if (hasRest)
    both = e.b.CreateOr(both, e.b.CreateShl(e.bits(3, 32), 2 * to.bits()));
  e.write(0, both);
}

/// From and to bf16, ptxas takes bytes from and to registers of 8 bits only.
bool hasWideByte(Emitter &e, const Conversion &c) {
  auto isWide = [&](unsigned i, const PtxType &type) {
    const Register *found = type.bits() == 8 ? e.find(e.operand(i)) : nullptr;
    return found && found->space.empty() && found->bits > 8;
  };
  return (c.from == "bf16" && isWide(0, c.to)) || (c.to == "bf16" && isWide(1, c.from));
}

} // namespace

void lowerCvt(Emitter &e) {
  if (e.take("pack"))
    return convertPacked(e);
  Conversion c;
  c.rounding = e.takeOneOf({"rni", "rzi", "rmi", "rpi", "rna", "rn", "rz", "rm", "rp"});
  c.flushes = e.take("ftz");
  c.saturates = e.take("sat");
  c.isFinite = e.take("satfinite");
  c.rectifies = e.take("relu");
  c.to = e.takeType();
  c.from = e.takeType();
  auto isNumber = [](const PtxType &type) { return type.isInteger() || type.isFloat(); };
  if (c.to.kind == TypeKind::Tensor)
    return convertToTensor(e, c);
  if (isPair(c.to))
    return convertToPair(e, c);
  if (!isNumber(c.to) || !isNumber(c.from) || isPair(c.from))
    return e.fail("is not supported");
  if (e.isOfModule() && hasWideByte(e, c))
    return e.refuseOperands();
  if (c.to.isInteger())
    return c.from.isInteger() ? convertInteger(e, c) : convertToInteger(e, c);
  e.write(0, convertToFloat(e, c, e.readLow(e.operand(1), c.from)));
}

} // namespace heddle::frontend::ptx
