// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/fast_functions.h"

#include "jit/load/library.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr const char *Divide = "__nv_fast_divide", *Sqrt = "__nv_sqrtf", *Rsqrt = "__nv_rsqrtf";
constexpr std::pair<const char *, const char *> FastForms[] = {{"__nv_expf", "__nv_fast_expf"},
                                                               {"__nv_exp10f", "__nv_fast_exp10f"},
                                                               {"__nv_tanhf", "__nv_fast_tanhf"},
                                                               {"__nv_fast_fdividef", Divide}};

Function *declare(Module &module, const char *name, unsigned arity) {
  return declarePure(module, name, Type::getFloatTy(module.getContext()), arity);
}

/// Not of divisions that LLVM may approximate (-ffast-math): it does.
bool isExact(const Instruction &instruction) {
  return instruction.getOpcode() == Instruction::FDiv && instruction.getType()->isFloatTy() &&
         !instruction.hasAllowReciprocal();
}

/// 1 / divisor, if that is a number that the machine takes as such.
Constant *reciprocalOf(const Value *divisor) {
  const auto *constant = dyn_cast<ConstantFP>(divisor);
  if (!constant)
    return nullptr;
  APFloat one(1.0f);
  one.divide(constant->getValueAPF(), APFloat::rmNearestTiesToEven);
  return one.isNormal() ? ConstantFP::get(divisor->getType(), one) : nullptr;
}

Value *approximate(BinaryOperator &division) {
  Module &module = *division.getModule();
  IRBuilder<> builder(&division);
  builder.setFastMathFlags(division.getFastMathFlags());
  Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
  if (Constant *reciprocal = reciprocalOf(divisor))
    return builder.CreateFMul(dividend, reciprocal);
  auto *root = dyn_cast<CallInst>(divisor);
  if (!root || !root->getCalledFunction() || root->getCalledFunction()->getName() != Sqrt)
    return builder.CreateCall(declare(module, Divide, 2), {dividend, divisor});
  return builder.CreateFMul(builder.CreateCall(declare(module, Rsqrt, 1), root->getArgOperand(0)),
                            dividend);
}

} // namespace

void chooseFastFunctions(Module &module) {
  for (Function &function : make_early_inc_range(module))
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (isExact(instruction)) {
        instruction.replaceAllUsesWith(approximate(cast<BinaryOperator>(instruction)));
        RecursivelyDeleteTriviallyDeadInstructions(&instruction);
      }
  for (auto [name, fast] : FastForms)
    if (Function *function = module.getFunction(name); function && function->isDeclaration()) {
      function->replaceAllUsesWith(declare(module, fast, function->arg_size()));
      function->eraseFromParent();
    }
}

} // namespace heddle::jit
