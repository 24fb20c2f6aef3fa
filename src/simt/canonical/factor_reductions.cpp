// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A factor that is the same in each round of a loop costs an operation a round, and where
// what it is multiplied with is one number for all lanes, a scalar product that must then be spread
// over a register: two operations on the ports of the vector units, where a number that comes from
// memory is spread on its way.
//
// Method. A product `factor * x` in a loop becomes x. What is computed from it then lacks the
// factor, value by value: products with something else, negations, sums of such values, the phis of
// loops that start at zero. Other products with the same factor, which go into these sums too,
// become theirs. Where a value is used that must have the factor, it gets it behind its
// computation, if that is outside of the loops around these products; else nothing is changed.
//
// Rejected: factors that are no constants but the same in all rounds. They may be of any size (the
// constant of gravitation in front of masses), and programs put them where numbers stay in range.
//
// Legality (factor-reductions):
//  1. All that is added up has the factor. [all addends]
//  2. Sums start at zero. [starts at zero]
//  3. Whoever wants a value with its factor lies behind the loops. [wanted behind]
//  4. A value lacks the factor once: it is no product of two that lack it. [once]
//  5. Each instruction on the way allows other orders (reassoc), and zeros of the other sign.
//     [any order]
//  6. The factor lies between 1/16 and 16, so that no sum leaves the range of its type where it
//     would have been far within. [small factor]
#include "simt/canonical/factor_reductions.h"

#include "simt/analysis/function_facts.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

#include <cmath>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr double LargestFactor = 16;

bool mayReassociate(const Instruction &instruction) {
  return isa<FPMathOperator>(instruction) && instruction.hasNoSignedZeros() &&
         (instruction.hasAllowReassoc() || AnyOrder.isOn(instruction));
}

bool isFma(const Value *value) { return match(value, m_Intrinsic<Intrinsic::fma>()); }

/// The factor of a product with a constant, or null.
ConstantFP *factorOf(const Instruction &product) {
  ConstantFP *factor;
  if (!mayReassociate(product) || !match(&product, m_c_FMul(m_Value(), m_ConstantFP(factor))))
    return nullptr;
  double size = std::fabs(factor->getValueAPF().convertToDouble());
  return size >= 1 / LargestFactor && size <= LargestFactor && size != 1 ? factor : nullptr;
}

Value *otherFactor(const Instruction &product, ConstantFP *factor) {
  return product.getOperand(product.getOperand(0) == factor ? 1 : 0);
}

/// The values that follow from a product with a factor.
class ScaledSums {
public:
  ScaledSums(LoopInfo &loops, Instruction &product, ConstantFP *factor)
      : loops_(loops), product_(product), factor_(factor) {}

  bool find();
  void scale();

private:
  bool collect();
  bool lacksFactor(const Value *) const;
  bool canLack(const Instruction &) const;
  void joinProducts(Instruction &sum);
  bool isBehindLoops(const Instruction &) const;
  bool wantsFactor(const User *user) const {
    return !values_.contains(cast<Instruction>(user)) || whole_.contains(user);
  }

  LoopInfo &loops_;
  Instruction &product_;
  ConstantFP *factor_;
  SmallSetVector<Instruction *, 4> products_;
  SmallSetVector<Instruction *, 16> values_; ///< that lack the factor, the products too
  SmallPtrSet<const User *, 8> whole_;       ///< users that must have it
};

bool ScaledSums::lacksFactor(const Value *value) const {
  return match(value, m_AnyZeroFP()) ||
         (isa<Instruction>(value) && values_.contains(cast<Instruction>(value)));
}

/// The user of a value without the factor lacks it too, and as much of it.
bool ScaledSums::canLack(const Instruction &user) const {
  auto lacks = [&](unsigned i) { return lacksFactor(user.getOperand(i)); };
  if (isa<PHINode>(user))
    return all_of(user.operands(), [&](const Value *value) { return lacksFactor(value); });
  switch (user.getOpcode()) {
  case Instruction::FNeg:
    return true;
  case Instruction::FMul:
    return lacks(0) != lacks(1);
  case Instruction::FAdd:
  case Instruction::FSub:
    return lacks(0) && lacks(1);
  case Instruction::Select:
    return !lacks(0) && lacks(1) && lacks(2);
  default: // fma
    return lacks(0) != lacks(1) && lacks(2);
  }
}

/// Whether an instruction is of a kind that can lack a factor at all.
bool passesFactors(const Instruction &user) {
  bool isArithmetic = user.getOpcode() == Instruction::FNeg ||
                      user.getOpcode() == Instruction::FMul ||
                      user.getOpcode() == Instruction::FAdd ||
                      user.getOpcode() == Instruction::FSub || isFma(&user);
  return isa<PHINode>(user) || isa<SelectInst>(user) || (isArithmetic && mayReassociate(user));
}

/// In none of the loops that the products are in.
bool ScaledSums::isBehindLoops(const Instruction &value) const {
  return none_of(products_, [&](const Instruction *product) {
    const Loop *loop = loops_.getLoopFor(product->getParent());
    return loop && loop->contains(value.getParent());
  });
}

/// Other products with the factor that go into a sum.
void ScaledSums::joinProducts(Instruction &sum) {
  if (sum.getOpcode() == Instruction::FMul)
    return;
  for (Value *operand : sum.operands())
    if (auto *product = dyn_cast<Instruction>(operand))
      if (!values_.contains(product) && factorOf(*product) == factor_) {
        products_.insert(product);
        values_.insert(product);
      }
}

/// What follows from the product, but for the users in `whole_`. False: one of them can not get it.
bool ScaledSums::collect() {
  products_.clear();
  values_.clear();
  products_.insert(&product_);
  values_.insert(&product_);
  for (unsigned i = 0; i < values_.size(); ++i)
    for (User *one : values_[i]->users()) {
      auto *user = cast<Instruction>(one);
      bool isNear = isa<PHINode>(user) || !isBehindLoops(*user); // once is enough behind them
      if (isNear && !whole_.contains(user) && passesFactors(*user)) {
        values_.insert(user);
        joinProducts(*user);
      }
    }
  return all_of(values_, [&](const Instruction *value) {
    return products_.contains(value) || isBehindLoops(*value) ||
           none_of(value->users(), [&](const User *user) { return wantsFactor(user); });
  });
}

/// Each round finds users that must have the factor, until none is left.
bool ScaledSums::find() {
  while (collect()) {
    const auto *wrong = find_if(values_, [&](const Instruction *value) {
      return !products_.contains(value) && !canLack(*value);
    });
    if (wrong == values_.end())
      return true;
    whole_.insert(*wrong);
  }
  return false;
}

/// The value with its factor, for those who want it.
void ScaledSums::scale() {
  for (Instruction *value : values_) {
    if (products_.contains(value) ||
        none_of(value->users(), [&](const User *user) { return wantsFactor(user); }))
      continue;
    IRBuilder<> builder(value->getParent(), *value->getInsertionPointAfterDef());
    builder.SetCurrentDebugLocation(value->getDebugLoc());
    builder.setFastMathFlags(product_.getFastMathFlags());
    Value *whole = builder.CreateFMul(value, factor_);
    value->replaceUsesWithIf(whole, [&](const Use &use) {
      return use.getUser() != whole && wantsFactor(use.getUser());
    });
  }
  for (Instruction *product : products_)
    product->replaceUsesWithIf(otherFactor(*product, factor_),
                               [&](const Use &use) { return !wantsFactor(use.getUser()); });
}

} // namespace

void factorReductions(Function &thread) {
  LoopFacts facts(thread);
  SmallVector<WeakTrackingVH> products;
  for (Instruction &instruction : instructions(thread))
    if (factorOf(instruction) && facts.loops.getLoopFor(instruction.getParent()))
      products.emplace_back(&instruction);
  for (Value *one : products) {
    auto &product = *cast<Instruction>(one);
    ScaledSums sums(facts.loops, product, factorOf(product));
    if (sums.find())
      sums.scale();
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(products);
}

} // namespace heddle::simt
