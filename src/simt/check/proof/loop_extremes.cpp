// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of values that loops change, and how often loops go back.
#include "simt/check/proof/extremes.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

/// A value x that begins with `start`; each time the loop goes back it is changed.
uint32_t Extremes::ofLoopValue(PHINode &phi, const Loop &loop) {
  unsigned bits = phi.getType()->getIntegerBitWidth();
  uint32_t any = nodes_.any(bits);
  const BasicBlock *before = loop.getLoopPreheader(), *latch = loop.getLoopLatch();
  if (!before || !latch || bits == 1)
    return any;
  uint32_t start = of(phi.getIncomingValueForBlock(before), before);
  auto *next = dyn_cast<BinaryOperator>(phi.getIncomingValueForBlock(latch));
  if (!next || (next->getOperand(0) != &phi && next->getOperand(1) != &phi))
    return any;
  Value *step = next->getOperand(next->getOperand(0) == &phi);
  GuardList back = guards_.onEdge(latch, phi.getParent());
  GuardList inside = guards_.at(latch);
  // What is known of x where the loop goes back, and of the next x.
  uint32_t nextLimits = limited(limited(any, next, back, latch), next, inside, latch);
  uint32_t lastLimits = limited(limited(any, &phi, back, latch), &phi, inside, latch);
  auto atMost = [&](uint32_t node, uint32_t bound) {
    return nodes_.add(ProofOp::AtMost, node, bound);
  };
  auto atLeast = [&](uint32_t node, uint32_t bound) {
    return nodes_.add(ProofOp::AtLeast, node, bound);
  };
  auto ifFits = [&](uint32_t node, uint32_t other, bool isNotNegative) {
    return nodes_.add(ProofOp::IfFits, node, other, bits, isNotNegative);
  };
  std::optional<uint32_t> count = repeats(loop);
  auto *number = dyn_cast<ConstantInt>(step);
  switch (next->getOpcode()) {
  case Instruction::Sub:
    if (!number || next->getOperand(0) != &phi)
      return any;
    [[fallthrough]];
  case Instruction::Add: {
    bool isSub = next->getOpcode() == Instruction::Sub;
    if (!loop.isLoopInvariant(step))
      return any;
    uint32_t by = number ? nodes_.number(isSub ? -number->getSExtValue() : number->getSExtValue())
                         : of(step, before);
    bool goesDown = number && number->isNegative() != isSub;
    uint32_t limits = nodes_.add(ProofOp::Join, start, nextLimits);
    uint32_t more = nodes_.add(ProofOp::Join, start, nodes_.add(ProofOp::Add, lastLimits, by));
    uint32_t value = goesDown ? atLeast(atLeast(atMost(any, start), limits), more)
                              : atMost(atMost(atLeast(any, start), limits), more);
    if (count) {
      uint32_t end = nodes_.add(ProofOp::Add, start, nodes_.add(ProofOp::Multiply, by, *count));
      value = goesDown ? atLeast(value, end) : atMost(value, end);
    }
    value = ifFits(nodes_.steps(value, start, by), nodes_.add(ProofOp::Add, value, by), false);
    return goesDown ? value : ifFits(value, by, true);
  }
  case Instruction::Shl:
  case Instruction::Mul: {
    if (!number || number->getSExtValue() < 1 || number->getSExtValue() > 62)
      return any;
    int64_t factor = next->getOpcode() == Instruction::Shl ? int64_t(1) << number->getZExtValue()
                                                           : number->getSExtValue();
    uint32_t value = atMost(atLeast(any, start), nodes_.add(ProofOp::Join, start, nextLimits));
    uint32_t last = nodes_.add(ProofOp::Multiply, lastLimits, nodes_.number(factor));
    value = atMost(value, nodes_.add(ProofOp::Join, start, last));
    uint32_t grown = nodes_.add(ProofOp::Multiply, value, nodes_.number(factor));
    return ifFits(ifFits(value, grown, false), start, true);
  }
  case Instruction::LShr:
  case Instruction::AShr:
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::And:
    if (next->getOperand(0) != &phi || (next->getOpcode() == Instruction::SDiv &&
                                        (!number || !number->getValue().isStrictlyPositive())))
      return any;
    return ifFits(atMost(atLeast(any, nodes_.number(0)), start), start, true);
  default:
    return any;
  }
}

std::optional<uint32_t> Extremes::repeats(const Loop &loop) {
  const BasicBlock *before = loop.getLoopPreheader();
  const SCEV *count = scev_.getSymbolicMaxBackedgeTakenCount(&loop);
  if (!before || isa<SCEVCouldNotCompute>(count))
    return std::nullopt;
  std::optional<uint32_t> node = ofScev(count, before);
  return node ? std::optional(nodes_.add(ProofOp::IfFits, *node, *node, 64, true)) : std::nullopt;
}

/// Of a sum with a greatest or least number: with each of these by itself, where summands may cancel out.
std::optional<uint32_t> Extremes::ofChoices(const SCEVAddExpr &sum, const BasicBlock *at) {
  auto choice =
      find_if(sum.operands(), [](const SCEV *operand) { return isa<SCEVMinMaxExpr>(operand); });
  if (choice == sum.operands().end())
    return std::nullopt;
  const SCEV *rest = scev_.getMinusSCEV(&sum, *choice);
  std::optional<uint32_t> all;
  for (const SCEV *one : cast<SCEVMinMaxExpr>(*choice)->operands()) {
    std::optional<uint32_t> node = ofScev(scev_.getAddExpr(rest, one), at);
    if (!node)
      return std::nullopt;
    all = all ? nodes_.add(ProofOp::Join, *all, *node) : *node;
  }
  return all;
}

/// A number without a sign.
std::optional<uint32_t> Extremes::ofScev(const SCEV *scev, const BasicBlock *at) {
  unsigned bits = unsigned(scev_.getTypeSizeInBits(scev->getType()));
  if (!scev->getType()->isIntegerTy() || bits > 64 || bits == 1)
    return std::nullopt;
  auto finish = [&](uint32_t node) {
    node = nodes_.add(ProofOp::Wrap, node, 0, bits);
    return bits < 64 ? nodes_.add(ProofOp::Unsign, node, 0, bits) : node;
  };
  switch (scev->getSCEVType()) {
  case scConstant:
    return finish(nodes_.number(cast<SCEVConstant>(scev)->getAPInt().getSExtValue()));
  case scUnknown:
    return finish(of(cast<SCEVUnknown>(scev)->getValue(), at));
  case scTruncate:
  case scZeroExtend:
  case scSignExtend: {
    auto *operand = cast<SCEVCastExpr>(scev)->getOperand();
    auto node = ofScev(operand, at);
    if (node && scev->getSCEVType() == scSignExtend)
      node = nodes_.add(ProofOp::Wrap, *node, 0, scev_.getTypeSizeInBits(operand->getType()));
    return node ? std::optional(finish(*node)) : std::nullopt;
  }
  case scAddExpr:
    if (std::optional<uint32_t> node = ofChoices(cast<SCEVAddExpr>(*scev), at))
      return node;
    [[fallthrough]];
  case scMulExpr:
  case scUMaxExpr:
  case scUMinExpr:
  case scSMaxExpr:
  case scSMinExpr: {
    ProofOp op = scev->getSCEVType() == scAddExpr   ? ProofOp::Add
                 : scev->getSCEVType() == scMulExpr ? ProofOp::Multiply
                 : scev->getSCEVType() == scUMaxExpr || scev->getSCEVType() == scSMaxExpr
                     ? ProofOp::Greater
                     : ProofOp::Smaller;
    bool hasSign = scev->getSCEVType() != scUMaxExpr && scev->getSCEVType() != scUMinExpr;
    std::optional<uint32_t> all;
    for (const SCEV *operand : cast<SCEVNAryExpr>(scev)->operands()) {
      auto one = ofScev(operand, at);
      if (!one)
        return std::nullopt;
      if (hasSign)
        one = nodes_.add(ProofOp::Wrap, *one, 0, bits);
      all = all ? nodes_.add(op, *all, *one) : one;
    }
    return finish(*all);
  }
  case scUDivExpr: {
    auto left = ofScev(cast<SCEVUDivExpr>(scev)->getLHS(), at);
    auto right = ofScev(cast<SCEVUDivExpr>(scev)->getRHS(), at);
    return left && right ? std::optional(finish(nodes_.add(ProofOp::Divide, *left, *right)))
                         : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

/// A pointer that a loop moves on by as much each time.
std::optional<uint32_t> Extremes::ofPointer(PHINode &phi, const Value *root) {
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  const BasicBlock *before = loop ? loop->getLoopPreheader() : nullptr;
  if (!before || loop->getHeader() != phi.getParent() || !loop->getLoopLatch())
    return std::nullopt;
  auto *next = dyn_cast<GEPOperator>(phi.getIncomingValueForBlock(loop->getLoopLatch()));
  bool isStep = next && next->getPointerOperand() == &phi &&
                all_of(next->indices(), [&](const Use &use) { return loop->isLoopInvariant(use); });
  std::optional<uint32_t> step = isStep ? added(*next, before) : std::nullopt,
                          count = repeats(*loop);
  std::optional<uint32_t> start = offset(phi.getIncomingValueForBlock(before), root, before);
  if (!step || !count || !start)
    return std::nullopt;
  uint32_t moved = nodes_.add(ProofOp::Multiply, *step, *count);
  uint32_t all = nodes_.add(ProofOp::Join, *start, nodes_.add(ProofOp::Add, *start, moved));
  return nodes_.steps(all, *start, *step);
}

} // namespace heddle::simt
