// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index arithmetic that is never negative.
//
// Problem. `int i = blockIdx.x * blockDim.x + threadIdx.x; c = i / 1024 % 64; x = i % 32;` divides
// signed numbers. A signed quotient rounds towards zero, so it is no shift and the remainder is no
// mask. Nor can it be shown that either is equal in 32 neighbouring lanes, or counts them, so
// accesses with such indices become gathers.
//
// Method. i is never negative, because a launch has fewer than 2^31 threads along x (MostIndices).
// Values have LLVM's ConstantRange: known for blockIdx, threadIdx and constants, and derived for
// other operations by LLVM's arithmetic. A value that a loop changes is assumed non-negative, and
// is if that follows for its next value (an addition that must not overflow (nsw) keeps a counter
// above zero). If dividend and divisor are non-negative, the operation becomes unsigned:
//
//     %q = sdiv i32 %i, 1024       ->   udiv i32 %i, 1024
//     %r = srem i32 %q, 64              urem i32 %q, 64
//     %s = ashr i32 %i, 5               lshr i32 %i, 5
//
// Sums and products whose range excludes overflow get nsw if their extension is wanted (an index).
// In C++ they have it already, but not in Fortran, where programs rely on integers that wrap
// around: (blockIdx%x - 1) * blockDim%x + threadIdx%x.
//
// Comparisons that the block's shape decides (`threadIdx.y < 10` in blocks of 8 rows: the first round
// of a loop that fills a tile) become constants.
//
// The pass runs first, before LLVM turns a remainder into a subtraction.
//
// Code that relies on it is for launches of at most MostIndices threads along x: when a larger
// launch comes, the runtime has such kernels compiled again (Options::hasLongObjects). Along y and
// z no launch has as many.
//
// Rejected: ranges as attributes of blockIdx and threadIdx. LLVM would turn sums that count threads
// into other operations, which later passes know less well. Without them LLVM's analyses
// (LazyValueInfo, ScalarEvolution) do not know the limits of a launch, do not see that x - x / c *
// c is a remainder, and do not assume that loop values are non-negative.
//
// Legality (natural-numbers):
//  1. Dividend and divisor, read as signed, are not below zero in any thread, or poison. [natural]
//  2. A sum or product that gets nsw does not wrap around in any thread. [fits]
//  3. Where that takes a launch of at most MostIndices threads along x, the program says that it
//     counts on it. [trusts]
//  4. A comparison becomes a constant if all numbers of its operand's range agree. [decided]
#include "simt/canonical/natural_numbers.h"

#include "simt/analysis/overflow.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned Deepest = 12, MostAsked = 300; ///< values, for one operation
constexpr uint64_t MostBlocks[] = {(uint64_t(1) << 31) - 1, 65535, 65535}; ///< CUDA's, of a grid

unsigned bits(const Value &value) { return value.getType()->getIntegerBitWidth(); }

/// From 0 to below `count`.
ConstantRange below(uint64_t count, unsigned bits) {
  return ConstantRange::getNonEmpty(APInt::getZero(bits), APInt(bits, count));
}

ConstantRange natural(unsigned bits) {
  return ConstantRange::getNonEmpty(APInt::getZero(bits), APInt::getSignedMinValue(bits));
}

/// The ranges of integers, read as signed.
class Numbers {
public:
  Numbers(const Function &thread, const Options &options, bool trusts)
      : thread_(thread), options_(options), trusts_(trusts) {}

  bool isNatural(const Value &value) { return of(value, Deepest).isAllNonNegative(); }

  /// What a comparison with a constant gives in all threads.
  std::optional<bool> decided(const ICmpInst &);

  /// A sum or product of these operands fits, read as signed.
  bool fits(const BinaryOperator &);

private:
  ConstantRange of(const Value &, unsigned depth);
  ConstantRange leaf(const Value &) const;
  ConstantRange choice(ArrayRef<const Value *> values, unsigned depth);
  ConstantRange loopValue(const PHINode &, unsigned depth);
  std::optional<ConstantRange> remainder(const BinaryOperator &, unsigned depth);
  ConstantRange binary(const BinaryOperator &, unsigned depth);
  uint64_t blocks(unsigned dimension) const;

  const Function &thread_;
  const Options &options_;
  bool trusts_;
  unsigned asked_ = 0;
  SmallPtrSet<const PHINode *, 4> open_; ///< taken for natural
};

uint64_t Numbers::blocks(unsigned dimension) const {
  uint64_t most = MostBlocks[dimension];
  return dimension == 0 && trusts_ ? std::min(most, MostIndices / options_.blockDim[0]) : most;
}

ConstantRange Numbers::leaf(const Value &value) const {
  if (const auto *argument = dyn_cast<Argument>(&value)) {
    unsigned dimension = argument->getArgNo() - ParamBlockX;
    return argument->getParent() == &thread_ && dimension < 3
               ? below(blocks(dimension), bits(value))
               : ConstantRange::getFull(bits(value));
  }
  const auto *call = dyn_cast<IntrinsicInst>(&value);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return below(options_.blockDim[0], bits(value));
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return below(options_.blockDim[1], bits(value));
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return below(options_.blockDim[2], bits(value));
  default:
    return computeConstantRange(&value, /*ForSigned=*/true);
  }
}

ConstantRange Numbers::choice(ArrayRef<const Value *> values, unsigned depth) {
  ConstantRange range = ConstantRange::getEmpty(bits(*values[0]));
  for (const Value *value : values)
    range = range.unionWith(of(*value, depth), ConstantRange::Signed);
  return range;
}

ConstantRange Numbers::loopValue(const PHINode &phi, unsigned depth) {
  if (!open_.insert(&phi).second)
    return natural(bits(phi));
  SmallVector<const Value *, 4> values(phi.incoming_values());
  ConstantRange range = choice(values, depth);
  open_.erase(&phi);
  return range.isAllNonNegative() ? range : ConstantRange::getFull(bits(phi));
}

/// x - x / c * c, which is x % c.
std::optional<ConstantRange> Numbers::remainder(const BinaryOperator &value, unsigned depth) {
  const Value *x = value.getOperand(0), *product = value.getOperand(1), *quotient = nullptr;
  const APInt *factor = nullptr, *divisor = nullptr;
  APInt scale(bits(value), 1);
  if (match(product, m_Mul(m_Value(quotient), m_APInt(factor))))
    scale = *factor;
  else if (match(product, m_Shl(m_Value(quotient), m_APInt(factor))))
    scale <<= *factor;
  if (!quotient || !match(quotient, m_IDiv(m_Specific(x), m_APInt(divisor))) || *divisor != scale)
    return std::nullopt;
  bool isSigned = cast<BinaryOperator>(quotient)->getOpcode() == Instruction::SDiv;
  ConstantRange dividend = of(*x, depth);
  return isSigned ? dividend.srem(*divisor) : dividend.urem(*divisor);
}

ConstantRange Numbers::binary(const BinaryOperator &value, unsigned depth) {
  if (value.getOpcode() == Instruction::Sub)
    if (std::optional<ConstantRange> range = remainder(value, depth))
      return *range;
  ConstantRange left = of(*value.getOperand(0), depth), right = of(*value.getOperand(1), depth);
  const auto *wrapping = dyn_cast<OverflowingBinaryOperator>(&value);
  return left.overflowingBinaryOp(value.getOpcode(), right,
                                  wrapping ? wrapping->getNoWrapKind() : 0);
}

ConstantRange Numbers::of(const Value &value, unsigned depth) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || depth == 0 || ++asked_ > MostAsked)
    return leaf(value);
  if (const auto *phi = dyn_cast<PHINode>(instruction))
    return loopValue(*phi, depth - 1);
  if (const auto *operation = dyn_cast<BinaryOperator>(instruction))
    return binary(*operation, depth - 1);
  if (isa<SelectInst>(instruction))
    return choice({instruction->getOperand(1), instruction->getOperand(2)}, depth - 1);
  const auto *conversion = dyn_cast<CastInst>(instruction);
  if (conversion && conversion->getSrcTy()->isIntegerTy())
    return of(*conversion->getOperand(0), depth - 1).castOp(conversion->getOpcode(), bits(value));
  return leaf(value);
}

bool Numbers::fits(const BinaryOperator &value) {
  unsigned wide = 2 * bits(value);
  ConstantRange left = of(*value.getOperand(0), Deepest).signExtend(wide),
                right = of(*value.getOperand(1), Deepest).signExtend(wide);
  return ConstantRange::getFull(bits(value))
      .signExtend(wide)
      .contains(left.binaryOp(value.getOpcode(), right));
}

std::optional<bool> Numbers::decided(const ICmpInst &comparison) {
  const APInt *limit = nullptr;
  if (!match(comparison.getOperand(1), m_APInt(limit)) || comparison.getType()->isVectorTy())
    return std::nullopt;
  ConstantRange range = of(*comparison.getOperand(0), Deepest);
  for (bool holds : {true, false})
    if (range.icmp(holds ? comparison.getPredicate() : comparison.getInversePredicate(), *limit))
      return holds;
  return std::nullopt;
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

/// An index that is all of an access's may count on the object's size (analysis/overflow.h).
bool isWholeIndex(const SExtInst &extension) {
  return any_of(extension.users(), [](const User *user) {
    const auto *address = dyn_cast<GetElementPtrInst>(user);
    return address && address->isInBounds();
  });
}

/// What is extended as signed, to be a part of an index, and what that is the sum or product of.
SmallVector<BinaryOperator *, 0> extendedSums(Function &thread) {
  SetVector<BinaryOperator *> sums;
  auto add = [&](Value *value) {
    if (auto *sum = dyn_cast<BinaryOperator>(value); sum && sumOpcode(*sum))
      sums.insert(sum);
  };
  for (Instruction &instruction : instructions(thread))
    if (auto *extension = dyn_cast<SExtInst>(&instruction);
        extension && extension->getSrcTy()->isIntegerTy() && !isWholeIndex(*extension))
      add(extension->getOperand(0));
  for (unsigned i = 0; i < sums.size(); ++i)
    for (Value *operand : sums[i]->operands())
      add(operand);
  return sums.takeVector();
}

} // namespace

PreservedAnalyses NaturalNumbers::run(Compilation &kernel, FunctionAnalysisManager &) {
  ThreadProgram &thread = kernel.thread;
  auto holds = [&](function_ref<bool(Numbers &)> what) {
    Numbers always(*thread.body, kernel.options, false);
    Numbers trusting(*thread.body, kernel.options, true);
    if (what(always))
      return true;
    if (kernel.options.hasLongObjects || !what(trusting))
      return false;
    return thread.trustsShortObjects = true;
  };
  bool changed = false;
  for (BinaryOperator *sum : extendedSums(*thread.body)) {
    if (!isa<OverflowingBinaryOperator>(sum) || sum->hasNoSignedWrap() ||
        !holds([&](Numbers &numbers) { return numbers.fits(*sum); }))
      continue;
    sum->setHasNoSignedWrap();
    changed = true;
  }
  for (Instruction &instruction : make_early_inc_range(instructions(*thread.body))) {
    if (auto *comparison = dyn_cast<ICmpInst>(&instruction)) {
      Numbers always(*thread.body, kernel.options, false);
      std::optional<bool> decided = always.decided(*comparison);
      if (decided)
        comparison->replaceAllUsesWith(ConstantInt::getBool(comparison->getType(), *decided));
      changed |= decided.has_value();
      continue;
    }
    bool isNatural = isSigned(instruction) && holds([&](Numbers &numbers) {
                       return all_of(instruction.operands(), [&](const Use &operand) {
                         return numbers.isNatural(*operand);
                       });
                     });
    if (!isNatural)
      continue;
    makeUnsigned(instruction);
    changed = true;
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::simt
