// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault of LLVM 22's back end for x86. With AVX512DQ a minimum of two scalars of which one is known
// to be a number is `vfpclass` and `vmin`: a quiet NaN becomes the second operand, which vmin gives.
// That is right for llvm.minimum, but llvm.minimumnum takes the same way and has to give the number.
// So NaNs are taken out before:
//
//     minimumnum(%x, %y)   ->   minimum(select (%x is NaN) %y, %x,  select (%y is NaN) %x, %y)
#include "jit/vector/order_numbers.h"

#include "simt/analysis/launch_facts.h"

#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace heddle::jit {

static void orderNumbers(IntrinsicInst &call) {
  IRBuilder<> builder(&call);
  Value *a = call.getArgOperand(0), *b = call.getArgOperand(1);
  auto numberOf = [&](Value *value, Value *other) {
    return builder.CreateSelect(builder.CreateFCmpUNO(value, value), other, value);
  };
  const bool isMinimum = call.getIntrinsicID() == Intrinsic::minimumnum;
  Value *result = builder.CreateBinaryIntrinsic(isMinimum ? Intrinsic::minimum : Intrinsic::maximum,
                                                numberOf(a, b), numberOf(b, a));
  call.replaceAllUsesWith(result);
  call.eraseFromParent();
}

PreservedAnalyses OrderNumbers::run(Function &function, FunctionAnalysisManager &analyses) {
  TargetMachine &machine = analyses.getResult<simt::LaunchFactsAnalysis>(function).machine;
  if (!machine.getTargetTriple().isX86() ||
      !machine.getSubtargetImpl(function)->checkFeatures("+avx512dq"))
    return PreservedAnalyses::all();
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || call->getType()->isVectorTy() ||
        !is_contained({Intrinsic::minimumnum, Intrinsic::maximumnum}, call->getIntrinsicID()))
      continue;
    orderNumbers(*call);
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
