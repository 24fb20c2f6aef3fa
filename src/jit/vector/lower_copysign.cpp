// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     copysign(%a, %b)   ->   (%a & 0x7fffffff) | (%b & 0x80000000)
//
// LLVM 22 makes vpternlogd of both. Where the result is chosen by a mask, it changes operands of that
// which it made of llvm.copysign, but not its table: it then takes bits of the mask for the sign's.
#include "jit/vector/lower_copysign.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::jit {

PreservedAnalyses LowerCopysign::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *size, *sign;
    Type *type = instruction.getType();
    if (!type->isVectorTy() || !match(&instruction, m_CopySign(m_Value(size), m_Value(sign))))
      continue;
    IRBuilder<> builder(&instruction);
    Type *bits = type->getWithNewType(builder.getIntNTy(type->getScalarSizeInBits()));
    Constant *mask = ConstantInt::get(bits, APInt::getSignMask(type->getScalarSizeInBits()));
    Value *ofSize = builder.CreateAnd(builder.CreateBitCast(size, bits), builder.CreateNot(mask));
    Value *ofSign = builder.CreateAnd(builder.CreateBitCast(sign, bits), mask);
    Value *both = builder.CreateOr(ofSize, ofSign, "", /*IsDisjoint=*/true);
    instruction.replaceAllUsesWith(builder.CreateBitCast(both, type));
    instruction.eraseFromParent();
    isChanged = true;
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
