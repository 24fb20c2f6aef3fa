// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/proof/places.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

uint32_t Places::times(uint32_t node, int64_t number) {
  return number == 1 ? node : nodes_.add(ProofOp::Multiply, node, nodes_.number(number));
}

void Places::add(Place &to, const Place &from, int64_t number) {
  int64_t more = 0;
  to.isTooLarge |= from.isTooLarge || __builtin_mul_overflow(from.constant, number, &more) ||
                   __builtin_add_overflow(to.constant, more, &to.constant);
  auto sum = [&](uint32_t node, uint32_t more) {
    return nodes_.add(ProofOp::Add, node, times(more, number));
  };
  if (from.base)
    to.base = to.base ? sum(*to.base, *from.base) : times(*from.base, number);
  for (auto [dimension, factor] : from.factors) {
    auto [at, isNew] = to.factors.try_emplace(dimension, times(factor, number));
    if (!isNew)
      at->second = sum(at->second, factor);
  }
}

/// Times a number of the launch.
Place Places::scaled(const Place &place, uint32_t factor) {
  Place result;
  result.isTooLarge = place.isTooLarge;
  if (place.constant || place.base) {
    uint32_t sum = nodes_.number(place.constant);
    if (place.base)
      sum = place.constant ? nodes_.add(ProofOp::Add, *place.base, sum) : *place.base;
    result.base = nodes_.add(ProofOp::Multiply, sum, factor);
  }
  for (auto [dimension, own] : place.factors)
    result.factors[dimension] = nodes_.add(ProofOp::Multiply, own, factor);
  return result;
}

uint32_t Places::dimensionOf(const Loop &loop) {
  auto known = find(numbered_, &loop);
  auto number = uint32_t(known - numbered_.begin());
  if (known == numbered_.end())
    numbered_.push_back(&loop);
  return FirstLoopDim + number;
}

/// Bits of a thread's or block's number:
///
///     tid >> 4            the high part
///     tid & 15            the low one
///     tid << 2 & 60       4 times the low one
std::optional<Place> Places::ofPart(BinaryOperator &binary) const {
  Value *value = binary.getOperand(0);
  auto *number = dyn_cast<ConstantInt>(binary.getOperand(1));
  if (!number || number->getBitWidth() > 64)
    return std::nullopt;
  uint64_t bits = number->getZExtValue(), shift = 0;
  auto part = [&](uint64_t lowest, bool isHigh, int64_t factor) -> std::optional<Place> {
    std::optional<uint32_t> dimension = extremes_.dimensionOf(value);
    if (!dimension || lowest > 31)
      return std::nullopt;
    uint32_t dim = dimOf({*dimension, static_cast<uint32_t>(lowest), isHigh});
    return Place{0, std::nullopt, {{dim, nodes_.number(factor)}}};
  };
  if (binary.getOpcode() == Instruction::LShr)
    return part(bits, true, 1);
  if (binary.getOpcode() != Instruction::And)
    return std::nullopt;
  auto *shifted = dyn_cast<BinaryOperator>(value);
  if (shifted && shifted->getOpcode() == Instruction::Shl)
    if (auto *by = dyn_cast<ConstantInt>(shifted->getOperand(1)); by && by->getZExtValue() < 16) {
      shift = by->getZExtValue();
      value = shifted->getOperand(0);
    }
  uint64_t mask = bits >> shift;
  if (mask << shift != bits || mask == 0 || (mask & (mask + 1)))
    return std::nullopt;
  return part(static_cast<uint64_t>(__builtin_popcountll(mask)), false, int64_t(1) << shift);
}

/// The same number from wherever a thread comes.
std::optional<Place> Places::ofJoin(PHINode &phi, unsigned depth) {
  std::optional<Place> all;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    std::optional<Place> one = of(phi.getIncomingValue(i), phi.getIncomingBlock(i), depth - 1);
    if (!one || (all && !(*one == *all)))
      return std::nullopt;
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
  fits_.push_back({extremes_.exact(next, loop->getLoopLatch()),
                   std::min(phi.getType()->getScalarSizeInBits(), 64u)});
  place->factors[dimensionOf(*loop)] = extremes_.of(step, &entry_);
  return place;
}

std::optional<Place> Places::of(Value *value, const BasicBlock *at, unsigned depth) {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 || !depth)
    return std::nullopt;
  unsigned bits = value->getType()->getIntegerBitWidth();
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
    unsigned from = instruction->getOperand(0)->getType()->getScalarSizeInBits();
    fits_.push_back({extremes_.of(instruction->getOperand(0), at), from | ProofNotNegative});
    return of(instruction->getOperand(0), at, depth - 1);
  }
  auto *binary = dyn_cast<BinaryOperator>(instruction);
  if (!binary)
    return std::nullopt;
  Value *left = binary->getOperand(0), *right = binary->getOperand(1);
  std::optional<Place> place;
  switch (binary->getOpcode()) {
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(binary)->isDisjoint())
      return std::nullopt;
    [[fallthrough]];
  case Instruction::Add:
  case Instruction::Sub: {
    place = of(left, at, depth - 1);
    auto more = place ? of(right, at, depth - 1) : place;
    if (!more)
      return std::nullopt;
    add(*place, *more, binary->getOpcode() == Instruction::Sub ? -1 : 1);
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
    return ofPart(*binary);
  }
  fits_.push_back({extremes_.exact(binary, at), bits});
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
