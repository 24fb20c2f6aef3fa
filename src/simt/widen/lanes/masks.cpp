// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/lanes/masks.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace heddle::simt {

static constexpr unsigned WordBits = 64, FewSegments = 4;

Value *Masks::integer(Value *mask) {
  return e_.width == 1 ? mask : builder_.CreateBitCast(mask, builder_.getIntNTy(e_.width));
}

Value *Masks::bits(Value *mask) {
  return builder_.CreateZExt(integer(mask), builder_.getInt32Ty());
}

Value *Masks::warpBits(Value *mask) {
  if (e_.width <= WarpSize)
    return bits(mask);
  return builder_.CreateBitCast(mask, FixedVectorType::get(builder_.getInt32Ty(), e_.width / 32));
}

Value *Masks::fromBits(Value *bits) {
  Value *narrow = builder_.CreateTrunc(bits, builder_.getIntNTy(e_.width));
  return e_.width == 1 ? narrow : builder_.CreateBitCast(narrow, type());
}

Value *Masks::activeIn(Lanes lanes) {
  unsigned period = lanes.step * lanes.count;
  Value *mask = active_;
  if (period < e_.width) {
    mask = slice(builder_, active_, 0, period);
    for (unsigned first = period; first < e_.width; first += period)
      mask = builder_.CreateOr(mask, slice(builder_, active_, first, period));
  }
  if (lanes.step == 1)
    return mask;
  if (lanes.count == 1) // one value, not a vector of one
    return builder_.CreateIsNotNull(builder_.CreateBitCast(mask, builder_.getIntNTy(period)));
  return anyIn(mask, lanes);
}

/// Whether a lane of each segment is set. Each is an integer, compared with 0. Vectors of them that
/// are shorter than a register go through memory in LLVM: few segments are asked for one by one in
/// the word of all lanes, more of them have the word in a register of its own.
Value *Masks::anyIn(Value *mask, Lanes segments) {
  unsigned bits = segments.step * segments.count;
  auto areSet = [&](Value *vector, unsigned count) {
    Type *type = FixedVectorType::get(builder_.getIntNTy(segments.step), count);
    return builder_.CreateICmpNE(builder_.CreateBitCast(vector, type),
                                 Constant::getNullValue(type));
  };
  if (bits > WordBits)
    return areSet(mask, segments.count);
  Value *word = builder_.CreateBitCast(mask, builder_.getIntNTy(bits));
  if (segments.count > FewSegments && segments.step >= 8 && isPowerOf2_32(segments.step)) {
    Value *whole = builder_.CreateInsertElement(
        PoisonValue::get(FixedVectorType::get(builder_.getInt64Ty(), 2)),
        builder_.CreateZExt(word, builder_.getInt64Ty()), uint64_t(0));
    return slice(builder_, areSet(whole, 2 * WordBits / segments.step), 0, segments.count);
  }
  Value *any = PoisonValue::get(FixedVectorType::get(builder_.getInt1Ty(), segments.count));
  for (unsigned i = 0; i < segments.count; ++i) {
    APInt lanes = APInt::getBitsSet(bits, i * segments.step, (i + 1) * segments.step);
    any = builder_.CreateInsertElement(
        any, builder_.CreateIsNotNull(builder_.CreateAnd(word, lanes)), i);
  }
  return any;
}

Value *Masks::lastActive() {
  Value *zeros =
      builder_.CreateBinaryIntrinsic(Intrinsic::ctlz, integer(active_), builder_.getTrue());
  return builder_.CreateSub(builder_.getInt32(e_.width - 1),
                            builder_.CreateZExtOrTrunc(zeros, builder_.getInt32Ty()));
}

Value *Masks::lowest(Value *integer) {
  return builder_.CreateZExtOrTrunc(
      builder_.CreateBinaryIntrinsic(Intrinsic::cttz, integer, builder_.getTrue()),
      builder_.getInt32Ty());
}

std::pair<Value *, Value *> Masks::reported(Value *integer) {
  Value *warp = e_.warp.getArg(ParamWarp);
  Type *i32 = builder_.getInt32Ty();
  if (e_.width <= WarpSize)
    return {warp, builder_.CreateZExt(integer, i32)};
  Value *lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, integer, builder_.getTrue());
  Value *first = builder_.CreateAnd(lane, ConstantInt::get(integer->getType(), ~31ull));
  Value *number = builder_.CreateLShr(builder_.CreateTrunc(first, i32), 5);
  return {builder_.CreateAdd(builder_.CreateMul(warp, builder_.getInt32(e_.width / 32)), number),
          builder_.CreateTrunc(builder_.CreateLShr(integer, first), i32)};
}

Value *Masks::bitsOfWarp(Value *integer, Value *number) {
  if (e_.width <= WarpSize)
    return builder_.CreateZExt(integer, builder_.getInt32Ty());
  Value *inside = builder_.CreateURem(number, builder_.getInt32(e_.width / 32));
  Value *shift = builder_.CreateZExt(builder_.CreateShl(inside, 5), integer->getType());
  return builder_.CreateTrunc(builder_.CreateLShr(integer, shift), builder_.getInt32Ty());
}

Value *Masks::any(Value *mask) {
  if (e_.width == 1)
    return mask;
  return builder_.CreateIsNotNull(integer(mask));
}

Constant *Masks::of(const BitVector &lanes) {
  SmallVector<Constant *, 64> bits;
  for (unsigned lane = 0; lane < e_.width; ++lane)
    bits.push_back(builder_.getInt1(lanes.test(lane)));
  return ConstantVector::get(bits);
}

/// A select and no `and`: in inactive lanes the condition may be poison, and `and false, poison` is
/// poison.
Value *Masks::activeWhere(Value *condition) {
  return builder_.CreateLogicalAnd(active_, condition);
}

} // namespace heddle::simt
