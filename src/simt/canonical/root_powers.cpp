// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With y near 1 / sqrt(x) and e = 1 - x y^2,
//
//     x^(-k/2) = y^k (1 - e)^(-k/2) = y^k (1 + k/2 e + k(k+2)/8 e^2 + ...)
//
// Up to the linear term that is k/2 * y^k * (1 + 2/k - x y^2).
//
// AVX2 has an estimate of 12 bits, which the library does not use by itself, for a step from it
// must look after zeros, infinities and denormals. Where the program allows it (-ffast-math) roots
// and their powers are made from it, with the quadratic term.
//
// Legality (root-powers):
//  1. The root is used in one product only, as often as its power says. [product only]
//  2. The products allow other orders (reassoc), and no NaN or infinity comes of them. [any order]
//  3. The machine has an estimate of known precision. [estimate]
#include "simt/canonical/root_powers.h"

#include "simt/lower/native.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned HighestPower = 4;

bool isFreeProduct(const Value *value) {
  const auto *product = dyn_cast<BinaryOperator>(value);
  return product && product->getOpcode() == Instruction::FMul && product->hasAllowReassoc() &&
         product->hasNoNaNs() && product->hasNoInfs();
}

/// The whole product that a value is a factor of.
Instruction *productOf(Instruction &factor) {
  Instruction *product = &factor;
  while (product->hasOneUse() && isFreeProduct(product->user_back()))
    product = product->user_back();
  return product;
}

/// Takes a product apart, as far as nothing else uses its parts.
SmallVector<Value *> factorsOf(Instruction &product) {
  SmallVector<Value *> factors, parts = {&product};
  while (!parts.empty()) {
    Value *part = parts.pop_back_val();
    if (part == &product || (isFreeProduct(part) && part->hasOneUse()))
      append_range(parts, cast<Instruction>(part)->operands());
    else
      factors.push_back(part);
  }
  return factors;
}

/// The product that all of a root's uses are in, which runs when the root does; or null.
Instruction *onlyProductOf(CallInst &root) {
  SmallSetVector<Instruction *, 2> products;
  for (User *user : root.users()) {
    if (!isFreeProduct(user))
      return nullptr;
    products.insert(productOf(*cast<Instruction>(user)));
  }
  bool isOne = products.size() == 1 && products.front()->getParent() == root.getParent();
  return isOne ? products.front() : nullptr;
}

class Roots {
public:
  Roots(Module &module, const TargetMachine &machine) : estimate_(coarseRoot(module, machine)) {
    isCoarse_ = estimate_;
    Function *fine = module.getFunction("__heddle_rsqrt_estimate");
    if (!isCoarse_ && fine && fine->isDeclaration()) // the machine has it
      estimate_ = fine;
  }

  bool exist() const { return estimate_; }

  void lower(CallInst &root) {
    if (Instruction *product = onlyProductOf(root)) {
      SmallVector<Value *> factors = factorsOf(*product);
      auto power = unsigned(count(factors, &root));
      if (power >= 2 && power <= HighestPower && root.hasNUses(power)) {
        erase(factors, &root);
        replace(*product, factors, root.getArgOperand(0), power);
        return;
      }
    }
    if (isCoarse_ && root.hasNoNaNs() && root.hasNoInfs() && root.hasApproxFunc())
      replace(root, {}, root.getArgOperand(0), 1);
  }

private:
  /// By the product of `others` and x^(-power / 2).
  void replace(Instruction &product, ArrayRef<Value *> others, Value *x, unsigned power) {
    IRBuilder<> builder(&product);
    FastMathFlags flags = product.getFastMathFlags();
    flags.setAllowReassoc(false); // the order is right
    builder.setFastMathFlags(flags);
    auto constant = [&](double value) { return ConstantFP::get(x->getType(), value); };
    auto fma = [&](Value *a, Value *b, Value *c) {
      return builder.CreateIntrinsic(Intrinsic::fma, x->getType(), {a, b, c});
    };
    Value *y = builder.CreateCall(estimate_, x), *square = builder.CreateFMul(y, y);
    Value *minus = builder.CreateFNeg(x), *step, *all = nullptr;
    if (isCoarse_) {
      Value *e = fma(minus, square, constant(1));
      step =
          fma(fma(e, constant(power * (power + 2) / 8.0), constant(power / 2.0)), e, constant(1));
    } else {
      step = fma(minus, square, constant(1 + 2.0 / power));
      all = constant(power / 2.0);
    }
    auto multiply = [&](Value *factor) { all = all ? builder.CreateFMul(all, factor) : factor; };
    for (Value *other : others)
      multiply(other);
    for (unsigned i = 0; i < power / 2; ++i)
      multiply(square);
    if (power % 2)
      multiply(y);
    multiply(step);
    product.replaceAllUsesWith(all);
    RecursivelyDeleteTriviallyDeadInstructions(&product);
  }

  Function *estimate_;
  bool isCoarse_;
};

} // namespace

void powersOfRoots(Module &module, const TargetMachine &machine) {
  Function *root = module.getFunction("__nv_rsqrtf");
  Roots roots(module, machine);
  if (!root || !roots.exist())
    return;
  for (User *user : make_early_inc_range(root->users()))
    if (auto *call = dyn_cast<CallInst>(user); call && call->getCalledOperand() == root)
      roots.lower(*call);
}

} // namespace heddle::simt
