// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ says of each element of an array that it lies in the array; PTX only counts addresses. Where
// an address lies is known again where it is accessed:
//
//     %p = getelementptr i8, ptr %a, i64 %i         %p = getelementptr inbounds i8, ptr %a, i64 %i
//     %x = load float, ptr %p                  ->   %x = load float, ptr %p
//     %q = getelementptr i8, ptr %p, i64 %n         %q = getelementptr inbounds i8, ptr %p, i64 %n
//     %y = load float, ptr %q                       %y = load float, ptr %q
//
// %a was passed to the kernel, so it counts as an address of the object, as in C++. An address
// outside becomes poison, so nobody may see it but accesses, which would fault there.
// What is counted on from lies in the object if it is accessed itself whenever the other one is:
// before it, or behind it in the same block. Where it is the same for all threads, as a plane that a
// loop goes on to is, all that they access from there lies in one object, too:
//
//     %p = getelementptr inbounds i8, ptr %a, i64 (mul %bytes, %iteration)
//     %q = getelementptr inbounds i32, ptr %p, i64 (sext %thread)
//
// A multiple of an element's size becomes the element's index:
//
//     getelementptr i8, ptr %a, i64 (shl nsw %i, 2)  ->  getelementptr i32, ptr %a, i64 %i
#include "frontend/ptx/module/plain_addresses.h"

#include "frontend/layout.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::frontend::ptx {

namespace {

constexpr unsigned Deepest = 8, MostAccesses = 64;

class Marking {
public:
  explicit Marking(Function &function) : dominators_(function) {}

  /// Bases come before what counts from them, but round loops.
  void visit(GetElementPtrInst &address) {
    SmallVector<Instruction *, 8> accesses;
    if (!address.isInBounds() && collect(address, accesses, Deepest) &&
        isInObject(address, accesses))
      address.setIsInBounds();
  }

private:
  static bool isAccess(const Instruction &user, const Value &address) {
    return getLoadStorePointerOperand(&user) == &address ||
           (isa<AtomicRMWInst, AtomicCmpXchgInst>(user) && user.getOperand(0) == &address &&
            count(user.operands(), &address) == 1);
  }

  /// All accesses to the address and to what counts from it; false: there are other uses.
  static bool collect(Instruction &address, SmallVectorImpl<Instruction *> &accesses,
                      unsigned depth) {
    return depth > 0 && all_of(address.users(), [&](User *user) {
             auto &instruction = *cast<Instruction>(user);
             if (isAccess(instruction, address)) {
               accesses.push_back(&instruction);
               auto *store = dyn_cast<StoreInst>(&instruction);
               return accesses.size() <= MostAccesses &&
                      !(store && store->getValueOperand() == &address);
             }
             auto *element = dyn_cast<GetElementPtrInst>(&instruction);
             return element && element->getPointerOperand() == &address &&
                    collect(*element, accesses, depth - 1);
           });
  }

  /// What the address counts from lies in the object, where one of the accesses is executed.
  bool isInObject(GetElementPtrInst &address, ArrayRef<Instruction *> accesses) const {
    Value *base = address.getPointerOperand();
    if (isa<Argument, AllocaInst, GlobalValue>(base->stripPointerCasts()))
      return true;
    auto *before = dyn_cast<GetElementPtrInst>(base);
    if (!before || !before->isInBounds())
      return false;
    SmallPtrSet<const Value *, 16> seen;
    return isSameForAll(before, seen) || all_of(accesses, [&](Instruction *access) {
             return any_of(before->users(), [&](User *user) {
               auto &other = *cast<Instruction>(user);
               return isAccess(other, *before) && comesWith(other, *access);
             });
           });
  }

  /// What all threads compute alike of parameters, the block and iterations.
  bool isSameForAll(const Value *value, SmallPtrSetImpl<const Value *> &seen) const {
    constexpr size_t Most = 64;
    if (const auto *argument = dyn_cast<Argument>(value))
      return argument->getParent()->getCallingConv() == CallingConv::PTX_Kernel;
    if (isa<Constant>(value) || !seen.insert(value).second)
      return true;
    const auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || seen.size() > Most)
      return false;
    if (const auto *intrinsic = dyn_cast<IntrinsicInst>(instruction))
      return intrinsic->getCalledFunction()->getName().starts_with(
                 "llvm.nvvm.read.ptx.sreg.ctaid.") ||
             intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm.read.ptx.sreg.ntid.");
    if (const auto *phi = dyn_cast<PHINode>(instruction); phi && !isOfLoop(*phi))
      return false;
    return (isa<PHINode, BinaryOperator, CastInst, GetElementPtrInst>(instruction)) &&
           all_of(instruction->operands(),
                  [&](const Use &use) { return isSameForAll(use.get(), seen); });
  }

  /// Of what a loop counts.
  bool isOfLoop(const PHINode &phi) const {
    return any_of(phi.blocks(), [&](const BasicBlock *from) {
      return dominators_.dominates(phi.getParent(), from);
    });
  }

  /// One is executed whenever the other is.
  bool comesWith(Instruction &one, Instruction &other) const {
    if (dominators_.dominates(&one, &other))
      return true;
    return one.getParent() == other.getParent() &&
           isGuaranteedToTransferExecutionToSuccessor(other.getIterator(), one.getIterator(), 100);
  }

  DominatorTree dominators_;
};

} // namespace

/// An index of bytes that is a multiple of 2, 4 or 8 becomes one of integers of that size.
static void countElements(GetElementPtrInst &address) {
  Value *index = nullptr;
  uint64_t places = 0;
  if (!address.getSourceElementType()->isIntegerTy(8) || address.getNumIndices() != 1 ||
      !match(address.getOperand(1), m_Shl(m_Value(index), m_ConstantInt(places))) || places > 3)
    return;
  if (address.isInBounds() && !cast<BinaryOperator>(address.getOperand(1))->hasNoSignedWrap())
    return;
  address.setSourceElementType(Type::getIntNTy(address.getContext(), 8u << places));
  address.setResultElementType(address.getSourceElementType());
  address.setOperand(1, index);
}

/// 32 bits that an index extends; null: it does not.
static Value *narrowIndex(Value *index) {
  Value *narrow = nullptr;
  return match(index, m_CombineOr(m_SExt(m_Value(narrow)), m_ZExt(m_Value(narrow)))) &&
                 narrow->getType()->isIntegerTy(32)
             ? narrow
             : nullptr;
}

/// Elements of shared arrays are counted from the array: its bytes are less than 2^31.
///
///     %p = getelementptr inbounds i32, ptr @s, i64 (sext %i)
///     %q = getelementptr inbounds i32, ptr %p, i64 (zext %n)   ->   ..., ptr @s, i64 (sext (add nsw %i, %n))
static void joinIndices(GetElementPtrInst &address) {
  auto *before = dyn_cast<GetElementPtrInst>(address.getPointerOperand());
  if (!before || !address.isInBounds() || !before->isInBounds() || address.getNumIndices() != 1 ||
      before->getNumIndices() != 1 ||
      address.getSourceElementType() != before->getSourceElementType())
    return;
  auto *array = dyn_cast<GlobalVariable>(before->getPointerOperand()->stripPointerCasts());
  Value *first = narrowIndex(before->getOperand(1)), *second = narrowIndex(address.getOperand(1));
  if (!array || array->getAddressSpace() != SharedSpace || !first || !second)
    return;
  IRBuilder<> builder(&address);
  Value *sum = builder.CreateNSWAdd(first, second);
  address.setOperand(1, builder.CreateSExt(sum, builder.getInt64Ty()));
  address.setOperand(0, before->getPointerOperand());
  address.setNoWrapFlags(GEPNoWrapFlags::inBounds());
}

void makeAddressesPlain(Function &function) {
  Marking marking(function);
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for (Instruction &instruction : *block)
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction)) {
        marking.visit(*address);
        countElements(*address);
        joinIndices(*address);
      }
}

} // namespace heddle::frontend::ptx
