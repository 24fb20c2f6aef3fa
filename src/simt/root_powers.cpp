// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With y near 1 / sqrt(x) and e = 1 - x y^2, x^(-k/2) = y^k (1 - e)^(-k/2) = y^k (1 + k/2 e + ...).
// Up to the linear term that is k/2 * y^k * (1 + 2/k - x y^2).
#include "simt/root_powers.h"

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

void replace(Instruction &product, ArrayRef<Value *> others, CallInst &root, unsigned power,
             Function &estimate) {
  IRBuilder<> builder(&product);
  FastMathFlags flags = product.getFastMathFlags();
  flags.setAllowReassoc(false); // the order is right
  builder.setFastMathFlags(flags);
  Value *x = root.getArgOperand(0), *y = builder.CreateCall(&estimate, x);
  Value *square = builder.CreateFMul(y, y);
  Value *step = builder.CreateIntrinsic(
      Intrinsic::fma, x->getType(),
      {builder.CreateFNeg(x), square, ConstantFP::get(x->getType(), 1 + 2.0 / power)});
  Value *all = ConstantFP::get(x->getType(), power / 2.0);
  for (Value *other : others)
    all = builder.CreateFMul(all, other);
  for (unsigned i = 0; i < power / 2; ++i)
    all = builder.CreateFMul(all, square);
  if (power % 2)
    all = builder.CreateFMul(all, y);
  product.replaceAllUsesWith(builder.CreateFMul(all, step));
}

} // namespace

void powersOfRoots(Module &module) {
  Function *root = module.getFunction("__nv_rsqrtf");
  Function *estimate = module.getFunction("__heddle_rsqrt_estimate");
  if (!root || !estimate || !estimate->isDeclaration()) // the machine has none
    return;
  for (User *user : make_early_inc_range(root->users())) {
    auto *call = dyn_cast<CallInst>(user);
    Instruction *product =
        call && call->getCalledOperand() == root ? onlyProductOf(*call) : nullptr;
    if (!product)
      continue;
    SmallVector<Value *> factors = factorsOf(*product);
    auto power = unsigned(count(factors, call));
    if (power < 2 || power > HighestPower || !call->hasNUses(power))
      continue;
    erase(factors, call);
    replace(*product, factors, *call, power, *estimate);
    RecursivelyDeleteTriviallyDeadInstructions(product);
  }
}

} // namespace heddle::simt
