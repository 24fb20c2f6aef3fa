// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/strides.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LongestChain = 24; ///< instructions from a variable to what depends on it

} // namespace

const SCEV *Strides::of(Value &value) {
  return evolution_.isSCEVable(value.getType()) ? of(evolution_.getSCEV(&value)) : nullptr;
}

const SCEV *Strides::of(const SCEV *value) {
  if (auto known = strides_.find(value); known != strides_.end())
    return known->second;
  const SCEV *stride = make(value);
  return strides_[value] = stride;
}

const SCEV *Strides::make(const SCEV *value) {
  switch (value->getSCEVType()) {
  case scUnknown: {
    const Value *unknown = cast<SCEVUnknown>(value)->getValue();
    if (moving_ && unknown == moving_)
      return evolution_.getOne(unknown->getType());
    return moves(*unknown, LongestChain) ? nullptr : none(value);
  }
  case scAddExpr:
    return ofSum(value);
  case scMulExpr:
    return ofProduct(value);
  case scAddRecExpr:
    return ofWalk(cast<SCEVAddRecExpr>(value));
  case scTruncate:
  case scZeroExtend:
  case scSignExtend: {
    const SCEV *stride = of(cast<SCEVCastExpr>(value)->getOperand());
    return stride ? evolution_.getTruncateOrSignExtend(stride, value->getType()) : nullptr;
  }
  default: // of what must not move
    return all_of(value->operands(), [&](const SCEV *operand) { return stays(operand); })
               ? none(value)
               : nullptr;
  }
}

const SCEV *Strides::ofSum(const SCEV *sum) {
  const SCEV *stride = none(sum);
  for (const SCEV *operand : sum->operands()) {
    const SCEV *part = of(operand);
    if (!part)
      return nullptr;
    stride = evolution_.getAddExpr(stride, part);
  }
  return stride;
}

/// One factor moves at most.
const SCEV *Strides::ofProduct(const SCEV *product) {
  SmallVector<const SCEV *, 4> moving, factors;
  for (const SCEV *operand : product->operands())
    (stays(operand) ? factors : moving).push_back(operand);
  if (moving.empty())
    return none(product);
  const SCEV *stride = moving.size() == 1 ? of(moving.front()) : nullptr;
  if (!stride)
    return nullptr;
  factors.push_back(stride);
  return evolution_.getMulExpr(factors);
}

/// A loop inside stands at the same round.
const SCEV *Strides::ofWalk(const SCEVAddRecExpr *walk) {
  const SCEV *step = walk->isAffine() ? walk->getStepRecurrence(evolution_) : nullptr;
  if (step && walk->getLoop() == &loop_)
    return step;
  return step && stays(step) ? of(walk->getStart()) : nullptr;
}

const SCEV *Strides::none(const SCEV *value) {
  return evolution_.getZero(evolution_.getEffectiveSCEVType(value->getType()));
}

bool Strides::stays(const SCEV *value) {
  const SCEV *stride = of(value);
  return stride && stride->isZero();
}

/// It depends on a variable that moves. True too of what is too long to tell, and, where all
/// variables move, of those of loops inside.
bool Strides::moves(const Value &value, unsigned depth) {
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !loop_.contains(instruction))
    return false;
  if (isa<PHINode>(instruction) && (moving_ || instruction->getParent() == loop_.getHeader()))
    return !moving_ || instruction == moving_;
  if (auto known = moves_.find(&value); known != moves_.end())
    return known->second;
  moves_[&value] = true; // if it is asked for again on the way
  bool result = depth == 0 || any_of(instruction->operands(), [&](const Use &operand) {
                  return moves(*operand, depth - 1);
                });
  return moves_[&value] = result;
}

} // namespace heddle::simt
