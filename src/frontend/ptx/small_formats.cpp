// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point formats of 16 bits and fewer, as integer arithmetic on the bits of a float, for
// all lanes of a vector. With E the float's exponent field, W its 24 digits and e the field at
// which the format's normal numbers begin:
//
//     shift  = 23 - digits, and e - E more below the normal numbers, whose unit stays the same
//     code   = (W >> shift) + (E - e << digits)      the hidden bit of W adds one to the exponent
//     code  += 1 if what was cut off says so: the carry goes on into the exponent as it should
//
// (PTX ISA, "Alternate Floating-Point Data Formats"; OCP Microscaling Formats, version 1.0.)
#include "frontend/ptx/small_formats.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace heddle::frontend::ptx {

const SmallFormat *findFormat(StringRef type) {
  static const SmallFormat formats[] = {
      {"f16", 5, 10, 15, 0x7bff, 0x7c00, 0x7fff}, {"e4m3", 4, 3, 7, 0x7e, 0x7f, 0x7f},
      {"e5m2", 5, 2, 15, 0x7b, 0x7c, 0x7f},       {"e2m3", 2, 3, 1, 0x1f, 0x1f, 0x1f},
      {"e3m2", 3, 2, 3, 0x1f, 0x1f, 0x1f},        {"e2m1", 2, 1, 1, 0x7, 0x7, 0x7},
  };
  type.consume_back("x2");
  const auto *found = find_if(formats, [&](const SmallFormat &f) { return f.name == type; });
  return found == std::end(formats) ? nullptr : found;
}

namespace {

/// 1 where a code is rounded away from zero, by what was cut off of `whole`.
Value *step(Emitter &e, StringRef rounding, Value *whole, Value *shift, Value *code, Value *sign) {
  IRBuilder<> &b = e.b;
  Value *one = e.number(1), *zero = e.number(0);
  Value *rest = b.CreateAnd(whole, b.CreateSub(b.CreateShl(one, shift), one));
  Value *half = b.CreateShl(one, b.CreateSub(shift, one));
  Value *isLost = b.CreateICmpNE(rest, zero), *isNegative = b.CreateICmpNE(sign, zero);
  if (rounding == "rz")
    return zero;
  if (rounding == "rp" || rounding == "rm")
    return b.CreateZExt(
        b.CreateAnd(isLost, rounding == "rm" ? isNegative : b.CreateNot(isNegative)),
        b.getInt32Ty());
  if (rounding == "rna")
    return b.CreateZExt(b.CreateICmpUGE(rest, half), b.getInt32Ty());
  Value *isTie =
      b.CreateAnd(b.CreateICmpEQ(rest, half), b.CreateICmpEQ(b.CreateAnd(code, one), one));
  return b.CreateZExt(b.CreateOr(b.CreateICmpUGT(rest, half), isTie), b.getInt32Ty());
}

} // namespace

Value *encode(Emitter &e, const SmallFormat &format, Value *number, StringRef rounding,
              bool saturates) {
  IRBuilder<> &b = e.b;
  Value *bits = e.asBits(number);
  Value *sign = b.CreateLShr(bits, 31), *size = b.CreateAnd(bits, e.number(0x7fffffff));
  Value *field = b.CreateLShr(size, 23), *least = e.number(128 - format.bias);
  Value *hidden =
      b.CreateSelect(b.CreateICmpNE(field, e.number(0)), e.number(0x800000), e.number(0));
  Value *whole = b.CreateOr(b.CreateAnd(size, e.number(0x7fffff)), hidden);
  Value *below = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, least, field);
  Value *shift = b.CreateBinaryIntrinsic(
      Intrinsic::umin, b.CreateAdd(below, e.number(23 - format.digits)), e.number(31));
  Value *above = b.CreateBinaryIntrinsic(Intrinsic::usub_sat, field, least);
  Value *code = b.CreateAdd(b.CreateLShr(whole, shift), b.CreateShl(above, format.digits));
  code = b.CreateAdd(code, step(e, rounding, whole, shift, code, sign));

  Value *isInfinite = b.CreateICmpEQ(size, e.number(0x7f800000));
  Value *tooLarge = e.number(saturates ? format.largest : format.infinity);
  if (!saturates && (rounding == "rz" || rounding == "rm" || rounding == "rp")) {
    Value *isAway =
        rounding == "rz" ? b.getFalse() : b.CreateICmpEQ(sign, e.number(rounding == "rm"));
    tooLarge = b.CreateSelect(b.CreateOr(isInfinite, isAway), tooLarge, e.number(format.largest));
  }
  Value *isLarge = b.CreateOr(b.CreateICmpUGT(code, e.number(format.largest)), isInfinite);
  code = b.CreateSelect(isLarge, tooLarge, code);
  code = b.CreateOr(code, b.CreateShl(sign, format.bits() - 1));
  Value *isNan = b.CreateICmpUGT(size, e.number(0x7f800000));
  return b.CreateTrunc(b.CreateSelect(isNan, e.number(format.nan), code), b.getInt16Ty());
}

Value *decode(Emitter &e, const SmallFormat &format, Value *code) {
  IRBuilder<> &b = e.b;
  code = b.CreateZExt(code, b.getInt32Ty());
  unsigned sign = 1u << (format.bits() - 1);
  Value *size = b.CreateAnd(code, e.number(sign - 1));
  // Below the normal numbers the code counts units.
  Value *small = b.CreateFMul(
      b.CreateUIToFP(size, b.getFloatTy()),
      ConstantFP::get(b.getFloatTy(), std::ldexp(1.0, 1 - int(format.bias) - int(format.digits))));
  Value *normal =
      b.CreateAdd(b.CreateShl(size, 23 - format.digits), e.number((127 - format.bias) << 23));
  Value *isSmall = b.CreateICmpULT(size, e.number(1u << format.digits));
  Value *bits = b.CreateSelect(isSmall, e.asBits(small), normal);
  if (format.infinity > format.largest) {
    Value *special = b.CreateSelect(
        b.CreateICmpEQ(size, e.number(format.infinity)),
        e.number(format.infinity == format.nan ? 0x7fffffff : 0x7f800000), e.number(0x7fffffff));
    bits = b.CreateSelect(b.CreateICmpUGT(size, e.number(format.largest)), special, bits);
  }
  Value *negative = b.CreateShl(b.CreateAnd(code, e.number(sign)), 31 - (format.bits() - 1));
  return b.CreateBitCast(b.CreateOr(bits, negative), b.getFloatTy());
}

Value *oddFloat(Emitter &e, Value *number) {
  IRBuilder<> &b = e.b;
  Value *near = b.CreateFPTrunc(number, b.getFloatTy());
  Value *back = b.CreateFPExt(near, b.getDoubleTy()), *bits = e.asBits(near);
  auto size = [&](Value *v) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, v); };
  Value *isAbove = b.CreateFCmpOGT(size(back), size(number));
  Value *odd = b.CreateOr(b.CreateSub(bits, b.CreateZExt(isAbove, b.getInt32Ty())), e.number(1));
  Value *isExact = b.CreateFCmpUEQ(back, number); // or NaN
  return b.CreateBitCast(b.CreateSelect(isExact, bits, odd), b.getFloatTy());
}

} // namespace heddle::frontend::ptx
