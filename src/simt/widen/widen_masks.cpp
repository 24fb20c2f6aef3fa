// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mask of a block: which lanes wait there, its bits as numbers, and what is asked of it.
#include "simt/widen/widener.h"

#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace heddle::simt {

Value *Widener::maskInteger(Value *mask) {
  return width_ == 1 ? mask : builder_.CreateBitCast(mask, builder_.getIntNTy(width_));
}

Value *Widener::maskBits(Value *mask) {
  return builder_.CreateZExt(maskInteger(mask), builder_.getInt32Ty());
}

Value *Widener::warpBits(Value *mask) {
  if (width_ <= WarpSize)
    return maskBits(mask);
  return builder_.CreateBitCast(mask, FixedVectorType::get(builder_.getInt32Ty(), width_ / 32));
}

Value *Widener::maskFromBits(Value *bits) {
  Value *narrow = builder_.CreateTrunc(bits, builder_.getIntNTy(width_));
  return width_ == 1 ? narrow : builder_.CreateBitCast(narrow, entryMask_->getType());
}

Value *Widener::maskAt(Lanes lanes) {
  unsigned period = lanes.step * lanes.count;
  Value *mask = mask_;
  if (period < width_) {
    mask = slice(builder_, mask_, 0, period);
    for (unsigned first = period; first < width_; first += period)
      mask = builder_.CreateOr(mask, slice(builder_, mask_, first, period));
  }
  if (lanes.step == 1)
    return mask;
  Type *segments = FixedVectorType::get(builder_.getIntNTy(lanes.step), lanes.count);
  return builder_.CreateICmpNE(builder_.CreateBitCast(mask, segments),
                               Constant::getNullValue(segments));
}

Value *Widener::lastActive() {
  Value *zeros =
      builder_.CreateBinaryIntrinsic(Intrinsic::ctlz, maskInteger(mask_), builder_.getTrue());
  return builder_.CreateSub(builder_.getInt32(width_ - 1),
                            builder_.CreateZExtOrTrunc(zeros, builder_.getInt32Ty()));
}

std::pair<Value *, Value *> Widener::reportedLanes(Value *bits) {
  Value *warp = warp_.getArg(ParamWarp);
  Type *i32 = builder_.getInt32Ty();
  if (width_ <= WarpSize)
    return {warp, builder_.CreateZExt(bits, i32)};
  Value *lane = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getTrue());
  Value *first = builder_.CreateAnd(lane, ConstantInt::get(bits->getType(), ~31ull));
  Value *number = builder_.CreateLShr(builder_.CreateTrunc(first, i32), 5);
  return {builder_.CreateAdd(builder_.CreateMul(warp, builder_.getInt32(width_ / 32)), number),
          builder_.CreateTrunc(builder_.CreateLShr(bits, first), i32)};
}

Value *Widener::any(Value *mask) {
  if (width_ == 1)
    return mask;
  return builder_.CreateIsNotNull(maskInteger(mask));
}

/// The lanes that wait at the block. Where an earlier block had the same, that one's mask stands
/// for them: what the warp knows of it (often that it is full) is not lost in the merge of ways
/// between.
void Widener::takeMask(unsigned index) {
  Type *type = entryMask_->getType();
  unsigned same = sameMasks_[index];
  if (same == 0)
    mask_ = entryMask_;
  else if (wholeSubsets_[index])
    mask_ = lanesMask(subsets_.at(index));
  else
    mask_ =
        builder_.CreateLoad(type, same == index ? maskSlots_[index] : activeSlots_[same], "mask");
  if (same == index && activeSlots_.contains(index))
    builder_.CreateStore(mask_, activeSlots_[index]);
  if (pending_.ever(index))
    builder_.CreateStore(Constant::getNullValue(type), maskSlots_[index]);
}

Constant *Widener::lanesMask(const BitVector &lanes) {
  SmallVector<Constant *, 64> bits;
  for (unsigned lane = 0; lane < width_; ++lane)
    bits.push_back(builder_.getInt1(lanes.test(lane)));
  return ConstantVector::get(bits);
}

/// Whether lanes wait at a block.
Value *Widener::anyWaits(unsigned index) {
  Value *mask = builder_.CreateLoad(entryMask_->getType(), maskSlots_[index]);
  if (!wholeSubsets_[index] || subsets_.at(index).none())
    return any(mask);
  return builder_.CreateExtractElement(mask, uint64_t(subsets_.at(index).find_first()));
}

/// The active lanes with this condition. A select and no `and`: in inactive lanes the condition may
/// be poison, and `and false, poison` is poison.
Value *Widener::activeWhere(Value *condition) {
  return builder_.CreateLogicalAnd(mask_, condition);
}

} // namespace heddle::simt
