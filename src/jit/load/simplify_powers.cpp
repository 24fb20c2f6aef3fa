// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: simplify_powers.h.
//
// Legality (simplify-powers):
//  1. The exponent is one of those for which the product, the root or the quotient is within CUDA's
//     bounds for all numbers, zeros and infinities. [exponent]
//  2. Or the base is 2 or 10, for which the library has a function. [base]
//  3. It is a call of the library's function, whose address others may keep. [call]
#include "jit/load/simplify_powers.h"

#include "jit/load/library.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::jit {

namespace {

struct PowerFunction {
  const char *name, *exp2, *exp10; ///< in the device library
};
constexpr PowerFunction Functions[] = {
    {"__nv_powf", "__nv_exp2f", "__nv_exp10f"},
    {"__nv_fast_powf", "__nv_exp2f", "__nv_fast_exp10f"},
    {"__nv_pow", "__nv_exp2", "__nv_exp10"},
};

/// x^exponent, or null.
Value *powerOf(IRBuilder<> &builder, Value *x, double exponent) {
  auto constant = [&](double value) { return ConstantFP::get(x->getType(), value); };
  if (exponent == 1)
    return x;
  if (exponent == -1)
    return builder.CreateFDiv(constant(1), x);
  if (exponent == 0.5) { // of -0 and -infinity, too, without a sign
    Value *root = builder.CreateUnaryIntrinsic(Intrinsic::sqrt, x);
    Value *isLowest = builder.CreateFCmpOEQ(x, ConstantFP::getInfinity(x->getType(), true));
    return builder.CreateSelect(isLowest, ConstantFP::getInfinity(x->getType()),
                                builder.CreateFAdd(root, constant(0)));
  }
  if (exponent != 2 && exponent != 3 && exponent != 4)
    return nullptr;
  Value *square = builder.CreateFMul(x, x);
  return exponent == 2   ? square
         : exponent == 3 ? builder.CreateFMul(square, x)
                         : builder.CreateFMul(square, square);
}

/// exp2 or exp10 for a power of two or ten, or null.
Value *exponentialOf(IRBuilder<> &builder, const PowerFunction &function, const CallInst &call) {
  const char *name = match(call.getArgOperand(0), m_SpecificFP(2))    ? function.exp2
                     : match(call.getArgOperand(0), m_SpecificFP(10)) ? function.exp10
                                                                      : nullptr;
  if (!name)
    return nullptr;
  Function *exponential =
      declarePure(*call.getCalledFunction()->getParent(), name, call.getType(), 1);
  return builder.CreateCall(exponential, call.getArgOperand(1));
}

} // namespace

void simplifyPowers(Module &module) {
  for (const PowerFunction &function : Functions) {
    Function *power = module.getFunction(function.name);
    if (!power)
      continue;
    for (User *user : make_early_inc_range(power->users())) {
      auto *call = dyn_cast<CallInst>(user);
      if (!call || call->getCalledOperand() != power)
        continue;
      IRBuilder<> builder(call);
      builder.setFastMathFlags(call->getFastMathFlags());
      const APFloat *exponent;
      Value *value = match(call->getArgOperand(1), m_APFloat(exponent))
                         ? powerOf(builder, call->getArgOperand(0), exponent->convertToDouble())
                         : exponentialOf(builder, function, *call);
      if (!value)
        continue;
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }
}

} // namespace heddle::jit
