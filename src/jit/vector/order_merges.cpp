// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault of LLVM 22's back end for x86. Bits of two vectors, chosen by a constant, are one
// `vpternlog` with the operands (constant, first, second), and a mask around it one with the mask:
//
//     %m = or (and %x, C), (and %y, ~C)        vpternlogq $imm, C{1to8}, %y, %x {%k1}
//     select %k, %m, %x
//
// The constant comes from memory, as the last operand, and what the mask leaves is the first, so
// operands change places and bits of the immediate with them. Where the first vector is the one
// that the mask leaves, LLVM permutes them in the wrong direction (VPTERNLOG231_imm8 and
// VPTERNLOG312_imm8 have each other's bodies; mended in the versions to come). Where it is the
// second one all is well, so the two parts are exchanged. Bit-fields in branches are such code.
#include "jit/vector/order_merges.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::jit {

/// `arm` is bits of `kept` and then bits of another vector.
static bool isWrongWay(Value *arm, Value *kept) {
  return match(arm, m_Or(m_And(m_Specific(kept), m_Constant()), m_And(m_Value(), m_Constant())));
}

PreservedAnalyses OrderMerges::run(Function &function, FunctionAnalysisManager &) {
  bool isChanged = false;
  for (Instruction &instruction : instructions(function)) {
    auto *select = dyn_cast<SelectInst>(&instruction);
    if (!select || !select->getCondition()->getType()->isVectorTy())
      continue;
    for (unsigned arm : {1u, 2u}) {
      if (!isWrongWay(select->getOperand(arm), select->getOperand(3 - arm)))
        continue;
      auto *merge = cast<BinaryOperator>(select->getOperand(arm));
      auto *other = cast<BinaryOperator>(merge->clone());
      other->swapOperands();
      other->insertAfter(merge->getIterator());
      select->setOperand(arm, other);
      if (merge->use_empty())
        merge->eraseFromParent();
      isChanged = true;
    }
  }
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
