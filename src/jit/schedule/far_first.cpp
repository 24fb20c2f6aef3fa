// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: far_first.h.
//
// Legality (far-first):
//  1. The operands may change sides. [commutes]
#include "jit/schedule/far_first.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr uint64_t Line = 64; ///< bytes

/// A load of whole lines that is only the operand of `user`, or null.
const LoadInst *loadFor(const Value *operand, const Instruction &user) {
  const auto *load = dyn_cast<LoadInst>(operand);
  bool isVector = load && load->getType()->isVectorTy() &&
                  load->getDataLayout().getTypeStoreSize(load->getType()) >= Line;
  return isVector && load->isSimple() && load->hasOneUse() && load->getParent() == user.getParent()
             ? load
             : nullptr;
}

std::pair<const Value *, APInt> placeOf(const LoadInst &load) {
  APInt offset(64, 0);
  const Value *base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      load.getDataLayout(), offset, /*AllowNonInbounds=*/true);
  return {base, offset};
}

} // namespace

void loadFarFirst(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *operation = dyn_cast<BinaryOperator>(&instruction);
      if (!operation || !operation->isCommutative())
        continue;
      const LoadInst *first = loadFor(operation->getOperand(0), instruction),
                     *second = loadFor(operation->getOperand(1), instruction);
      if (!first || !second)
        continue;
      auto [base, offset] = placeOf(*first);
      auto [otherBase, otherOffset] = placeOf(*second);
      if (base == otherBase && offset.slt(otherOffset))
        operation->swapOperands();
    }
}

} // namespace heddle::jit
