// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer arithmetic (PTX ISA, "Integer Arithmetic Instructions").
#include "frontend/ptx/emitter.h"
#include "frontend/ptx/float_emitter.h"

#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// a and b extended to twice their bits.
std::pair<Value *, Value *> widened(Emitter &e, const PtxType &type, Value *a, Value *b) {
  Type *wide = e.b.getIntNTy(2 * type.bits());
  return {e.b.CreateIntCast(a, wide, type.isSigned()), e.b.CreateIntCast(b, wide, type.isSigned())};
}

Value *product(Emitter &e, const PtxType &type, StringRef part, Value *a, Value *b) {
  if (part == "lo")
    return e.b.CreateMul(a, b);
  auto [wideA, wideB] = widened(e, type, a, b);
  Value *whole = e.b.CreateMul(wideA, wideB);
  return part == "wide" ? whole : e.b.CreateTrunc(e.b.CreateLShr(whole, type.bits()), e.ir(type));
}

/// "lo", "hi" or "wide", which a product of integers must say.
StringRef takePart(Emitter &e) {
  StringRef part = e.takeOneOf({"lo", "hi", "wide"});
  e.failUnless(!part.empty(), "expected .lo, .hi or .wide");
  return part.empty() ? "lo" : part;
}

Value *clampedSum(Emitter &e, bool isSubtraction, Value *a, Value *b) {
  return e.b.CreateBinaryIntrinsic(isSubtraction ? Intrinsic::ssub_sat : Intrinsic::sadd_sat, a, b);
}

Value *extreme(Emitter &e, const PtxType &type, bool isMax, Value *a, Value *b) {
  Intrinsic::ID id = type.isSigned() ? (isMax ? Intrinsic::smax : Intrinsic::smin)
                                     : (isMax ? Intrinsic::umax : Intrinsic::umin);
  return e.b.CreateBinaryIntrinsic(id, a, b);
}

/// The low 24 bits, extended.
Value *low24(Emitter &e, const PtxType &type, Value *value) {
  Value *high = e.b.CreateShl(value, 8);
  return type.isSigned() ? e.b.CreateAShr(high, 8) : e.b.CreateLShr(high, 8);
}

Value *product24(Emitter &e, const PtxType &type, StringRef part) {
  Value *a = low24(e, type, e.read(1, type)), *b = low24(e, type, e.read(2, type));
  auto [wideA, wideB] = widened(e, type, a, b);
  Value *whole = e.b.CreateMul(wideA, wideB); // 48 bits
  return e.b.CreateTrunc(part == "hi" ? e.b.CreateLShr(whole, 16) : whole, e.ir(type));
}

} // namespace

void lowerAdd(Emitter &e) {
  if (emitFloatSum(e))
    return;
  bool isSubtraction = e.opcode() == "sub";
  if (e.take("cc"))
    return emitCarrySum(e);
  bool clamps = e.take("sat");
  PtxType type = e.takeInteger(/*mayBePair=*/true);
  e.failUnless(!clamps || type == "s32", "'.sat' is for '.s32'");
  e.write(0, e.eachElement(type, {e.read(1, type), e.read(2, type)}, [&](ArrayRef<Value *> v) {
    if (clamps)
      return clampedSum(e, isSubtraction, v[0], v[1]);
    return isSubtraction ? e.b.CreateSub(v[0], v[1]) : e.b.CreateAdd(v[0], v[1]);
  }));
}

void lowerMul(Emitter &e) {
  if (emitFloatProduct(e))
    return;
  StringRef part = takePart(e);
  PtxType type = e.takeInteger();
  e.write(0, product(e, type, part, e.read(1, type), e.read(2, type)));
}

void lowerMad(Emitter &e) {
  if (emitFloatFma(e))
    return;
  if (e.take("cc"))
    return emitCarryProduct(e);
  StringRef part = takePart(e);
  bool clamps = e.take("sat");
  PtxType type = e.takeInteger();
  e.failUnless(!clamps || (type == "s32" && part == "hi"), "'.sat' is for '.hi.s32'");
  Value *a = product(e, type, part, e.read(1, type), e.read(2, type));
  Value *c = e.bits(3, a->getType()->getIntegerBitWidth());
  e.write(0, clamps ? clampedSum(e, false, a, c) : e.b.CreateAdd(a, c));
}

void lowerMul24(Emitter &e) {
  StringRef part = takePart(e);
  PtxType type = e.takeInteger();
  e.write(0, product24(e, type, part));
}

void lowerMad24(Emitter &e) {
  StringRef part = takePart(e);
  bool clamps = e.take("sat");
  PtxType type = e.takeInteger();
  Value *a = product24(e, type, part), *c = e.read(3, type);
  e.failUnless(!clamps || (type == "s32" && part == "hi"), "'.sat' is for '.hi.s32'");
  e.write(0, clamps ? clampedSum(e, false, a, c) : e.b.CreateAdd(a, c));
}

void lowerSad(Emitter &e) {
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type), *b = e.read(2, type);
  Value *distance = e.b.CreateSub(extreme(e, type, true, a, b), extreme(e, type, false, a, b));
  e.write(0, e.b.CreateAdd(distance, e.read(3, type)));
}

void lowerDiv(Emitter &e) {
  if (emitFloatQuotient(e))
    return;
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type), *b = e.read(2, type);
  bool isRemainder = e.opcode() == "rem";
  if (type.isSigned())
    e.write(0, isRemainder ? e.b.CreateSRem(a, b) : e.b.CreateSDiv(a, b));
  else
    e.write(0, isRemainder ? e.b.CreateURem(a, b) : e.b.CreateUDiv(a, b));
}

void lowerAbsNeg(Emitter &e) {
  if (emitFloatSign(e))
    return;
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type);
  e.failUnless(type.isSigned(), "expected a signed type");
  e.write(0, e.opcode() == "abs" ? e.b.CreateBinaryIntrinsic(Intrinsic::abs, a, e.b.getFalse())
                                 : e.b.CreateNeg(a));
}

void lowerMinMax(Emitter &e) {
  if (emitFloatExtreme(e))
    return;
  bool rectifies = e.take("relu"), isMax = e.opcode() == "max";
  PtxType type = e.takeInteger(/*mayBePair=*/true);
  e.failUnless(!rectifies || type.isSigned(), "'.relu' is for signed types");
  e.write(0, e.eachElement(type, {e.read(1, type), e.read(2, type)}, [&](ArrayRef<Value *> v) {
    Value *result = extreme(e, type.element(), isMax, v[0], v[1]);
    return rectifies ? extreme(e, type, true, result, ConstantInt::get(result->getType(), 0))
                     : result;
  }));
}

void lowerBitCount(Emitter &e) {
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type);
  Value *count = e.opcode() == "popc"
                     ? e.b.CreateUnaryIntrinsic(Intrinsic::ctpop, a)
                     : e.b.CreateBinaryIntrinsic(Intrinsic::ctlz, a, e.b.getFalse());
  e.write(0, e.b.CreateZExtOrTrunc(count, e.b.getInt32Ty()));
}

/// The highest bit that is not the sign; ~0 if there is none.
void lowerBfind(Emitter &e) {
  bool shifts = e.take("shiftamt");
  PtxType type = e.takeInteger();
  Value *a = e.read(1, type);
  if (type.isSigned())
    a = e.b.CreateXor(a, e.b.CreateAShr(a, type.bits() - 1));
  Value *zeros = e.b.CreateBinaryIntrinsic(Intrinsic::ctlz, a, e.b.getFalse());
  zeros = e.b.CreateZExtOrTrunc(zeros, e.b.getInt32Ty());
  Value *place = shifts ? zeros : e.b.CreateSub(e.number(type.bits() - 1), zeros);
  e.write(0, e.b.CreateSelect(e.b.CreateICmpEQ(a, ConstantInt::get(a->getType(), 0)), e.number(~0u),
                              place));
}

/// The n-th set bit at or behind `base` (n > 0), at or before it (n < 0); n = 0: base itself if it
/// is set. By halves: where the lower half of what is left has too few, go on in the upper one.
void lowerFns(Emitter &e) {
  e.take("b32");
  IRBuilder<> &b = e.b;
  Value *mask = e.bits(1, 32), *base = e.bits(2, 32), *offset = e.bits(3, 32);
  Value *zero = e.number(0), *back = b.CreateICmpSLT(offset, zero);
  // Backwards is forwards in the reversed word.
  Value *bits = b.CreateSelect(back, b.CreateUnaryIntrinsic(Intrinsic::bitreverse, mask), mask);
  Value *start = b.CreateSelect(back, b.CreateSub(e.number(31), base), base);
  Value *wanted = b.CreateSelect(back, b.CreateNeg(offset), offset);
  wanted = b.CreateBinaryIntrinsic(Intrinsic::umax, wanted, e.number(1));
  Value *inside = b.CreateAnd(start, e.number(31));
  bits = b.CreateAnd(bits, b.CreateShl(e.number(~0u), inside));
  Value *exact = b.CreateICmpEQ(offset, zero);
  bits = b.CreateSelect(exact, b.CreateAnd(bits, b.CreateShl(e.number(1), inside)), bits);
  Value *found =
      b.CreateAnd(b.CreateICmpULE(wanted, b.CreateUnaryIntrinsic(Intrinsic::ctpop, bits)),
                  b.CreateICmpULT(base, e.number(32)));
  Value *place = zero, *left = wanted;
  for (unsigned half : {16, 8, 4, 2, 1}) {
    Value *low = b.CreateAnd(b.CreateLShr(bits, place), e.number((1u << half) - 1));
    Value *count = b.CreateUnaryIntrinsic(Intrinsic::ctpop, low);
    Value *isAbove = b.CreateICmpUGT(left, count);
    left = b.CreateSelect(isAbove, b.CreateSub(left, count), left);
    place = b.CreateSelect(isAbove, b.CreateAdd(place, e.number(half)), place);
  }
  place = b.CreateSelect(back, b.CreateSub(e.number(31), place), place);
  e.write(0, b.CreateSelect(found, place, e.number(~0u)));
}

/// Four products of bytes, or two of halves with the low or high bytes, added up.
void lowerDotProduct(Emitter &e) {
  bool isPairs = e.opcode() == "dp2a";
  StringRef part = isPairs ? e.takeOneOf({"lo", "hi"}) : "lo";
  e.failUnless(!part.empty(), "expected .lo or .hi");
  PtxType left = e.takeInteger(), right = e.takeInteger();
  e.failUnless(left.bits() == 32 && right.bits() == 32, "expected .u32 or .s32");
  Value *a = e.read(1, left), *b = e.read(2, right), *sum = e.read(3, left);
  if (!isPairs && left.isSigned() == right.isSigned()) {
    Value *dot = e.library(left.isSigned() ? "__heddle_dot" : "__heddle_dot_unsigned",
                           e.b.getInt32Ty(), {a, b});
    return e.write(0, e.b.CreateAdd(sum, dot));
  }
  auto item = [&](Value *word, const PtxType &type, unsigned bits, unsigned i) {
    Value *low = e.b.CreateTrunc(e.b.CreateLShr(word, bits * i), e.b.getIntNTy(bits));
    return e.b.CreateIntCast(low, e.b.getInt32Ty(), type.isSigned());
  };
  unsigned first = part == "hi" ? 2 : 0, width = isPairs ? 16 : 8;
  for (unsigned i = 0; i < 32 / width; ++i)
    sum = e.b.CreateAdd(sum, e.b.CreateMul(item(a, left, width, i), item(b, right, 8, first + i)));
  e.write(0, sum);
}

} // namespace heddle::frontend::ptx
