// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Random numbers are made as integers, and multiplied with a power of two for numbers
// below 1. Often they are only compared with something: a product for each that says nothing.
//
// Method. From each comparison with a constant (or of two such values) we go back through sums and
// products to products of whole numbers with a power of two, the same in all. A value has a degree:
// how many such factors its terms have. A sum's addends must have the same one, those of a
// product's factors are added up. The numbers then go without their factor, and the constant is
// divided by its power.
//
// A power of two changes no rounding but beyond the range of normal numbers. What is
// computed without the factor are whole numbers, rounded or not: of integers of at most 32 bits, up
// to the degree of 3, they are zero or between 1 and 2^100. With a factor of at least 2^-32 in each
// they are above 2^-97. So all is exactly as before, whatever the program allows. No value on the
// way may be used for anything else, or its product would have to stay.
//
// Legality (scale-comparisons):
//  1. All terms have the same power of the factor. [one power]
//  2. No value on the way is used for anything else. [used here only]
//  3. The factor is a power of two ... [power of two]
//  4. ... from 2^-32 on, and below one. [below one]
//  5. The factors are multiplied with integers of at most 32 bits. [whole numbers]
//  6. The constant is a normal number, and stays one without the factor. [normal constant]
//  7. A term has at most three such factors: without them it is below 2^100, with them above
//     2^-97. [degree]
#include "simt/canonical/scale_comparisons.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned HighestDegree = 3, MostValues = 16;
constexpr int LongestInteger = 32, LeastExponent = -32;

bool isWhole(const Value *value) {
  const auto *conversion = dyn_cast<CastInst>(value);
  return conversion && isa<UIToFPInst, SIToFPInst>(conversion) &&
         conversion->getSrcTy()->getScalarSizeInBits() <= LongestInteger &&
         (conversion->getType()->isFloatTy() || conversion->getType()->isDoubleTy());
}

/// One comparison, and the values that it is made of.
class ScaledTest {
public:
  explicit ScaledTest(FCmpInst &test) : test_(test) {}

  bool find();
  void scale();

private:
  unsigned degreeOf(Value *);
  unsigned degreeOfProduct(Instruction &);
  bool usedHereOnly() const;
  bool isNormal() const;
  APFloat scaled(const APFloat &) const;

  FCmpInst &test_;
  unsigned degree_ = 0;
  int exponent_ = 0; ///< of the factor
  SmallSetVector<Instruction *, 4> products_;
  SmallSetVector<Instruction *, 8> values_; ///< the products too
};

/// A product of a whole number and the factor is the first degree.
unsigned ScaledTest::degreeOfProduct(Instruction &product) {
  const APFloat *factor;
  Value *number;
  if (!match(&product, m_c_FMul(m_Value(number), m_APFloat(factor))))
    return 0;
  int exponent = factor->getExactLog2();
  if (!isWhole(number) || exponent < LeastExponent || exponent >= 0 ||
      (exponent_ && exponent_ != exponent))
    return 0;
  exponent_ = exponent;
  products_.insert(&product);
  return 1;
}

/// Zero: it is not made of scaled numbers alone.
unsigned ScaledTest::degreeOf(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || values_.size() >= MostValues)
    return 0;
  values_.insert(instruction);
  auto degree = [&](unsigned i) { return degreeOf(instruction->getOperand(i)); };
  auto both = [](unsigned a, unsigned b) { return a && b && a + b <= HighestDegree ? a + b : 0; };
  auto same = [](unsigned a, unsigned b) { return a == b ? a : 0; };
  switch (instruction->getOpcode()) {
  case Instruction::FNeg:
    return degree(0);
  case Instruction::FMul:
    if (unsigned first = degreeOfProduct(*instruction))
      return first;
    return both(degree(0), degree(1));
  case Instruction::FAdd:
  case Instruction::FSub:
    return same(degree(0), degree(1));
  default:
    if (match(instruction, m_Intrinsic<Intrinsic::fma>()))
      return same(both(degree(0), degree(1)), degree(2));
    return match(instruction, m_FAbs(m_Value())) ? degree(0) : 0;
  }
}

bool ScaledTest::usedHereOnly() const {
  return all_of(values_, [&](const Instruction *value) {
    return all_of(value->users(), [&](const User *user) {
      return user == &test_ || values_.contains(cast<Instruction>(user));
    });
  });
}

/// What stands for a constant where its other side lacks the factors.
APFloat ScaledTest::scaled(const APFloat &constant) const {
  return scalbn(constant, -exponent_ * int(degree_), APFloat::rmNearestTiesToEven);
}

bool ScaledTest::find() {
  const APFloat *constant;
  degree_ = degreeOf(test_.getOperand(0));
  if (!degree_)
    return false;
  bool isSame = match(test_.getOperand(1), m_APFloat(constant))
                    ? constant->isZero() || (constant->isNormal() && scaled(*constant).isNormal())
                    : degreeOf(test_.getOperand(1)) == degree_;
  return isSame && usedHereOnly();
}

void ScaledTest::scale() {
  const APFloat *constant;
  if (match(test_.getOperand(1), m_APFloat(constant)))
    test_.setOperand(1, ConstantFP::get(test_.getOperand(1)->getType(), scaled(*constant)));
  for (Instruction *product : products_) {
    product->replaceAllUsesWith(product->getOperand(isWhole(product->getOperand(0)) ? 0 : 1));
    product->eraseFromParent();
  }
}

} // namespace

void scaleComparisons(Function &thread) {
  for (Instruction &instruction : instructions(thread))
    if (auto *test = dyn_cast<FCmpInst>(&instruction)) {
      ScaledTest scaled(*test);
      if (scaled.find())
        scaled.scale();
    }
}

} // namespace heddle::simt
