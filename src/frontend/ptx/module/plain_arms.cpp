// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A store behind a branch becomes one in each arm, which counts its address for itself. What arms
// count alike is counted in front of them:
//
//                                                   %o = shl (sext %i), 2
//     br %c, %some, %others                         br %c, %some, %others
//   some:                                         some:
//     %o = shl (sext %i), 2                   ->    %x = load float, ptr (gep %a, %o)
//     %x = load i32, ptr (gep %a, %o)               store float %x, ptr (gep %b, %o)
//     store i32 %x, ptr (gep %b, %o)                br %end
//     br %end                                     others:
//   others:                                         %y = fadd float ...
//     %y = fadd float ...                           store float %y, ptr (gep %b, %o)
//     %p = shl (sext %i), 2                         br %end
//     store float %y, ptr (gep %b, %p)
//     br %end
//
// Then the stores differ in their values only. PTX gives what is copied no type: it has that of other
// elements of its array.
#include "frontend/ptx/module/plain_arms.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

constexpr unsigned MostUsers = 64; ///< of a number, of which alike ones are looked for

/// What addresses are counted with, and can be counted anywhere.
bool isSum(const Instruction &instruction) {
  return isa<GetElementPtrInst, SExtInst, ZExtInst, TruncInst>(instruction) ||
         (isa<BinaryOperator>(instruction) && !instruction.isIntDivRem() &&
          instruction.getType()->isIntegerTy());
}

class Arms {
public:
  Arms(DominatorTree &dominators, LoopInfo &loops) : dominators_(dominators), loops_(loops) {}

  /// Operands come before what is counted of them, but round loops.
  void visit(Instruction &instruction) {
    if (!isSum(instruction))
      return;
    if (Instruction *before = alike(instruction)) {
      before->andIRFlags(&instruction);
      before->moveBefore(place(*before, instruction)->getTerminator()->getIterator());
      instruction.replaceAllUsesWith(before);
      instruction.eraseFromParent();
    } else {
      seen_.insert(&instruction);
    }
  }

private:
  /// One that counts the same in another arm.
  Instruction *alike(const Instruction &instruction) const {
    const Value *key = isa<Constant>(instruction.getOperand(0)) ? instruction.getOperand(1)
                                                                : instruction.getOperand(0);
    if (isa<Constant>(key) || key->hasNUsesOrMore(MostUsers))
      return nullptr;
    for (const User *user : key->users())
      if (const auto *other = dyn_cast<Instruction>(user);
          other && seen_.contains(other) && other->isIdenticalToWhenDefined(&instruction) &&
          place(*other, instruction))
        return const_cast<Instruction *>(other);
    return nullptr;
  }

  /// The block in front of two arms; null if there is none, or a loop would count there each time.
  BasicBlock *place(const Instruction &one, const Instruction &other) const {
    auto *first = const_cast<BasicBlock *>(one.getParent());
    auto *second = const_cast<BasicBlock *>(other.getParent());
    BasicBlock *common = dominators_.findNearestCommonDominator(first, second);
    return common && common != first && common != second && !isa<PHINode>(one) &&
                   loops_.getLoopDepth(common) <= loops_.getLoopDepth(first) &&
                   loops_.getLoopDepth(common) <= loops_.getLoopDepth(second)
               ? common
               : nullptr;
  }

  DominatorTree &dominators_;
  LoopInfo &loops_;
  SmallPtrSet<const Instruction *, 32> seen_;
};

/// The floats that arrays hold, by what they were passed as.
DenseMap<const Value *, Type *> floatArrays(Function &function) {
  DenseMap<const Value *, Type *> arrays;
  for (Instruction &instruction : instructions(function))
    if (const Value *pointer = getLoadStorePointerOperand(&instruction))
      if (Type *type = getLoadStoreType(&instruction); type->isFloatingPointTy())
        arrays.try_emplace(getUnderlyingObject(pointer), type);
  return arrays;
}

/// Something that is read only to be written elsewhere.
bool isCopied(const LoadInst &load) {
  return load.isSimple() && load.getType()->isIntegerTy() && !load.use_empty() &&
         all_of(load.users(), [&](const User *user) {
           auto *store = dyn_cast<StoreInst>(user);
           return store && store->isSimple() && store->getValueOperand() == &load;
         });
}

void typeCopies(Function &function) {
  const DenseMap<const Value *, Type *> arrays = floatArrays(function);
  if (arrays.empty())
    return;
  for (Instruction &instruction : instructions(function)) {
    auto *load = dyn_cast<LoadInst>(&instruction);
    if (!load || !isCopied(*load))
      continue;
    Type *type = arrays.lookup(getUnderlyingObject(load->getPointerOperand()));
    for (const User *user : load->users())
      if (!type)
        type = arrays.lookup(getUnderlyingObject(cast<StoreInst>(user)->getPointerOperand()));
    if (type && type->getPrimitiveSizeInBits() == load->getType()->getPrimitiveSizeInBits())
      load->mutateType(type);
  }
}

} // namespace

void makeArmsPlain(Function &function, DominatorTree &dominators, LoopInfo &loops) {
  typeCopies(function);
  Arms arms(dominators, loops);
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : make_early_inc_range(*block))
      arms.visit(instruction);
}

} // namespace heddle::frontend::ptx
