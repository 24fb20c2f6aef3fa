// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of threads that are never negative.
//
// Problem. `int i = blockIdx.x * blockDim.x + threadIdx.x; c = i / 1024 % 64; x = i % 32;` divides
// signed numbers, for C has it so. A signed quotient rounds up below zero, so it is no shift, the
// remainder no mask; and of neither can it be said that it is the same in 32 neighbouring lanes, or
// counts them: what they address is gathered.
//
// Method. i is never negative, since a launch hardly has more than 2^31 threads along x. A number
// is known by the largest value that it may have: of blockIdx, threadIdx, constants, extensions,
// and of sums, products, shifts, bits, quotients, remainders and choices of such numbers. An
// addition that must not wrap around (nsw) keeps a loop's counter above zero. Where a dividend is
// such a number, and the divisor too, the operation becomes the unsigned one:
//
//     %q = sdiv i32 %i, 1024       ->   udiv i32 %i, 1024
//     %r = srem i32 %q, 64              urem i32 %q, 64
//     %s = ashr i32 %i, 5               lshr i32 %i, 5
//
// This goes first, before LLVM makes a subtraction of a remainder.
//
// Code that counts on it is for launches of at most 2^31 threads along x: the runtime notes when a
// larger one comes, and has the kernels compiled again that count on it (Options::hasLongObjects).
// Along y and z no launch has as many.
//
// Rejected: ranges as attributes of blockIdx and threadIdx. LLVM would make other operations of the
// sums that count threads through, which the passes to come know less well; and it knows bits, of
// which a product with a block of 192 threads leaves none.
//
// Legality (natural-numbers):
//  1. Dividend and divisor, read as signed, are not below zero in any thread, or poison. [natural]
//  2. Where that takes a launch of at most 2^31 threads along x, the program says that it counts on
//     it. [trusts]
#include "simt/canonical/natural_numbers.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned Deepest = 12, MostAsked = 300; ///< values, for one operation
constexpr uint64_t MostBlocks[] = {(uint64_t(1) << 31) - 1, 65535, 65535}; ///< CUDA's, of a grid

/// The largest value of a number that is not negative; none of another.
using Largest = std::optional<uint64_t>;

class Numbers {
public:
  Numbers(const Function &thread, const Options &options, bool trusts)
      : thread_(thread), options_(options), trusts_(trusts) {}

  Largest of(const Value &value) { return of(value, Deepest); }

private:
  Largest of(const Value &, unsigned depth);
  Largest leaf(const Value &) const;
  Largest arithmetic(const BinaryOperator &, unsigned depth);
  Largest difference(const BinaryOperator &, unsigned depth);
  Largest quotient(const BinaryOperator &, unsigned depth);
  Largest cast(const CastInst &, unsigned depth);
  Largest choice(ArrayRef<const Value *> values, unsigned depth);
  Largest blocks(unsigned dimension) const;

  static unsigned bits(const Value &value) { return value.getType()->getScalarSizeInBits(); }
  static uint64_t most(const Value &value) { return maxUIntN(bits(value)) >> 1; }

  const Function &thread_;
  const Options &options_;
  bool trusts_;
  unsigned asked_ = 0;
  SmallPtrSet<const PHINode *, 4> open_; ///< taken for numbers that are not negative
};

Largest Numbers::blocks(unsigned dimension) const {
  uint64_t blocks = MostBlocks[dimension];
  if (dimension == 0 && trusts_)
    blocks = std::min(blocks, MostIndices / options_.blockDim[0]);
  return blocks - 1;
}

Largest Numbers::leaf(const Value &value) const {
  if (const auto *argument = dyn_cast<Argument>(&value)) {
    unsigned dimension = argument->getArgNo() - ParamBlockX;
    return argument->getParent() == &thread_ && dimension < 3 ? blocks(dimension) : Largest();
  }
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return options_.blockDim[0] - 1;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return options_.blockDim[1] - 1;
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return options_.blockDim[2] - 1;
  default:
    break;
  }
  APInt largest = computeConstantRange(&value, /*ForSigned=*/false).getUnsignedMax();
  return largest.isNonNegative() ? Largest(largest.getZExtValue()) : Largest();
}

/// x - x / c * c, which is x % c.
Largest Numbers::difference(const BinaryOperator &value, unsigned depth) {
  const Value *x = value.getOperand(0), *product = value.getOperand(1), *quotient = nullptr;
  const APInt *factor = nullptr, *divisor = nullptr;
  uint64_t scale = 0;
  if (match(product, m_Mul(m_Value(quotient), m_APInt(factor))))
    scale = factor->getZExtValue();
  else if (match(product, m_Shl(m_Value(quotient), m_APInt(factor))) && factor->ult(63))
    scale = uint64_t(1) << factor->getZExtValue();
  bool isRemainder = quotient && match(quotient, m_IDiv(m_Specific(x), m_APInt(divisor))) &&
                     divisor->isStrictlyPositive() && divisor->getZExtValue() == scale;
  Largest dividend = isRemainder ? of(*x, depth) : Largest();
  return dividend ? std::min(*dividend, scale - 1) : Largest();
}

Largest Numbers::quotient(const BinaryOperator &value, unsigned depth) {
  Largest dividend = of(*value.getOperand(0), depth), divisor = of(*value.getOperand(1), depth);
  const APInt *constant = nullptr;
  bool isConstant = match(value.getOperand(1), m_APInt(constant)) && !constant->isNegative();
  uint64_t by = isConstant ? constant->getZExtValue() : 0, shift = std::min<uint64_t>(by, 63);
  switch (value.getOpcode()) {
  case Instruction::AShr:
  case Instruction::LShr: // a shift by the width is poison
    if (dividend)
      return *dividend >> shift;
    return value.getOpcode() == Instruction::LShr && by ? maxUIntN(bits(value)) >> shift
                                                        : Largest();
  case Instruction::SRem: // has the dividend's sign
  case Instruction::URem:
    if (divisor && *divisor && (dividend || value.getOpcode() == Instruction::URem))
      return std::min(*divisor - 1, dividend.value_or(UINT64_MAX));
    return dividend;
  default:
    if (dividend && (divisor || value.getOpcode() == Instruction::UDiv))
      return by ? *dividend / by : *dividend;
    return value.getOpcode() == Instruction::UDiv && by > 1 ? maxUIntN(bits(value)) / by
                                                            : Largest();
  }
}

Largest Numbers::arithmetic(const BinaryOperator &value, unsigned depth) {
  Largest a = of(*value.getOperand(0), depth), b = of(*value.getOperand(1), depth);
  if (value.getOpcode() == Instruction::And && (a || b))
    return std::min(a.value_or(UINT64_MAX), b.value_or(UINT64_MAX));
  if (!a || !b)
    return {};
  bool overflows = false;
  uint64_t result = 0;
  switch (value.getOpcode()) {
  case Instruction::Add:
    result = SaturatingAdd(*a, *b, &overflows);
    break;
  case Instruction::Mul:
    result = SaturatingMultiply(*a, *b, &overflows);
    break;
  case Instruction::Shl:
    result = *b < 63 ? SaturatingMultiply(*a, uint64_t(1) << *b, &overflows) : UINT64_MAX;
    break;
  default: // or, xor: no more bits than the longer one
    return maxUIntN(Log2_64_Ceil(std::max(*a, *b) + 1));
  }
  if (result <= most(value))
    return result;
  return value.hasNoSignedWrap() ? Largest(most(value)) : Largest();
}

Largest Numbers::cast(const CastInst &value, unsigned depth) {
  const Value &from = *value.getOperand(0);
  if (!from.getType()->isIntegerTy() || !value.getType()->isIntegerTy() || bits(from) > 64)
    return {};
  Largest number = of(from, depth);
  switch (value.getOpcode()) {
  case Instruction::ZExt:
    return number ? number : Largest(maxUIntN(bits(from)));
  case Instruction::SExt:
    return number;
  case Instruction::Trunc:
    return number && *number <= most(value) ? number : Largest();
  default:
    return {};
  }
}

Largest Numbers::choice(ArrayRef<const Value *> values, unsigned depth) {
  uint64_t largest = 0;
  for (const Value *value : values) {
    Largest one = of(*value, depth);
    if (!one)
      return {};
    largest = std::max(largest, *one);
  }
  return largest;
}

Largest Numbers::of(const Value &value, unsigned depth) {
  if (!value.getType()->isIntegerTy() || bits(value) > 64 || ++asked_ > MostAsked)
    return {};
  if (const auto *constant = dyn_cast<ConstantInt>(&value))
    return constant->isNegative() ? Largest() : Largest(constant->getZExtValue());
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || depth == 0)
    return leaf(value);
  if (const auto *phi = dyn_cast<PHINode>(instruction)) {
    if (!open_.insert(phi).second)
      return most(value);
    SmallVector<const Value *, 4> values(phi->incoming_values());
    Largest largest = choice(values, depth - 1);
    open_.erase(phi);
    return largest;
  }
  switch (instruction->getOpcode()) {
  case Instruction::Add:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return arithmetic(llvm::cast<BinaryOperator>(value), depth - 1);
  case Instruction::Sub:
    return difference(llvm::cast<BinaryOperator>(value), depth - 1);
  case Instruction::SDiv:
  case Instruction::UDiv:
  case Instruction::SRem:
  case Instruction::URem:
  case Instruction::AShr:
  case Instruction::LShr:
    return quotient(llvm::cast<BinaryOperator>(value), depth - 1);
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
    return cast(llvm::cast<CastInst>(value), depth - 1);
  case Instruction::Select:
    return choice({instruction->getOperand(1), instruction->getOperand(2)}, depth - 1);
  default:
    return leaf(value);
  }
}

bool isSigned(const Instruction &value) {
  return value.getType()->isIntegerTy() &&
         (value.getOpcode() == Instruction::SDiv || value.getOpcode() == Instruction::SRem ||
          value.getOpcode() == Instruction::AShr);
}

void makeUnsigned(Instruction &value) {
  Instruction::BinaryOps opcode = value.getOpcode() == Instruction::SDiv   ? Instruction::UDiv
                                  : value.getOpcode() == Instruction::SRem ? Instruction::URem
                                                                           : Instruction::LShr;
  auto *made = BinaryOperator::Create(opcode, value.getOperand(0), value.getOperand(1), "",
                                      value.getIterator());
  if (isa<PossiblyExactOperator>(value))
    made->setIsExact(value.isExact());
  made->setDebugLoc(value.getDebugLoc());
  made->takeName(&value);
  value.replaceAllUsesWith(made);
  value.eraseFromParent();
}

} // namespace

PreservedAnalyses NaturalNumbers::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  bool changed = false;
  for (Instruction &instruction : make_early_inc_range(instructions(*thread.body))) {
    if (!isSigned(instruction))
      continue;
    auto isNatural = [&](bool trusts) {
      Numbers numbers(*thread.body, kernel.options, trusts);
      return all_of(instruction.operands(), [&](const Use &operand) {
        return numbers.of(*operand).has_value();
      });
    };
    bool always = isNatural(false);
    if (!always && (kernel.options.hasLongObjects || !isNatural(true)))
      continue;
    thread.trustsShortObjects |= !always;
    makeUnsigned(instruction);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
