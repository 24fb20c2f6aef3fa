// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: near_lanes.h.
#include "simt/analysis/near_lanes.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

/// Lanes of a register.
static constexpr unsigned LanesTogether = 16;
/// Elements that lanes go on by, at most, and what they may lie off that.
static constexpr double FarthestStep = 2, WidestSpread = 6;
/// What is divided by a number that is not known goes on so slowly.
static constexpr double StepOfQuotient = 0.5;
/// What is multiplied by a float that is not known.
static constexpr double StepOfRatio = 0.9;
/// Bytes of elements of which gathers are one instruction. Lanes that only clamps keep from going
/// straight leave it to version-clamps there.
static constexpr int64_t GatheredBytes = 4;

std::optional<Pace> NearLanes::of(const Value &address, int64_t size) {
  std::optional<Pace> found = pace(address);
  if (!found || std::abs(found->step) > FarthestStep * double(size) ||
      found->spread > WidestSpread * double(size))
    return {};
  bool isStraight = std::abs(found->step) == double(size) && found->spread == 0;
  return isStraight && size >= GatheredBytes ? std::nullopt : found;
}

std::optional<Pace> NearLanes::pace(const Value &value) {
  if (shapes_.isUniform(&value))
    return Pace();
  if (Shape shape = shapes_.of(&value); shape.segment >= std::min(LanesTogether, shapes_.width()))
    return Pace{double(shape.stride), 0};
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return {};
  auto [place, isNew] = known_.try_emplace(instruction); // none while it is looked for
  if (!isNew)
    return place->second;
  std::optional<Pace> found = find(*instruction);
  known_[instruction] = found;
  return found;
}

std::optional<Pace> NearLanes::sum(const Value &a, const Value &b, int sign) {
  std::optional<Pace> left = pace(a), right = pace(b);
  if (!left || !right)
    return {};
  return Pace{left->step + sign * right->step, left->spread + right->spread};
}

std::optional<Pace> NearLanes::eitherOf(const Value &a, const Value &b) {
  std::optional<Pace> left = pace(a), right = pace(b);
  if (!left || !right)
    return {};
  return Pace{std::abs(left->step) > std::abs(right->step) ? left->step : right->step,
              std::max(left->spread, right->spread)};
}

static std::optional<double> constantOf(const Value &value) {
  if (const auto *number = dyn_cast<ConstantInt>(&value); number && number->getBitWidth() <= 64)
    return double(number->getSExtValue());
  if (const auto *number = dyn_cast<ConstantFP>(&value))
    return number->getValueAPF().convertToDouble();
  return {};
}

/// By a number; of floats by any that all lanes have.
std::optional<Pace> NearLanes::ofProduct(const Instruction &product) {
  for (unsigned i : {0u, 1u}) {
    const Value &factor = *product.getOperand(i), &other = *product.getOperand(1 - i);
    std::optional<double> times = constantOf(factor);
    if (product.getOpcode() == Instruction::Shl)
      times = i == 1 && times && *times < 16 ? std::optional(std::exp2(*times)) : std::nullopt;
    else if (!times && product.getType()->isFloatingPointTy() && shapes_.isUniform(&factor))
      times = StepOfRatio;
    if (!times)
      continue;
    std::optional<Pace> found = pace(other);
    if (!found)
      return {};
    return Pace{found->step * *times, found->spread * std::abs(*times)};
  }
  return {};
}

std::optional<Pace> NearLanes::ofQuotient(const Instruction &quotient) {
  std::optional<Pace> number = pace(*quotient.getOperand(0));
  if (!number || !shapes_.isUniform(quotient.getOperand(1)))
    return {};
  std::optional<double> divisor = constantOf(*quotient.getOperand(1));
  bool isShift = quotient.isShift();
  if (!divisor || *divisor == 0 || isShift)
    divisor = isShift && divisor && *divisor < 32       ? std::exp2(*divisor)
              : quotient.getType()->isFloatingPointTy() ? 1 / StepOfRatio
                                                        : 1 / StepOfQuotient;
  return Pace{number->step / *divisor, number->spread / std::abs(*divisor)};
}

std::optional<Pace> NearLanes::ofAddress(const GetElementPtrInst &gep) {
  std::optional<Pace> result = pace(*gep.getPointerOperand());
  for (auto index = gep_type_begin(gep), end = gep_type_end(gep); index != end && result; ++index) {
    if (index.isStruct())
      continue;
    std::optional<Pace> part = pace(*index.getOperand());
    if (!part)
      return {};
    auto size = double(index.getSequentialElementStride(gep.getDataLayout()));
    result = Pace{result->step + size * part->step, result->spread + size * part->spread};
  }
  return result;
}

std::optional<Pace> NearLanes::ofCall(const CallInst &call) {
  switch (call.getIntrinsicID()) {
  case Intrinsic::smin:
  case Intrinsic::smax:
  case Intrinsic::umin:
  case Intrinsic::umax:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
    return eitherOf(*call.getArgOperand(0), *call.getArgOperand(1));
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::roundeven:
  case Intrinsic::nearbyint:
    return pace(*call.getArgOperand(0));
  case Intrinsic::fma:
  case Intrinsic::fmuladd: {
    std::optional<Pace> product = ofProduct(call), other = pace(*call.getArgOperand(2));
    if (!product || !other)
      return {};
    return Pace{product->step + other->step, product->spread + other->spread};
  }
  default:
    return {};
  }
}

std::optional<Pace> NearLanes::find(const Instruction &instruction) {
  const Value *first = instruction.getNumOperands() > 0 ? instruction.getOperand(0) : nullptr;
  if (const auto *gep = dyn_cast<GetElementPtrInst>(&instruction))
    return ofAddress(*gep);
  if (const auto *select = dyn_cast<SelectInst>(&instruction))
    return eitherOf(*select->getTrueValue(), *select->getFalseValue());
  if (const auto *call = dyn_cast<CallInst>(&instruction))
    return ofCall(*call);
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::FAdd:
  case Instruction::Or:
    return sum(*first, *instruction.getOperand(1), 1);
  case Instruction::Sub:
  case Instruction::FSub:
    return sum(*first, *instruction.getOperand(1), -1);
  case Instruction::Mul:
  case Instruction::FMul:
  case Instruction::Shl:
    return ofProduct(instruction);
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::FDiv:
  case Instruction::LShr:
  case Instruction::AShr:
    return ofQuotient(instruction);
  case Instruction::SRem:
  case Instruction::URem: { // there and back, by a number; otherwise it seldom wraps around
    std::optional<double> divisor = constantOf(*instruction.getOperand(1));
    if (divisor && std::abs(*divisor) <= WidestSpread)
      return Pace{0, std::abs(*divisor) - 1};
    return shapes_.isUniform(instruction.getOperand(1)) ? pace(*first) : std::nullopt;
  }
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::Freeze:
    return pace(*first);
  default:
    return {};
  }
}

} // namespace heddle::simt
