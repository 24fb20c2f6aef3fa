// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: unclamped_values.h; version_clamps.cpp explains it.
//
// Divisions of one number by constants share their tests: where all lanes have the same quotient by
// 65, they have the same one by 65 * 59, which is the quotient of that quotient by 59 (the number
// is not negative). So the least divisors go first.
#include "simt/thread/unclamped_values.h"

#include "simt/analysis/intrinsics.h"
#include "simt/compilation.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

constexpr unsigned LongestTest = 12; ///< instructions from a clamp back to values that are there

/// Longer numbers than these wrap around in no sum of a divisor and one or two distances.
static APInt mostDivisor(unsigned bits) { return APInt::getOneBitSet(bits, bits - 2); }
static double mostDistance(unsigned bits) { return std::exp2(bits - 3); }

void UnclampedValues::require(Value *holds) {
  condition_ = condition_ ? builder_.CreateAnd(condition_, holds) : holds;
}

/// Above zero, and short. `divisor` as it is known here, and as it is in the region.
void UnclampedValues::requirePositive(Value *divisor, const Value *inRegion) {
  if (!positive_.insert(inRegion).second)
    return;
  Type *type = divisor->getType();
  require(builder_.CreateICmpULT(builder_.CreateSub(divisor, ConstantInt::get(type, 1)),
                                 ConstantInt::get(type, mostDivisor(type->getIntegerBitWidth()))));
}

/// The value in front of the region, without clamps; null if it is not known there. What is
/// computed for it promises nothing, as it may be computed where it was not before.
Value *UnclampedValues::rebuild(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (Value *known = instruction ? rebuilt_.lookup(instruction) : nullptr)
    return known;
  Value *result = rebuildNew(value);
  if (instruction && result)
    rebuilt_[instruction] = result;
  return result;
}

Value *UnclampedValues::rebuildNew(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (instruction && clamps_.contains(instruction)) {
    Clamp clamp = *clampOf(value, facts_.shapes);
    return clamp.division ? divided(*clamp.division) : rebuild(clamp.line);
  }
  if (!instruction || facts_.dominators.dominates(instruction, &before_))
    return isGuaranteedNotToBeUndefOrPoison(value, nullptr, &before_, &facts_.dominators)
               ? value
               : builder_.CreateFreeze(value);
  if (auto *select = dyn_cast<SelectInst>(value))
    if (Value *arm = Lines(facts_.shapes).dividedArm(*select))
      return rebuild(arm);
  bool isPlain =
      isa<BinaryOperator, CastInst, ICmpInst, SelectInst, GetElementPtrInst, MinMaxIntrinsic>(
          instruction) &&
      (isSafeToSpeculativelyExecute(instruction) || asDivision(value, facts_.shapes));
  if (!isPlain || budget_ == 0)
    return nullptr;
  --budget_;
  if (BinaryOperator *division = asDivision(value, facts_.shapes)) // of what is one number now
    return divided(*division);
  SmallVector<Value *, 4> operands;
  for (Value *operand : instruction->operands()) {
    operands.push_back(isa<Function>(operand) ? operand : rebuild(operand));
    if (!operands.back())
      return nullptr;
  }
  Instruction *copy = builder_.Insert(instruction->clone());
  for (auto [i, operand] : enumerate(operands))
    copy->setOperand(i, operand);
  copy->dropPoisonGeneratingAnnotations();
  return copy;
}

/// The quotient by a multiple of a constant that the number is divided by already: of that
/// quotient, which is the same in all lanes, and of a number that is not negative. Null if there is
/// none.
Value *UnclampedValues::quotientOfQuotient(Value *number, Value *divisor) {
  const auto *whole = dyn_cast<ConstantInt>(divisor);
  if (!whole || !whole->getValue().isStrictlyPositive())
    return nullptr;
  Value *greatest = nullptr; // of one quotient at most, so the order of the map does not matter
  APInt divided(whole->getBitWidth(), 0);
  for (const auto &[key, quotient] : quotients_) {
    const auto *part = dyn_cast<ConstantInt>(key.second);
    if (quotient && key.first == number && part && part->getValue().isStrictlyPositive() &&
        part->getValue().ugt(divided) && whole->getValue().urem(part->getValue()) == 0) {
      greatest = quotient;
      divided = part->getValue();
    }
  }
  return greatest ? builder_.CreateUDiv(greatest, ConstantInt::get(number->getType(),
                                                                   whole->getValue().udiv(divided)))
                  : nullptr;
}

/// Quotient or remainder where all lanes have the quotient of the first, and what has to hold for
/// that.
Value *UnclampedValues::divided(BinaryOperator &division) {
  Value *number = rebuild(division.getOperand(0));
  Value *divisor = number ? rebuild(dividesBy(division)) : nullptr;
  if (!divisor)
    return nullptr;
  Value *&quotient = quotients_[{number, divisor}];
  Constant *zero = Constant::getNullValue(number->getType());
  if (!quotient)
    quotient = quotientOfQuotient(number, divisor);
  if (!quotient) {
    divisors_.push_back(divisor);
    Value *atLeastOne = builder_.CreateBinaryIntrinsic(Intrinsic::umax, divisor,
                                                       ConstantInt::get(number->getType(), 1));
    quotient = builder_.CreateUDiv(emitFirstLane(builder_, number), atLeastOne);
    Value *rest = builder_.CreateSub(number, builder_.CreateMul(quotient, divisor));
    require(builder_.CreateICmpSGE(number, zero));
    require(builder_.CreateICmpULT(rest, divisor));
  }
  requirePositive(divisor, dividesBy(division));
  if (!isRemainder(division))
    return quotient;
  Value *remainder = builder_.CreateSub(number, builder_.CreateMul(quotient, divisor));
  Distance distance = fromLane0(division.getOperand(0));
  if (distance.value && distance.longest < mostDistance(number->getType()->getIntegerBitWidth())) {
    Value *inLane0 = builder_.CreateSub(remainder, distance.value);
    Value *ofFirst = emitFirstLane(builder_, inLane0);
    require(builder_.CreateICmpEQ(inLane0, ofFirst));
    remainders_[&division] = {ofFirst, distance.value};
  }
  return remainder;
}

/// How far a number of this shape is from that of lane 0.
UnclampedValues::Distance UnclampedValues::laneOffset(const Shape &shape, Type &type) {
  // Lanes of several blocks above each other have indices of their own (columns.h).
  if (!type.isIntegerTy() || type.getIntegerBitWidth() < 16 || program_.together > 1)
    return {};
  Value *thread = nullptr;
  unsigned before = 1;
  constexpr Intrinsic::ID Indices[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                       Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                       Intrinsic::nvvm_read_ptx_sreg_tid_z};
  for (auto [index, count] : zip(Indices, options_.blockDim)) {
    if (count > 1) {
      Value *part =
          builder_.CreateMul(builder_.CreateIntrinsic(index, {}), builder_.getInt32(before));
      thread = thread ? builder_.CreateAdd(thread, part) : part;
    }
    before *= count;
  }
  if (!thread)
    return {};
  double longest = 0;
  for (unsigned lane = 0; lane < shape.period; ++lane)
    longest = std::max(longest, std::abs(double(shape.offset(lane))));
  auto times = [&](Value *number, int64_t factor) {
    return builder_.CreateMul(builder_.CreateZExtOrTrunc(number, &type),
                              ConstantInt::getSigned(&type, factor, /*ImplicitTrunc=*/true));
  };
  Value *lane = builder_.CreateAnd(thread, builder_.getInt32(shape.period - 1));
  if (shape.segment == shape.period)
    return {times(lane, shape.stride), longest};
  Value *inSegment =
      times(builder_.CreateAnd(lane, builder_.getInt32(shape.segment - 1)), shape.stride);
  Value *segment = builder_.CreateLShr(lane, builder_.getInt32(Log2_32(shape.segment)));
  return {builder_.CreateAdd(inSegment, times(segment, shape.step)), longest};
}

/// How far the value, without clamps, is from that of lane 0. It has been rebuilt: what it divides
/// is in the test.
UnclampedValues::Distance UnclampedValues::fromLane0(Value *value) {
  if (auto known = distances_.find(value); known != distances_.end())
    return known->second;
  Distance found = findDistance(value);
  return distances_[value] = found;
}

UnclampedValues::Distance UnclampedValues::findDistance(Value *value) {
  Type &type = *value->getType();
  const Distance same = {Constant::getNullValue(&type), 0};
  const Shape shape = facts_.shapes.of(value);
  if (shape.uniform())
    return same;
  if (shape.regular)
    return laneOffset(shape, type);
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !type.isIntegerTy() ||
      facts_.dominators.dominates(instruction, &before_)) // as it is: see rebuild
    return {};
  if (BinaryOperator *division = asDivision(value, facts_.shapes))
    return isRemainder(*division) ? fromLane0(division->getOperand(0)) : same;
  if (clamps_.contains(instruction))
    return fromLane0(clampOf(value, facts_.shapes)->line);
  if (auto *select = dyn_cast<SelectInst>(value)) {
    Value *arm = Lines(facts_.shapes).dividedArm(*select);
    return arm ? fromLane0(arm) : Distance();
  }
  if (isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(instruction) &&
      all_of(instruction->operands(), [&](Value *operand) { return fromLane0(operand).isNone(); }))
    return same; // of what is the same
  unsigned opcode = instruction->getOpcode();
  bool isSum = opcode == Instruction::Add || opcode == Instruction::Sub;
  if (!isSum && opcode != Instruction::Freeze && opcode != Instruction::Mul)
    return {};
  Distance first = fromLane0(instruction->getOperand(0));
  if (!first.value || opcode == Instruction::Freeze)
    return first;
  if (opcode == Instruction::Mul) {
    const auto *factor = dyn_cast<ConstantInt>(instruction->getOperand(1));
    return factor ? Distance{builder_.CreateMul(first.value, instruction->getOperand(1)),
                             first.longest * std::abs(factor->getValue().signedRoundToDouble())}
                  : Distance();
  }
  Distance second = fromLane0(instruction->getOperand(1));
  return second.value ? Distance{builder_.CreateBinOp(Instruction::BinaryOps(opcode), first.value,
                                                      second.value),
                                 first.longest + second.longest}
                      : Distance();
}

/// What the clamp divides by; the greatest number for all others.
static uint64_t constantDivisor(const Instruction &clamp) {
  const auto *divisor = clamp.isIntDivRem() ? dyn_cast<ConstantInt>(clamp.getOperand(1)) : nullptr;
  return divisor ? divisor->getValue().getLimitedValue() : UINT64_MAX;
}

/// No clamp binds in this thread.
bool UnclampedValues::emit() {
  SmallVector<std::pair<uint64_t, unsigned>, 8> order; // the least first: others may be multiples
  for (auto [i, clamp] : enumerate(clamps_))
    order.push_back({constantDivisor(*clamp), i});
  sort(order);
  for (auto [divisor, i] : order) {
    Instruction *instruction = clamps_[i];
    Clamp clamp = *clampOf(instruction, facts_.shapes);
    budget_ = LongestTest;
    if (clamp.division) {
      if (!rebuild(instruction))
        return false;
      continue;
    }
    Value *left = rebuild(clamp.left), *right = left ? rebuild(clamp.right) : nullptr;
    if (!right) // others may count on this one
      return false;
    require(builder_.CreateICmp(clamp.predicate, left, right));
  }
  return condition_;
}

/// Of these clamps further down in the region, divisions whose operands are known in front of it.
void UnclampedValues::addDivisions(const Clamps &further) {
  for (Instruction *instruction : further) {
    if (!asDivision(instruction, facts_.shapes) || !clamps_.insert(instruction))
      continue;
    budget_ = LongestTest;
    if (!rebuild(instruction))
      clamps_.remove(instruction);
  }
}

Value *UnclampedValues::lineOf(Instruction &instruction, IRBuilder<> &inRegion) const {
  if (auto remainder = remainders_.find(&instruction); remainder != remainders_.end()) {
    auto [inLane0, offset] = remainder->second;
    return inRegion.CreateAdd(inLane0, offset, "", /*HasNUW=*/false, /*HasNSW=*/true);
  }
  Clamp clamp = *clampOf(&instruction, facts_.shapes);
  return clamp.division ? rebuilt_.lookup(&instruction) : clamp.line;
}

} // namespace heddle::simt
