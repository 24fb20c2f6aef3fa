// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/proof/places.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

void Places::add(Place &to, const Place &from, int64_t number) {
  int64_t more = 0;
  to.isTooLarge |= from.isTooLarge || __builtin_mul_overflow(from.constant, number, &more) ||
                   __builtin_add_overflow(to.constant, more, &to.constant);
  auto times = [&](uint32_t node) { return nodes_.product(node, nodes_.number(number)); };
  if (from.base)
    to.base = to.base ? nodes_.add(ProofOp::Add, *to.base, times(*from.base)) : times(*from.base);
  for (auto [dimension, factor] : from.factors) {
    auto [at, isNew] = to.factors.try_emplace(dimension, times(factor));
    if (!isNew)
      at->second = nodes_.add(ProofOp::Add, at->second, times(factor));
  }
  to.fits.insert(to.fits.end(), from.fits.begin(), from.fits.end());
}

/// Times a number of the launch.
Place Places::scaled(const Place &place, uint32_t factor) {
  Place result;
  result.isTooLarge = place.isTooLarge;
  result.fits = place.fits;
  if (place.constant || place.base) {
    uint32_t sum = nodes_.number(place.constant);
    if (place.base)
      sum = place.constant ? nodes_.add(ProofOp::Add, *place.base, sum) : *place.base;
    result.base = nodes_.product(sum, factor);
  }
  for (auto [dimension, own] : place.factors)
    result.factors[dimension] = nodes_.product(own, factor);
  return result;
}

uint32_t Places::dimensionOf(const Loop &loop) {
  auto known = find(numbered_, &loop);
  auto number = uint32_t(known - numbered_.begin());
  if (known == numbered_.end())
    numbered_.push_back(&loop);
  return FirstLoopDim + number;
}

/// Of a sum that counts threads, such as y * blockDim.x + x: of each dimension as often as there are
/// threads in those before it.
std::optional<uint32_t> Places::orderOf(const Place &place) {
  if (place.constant || place.base || place.isTooLarge || place.factors.empty())
    return std::nullopt;
  std::map<uint32_t, uint32_t> rest = place.factors;
  uint32_t order = 0, threads = nodes_.number(1);
  for (unsigned shift = 0; !rest.empty(); shift += 4) {
    auto next = find_if(
        rest, [&](auto &factor) { return factor.first < ThreadDims && factor.second == threads; });
    if (next == rest.end())
      return std::nullopt;
    uint32_t dimension = next->first;
    order |= (dimension + 1) << shift;
    threads =
        nodes_.product(threads, dimension < 3 ? nodes_.number(blockDim_[dimension])
                                              : nodes_.add(ProofOp::GridDim, 0, 0, dimension - 3));
    rest.erase(next);
  }
  return order;
}

/// Of a number that counts threads, which is not negative.
std::optional<Place> Places::part(Value *value, PartOfDims part, uint32_t factor,
                                  const BasicBlock *at, unsigned depth) {
  std::optional<Place> whole = ofSum(value, at, depth - 1);
  std::optional<uint32_t> order = whole ? orderOf(*whole) : std::nullopt;
  if (!order)
    return std::nullopt;
  part.order = *order;
  auto known = find_if(parts_, [&](const PartOfDims &other) {
    return other.order == part.order && other.divisor == part.divisor &&
           other.isHigh == part.isHigh && other.isMask == part.isMask;
  });
  auto number = static_cast<uint32_t>(known - parts_.begin());
  if (known == parts_.end())
    parts_.push_back(part);
  Place place{0, std::nullopt, {{FirstPartDim + number, factor}}, false, whole->fits};
  return FirstPartDim + number < FirstLoopDim ? std::optional(place) : std::nullopt;
}

/// One more than the highest number that a mask lets through.
uint32_t Places::behindMask(Value *mask) {
  if (auto *number = dyn_cast<ConstantInt>(mask); number && number->getSExtValue() < INT64_MAX)
    return nodes_.number(number->getSExtValue() + 1);
  return nodes_.add(ProofOp::Add, extremes_.of(mask, &entry_), nodes_.number(1));
}

/// With a number of the launch, mostly one less than a power of two, or all bits but those.
std::optional<Place> Places::ofMasked(Value *value, Value *mask, const BasicBlock *at,
                                      unsigned depth) {
  uint32_t one = nodes_.number(1);
  auto *number = dyn_cast<ConstantInt>(mask);
  Value *size;
  if (number && number->isNegative() && number->getSExtValue() != INT64_MIN) {
    uint32_t divisor = nodes_.number(-number->getSExtValue());
    return part(value, {0, divisor, true, true}, divisor, at, depth);
  }
  if (match(mask, m_Neg(m_Value(size))) || match(mask, m_Not(m_Value(size)))) {
    bool isNot = match(mask, m_Not(m_Value()));
    uint32_t divisor = isNot ? behindMask(size) : extremes_.of(size, &entry_);
    return part(value, {0, divisor, true, true}, divisor, at, depth);
  }
  uint64_t shift = 0;
  if (number && match(value, m_Shl(m_Value(value), m_ConstantInt(shift)))) {
    uint64_t bits = number->getZExtValue();
    if (shift > 15 || bits >> shift << shift != bits)
      return std::nullopt;
    one = nodes_.number(int64_t(1) << shift);
    return part(value, {0, nodes_.number(int64_t((bits >> shift) + 1)), false, true}, one, at,
                depth);
  }
  return part(value, {0, behindMask(mask), false, true}, one, at, depth);
}

/// What is left without the low part.
///
///     i - (i & 15)     i - i % n
std::optional<Place> Places::ofRest(BinaryOperator &binary, const BasicBlock *at, unsigned depth) {
  Value *whole = binary.getOperand(0), *mask;
  auto *low = dyn_cast<BinaryOperator>(binary.getOperand(1));
  if (!low)
    return std::nullopt;
  if (match(low, m_c_And(m_Specific(whole), m_Value(mask))) && extremes_.isOfLaunch(mask)) {
    uint32_t divisor = behindMask(mask);
    return part(whole, {0, divisor, true, true}, divisor, at, depth);
  }
  bool isRest = low->getOpcode() == Instruction::URem || low->getOpcode() == Instruction::SRem;
  if (!isRest || low->getOperand(0) != whole || !extremes_.isOfLaunch(low->getOperand(1)))
    return std::nullopt;
  uint32_t divisor = extremes_.of(low->getOperand(1), &entry_);
  return part(whole, {0, divisor, true, false}, divisor, at, depth);
}

/// Parts of a number that counts threads:
///
///     i >> 4     i / n     the high part
///     i & 15     i % n     the low one
///     i << 2 & 60          4 times the low one
///     i & -16              16 times the high one
std::optional<Place> Places::ofPart(BinaryOperator &binary, const BasicBlock *at, unsigned depth) {
  Value *left = binary.getOperand(0), *right = binary.getOperand(1);
  if (binary.getOpcode() == Instruction::And && extremes_.isOfLaunch(left))
    std::swap(left, right);
  if (!extremes_.isOfLaunch(right))
    return std::nullopt;
  uint32_t one = nodes_.number(1);
  switch (binary.getOpcode()) {
  case Instruction::LShr:
  case Instruction::AShr: {
    auto *by = dyn_cast<ConstantInt>(right);
    if (!by || by->getZExtValue() > 31)
      return std::nullopt;
    uint32_t divisor = nodes_.number(int64_t(1) << by->getZExtValue());
    return part(left, {0, divisor, true, true}, one, at, depth);
  }
  case Instruction::UDiv:
  case Instruction::SDiv:
    return part(left, {0, extremes_.of(right, &entry_), true, false}, one, at, depth);
  case Instruction::URem:
  case Instruction::SRem:
    return part(left, {0, extremes_.of(right, &entry_), false, false}, one, at, depth);
  case Instruction::And:
    return ofMasked(left, right, at, depth);
  default:
    return std::nullopt;
  }
}

/// The same number from wherever a thread comes.
std::optional<Place> Places::ofJoin(PHINode &phi, unsigned depth) {
  std::optional<Place> all;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    std::optional<Place> one = of(phi.getIncomingValue(i), phi.getIncomingBlock(i), depth - 1);
    if (!one || (all && !one->isSame(*all)))
      return std::nullopt;
    if (all)
      one->fits.insert(one->fits.end(), all->fits.begin(), all->fits.end());
    all = one;
  }
  return all;
}

/// Each time the loop goes back it grows by one number.
std::optional<Place> Places::ofLoopValue(PHINode &phi, unsigned depth) {
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  const BasicBlock *before = loop ? loop->getLoopPreheader() : nullptr;
  if (!loop || loop->getHeader() != phi.getParent())
    return ofJoin(phi, depth);
  if (!before || !loop->getLoopLatch())
    return std::nullopt;
  auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(loop->getLoopLatch()));
  if (!next || next->getOpcode() != Instruction::Add ||
      (next->getOperand(0) != &phi && next->getOperand(1) != &phi))
    return std::nullopt;
  Value *step = next->getOperand(next->getOperand(0) == &phi);
  std::optional<Place> place = of(phi.getIncomingValueForBlock(before), before, depth - 1);
  if (!place || !extremes_.isOfLaunch(step))
    return std::nullopt;
  place->fits.push_back({extremes_.exact(next, loop->getLoopLatch()),
                         std::min(phi.getType()->getScalarSizeInBits(), 64u)});
  place->factors[dimensionOf(*loop)] = extremes_.of(step, &entry_);
  return place;
}

std::optional<Place> Places::of(Value *value, const BasicBlock *at, unsigned depth) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 ||
      value->getType()->isIntegerTy(1))
    return std::nullopt;
  if (std::optional<Place> sum = ofSum(value, at, depth))
    return sum;
  uint32_t dimension = FirstValueDim + extremes_.of(value, at);
  return Place{0, std::nullopt, {{dimension, nodes_.number(1)}}};
}

std::optional<Place> Places::ofSum(Value *value, const BasicBlock *at, unsigned depth) {
  if (!depth)
    return std::nullopt;
  if (auto *number = dyn_cast<ConstantInt>(value))
    return Place{number->getSExtValue(), std::nullopt, {}};
  if (std::optional<uint32_t> dimension = extremes_.dimensionOf(value))
    return Place{0, std::nullopt, {{*dimension, nodes_.number(1)}}};
  if (extremes_.isOfLaunch(value))
    return Place{0, extremes_.of(value, &entry_), {}};
  if (auto *phi = dyn_cast<PHINode>(value))
    return ofLoopValue(*phi, depth);
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction)
    return std::nullopt;
  if (isa<SExtInst, FreezeInst>(instruction))
    return of(instruction->getOperand(0), at, depth - 1);
  if (isa<ZExtInst>(instruction)) {
    std::optional<Place> place = of(instruction->getOperand(0), at, depth - 1);
    unsigned from = instruction->getOperand(0)->getType()->getScalarSizeInBits();
    if (place)
      place->fits.push_back(
          {extremes_.of(instruction->getOperand(0), at), from | ProofNotNegative});
    return place;
  }
  auto *binary = dyn_cast<BinaryOperator>(instruction);
  return binary ? ofBinary(*binary, at, depth) : std::nullopt;
}

std::optional<Place> Places::ofBinary(BinaryOperator &binary, const BasicBlock *at,
                                      unsigned depth) {
  Value *left = binary.getOperand(0), *right = binary.getOperand(1);
  std::optional<Place> place;
  switch (binary.getOpcode()) {
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(binary).isDisjoint())
      return std::nullopt;
    [[fallthrough]];
  case Instruction::Add:
  case Instruction::Sub: {
    bool isSub = binary.getOpcode() == Instruction::Sub;
    if (isSub)
      if (std::optional<Place> rest = ofRest(binary, at, depth))
        return rest;
    place = of(left, at, depth - 1);
    auto more = place ? of(right, at, depth - 1) : place;
    if (!more)
      return std::nullopt;
    add(*place, *more, isSub ? -1 : 1);
    break;
  }
  case Instruction::Mul: {
    bool isLeft = extremes_.isOfLaunch(left);
    if (!isLeft && !extremes_.isOfLaunch(right))
      return std::nullopt;
    auto inner = of(isLeft ? right : left, at, depth - 1);
    if (!inner)
      return std::nullopt;
    if (auto *number = dyn_cast<ConstantInt>(isLeft ? left : right))
      add(place.emplace(), *inner, number->getSExtValue());
    else
      place = scaled(*inner, extremes_.of(isLeft ? left : right, &entry_));
    break;
  }
  case Instruction::Shl: {
    auto *by = dyn_cast<ConstantInt>(right);
    auto inner = by && by->getZExtValue() < 32 ? of(left, at, depth - 1) : std::nullopt;
    if (!inner)
      return std::nullopt;
    add(place.emplace(), *inner, int64_t(1) << by->getZExtValue());
    break;
  }
  default:
    return ofPart(binary, at, depth);
  }
  place->fits.push_back({extremes_.exact(&binary, at), binary.getType()->getIntegerBitWidth()});
  return place;
}

std::optional<Place> Places::ofPointer(Value *pointer, const Value *root, const BasicBlock *at) {
  Place place;
  while (pointer != root) {
    if (isa<AddrSpaceCastInst, FreezeInst>(pointer)) {
      pointer = cast<Instruction>(pointer)->getOperand(0);
      continue;
    }
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    SmallMapVector<Value *, APInt, 4> terms;
    APInt constant(64, 0);
    if (!gep || !cast<GEPOperator>(gep)->collectOffset(gep->getDataLayout(), 64, terms, constant))
      return std::nullopt;
    add(place, {constant.getSExtValue(), std::nullopt, {}}, 1);
    for (auto &[index, scale] : terms) {
      std::optional<Place> term = of(index, at);
      if (!term)
        return std::nullopt;
      add(place, *term, scale.getSExtValue());
    }
    pointer = gep->getPointerOperand();
  }
  return place.isTooLarge ? std::nullopt : std::optional(place);
}

} // namespace heddle::simt
