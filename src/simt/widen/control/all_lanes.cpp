// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.all(c): all lanes of the warp program are active, and c holds in each (version_guards.h).
// It may say no where the truth is yes: then the code with masks runs, which is right for every
// warp. So values that go straight from lane to lane need no vector: it is enough that no lane
// wraps around and that the outermost one lies on the right side of the bound.
//
//     all(i < n), i = first + lane    ->    first <= first + 31  and  first + 31 < n
//     all(i != n)                     ->    n - first >u 31
//     all(a and b)                    ->    all(a) and all(b)
//     all(a or b)                     ->    all(a) or all(b)
//
// heddle.none(c) is the same for `not c`, but for the lanes: it says nothing of which are active.
#include "simt/widen/control/all_lanes.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

/// Offsets up to this keep their meaning in the types that `isStraight` admits.
constexpr int64_t LargestOffset = 1 << 30;

/// The least and the greatest offset of a lane from lane 0.
std::pair<int64_t, int64_t> offsetRange(const Shape &shape) {
  int64_t low = 0, high = 0;
  for (unsigned lane = 0; lane < shape.period; ++lane) {
    low = std::min(low, shape.offset(lane));
    high = std::max(high, shape.offset(lane));
  }
  return {low, high};
}

} // namespace

Value *AllLanes::emit(CallInst &call) {
  Value *bits = masks_.integer(masks_.active());
  Value *whole = builder_.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
  return builder_.CreateLogicalAnd(whole, holdsEverywhere(call.getArgOperand(0), true));
}

Value *AllLanes::emitFirst(Value &value) {
  if (e_.width == 1 || e_.shapes.isUniform(&value))
    return values_.scalar(&value);
  Value *bits = masks_.integer(masks_.active());
  Value *truth =
      nullptr; // of a bit for each lane no element is taken, which would go through memory
  if (match(&value, m_ZExt(m_Value(truth))) && truth->getType()->isIntegerTy(1) &&
      !e_.shapes.isScalar(truth)) {
    Value *own = builder_.CreateAnd(bits, builder_.CreateNeg(bits));
    Value *isTrue = builder_.CreateAnd(own, masks_.integer(values_.vector(truth)));
    return builder_.CreateZExt(builder_.CreateIsNotNull(isTrue), value.getType());
  }
  Value *lowest = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, bits, builder_.getFalse());
  Value *lane = builder_.CreateZExtOrTrunc(
      builder_.CreateAnd(lowest, ConstantInt::get(bits->getType(), e_.width - 1)),
      builder_.getInt32Ty());
  if (e_.shapes.isScalar(&value))
    return values_.scalarInLane(values_.scalar(&value), e_.shapes.of(&value), lane);
  return builder_.CreateExtractElement(values_.vector(&value), lane);
}

/// The condition has the value `expected` in all lanes.
Value *AllLanes::holdsEverywhere(Value *condition, bool expected) {
  if (e_.shapes.isUniform(condition)) {
    Value *value = values_.scalar(condition);
    return expected ? value : builder_.CreateNot(value);
  }
  Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a))))
    return holdsEverywhere(a, !expected);
  bool both = match(condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (both || match(condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    Value *first = holdsEverywhere(a, expected), *second = holdsEverywhere(b, expected);
    return both == expected ? builder_.CreateLogicalAnd(first, second)
                            : builder_.CreateLogicalOr(first, second);
  }
  if (auto *compare = dyn_cast<ICmpInst>(condition))
    if (Value *result = comparesEverywhere(*compare, expected))
      return result;
  Value *lanes = values_.at(condition, values_.lanesOf(condition));
  if (auto *type = dyn_cast<FixedVectorType>(lanes->getType()))
    lanes = builder_.CreateBitCast(lanes, builder_.getIntNTy(type->getNumElements()));
  Type *type = lanes->getType();
  return builder_.CreateICmpEQ(lanes, expected ? Constant::getAllOnesValue(type)
                                               : Constant::getNullValue(type));
}

/// The test by the outermost lane, if one operand is straight and the other uniform; else null.
Value *AllLanes::comparesEverywhere(ICmpInst &compare, bool expected) {
  CmpInst::Predicate predicate = expected ? compare.getPredicate() : compare.getInversePredicate();
  Value *moving = compare.getOperand(0), *fixed = compare.getOperand(1);
  if (e_.shapes.isUniform(moving)) {
    std::swap(moving, fixed);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  Shape shape = e_.shapes.of(moving);
  auto *type = dyn_cast<IntegerType>(moving->getType());
  if (!type || type->getBitWidth() < 32 || !shape.regular || !e_.shapes.isUniform(fixed))
    return nullptr;
  auto [low, high] = offsetRange(shape);
  if (low < -LargestOffset || high > LargestOffset)
    return nullptr;
  Value *first = values_.scalar(moving), *bound = values_.scalar(fixed);
  auto lane = [&](int64_t offset) {
    return builder_.CreateAdd(first, ConstantInt::get(type, offset, true));
  };
  if (predicate == CmpInst::ICMP_EQ)
    return builder_.getFalse();
  if (predicate == CmpInst::ICMP_NE)
    return builder_.CreateICmpUGT(builder_.CreateSub(bound, lane(low)),
                                  ConstantInt::get(type, high - low));
  bool isSigned = CmpInst::isSigned(predicate);
  bool below = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  Value *result = builder_.CreateICmp(predicate, lane(below ? high : low), bound);
  if (shape.cannotCarry(type->getBitWidth()))
    return result;
  CmpInst::Predicate order = isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE;
  if (low < 0)
    result = builder_.CreateAnd(result, builder_.CreateICmp(order, lane(low), first));
  if (high > 0)
    result = builder_.CreateAnd(result, builder_.CreateICmp(order, first, lane(high)));
  return result;
}

} // namespace heddle::simt
