// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread/clamps.h"

#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

#include <array>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

BinaryOperator *asDivision(Value *value, const Shapes &shapes) {
  auto *division = dyn_cast<BinaryOperator>(value);
  if (!division || !division->isIntDivRem() || !division->getType()->isIntegerTy() ||
      shapes.isUniform(division) || !shapes.isUniform(division->getOperand(1)))
    return nullptr;
  const auto *number = dyn_cast<ConstantInt>(division->getOperand(1));
  return number && (number->isNegative() || number->getValue().ult(shapes.width())) ? nullptr
                                                                                    : division;
}

bool isRemainder(const BinaryOperator &division) {
  return division.getOpcode() == Instruction::SRem || division.getOpcode() == Instruction::URem;
}

/// The least that a number can be of which another one above zero is the quotient by a constant, or
/// which is above zero itself; 0: neither.
static APInt leastOf(const Value &number, function_ref<bool(const Value *)> positive) {
  unsigned bits = number.getType()->getScalarSizeInBits();
  if (positive(&number))
    return APInt(bits, 1);
  const APInt *divisor = nullptr;
  for (const User *user : number.users())
    if (match(user, m_SDiv(m_Specific(&number), m_APInt(divisor))) &&
        divisor->isStrictlyPositive() && positive(user))
      return *divisor;
  return APInt(bits, 0);
}

std::optional<bool> ofPositive(const Value *condition, function_ref<bool(const Value *)> positive) {
  CmpPredicate predicate;
  Value *number = nullptr;
  const APInt *constant = nullptr, *added = nullptr;
  if (!match(condition, m_ICmp(predicate, m_Value(number), m_APInt(constant))))
    return {};
  Value *base = nullptr;
  if (match(number, m_Add(m_Value(base), m_APInt(added))))
    number = base;
  APInt least = isa<Constant>(number) ? APInt(1, 0) : leastOf(*number, positive);
  if (least.isZero())
    return {};
  ConstantRange range(least, APInt::getSignedMinValue(least.getBitWidth())), other(*constant);
  if (added)
    range = range.add(*added);
  if (range.icmp(predicate, other))
    return true;
  if (range.icmp(CmpInst::getInversePredicate(predicate), other))
    return false;
  return {};
}

Value *dividesBy(const BinaryOperator &division) {
  Value *divisor = division.getOperand(1), *condition = nullptr, *number = nullptr;
  bool isOneElse = match(divisor, m_Select(m_Value(condition), m_One(), m_Value(number))) &&
                   ofPositive(condition, [&](const Value *v) { return v == number; }) == false;
  return isOneElse || match(divisor, m_c_UMax(m_Value(number), m_One())) ? number : divisor;
}

/// What the common answer to the comparison is (see above).
static bool isCommon(const ICmpInst &compare, const Shapes &shapes) {
  CmpInst::Predicate predicate = compare.getPredicate();
  if (compare.isEquality())
    return predicate == CmpInst::ICMP_NE;
  const Value *bound = compare.getOperand(1);
  if (shapes.isUniform(compare.getOperand(0))) {
    bound = compare.getOperand(0);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  bool isBelow = ICmpInst::isLT(predicate) || ICmpInst::isLE(predicate);
  const auto *number = dyn_cast<ConstantInt>(bound);
  bool isBegin = number && number->getValue().slt(2);
  return isBelow != isBegin;
}

std::optional<Clamp> clampOf(Value *value, const Shapes &shapes) {
  auto byCompare = [&](Value *condition, Value *ifTrue, Value *ifFalse) -> std::optional<Clamp> {
    auto *compare = dyn_cast<ICmpInst>(condition);
    if (!compare || shapes.isUniform(compare))
      return {};
    bool isBound = shapes.isUniform(ifTrue), isOtherBound = shapes.isUniform(ifFalse);
    bool taken = isBound == isOtherBound || compare->isEquality() ? isCommon(*compare, shapes)
                                                                  : isOtherBound;
    return Clamp{taken ? ifTrue : ifFalse,
                 taken ? compare->getPredicate() : compare->getInversePredicate(),
                 compare->getOperand(0), compare->getOperand(1)};
  };
  if (!isa<Instruction>(value) || !value->getType()->isIntOrPtrTy())
    return {};
  if (BinaryOperator *division = asDivision(value, shapes)) {
    Value *number = division->getOperand(0);
    return Clamp{number, CmpInst::ICMP_SGE, number, Constant::getNullValue(number->getType()),
                 division};
  }
  if (auto *select = dyn_cast<SelectInst>(value))
    return byCompare(select->getCondition(), select->getTrueValue(), select->getFalseValue());
  if (auto *limit = dyn_cast<MinMaxIntrinsic>(value)) {
    Value *line = limit->getLHS(), *bound = limit->getRHS();
    if (shapes.isUniform(line))
      std::swap(line, bound);
    if (shapes.isUniform(line) || !shapes.isUniform(bound))
      return {};
    return Clamp{line, CmpInst::getNonStrictPredicate(limit->getPredicate()), line, bound};
  }
  if (auto *cast = dyn_cast<CastInst>(value);
      cast && isa<SExtInst, ZExtInst>(cast) && cast->getSrcTy()->isIntegerTy(1)) {
    Type *type = cast->getType();
    Constant *one = isa<SExtInst>(cast) ? Constant::getAllOnesValue(type)
                                        : static_cast<Constant *>(ConstantInt::get(type, 1));
    return byCompare(cast->getOperand(0), one, Constant::getNullValue(type));
  }
  return {};
}

/// Of its operands alone.
static bool isComputed(const Instruction &instruction) {
  return isa<BinaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst, FreezeInst,
             MinMaxIntrinsic>(instruction);
}

static bool isSum(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::GetElementPtr:
  case Instruction::PHI:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::Freeze:
    return true;
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<ConstantInt>(instruction.getOperand(1));
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(instruction).isDisjoint();
  default:
    return false;
  }
}

Lines::Kind Lines::of(Value *value, SmallVectorImpl<Instruction *> &clamps) {
  if (shapes_.isUniform(value))
    return Uniform;
  if (shapes_.of(value).segment > 1 || shapes_.isScalar(value))
    return Straight;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return Bent;
  auto [known, isNew] =
      known_.try_emplace(instruction, isa<LoadInst>(instruction) ? Bent : Uniform);
  if (!isNew) // a loop's counter, or known
    return known->second;
  Kind kind = find(*instruction, clamps);
  return known_[instruction] = kind;
}

Lines::Kind Lines::find(Instruction &instruction, SmallVectorImpl<Instruction *> &clamps) {
  auto all = [&](auto &&values) {
    Kind least = Uniform;
    for (Value *value : values)
      least = std::min(least, of(value, clamps));
    return least;
  };
  if (std::optional<Clamp> clamp = clampOf(&instruction, shapes_)) {
    if (!clamp->division) {
      clamps.push_back(&instruction);
      return all(std::array{clamp->line, clamp->left, clamp->right});
    }
    Kind kind = all(std::array{clamp->line});
    if (kind == Straight)
      clamps.push_back(&instruction);
    return kind == Bent ? Bent : isRemainder(*clamp->division) ? kind : Uniform;
  }
  if (auto *select = dyn_cast<SelectInst>(&instruction))
    if (Value *arm = dividedArm(*select))
      return of(arm, clamps);
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) // lanes come at different times, or ways
    if (all_of(phi->incoming_values(), [&](const Use &use) { return shapes_.isUniform(use); }))
      return Bent;
  if (isa<PHINode>(instruction) || !isComputed(instruction))
    return isSum(instruction) ? all(instruction.operands()) : Bent;
  Kind kind = all(instruction.operands());
  return kind == Straight && !isSum(instruction) ? Bent : kind;
}

Value *Lines::dividedArm(SelectInst &select) const {
  if (!shapes_.isUniform(select.getCondition()))
    return nullptr;
  for (Value *arm : {select.getTrueValue(), select.getFalseValue()}) {
    Value *inner = arm;
    for (unsigned i = 0; i < 3 && isa<SelectInst, SExtInst, ZExtInst>(inner); ++i)
      inner = cast<Instruction>(inner)->getOperand(isa<SelectInst>(inner) ? 2 : 0);
    BinaryOperator *division = asDivision(inner, shapes_);
    Value *number = division ? dividesBy(*division) : nullptr;
    if (!number)
      continue;
    std::optional<bool> decided =
        ofPositive(select.getCondition(), [&](const Value *value) { return value == number; });
    if (decided && (*decided ? select.getTrueValue() : select.getFalseValue()) == arm)
      return arm;
  }
  return nullptr;
}

} // namespace heddle::simt
