// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One question for a block.
//
// A guard compares an index with a bound. The block's shape is known, so an index is a value that
// all threads have in common and a number for each thread (thread_tables.h), in the arithmetic of
// its type: x = common + own mod 2^bits, whatever flags its computation has. If adding the least
// and the greatest of these numbers to the common value does not leave the type's range, no
// thread's x has wrapped around, and the comparison holds in all threads if it does for the
// greatest x, or the least. Both questions are asked, so the answer may be no where the truth is
// yes, never the other way round.
//
// The answer is computed in front of the code that asked (recompute.h). It may be poison only where
// the condition is in some thread. Of `a || b`, where b may be poison in threads that do not ask
// it, the second answer is frozen.
#include "simt/tiles/block_conditions.h"

#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

Value *RoundValues::input(Value &value) const {
  if (loop_.isLoopInvariant(&value))
    return &value;
  auto *phi = dyn_cast<PHINode>(&value);
  return phi && phi->getParent() == loop_.getHeader() ? phis_(*phi) : nullptr;
}

Value *RoundValues::of(Value &value) {
  bool isKnown = canRecompute(value, [&](Value &other) { return input(other) != nullptr; });
  return isKnown ? values_.of(value) : nullptr;
}

bool BlockConditions::Spread::isCommon() const {
  return all_of(own, [](int64_t number) { return number == 0; });
}

Value *BlockConditions::holdsInAll(Value &condition, bool expected, RoundValues &round) {
  IRBuilder<> &builder = round.builder();
  if (block_.isCommon(condition)) {
    Value *value = round.of(condition);
    if (!value)
      return nullptr;
    return expected ? value : builder.CreateNot(value);
  }
  Value *a = nullptr, *b = nullptr;
  if (match(&condition, m_Not(m_Value(a))))
    return holdsInAll(*a, !expected, round);
  bool both = match(&condition, m_LogicalAnd(m_Value(a), m_Value(b)));
  if (both || match(&condition, m_LogicalOr(m_Value(a), m_Value(b)))) {
    Value *first = holdsInAll(*a, expected, round);
    Value *second = first ? holdsInAll(*b, expected, round) : nullptr;
    if (!second)
      return nullptr;
    return both == expected ? builder.CreateLogicalAnd(first, second)
                            : builder.CreateOr(first, builder.CreateFreeze(second));
  }
  auto *compare = dyn_cast<ICmpInst>(&condition);
  return compare ? comparison(*compare, expected, round) : nullptr;
}

Value *BlockConditions::comparison(const ICmpInst &compare, bool expected, RoundValues &round) {
  if (!compare.getOperand(0)->getType()->isIntegerTy())
    return nullptr;
  IRBuilder<> &builder = round.builder();
  CmpInst::Predicate predicate = expected ? compare.getPredicate() : compare.getInversePredicate();
  inRange_.clear();
  std::optional<Spread> left = spread(*compare.getOperand(0), round);
  std::optional<Spread> right = left ? spread(*compare.getOperand(1), round) : std::nullopt;
  if (!right)
    return nullptr;
  if (!right->isCommon()) {
    std::swap(left, right);
    predicate = CmpInst::getSwappedPredicate(predicate);
  }
  if (!right->isCommon() || (CmpInst::isEquality(predicate) && !left->isCommon()))
    return nullptr;
  Value *outermost = left->common;
  if (!left->isCommon()) {
    bool isUpper = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE ||
                   predicate == CmpInst::ICMP_ULT || predicate == CmpInst::ICMP_ULE;
    int64_t own = isUpper ? *max_element(left->own) : *min_element(left->own);
    inRange_.push_back(staysInRange(*left, CmpInst::isSigned(predicate), builder));
    outermost = builder.CreateAdd(outermost, ConstantInt::getSigned(outermost->getType(), own));
  }
  Value *holds = builder.CreateICmp(predicate, outermost, right->common);
  for (Value *condition : inRange_)
    holds = builder.CreateAnd(holds, condition);
  return holds;
}

/// No thread's number leaves the range of the type.
Value *BlockConditions::staysInRange(const Spread &value, bool isSigned, IRBuilder<> &builder) {
  Type *type = value.common->getType();
  unsigned bits = type->getIntegerBitWidth();
  int64_t least = *min_element(value.own), greatest = *max_element(value.own);
  Value *stays = builder.getTrue();
  if (greatest > 0) {
    APInt end = isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
    stays = builder.CreateICmp(isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE, value.common,
                               ConstantInt::get(type, end - APInt(bits, greatest, true)));
  }
  if (least < 0) {
    APInt end = isSigned ? APInt::getSignedMinValue(bits) : APInt::getMinValue(bits);
    stays = builder.CreateAnd(
        stays, builder.CreateICmp(isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE, value.common,
                                  ConstantInt::get(type, end - APInt(bits, least, true))));
  }
  return stays;
}

std::optional<BlockConditions::Spread> BlockConditions::spread(Value &value, RoundValues &round) {
  if (const ThreadTable *table = block_.tables.of(&value))
    return Spread{ConstantInt::get(value.getType(), 0), *table};
  if (block_.isCommon(value)) {
    Value *common = round.of(value);
    return common ? std::optional(Spread{common, ThreadTable(block_.tables.threads(), 0)})
                  : std::nullopt;
  }
  if (auto *binary = dyn_cast<BinaryOperator>(&value))
    return sum(*binary, round);
  auto *cast = dyn_cast<CastInst>(&value);
  return cast && isa<SExtInst, ZExtInst>(cast) ? extension(*cast, round) : std::nullopt;
}

std::optional<BlockConditions::Spread> BlockConditions::sum(const BinaryOperator &binary,
                                                            RoundValues &round) {
  auto *either = dyn_cast<PossiblyDisjointInst>(&binary);
  bool adds = binary.getOpcode() == Instruction::Add || (either && either->isDisjoint());
  if (!adds && binary.getOpcode() != Instruction::Sub)
    return std::nullopt;
  std::optional<Spread> a = spread(*binary.getOperand(0), round);
  std::optional<Spread> b = a ? spread(*binary.getOperand(1), round) : std::nullopt;
  if (!b)
    return std::nullopt;
  IRBuilder<> &builder = round.builder();
  Spread result;
  result.common =
      adds ? builder.CreateAdd(a->common, b->common) : builder.CreateSub(a->common, b->common);
  unsigned bits = binary.getType()->getIntegerBitWidth();
  for (auto [mine, its] : zip(a->own, b->own)) {
    uint64_t number = uint64_t(mine) + (adds ? uint64_t(its) : -uint64_t(its));
    result.own.push_back(SignExtend64(number, bits));
  }
  return result;
}

/// Of a number that no thread's own part makes leave the range.
std::optional<BlockConditions::Spread> BlockConditions::extension(const CastInst &cast,
                                                                  RoundValues &round) {
  std::optional<Spread> from = spread(*cast.getOperand(0), round);
  if (!from)
    return std::nullopt;
  IRBuilder<> &builder = round.builder();
  bool isSigned = isa<SExtInst>(cast);
  if (!from->isCommon())
    inRange_.push_back(staysInRange(*from, isSigned, builder));
  from->common = isSigned ? builder.CreateSExt(from->common, cast.getType())
                          : builder.CreateZExt(from->common, cast.getType());
  return from;
}

} // namespace heddle::simt
