// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No CPU divides vectors of integers. LLVM takes them apart: 32 divisions, 64 extractions, 32
// insertions, for each `x % n`. In floating point they stay vectors:
//
//   %q = sdiv <32 x i32> %a, %b    ->    %x = sitofp %a to <32 x double>
//                                        %y = sitofp %b to <32 x double>
//                                        %q = fptosi (fdiv %x, %y) to <32 x i32>
//   %r = srem <32 x i32> %a, %b    ->    %r = sub %a, (mul %q, %b)
//
// That is exact. Let a = q b + r. Operands of p bits are exact in a type of P bits of precision.
// The quotient a / b is either the integer q or, for r != 0, at least 1/|b| away from the next
// integer up, relative to which that is 1 / |b (q+1)| > 2^-(p+1). Rounding moves the quotient by at
// most 2^-P of itself, and never over a number that can be represented. So with p + 1 < P
// truncation gives q: double (P = 53) for up to 32 bits, float (P = 24) for up to 16.
//
// If all lanes have the same divisor, as `i / n` has for a size n that the kernel is given, its
// reciprocal is computed once, where n is known:
//
//   %q = sdiv <32 x i32> %a, splat %n   ->   %r = (1.0 / (sitofp %n)) * (1 + 2^(2-P))
//                                            %q = fptosi (fmul (sitofp %a), splat %r)
//
// The reciprocal comes out too large by 2^-P to 2^(3-P) of itself, after both roundings, and so
// does the quotient. A quotient that is an integer is not missed, and the next one is not reached
// as long as |a| < 2^(P-3): |a / b| 2^(3-P) < 1 / |b|.
//
// A single number that a loop divides by the same one in each round, as a program's blocks do by
// the sizes that the launch gives, is multiplied by what is computed in front of the loop:
//
//     %q = udiv i32 %a, %n     ->     %m = (2^64 - 1) / %n                         in front
//                                     %q = high 64 bits of %m * (%a + 1)
//
// Let m = (2^64 - 1 - e) / n with 0 <= e < n, and a = q n + r. Then m (a + 1) / 2^64 is
// (a + 1) / n, which is at least q + 1/n and at most q + 1, less (a + 1) (1 + e) / (n 2^64): more
// than nothing, and for a and n below 2^32 at most 1/n. Numbers with signs are divided as their magnitudes.
//
// Divisions of floats by one number, where the program allows it (arcp: -ffast-math), are products
// with its reciprocal too. LLVM does so only from the second division on.
//
// Numbers of up to 16 bits, as of pixels, are divided by a constant without a division:
//
//     %x = uitofp <16 x i8> %a          %q = fmul %x, splat y              y = 1 / 255, rounded
//     %d = fdiv %x, splat 255    ->     %d = fma (fma (fneg %q), splat 255, %x), splat y, %q
//
// That has the same bits for most divisors; the compiler tries all the numbers.
//
// It runs after the optimisation, which knows more about integer division. A constant divisor is
// left to the back end: it multiplies.
#include "jit/vector/lower_division.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/KnownBits.h"

#include <cmath>

namespace heddle::jit {

using namespace llvm;

namespace {

bool isDivision(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
    return isa<FixedVectorType>(instruction.getType()) &&
           instruction.getType()->getScalarSizeInBits() <= 32 &&
           !isa<Constant>(instruction.getOperand(1));
  default:
    return false;
  }
}

class Division {
public:
  explicit Division(Instruction &division)
      : division_(division), builder_(&division), type_(division.getType()),
        isSigned_(division.getOpcode() == Instruction::SDiv ||
                  division.getOpcode() == Instruction::SRem),
        isDouble_(type_->getScalarSizeInBits() > 16),
        asSigned_(isSigned_ || type_->getScalarSizeInBits() < 32) {}

  /// `quotients`: of numbers and divisors, read with or without signs, of blocks that are begun.
  using Quotients = DenseMap<std::tuple<Value *, Value *, BasicBlock *, unsigned>, Value *>;

  void lower(Quotients &quotients) {
    Value *left = division_.getOperand(0), *right = division_.getOperand(1);
    Value *&quotient = quotients[{left, right, division_.getParent(), unsigned(isSigned_)}];
    if (!quotient)
      quotient = quotientOf(left, right);
    bool isRemainder =
        division_.getOpcode() == Instruction::SRem || division_.getOpcode() == Instruction::URem;
    division_.replaceAllUsesWith(
        isRemainder ? builder_.CreateSub(left, builder_.CreateMul(quotient, right)) : quotient);
    division_.eraseFromParent();
  }

private:
  Value *quotientOf(Value *left, Value *right) {
    Value *uniform = getSplatValue(right);
    Value *ratio =
        uniform ? builder_.CreateFMul(convert(left),
                                      builder_.CreateVectorSplat(lanes(), reciprocal(uniform)))
                : builder_.CreateFDiv(convert(left), convert(right));
    Type *word = type_->getWithNewBitWidth(32);
    Value *quotient =
        asSigned_ ? builder_.CreateFPToSI(ratio, word) : builder_.CreateFPToUI(ratio, word);
    return builder_.CreateTrunc(quotient, type_);
  }

  unsigned lanes() const { return cast<FixedVectorType>(type_)->getNumElements(); }

  /// To floating point, from 32 bits: the only integers that all vector units convert.
  Value *convert(Value *value) {
    Type *word = value->getType()->getWithNewBitWidth(32);
    Type *real = word->getWithNewType(isDouble_ ? builder_.getDoubleTy() : builder_.getFloatTy());
    value = isSigned_ ? builder_.CreateSExt(value, word) : builder_.CreateZExt(value, word);
    return asSigned_ ? builder_.CreateSIToFP(value, real) : builder_.CreateUIToFP(value, real);
  }

  /// A little too large.
  Value *reciprocal(Value *divisor) {
    IRBuilder<>::InsertPointGuard guard(builder_);
    if (auto *instruction = dyn_cast<Instruction>(divisor))
      if (auto after = instruction->getInsertionPointAfterDef())
        builder_.SetInsertPoint(instruction->getParent(), *after);
    Value *real = convert(divisor);
    double excess = std::ldexp(1, isDouble_ ? 2 - 53 : 2 - 24);
    return builder_.CreateFMul(builder_.CreateFDiv(ConstantFP::get(real->getType(), 1), real),
                               ConstantFP::get(real->getType(), 1 + excess));
  }

  Instruction &division_;
  IRBuilder<> builder_;
  Type *type_;
  bool isSigned_, isDouble_;
  bool asSigned_; ///< a conversion of signed words will do
};

/// A division of single numbers of 32 bits, not by a constant.
bool isScalarDivision(const Instruction &instruction) {
  return instruction.isIntDivRem() && instruction.getType()->isIntegerTy(32) &&
         !isa<Constant>(instruction.getOperand(1));
}

/// The outermost loop around the division of which each round has its divisor, if it can be entered
/// from one place; or null.
Loop *loopOfDivisor(const Instruction &division, const LoopInfo &loops) {
  Loop *found = nullptr;
  for (Loop *loop = loops.getLoopFor(division.getParent());
       loop && loop->isLoopInvariant(division.getOperand(1)); loop = loop->getParentLoop())
    found = loop->getLoopPreheader() ? loop : found;
  return found;
}

/// Divides single numbers by what loops have in common.
class ScalarDivisions {
public:
  explicit ScalarDivisions(const LoopInfo &loops) : loops_(loops) {}

  bool lower(Instruction &division) {
    Loop *loop = loopOfDivisor(division, loops_);
    if (!loop)
      return false;
    IRBuilder<> builder(&division);
    unsigned opcode = division.getOpcode();
    bool isSigned = opcode == Instruction::SDiv || opcode == Instruction::SRem;
    Value *left = division.getOperand(0), *right = division.getOperand(1);
    Value *number = isSigned ? magnitude(builder, left) : left;
    Type *wide = builder.getInt64Ty(), *twice = builder.getInt128Ty();
    Value *next = builder.CreateAdd(builder.CreateZExt(number, wide), ConstantInt::get(wide, 1));
    Value *product =
        builder.CreateMul(builder.CreateZExt(multiplier(*right, *loop, isSigned), twice),
                          builder.CreateZExt(next, twice));
    Value *quotient = builder.CreateTrunc(builder.CreateLShr(product, 64), division.getType());
    if (isSigned) {
      Value *sign = builder.CreateAShr(builder.CreateXor(left, right), 31);
      quotient = builder.CreateSub(builder.CreateXor(quotient, sign), sign);
    }
    bool isRemainder = opcode == Instruction::SRem || opcode == Instruction::URem;
    division.replaceAllUsesWith(
        isRemainder ? builder.CreateSub(left, builder.CreateMul(quotient, right)) : quotient);
    division.eraseFromParent();
    return true;
  }

private:
  static Value *magnitude(IRBuilder<> &builder, Value *number) {
    return builder.CreateBinaryIntrinsic(Intrinsic::abs, number, builder.getFalse());
  }

  /// In front of the loop, where the division may not be reached, and its divisor be anything.
  Value *multiplier(Value &divisor, const Loop &loop, bool isSigned) {
    Value *&known = known_[{&divisor, &loop, unsigned(isSigned)}];
    if (known)
      return known;
    IRBuilder<> builder(loop.getLoopPreheader()->getTerminator());
    Value *number = builder.CreateFreeze(&divisor);
    number = isSigned ? magnitude(builder, number) : number;
    number = builder.CreateBinaryIntrinsic(Intrinsic::umax, number, builder.getInt32(1));
    return known = builder.CreateUDiv(Constant::getAllOnesValue(builder.getInt64Ty()),
                                      builder.CreateZExt(number, builder.getInt64Ty()));
  }

  const LoopInfo &loops_;
  DenseMap<std::tuple<Value *, const Loop *, unsigned>, Value *> known_;
};

/// The one number that all lanes are divided by, if a product will do; or null.
Value *reciprocalOf(const Instruction &instruction) {
  bool isWanted = instruction.getOpcode() == Instruction::FDiv &&
                  instruction.hasAllowReciprocal() && isa<FixedVectorType>(instruction.getType()) &&
                  !isa<Constant>(instruction.getOperand(0));
  Value *divisor = isWanted ? getSplatValue(instruction.getOperand(1)) : nullptr;
  return divisor && !isa<Constant>(divisor) ? divisor : nullptr;
}

/// `division` as a product.
void multiply(Instruction &division, Value *divisor) {
  IRBuilder<> builder(&division);
  builder.setFastMathFlags(division.getFastMathFlags());
  Value *reciprocal = builder.CreateFDiv(ConstantFP::get(divisor->getType(), 1), divisor);
  auto lanes = cast<FixedVectorType>(division.getType())->getNumElements();
  division.replaceAllUsesWith(
      builder.CreateFMul(division.getOperand(0), builder.CreateVectorSplat(lanes, reciprocal)));
  division.eraseFromParent();
}

template <typename Float> Float quotient(Float number, Float divisor, Float reciprocal) {
  Float first = number * reciprocal;
  return std::fma(std::fma(-first, divisor, number), reciprocal, first);
}

template <typename Float> bool isExactUpTo(uint64_t most, Float divisor) {
  Float reciprocal = 1 / divisor;
  for (uint64_t i = 0; i <= most; ++i) {
    Float number = Float(i), got = quotient(number, divisor, reciprocal);
    if (got != number / divisor || std::signbit(got) != std::signbit(number / divisor))
      return false;
  }
  return true;
}

/// Divisions of vectors of small natural numbers by a constant.
class SmallQuotients {
public:
  explicit SmallQuotients(const TargetTransformInfo &costs) : costs_(costs) {}

  bool lower(Instruction &division) {
    if (division.getOpcode() != Instruction::FDiv || !isa<FixedVectorType>(division.getType()))
      return false;
    const auto *divisor = dyn_cast_or_null<ConstantFP>(getSplatValue(division.getOperand(1)));
    uint64_t most = divisor ? greatest(*division.getOperand(0)) : 0;
    if (!most || !isCheaper(division.getType()) || !isExact(most, *divisor))
      return false;
    IRBuilder<> builder(&division);
    Value *number = division.getOperand(0), *by = division.getOperand(1);
    Value *reciprocal = builder.CreateFDiv(ConstantFP::get(division.getType(), 1), by);
    Value *first = builder.CreateFMul(number, reciprocal);
    Value *rest = builder.CreateIntrinsic(Intrinsic::fma, number->getType(),
                                          {builder.CreateFNeg(first), by, number});
    division.replaceAllUsesWith(
        builder.CreateIntrinsic(Intrinsic::fma, number->getType(), {rest, reciprocal, first}));
    division.eraseFromParent();
    return true;
  }

private:
  static constexpr unsigned MostBits = 16;

  /// What was converted is no greater; 0 if it may be, or may be negative.
  static uint64_t greatest(const Value &number) {
    if (!isa<UIToFPInst, SIToFPInst>(number))
      return 0;
    const auto &cast = llvm::cast<CastInst>(number);
    KnownBits known = computeKnownBits(cast.getOperand(0), cast.getDataLayout());
    bool isNatural = isa<UIToFPInst>(number) || known.isNonNegative();
    return isNatural && known.countMaxActiveBits() <= MostBits ? known.getMaxValue().getZExtValue()
                                                               : 0;
  }

  bool isCheaper(Type *type) const {
    constexpr auto Rate = TargetTransformInfo::TCK_RecipThroughput;
    InstructionCost fma = costs_.getIntrinsicInstrCost(
        IntrinsicCostAttributes(Intrinsic::fma, type, {type, type, type}), Rate);
    return 2 * fma + costs_.getArithmeticInstrCost(Instruction::FMul, type, Rate) <
           costs_.getArithmeticInstrCost(Instruction::FDiv, type, Rate);
  }

  bool isExact(uint64_t most, const ConstantFP &divisor) {
    const APFloat &value = divisor.getValueAPF();
    bool isFloat = divisor.getType()->isFloatTy();
    if (!(isFloat || divisor.getType()->isDoubleTy()) || !value.isFiniteNonZero() ||
        std::abs(ilogb(value)) > 60)
      return false;
    auto [known, isNew] = exact_.insert({{&divisor, most}, false});
    if (isNew)
      known->second = isFloat ? isExactUpTo(most, value.convertToFloat())
                              : isExactUpTo(most, value.convertToDouble());
    return known->second;
  }

  const TargetTransformInfo &costs_;
  DenseMap<std::pair<const ConstantFP *, uint64_t>, bool> exact_;
};

} // namespace

PreservedAnalyses LowerDivision::run(Function &function, FunctionAnalysisManager &analyses) {
  bool isChanged = false;
  SmallQuotients small(analyses.getResult<TargetIRAnalysis>(function));
  Division::Quotients quotients;
  ScalarDivisions scalars(analyses.getResult<LoopAnalysis>(function));
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (isDivision(instruction))
      Division(instruction).lower(quotients);
    else if (isScalarDivision(instruction)) {
      if (!scalars.lower(instruction))
        continue;
    } else if (Value *divisor = reciprocalOf(instruction))
      multiply(instruction, divisor);
    else if (!small.lower(instruction))
      continue;
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
