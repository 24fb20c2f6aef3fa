// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptxas makes a branch of a rounded division or root, for the operands that its short sequence does not
// do, and moves no load over it. So a load that the program has behind one waits until that is done, and
// what is computed early is kept in registers:
//
//   %root = sqrt(load t)          %1 = load t, %2 = load s, %3 = load x
//   %q = fdiv load s, load x  ->  %q = fdiv %2, %3
//   ... log(%q) ... * %root       %root = sqrt(%1), in front of its use
//
// Of two branches, one by an unsigned and one by a signed comparison of the same numbers, it takes the
// second for decided where the first is. The second compares other numbers:
//
//   icmp sle %a, %b  ->  icmp ule (asm "xor.b32 $0, $1, 0x80000000;" %a), (the same of %b)
#include "jit/load/gpu_order.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace heddle::jit {

using namespace llvm;

namespace {

/// More are kept in registers than a division takes.
constexpr unsigned MostLoads = 8;

bool isSlow(const Instruction &one) {
  if (one.getType()->isVectorTy() || !one.getType()->isFloatingPointTy())
    return false;
  if (one.getOpcode() == Instruction::FDiv)
    return !one.hasApproxFunc();
  const auto *call = dyn_cast<IntrinsicInst>(&one);
  return call && call->getIntrinsicID() == Intrinsic::sqrt && !call->hasApproxFunc();
}

bool isCheap(const Instruction &one) {
  return isa<GetElementPtrInst, CastInst>(one) ||
         (isa<BinaryOperator>(one) && one.getType()->isIntegerTy() && !one.isIntDivRem());
}

/// What `one` needs of its block from `first` on, in order; false if that is more than addresses.
bool collect(Instruction &one, const Instruction &first, SmallVectorImpl<Instruction *> &needed,
             unsigned depth = 0) {
  constexpr unsigned Deepest = 6;
  if (is_contained(needed, &one))
    return true;
  for (Value *operand : one.operands()) {
    auto *source = dyn_cast<Instruction>(operand);
    if (!source || source->getParent() != first.getParent() || source->comesBefore(&first))
      continue;
    if (depth == Deepest || !isCheap(*source) || !collect(*source, first, needed, depth + 1))
      return false;
  }
  needed.push_back(&one);
  return true;
}

bool hoistLoads(BasicBlock &block) {
  Instruction *first = nullptr;
  unsigned loads = 0;
  bool changed = false;
  for (Instruction &one : make_early_inc_range(block)) {
    if (one.mayHaveSideEffects()) {
      first = nullptr;
      loads = 0;
    } else if (!first && isSlow(one)) {
      first = &one;
    }
    auto *load = dyn_cast<LoadInst>(&one);
    SmallVector<Instruction *, 8> needed;
    if (!first || !load || !load->isSimple() || loads == MostLoads ||
        !collect(*load, *first, needed))
      continue;
    ++loads;
    for (Instruction *each : needed)
      each->moveBefore(first->getIterator());
    changed = true;
  }
  return changed;
}

/// Behind what does not need it.
bool sink(Instruction &slow) {
  Instruction *user = nullptr;
  for (User *each : slow.users()) {
    auto *one = cast<Instruction>(each);
    if (one->getParent() != slow.getParent() || isa<PHINode>(one))
      return false;
    if (!user || one->comesBefore(user))
      user = one;
  }
  if (!user || slow.getNextNode() == user)
    return false;
  slow.moveBefore(user->getIterator());
  return true;
}

using Pair = std::pair<Value *, Value *>;

Pair comparedBy(const ICmpInst &compare) {
  return std::minmax(compare.getOperand(0), compare.getOperand(1));
}

bool decides(const ICmpInst &compare) {
  return compare.isRelational() &&
         any_of(compare.users(), [](const User *user) { return isa<BranchInst>(user); });
}

/// The number with its sign's bit changed, of which LLVM and ptxas know nothing else.
Value *withOtherSign(IRBuilder<> &builder, Value *number) {
  Type *type = number->getType();
  const bool isLong = type->isIntegerTy(64);
  return builder.CreateCall(
      InlineAsm::get(FunctionType::get(type, {type}, false),
                     isLong ? "xor.b64 $0, $1, 0x8000000000000000;" : "xor.b32 $0, $1, 0x80000000;",
                     isLong ? "=l,l" : "=r,r", /*hasSideEffects=*/false),
      {number});
}

} // namespace

PreservedAnalyses ApartComparisons::run(Function &function, FunctionAnalysisManager &) {
  SmallVector<ICmpInst *> signedOnes;
  SmallSetVector<Pair, 8> unsignedPairs;
  for (Instruction &one : instructions(function)) {
    auto *compare = dyn_cast<ICmpInst>(&one);
    if (!compare || !decides(*compare))
      continue;
    Type *type = compare->getOperand(0)->getType();
    if (compare->isUnsigned())
      unsignedPairs.insert(comparedBy(*compare));
    else if (type->isIntegerTy(32) || type->isIntegerTy(64))
      signedOnes.push_back(compare);
  }
  bool changed = false;
  for (ICmpInst *compare : signedOnes) {
    if (!unsignedPairs.contains(comparedBy(*compare)))
      continue;
    IRBuilder<> builder(compare);
    for (Use &number : compare->operands())
      number.set(withOtherSign(builder, number));
    compare->setPredicate(compare->getUnsignedPredicate());
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

PreservedAnalyses LoadsFirst::run(Function &function, FunctionAnalysisManager &) {
  bool changed = false;
  for (BasicBlock &block : function) {
    changed |= hoistLoads(block);
    SmallVector<Instruction *, 8> slow;
    for (Instruction &one : block)
      if (isSlow(one))
        slow.push_back(&one);
    for (Instruction *one : reverse(slow))
      changed |= sink(*one);
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::jit
