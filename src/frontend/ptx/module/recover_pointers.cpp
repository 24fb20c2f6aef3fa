// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX counts with addresses as numbers. What a number points into is known where it is counted from
// one pointer, also round a loop:
//
//     %n = ptrtoint ptr %a to i64                       %p = phi ptr [ %a, %entry ], [ %q, %loop ]
//     %i = phi i64 [ %n, %entry ], [ %j, %loop ]   ->   %x = load float, ptr %p
//     %x = load float, ptr (inttoptr %i)                %q = getelementptr i8, ptr %p, i64 4
//     %j = add i64 %i, 4
//
// In shared memory the numbers are offsets, mostly of 32 bits, from __heddle_shared_memory():
//
//     %o = trunc (sub (ptrtoint @s), %base)             %p = getelementptr i8, ptr @s, i64 (sext %k)
//     %x = load float, ptr (gep %base, zext (add %o, %k))  -> %x = load float, ptr %p
//
// An offset is less than 2^31, so in a sum of one and a number of 32 bits that number is signed.
#include "frontend/ptx/module/recover_pointers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// What a number is.
enum class Kind { Unknown, Generic, Shared, Other };

bool isAddress(Kind kind) { return kind == Kind::Generic || kind == Kind::Shared; }

/// A call of __heddle_shared_memory().
bool isSharedBase(const Value *pointer) {
  auto *call = dyn_cast<CallInst>(pointer);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "__heddle_shared_memory";
}
bool isSharedBaseNumber(const Value *number) {
  auto *cast = dyn_cast<PtrToIntOperator>(number);
  return cast && isSharedBase(cast->getPointerOperand());
}

class Recovery {
public:
  explicit Recovery(Function &function) : function_(function) {}

  void run() {
    collect();
    if (accesses_.empty() || !classify())
      return;
    for (Instruction *access : accesses_)
      replace(*access);
    for (size_t i = 0; i < phis_.size(); ++i) // filling one may make others
      fill(*phis_[i].first, *phis_[i].second);
  }

private:
  /// The number behind an address that is used: of `inttoptr n` and `gep i8, <shared>, n`.
  static Value *numberOf(Instruction &access) {
    if (auto *cast = dyn_cast<IntToPtrInst>(&access))
      return cast->getOperand(0);
    auto *gep = dyn_cast<GetElementPtrInst>(&access);
    return gep && isSharedBase(gep->getPointerOperand()) && gep->getNumIndices() == 1 &&
                   gep->getSourceElementType()->isIntegerTy(8)
               ? gep->getOperand(1)
               : nullptr;
  }

  /// The operands that decide what a number is.
  static SmallVector<Value *, 4> parts(Value *number) {
    auto *instruction = dyn_cast<Instruction>(number);
    if (!instruction)
      return {};
    switch (instruction->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      return {instruction->getOperand(0), instruction->getOperand(1)};
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
      return {instruction->getOperand(0)};
    case Instruction::Select:
      return {instruction->getOperand(1), instruction->getOperand(2)};
    case Instruction::PHI:
      return SmallVector<Value *, 4>(cast<PHINode>(instruction)->incoming_values());
    default:
      return {};
    }
  }

  void collect() {
    for (Instruction &instruction : instructions(function_))
      if (Value *number = numberOf(instruction); number && number->getType()->isIntegerTy()) {
        accesses_.push_back(&instruction);
        numbers_.insert(number);
      }
    for (size_t i = 0; i < numbers_.size(); ++i)
      for (Value *part : parts(numbers_[i]))
        numbers_.insert(part);
  }

  Kind kindOf(Value *value) const { return kinds_.lookup(value); }

  /// False: it goes on for too long. A number that only comes from itself and from zeros, as a
  /// counter does, is no address, after which more is known of others.
  bool classify() {
    do {
      if (!settle())
        return false;
    } while (closeCounters());
    return true;
  }

  /// Until nothing changes.
  bool settle() {
    for (unsigned round = 0; round < 20; ++round) {
      bool changes = false;
      for (Value *number : numbers_) {
        Kind kind = evaluate(number);
        if (kind == Kind::Unknown) // a number that was found to be none stays none
          continue;
        changes |= kind != kindOf(number);
        kinds_[number] = kind;
      }
      if (!changes)
        return true;
    }
    return false;
  }

  /// Of what is not known yet, what cannot become an address is none.
  bool closeCounters() {
    SmallPtrSet<Value *, 16> open; // may become one, for a part is or may
    auto isOpen = [&](Value *part) { return isAddress(kindOf(part)) || open.contains(part); };
    for (bool grows = true; grows;) {
      grows = false;
      for (Value *number : numbers_)
        if (kindOf(number) == Kind::Unknown && any_of(parts(number), isOpen))
          grows |= open.insert(number).second;
    }
    bool changes = false;
    for (Value *number : numbers_)
      if (kindOf(number) == Kind::Unknown && !open.contains(number)) {
        kinds_[number] = Kind::Other;
        changes = true;
      }
    return changes;
  }

  Kind evaluate(Value *number) const {
    if (auto *cast = dyn_cast<PtrToIntOperator>(number))
      return number->getType()->isIntegerTy(64) && !isSharedBase(cast->getPointerOperand())
                 ? Kind::Generic
                 : Kind::Other;
    auto *instruction = dyn_cast<Instruction>(number);
    if (!instruction)
      return Kind::Other;
    switch (instruction->getOpcode()) {
    case Instruction::Add:
      return ofSum(instruction->getOperand(0), instruction->getOperand(1));
    case Instruction::Sub:
      return ofDifference(instruction->getOperand(0), instruction->getOperand(1));
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt: {
      Kind kind = kindOf(instruction->getOperand(0));
      return kind == Kind::Generic ? Kind::Other : kind;
    }
    case Instruction::Select:
    case Instruction::PHI:
      return ofChoice(*instruction);
    default:
      return Kind::Other;
    }
  }

  Kind ofSum(Value *a, Value *b) const {
    Kind first = kindOf(a), second = kindOf(b);
    if (isSharedBaseNumber(a) || isSharedBaseNumber(b)) {
      Kind offset = isSharedBaseNumber(a) ? second : first;
      return offset == Kind::Shared    ? Kind::Generic
             : offset == Kind::Unknown ? offset
                                       : Kind::Other;
    }
    if (first == Kind::Unknown || second == Kind::Unknown)
      return Kind::Unknown;
    if (isAddress(first) == isAddress(second))
      return Kind::Other;
    return isAddress(first) ? first : second;
  }

  Kind ofDifference(Value *a, Value *b) const {
    Kind first = kindOf(a), second = kindOf(b);
    if (isSharedBaseNumber(b))
      return first == Kind::Generic ? Kind::Shared : first == Kind::Unknown ? first : Kind::Other;
    if (first == Kind::Unknown || second == Kind::Unknown)
      return Kind::Unknown;
    return isAddress(first) && !isAddress(second) ? first : Kind::Other;
  }

  /// All must be of one kind, but for zeros, which registers begin with.
  Kind ofChoice(Instruction &choice) const {
    Kind kind = Kind::Unknown;
    for (Value *part : parts(&choice)) {
      if (isZero(part) || kindOf(part) == Kind::Unknown)
        continue;
      if (kind != Kind::Unknown && kind != kindOf(part))
        return Kind::Other;
      kind = kindOf(part);
    }
    return kind;
  }
  static bool isZero(Value *value) {
    auto *constant = dyn_cast<Constant>(value);
    return constant && (constant->isNullValue() || isa<UndefValue>(constant));
  }

  //===-- Pointers -------------------------------------------------------------------------------//

  void replace(Instruction &access) {
    Value *number = numberOf(access);
    const Kind wanted = isa<IntToPtrInst>(access) ? Kind::Generic : Kind::Shared;
    if (kindOf(number) != wanted)
      return;
    access.replaceAllUsesWith(pointerOf(number));
  }

  /// `value` in 64 bits, at the place of `at`.
  Value *index(Value *value, Instruction &at) {
    IRBuilder<> b(&at);
    return b.CreateSExtOrTrunc(value, b.getInt64Ty());
  }

  Value *pointerOf(Value *number) {
    if (auto *cast = dyn_cast<PtrToIntOperator>(number)) {
      Value *pointer = cast->getPointerOperand();
      return pointer;
    }
    if (Value *known = pointers_.lookup(number))
      return known;
    auto *instruction = cast<Instruction>(number);
    Value *pointer = make(*instruction);
    pointers_[number] = pointer;
    return pointer;
  }

  Value *make(Instruction &number) {
    Value *a = number.getOperand(0);
    switch (number.getOpcode()) {
    case Instruction::Add: {
      Value *b = number.getOperand(1);
      if (isSharedBaseNumber(b))
        return pointerOf(a);
      if (isSharedBaseNumber(a))
        return pointerOf(b);
      return isAddress(kindOf(a)) ? behind(number, a, b, false) : behind(number, b, a, false);
    }
    case Instruction::Sub:
      return isSharedBaseNumber(number.getOperand(1))
                 ? pointerOf(a)
                 : behind(number, a, number.getOperand(1), true);
    case Instruction::Select: {
      IRBuilder<> builder(&number);
      Value *first = choice(number.getOperand(1), number),
            *second = choice(number.getOperand(2), number);
      return builder.CreateSelect(a, first, second);
    }
    case Instruction::PHI: {
      auto &phi = cast<PHINode>(number);
      IRBuilder<> builder(&phi);
      PHINode *made = builder.CreatePHI(builder.getPtrTy(), phi.getNumIncomingValues());
      phis_.push_back({&phi, made});
      return made;
    }
    default: // a conversion
      return pointerOf(a);
    }
  }

  Value *behind(Instruction &at, Value *base, Value *offset, bool isMinus) {
    Value *pointer = pointerOf(base), *bytes = index(offset, at);
    IRBuilder<> builder(&at);
    return builder.CreateGEP(builder.getInt8Ty(), pointer,
                             isMinus ? builder.CreateNeg(bytes) : bytes);
  }

  /// A zero is no address, or the first in shared memory.
  Value *choice(Value *number, Instruction &of) {
    if (!isZero(number))
      return pointerOf(number);
    Type *pointer = PointerType::get(of.getContext(), 0);
    if (kindOf(&of) == Kind::Generic)
      return Constant::getNullValue(pointer);
    IRBuilder<> builder(&*function_.getEntryBlock().getFirstInsertionPt());
    FunctionCallee base =
        function_.getParent()->getOrInsertFunction("__heddle_shared_memory", pointer);
    return builder.CreateCall(base);
  }

  void fill(PHINode &phi, PHINode &made) {
    for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i)
      made.addIncoming(choice(phi.getIncomingValue(i), phi), phi.getIncomingBlock(i));
  }

  Function &function_;
  SmallVector<Instruction *, 16> accesses_;
  SetVector<Value *> numbers_;
  DenseMap<Value *, Kind> kinds_;
  DenseMap<Value *, Value *> pointers_;
  std::vector<std::pair<PHINode *, PHINode *>> phis_;
};

} // namespace

void recoverPointers(Function &function) { Recovery(function).run(); }

} // namespace heddle::frontend::ptx
