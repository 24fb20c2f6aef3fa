// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. LLVM's scalar evolution writes a sum as the list of all its terms, through any number of
// additions, and loop strength reduction tries each choice of terms to compute ahead of a loop: with
// the cube of their number. The words of a hash that are the same in all lanes are sums of hundreds
// of terms, and vectors begin with them: nine tenths of the time of a compilation.
//
// Method. A sum of more than `Most` different terms is frozen, which scalar evolution takes for a
// term. Addresses have fewer: the passes before have put equal ones together.
//
//     %s = add i32 %r, %x   ; of 17 terms   ->   %t = add i32 %r, %x;  %s = freeze i32 %t
//
// Legality (bound-sums): none: a frozen value is one that the sum may have.
#include "jit/emit/bound_sums.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned Most = 16;

using Terms = SmallPtrSet<const Value *, 4>;

/// What scalar evolution looks through, and leaves the terms of.
bool isSum(const Instruction &instruction) {
  if (!instruction.getType()->isIntegerTy())
    return false;
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
    return true;
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<Constant>(instruction.getOperand(1));
  default:
    return false;
  }
}

/// Of sums in the order in which they are computed.
class SumTerms {
public:
  /// How many different terms the sum has.
  size_t add(const Instruction &sum) {
    Terms terms;
    for (const Value *operand : sum.operands())
      if (auto found = terms_.find(operand); found != terms_.end())
        terms.insert_range(found->second);
      else if (!isa<Constant>(operand))
        terms.insert(operand);
    size_t count = terms.size();
    if (count <= Most)
      terms_[&sum] = std::move(terms);
    return count;
  }

private:
  DenseMap<const Value *, Terms> terms_;
};

void freeze(Instruction &sum) {
  IRBuilder<> builder(sum.getNextNode());
  auto *frozen = cast<Instruction>(builder.CreateFreeze(&sum));
  sum.replaceUsesWithIf(frozen, [&](Use &use) { return use.getUser() != frozen; });
}

} // namespace

PreservedAnalyses BoundSums::run(Function &function, FunctionAnalysisManager &) {
  SumTerms terms;
  SmallVector<Instruction *> longSums;
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : *block)
      if (isSum(instruction) && terms.add(instruction) > Most)
        longSums.push_back(&instruction);
  for (Instruction *sum : longSums)
    freeze(*sum);
  return simt::changedInBlocks(!longSums.empty());
}

} // namespace heddle::jit
