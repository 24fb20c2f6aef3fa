// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of bytes. C computes with 32 bits, of which a register has a quarter as many as of bytes. What
// follows from bytes, shorts and conditions by sums, differences, products and the like often fits in
// 16 bits, and is compared, stored as a byte or converted in the end: a register has 32 of these. A
// weighted mean of bytes (grey of colours) fits without a sign.
//
//     %n = add i32 (zext i8 %a to i32), (zext i8 %b to i32)   ->   %n = add i16 (zext %a), (zext %b)
//     %c = icmp eq i32 %n, 3                                  ->   %c = icmp eq i16 %n, 3
//
// Of what only minima, maxima and choices are made of bytes (a median, the darkest neighbour), bytes
// are enough.
//
// It runs right before `widen`: LLVM's passes widen single numbers again, but no vectors.
//
// Rejected: bytes where sums of conditions fit in them: few kernels count without comparing more.
//
// Legality (narrow-sums):
//  1. All that a value can be, by the bounds of what it follows from, fits in 16 bits with a sign, or
//     is never negative and fits without. [fits]
//  2. Comparisons are of two such values that fit in the same way. [both]
//  3. Bytes have no sign: what becomes one is from 0 to 255, and all that it is compared with. [bytes]
#include "simt/thread/narrow_sums.h"

#include "simt/compilation.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// From `low` to `high`.
struct Bounds {
  int64_t low, high;
  bool fit() const { return high <= (isNatural() ? UINT16_MAX : INT16_MAX) && low >= INT16_MIN; }
  /// Read without a sign: 16 bits with one are not enough.
  bool isLong() const { return high > INT16_MAX; }
  bool isNatural() const { return low >= 0; }
};

Bounds hull(std::initializer_list<int64_t> numbers) {
  return {std::min(numbers), std::max(numbers)};
}

Bounds hull(Bounds a, Bounds b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

class SumNarrower {
public:
  explicit SumNarrower(Function &thread) : thread_(thread), builder_(thread.getContext()) {}

  bool run() {
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&thread_))
      for (Instruction &instruction : *block)
        if (std::optional<Bounds> bounds = boundsOf(instruction); bounds && bounds->fit())
          bounds_.insert({&instruction, *bounds});
    dropWide();
    if (!isWorthwhile())
      return false;
    findBytes();
    for (auto &[instruction, bounds] : bounds_)
      narrow(*instruction);
    for (auto &[instruction, bounds] : bounds_)
      replaceUses(*instruction, bounds);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead_);
    return true;
  }

private:
  std::optional<Bounds> of(const Value *value) const {
    if (const auto *constant = dyn_cast<ConstantInt>(value)) {
      std::optional<int64_t> number = constant->getValue().trySExtValue();
      return number && Bounds{*number, *number}.fit() ? std::optional(Bounds{*number, *number})
                                                      : std::nullopt;
    }
    if (isa<ZExtInst, SExtInst>(value)) {
      unsigned bits = cast<CastInst>(value)->getSrcTy()->getScalarSizeInBits();
      bool isSigned = isa<SExtInst>(value);
      if (!value->getType()->isIntegerTy() || bits > 16)
        return {};
      int64_t most = int64_t(1) << (isSigned ? bits - 1 : bits);
      return Bounds{isSigned ? -most : 0, most - 1};
    }
    const auto *instruction = dyn_cast<Instruction>(value);
    auto known = bounds_.find(const_cast<Instruction *>(instruction));
    return instruction && known != bounds_.end() ? std::optional(known->second) : std::nullopt;
  }

  std::optional<Bounds> boundsOf(const Instruction &) const;
  std::optional<Bounds> ofJoin(const PHINode &) const;
  std::optional<Bounds> ofCall(const IntrinsicInst &, Bounds a) const;
  void dropWide();
  bool isNarrowUse(const Instruction &user) const;
  /// Of two numbers that are compared one is too great for 16 bits with a sign.
  bool isWithoutSign(const Instruction &compare) const {
    return hull(*of(compare.getOperand(0)), *of(compare.getOperand(1))).isLong();
  }
  /// Its value is wanted with all bits.
  static bool isExit(const Instruction &user) {
    return isa<SIToFPInst, UIToFPInst, StoreInst>(user);
  }
  bool isWorthwhile() const;
  bool isByte(const Value *value) const;
  bool staysByte(const Instruction &) const;
  void findBytes();
  Type *typeOf(const Value *value) {
    return bytes_.contains(value) ? builder_.getInt8Ty() : builder_.getInt16Ty();
  }
  Value *narrowed(Value *value, Type *type);
  void narrow(Instruction &);
  void replaceUses(Instruction &, Bounds);

  Function &thread_;
  IRBuilder<> builder_;
  MapVector<Instruction *, Bounds> bounds_;
  SmallPtrSet<const Value *, 32> bytes_; ///< of those that are narrowed
  DenseMap<Value *, Value *> narrow_;
  SmallVector<WeakTrackingVH, 32> dead_;
};

std::optional<Bounds> SumNarrower::ofCall(const IntrinsicInst &call, Bounds a) const {
  if (call.getIntrinsicID() == Intrinsic::abs && !a.isLong())
    return Bounds{0, std::max(std::abs(a.low), std::abs(a.high))};
  if (!isa<MinMaxIntrinsic>(call))
    return {};
  std::optional<Bounds> b = of(call.getArgOperand(1));
  if (!b || !hull(a, *b).fit() ||
      (!cast<MinMaxIntrinsic>(call).isSigned() && !(a.isNatural() && b->isNatural())))
    return {};
  bool isMost = is_contained({Intrinsic::smax, Intrinsic::umax}, call.getIntrinsicID());
  return isMost ? Bounds{std::max(a.low, b->low), std::max(a.high, b->high)}
                : Bounds{std::min(a.low, b->low), std::min(a.high, b->high)};
}

/// Not of what loops carry.
std::optional<Bounds> SumNarrower::ofJoin(const PHINode &phi) const {
  std::optional<Bounds> all;
  for (const Value *value : phi.incoming_values()) {
    std::optional<Bounds> one = of(value);
    if (!one)
      return {};
    all = all ? hull(*all, *one) : *one;
  }
  return all;
}

std::optional<Bounds> SumNarrower::boundsOf(const Instruction &instruction) const {
  if (!instruction.getType()->isIntegerTy(32) && !instruction.getType()->isIntegerTy(64))
    return {};
  if (const auto *phi = dyn_cast<PHINode>(&instruction))
    return ofJoin(*phi);
  bool isChoice = isa<SelectInst>(instruction);
  if (!isChoice && !isa<BinaryOperator, IntrinsicInst>(instruction))
    return {};
  std::optional<Bounds> left = of(instruction.getOperand(isChoice ? 1 : 0));
  if (!left)
    return {};
  Bounds a = *left;
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return ofCall(*call, a);
  std::optional<Bounds> right = of(instruction.getOperand(isChoice ? 2 : 1));
  if (!right)
    return {};
  Bounds b = *right;
  bool isNumber = b.low == b.high;
  switch (instruction.getOpcode()) {
  case Instruction::Select:
    return hull(a, b);
  case Instruction::Add:
    return Bounds{a.low + b.low, a.high + b.high};
  case Instruction::Sub:
    return Bounds{a.low - b.high, a.high - b.low};
  case Instruction::Mul:
    return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  case Instruction::Shl:
    if (isNumber && b.low >= 0 && b.low < 15)
      return Bounds{a.low * (1 << b.low), a.high * (1 << b.low)};
    return {};
  case Instruction::LShr:
  case Instruction::AShr:
    if (isNumber && a.isNatural() && b.low >= 0 && b.low < 16)
      return Bounds{a.low >> b.low, a.high >> b.low};
    return {};
  case Instruction::UDiv:
  case Instruction::SDiv:
    if (isNumber && a.isNatural() && b.low > 0)
      return Bounds{a.low / b.low, a.high / b.low};
    return {};
  default:
    return {};
  }
}

bool SumNarrower::isNarrowUse(const Instruction &user) const {
  if (bounds_.contains(const_cast<Instruction *>(&user)) || isExit(user))
    return true;
  if (const auto *compare = dyn_cast<ICmpInst>(&user)) {
    std::optional<Bounds> a = of(compare->getOperand(0)), b = of(compare->getOperand(1));
    return a && b && hull(*a, *b).fit();
  }
  return isa<TruncInst>(user) && user.getType()->getScalarSizeInBits() <= 16;
}

/// What addresses, loops and wider sums are made of stays.
void SumNarrower::dropWide() {
  bool isChanged = true;
  while (isChanged) {
    size_t before = bounds_.size();
    bounds_.remove_if([&](const auto &entry) {
      return any_of(entry.first->users(),
                    [&](const User *user) { return !isNarrowUse(*cast<Instruction>(user)); }) ||
             any_of(entry.first->operands(), [&](const Use &operand) {
               return operand->getType() == entry.first->getType() && !of(operand);
             });
    });
    isChanged = bounds_.size() != before;
  }
}

/// Extensions are few beside what is computed.
bool SumNarrower::isWorthwhile() const {
  size_t exits = 0;
  for (const auto &[instruction, bounds] : bounds_)
    exits += count_if(instruction->users(),
                      [](const User *user) { return isExit(*cast<Instruction>(user)); });
  return bounds_.size() >= 3 && bounds_.size() >= 2 * exits;
}

bool SumNarrower::isByte(const Value *value) const {
  if (const auto *extension = dyn_cast<ZExtInst>(value))
    return extension->getSrcTy()->getScalarSizeInBits() <= 8;
  const auto *number = dyn_cast<ConstantInt>(value);
  return number ? number->getValue().isIntN(8) : bytes_.contains(value);
}

/// So are all that it is made of and all that it meets.
bool SumNarrower::staysByte(const Instruction &instruction) const {
  auto areBytes = [&](const Instruction &made) {
    return all_of(made.operands(), [&](const Use &operand) {
      bool isNumber = operand->getType() == instruction.getType();
      return !isNumber || isByte(operand);
    });
  };
  return areBytes(instruction) && all_of(instruction.users(), [&](const User *user) {
           const auto &made = cast<Instruction>(*user);
           return isa<ICmpInst>(made)
                      ? areBytes(made)
                      : bytes_.contains(user) || isExit(made) || isa<TruncInst>(made);
         });
}

void SumNarrower::findBytes() {
  for (auto &[instruction, bounds] : bounds_)
    if (bounds.isNatural() && bounds.high <= UINT8_MAX &&
        isa<MinMaxIntrinsic, SelectInst, PHINode>(instruction))
      bytes_.insert(instruction);
  while (
      bytes_.remove_if([&](const Value *value) { return !staysByte(*cast<Instruction>(value)); })) {
  }
}

Value *SumNarrower::narrowed(Value *value, Type *type) {
  if (const auto *number = dyn_cast<ConstantInt>(value))
    return ConstantInt::get(type, number->getValue().trunc(type->getIntegerBitWidth()));
  if (Value *known = narrow_.lookup(value))
    return known;
  auto *extension = cast<CastInst>(value);
  return builder_.CreateIntCast(extension->getOperand(0), type, isa<SExtInst>(extension));
}

void SumNarrower::narrow(Instruction &instruction) {
  builder_.SetInsertPoint(&instruction);
  Type *type = typeOf(&instruction);
  if (auto *phi = dyn_cast<PHINode>(&instruction)) {
    PHINode *join = builder_.CreatePHI(type, phi->getNumIncomingValues());
    for (auto [block, value] : zip(phi->blocks(), phi->incoming_values())) {
      builder_.SetInsertPoint(block->getTerminator());
      int other = join->getBasicBlockIndex(block); // of a switch
      join->addIncoming(
          other >= 0 ? join->getIncomingValue(unsigned(other)) : narrowed(value, type), block);
    }
    narrow_[phi] = join;
    return;
  }
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    narrow_[&instruction] =
        builder_.CreateSelect(select->getCondition(), narrowed(select->getTrueValue(), type),
                              narrowed(select->getFalseValue(), type));
    return;
  }
  Value *left = narrowed(instruction.getOperand(0), type);
  if (auto *call = dyn_cast<IntrinsicInst>(&instruction)) {
    Value *right =
        isa<MinMaxIntrinsic>(call) ? narrowed(call->getArgOperand(1), type) : builder_.getFalse();
    Intrinsic::ID operation = call->getIntrinsicID();
    if (bytes_.contains(call) || (isa<MinMaxIntrinsic>(call) && isWithoutSign(*call)))
      operation = is_contained({Intrinsic::smax, Intrinsic::umax}, operation) ? Intrinsic::umax
                                                                              : Intrinsic::umin;
    narrow_[&instruction] = builder_.CreateBinaryIntrinsic(operation, left, right);
    return;
  }
  auto opcode = Instruction::BinaryOps(instruction.getOpcode());
  opcode = opcode == Instruction::SDiv   ? Instruction::UDiv // of natural numbers
           : opcode == Instruction::AShr ? Instruction::LShr
                                         : opcode;
  narrow_[&instruction] =
      builder_.CreateBinOp(opcode, left, narrowed(instruction.getOperand(1), type));
}

void SumNarrower::replaceUses(Instruction &instruction, Bounds bounds) {
  Value *narrow = narrow_.lookup(&instruction), *wide = nullptr;
  bool isByte = bytes_.contains(&instruction);
  dead_.push_back(&instruction);
  for (Use &use : make_early_inc_range(instruction.uses())) {
    auto *user = cast<Instruction>(use.getUser());
    if (bounds_.contains(user))
      continue;
    builder_.SetInsertPoint(user);
    if (auto *compare = dyn_cast<ICmpInst>(user)) {
      Type *type = typeOf(&instruction);
      Value *same = builder_.CreateICmp(
          isByte || isWithoutSign(*compare) ? compare->getUnsignedPredicate()
                                            : compare->getPredicate(),
          narrowed(compare->getOperand(0), type), narrowed(compare->getOperand(1), type));
      compare->replaceAllUsesWith(same);
      dead_.push_back(compare);
    } else if (isa<TruncInst>(user)) {
      user->replaceAllUsesWith(builder_.CreateIntCast(narrow, user->getType(), !isByte));
      dead_.push_back(user);
    } else {
      if (!wide) {
        builder_.SetInsertPoint(*instruction.getInsertionPointAfterDef());
        wide = builder_.CreateIntCast(narrow, instruction.getType(), !bounds.isNatural());
      }
      use.set(wide);
    }
  }
}

} // namespace

PreservedAnalyses NarrowSums::run(Compilation &kernel, FunctionAnalysisManager &) {
  Function &thread = *kernel.thread.body;
  if (!SumNarrower(thread).run())
    return PreservedAnalyses::all();
  return changedInBlocks(true);
}

} // namespace heddle::simt
