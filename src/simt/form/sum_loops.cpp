// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that adds up a row of its own reads along the row. While it goes alone, the jit takes
// the row on vectors (jit/vector/vectorize_reductions.cpp has the method and the numbers); that it
// can is asked here, since it also counts when the width is chosen.
//
// What must be true (canTake): the loop is one block and ends by a count that is known when it
// begins; nothing in it writes, or could fail in a lane that is idle; from round to round it hands
// on counters and sums whose order is free (order_free.h), and behind it only the sums are wanted.
// And it must be worth it (isWorthIt): loads that go side by side, no more gathers than those,
// since a gather takes as long as two or three loads for each lane, and more rounds than a few if
// their number is known.
#include "simt/form/sum_loops.h"

#include "simt/vector/word_places.h"

#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace heddle::simt {

constexpr unsigned FewestRounds = 8;    ///< if their number is known
constexpr unsigned WholeTurnBits = 512; ///< of numbers that are loaded side by side
constexpr unsigned FewestLanes = 32;    ///< of a whole turn: additions wait for the ones before

SmallVector<Value *, 2> Sum::addends(unsigned addition) const {
  const Instruction *before = addition == 0 ? phi : additions[addition - 1];
  SmallVector<Value *, 2> values;
  for (Value *operand :
       drop_end(additions[addition]->operands(), isa<IntrinsicInst>(additions[addition]) ? 1 : 0))
    if (operand != before)
      values.push_back(operand);
  return values;
}

namespace {

bool isAccumulation(const Instruction &instruction, const Value &sum) {
  if (isOrderFreeProduct(instruction))
    return instruction.getOperand(2) == &sum && instruction.getOperand(0) != &sum &&
           instruction.getOperand(1) != &sum;
  if (isOrderFreeSubtraction(instruction))
    return instruction.getOperand(0) == &sum && instruction.getOperand(1) != &sum;
  return isOrderFree(instruction) &&
         (instruction.getOperand(0) == &sum) != (instruction.getOperand(1) == &sum);
}

/// A sum of such operations may be added to by this one too.
bool goesOn(const Operation &operation, const Instruction &instruction) {
  bool adds = isOrderFreeProduct(instruction) || isOrderFreeSubtraction(instruction);
  return operation.is(instruction) || (adds && operation.isAddition());
}

/// A division of integers by a number that no idle lane can fail with.
bool isSafeDivision(const Instruction &instruction) {
  const auto *divisor = dyn_cast<ConstantInt>(instruction.getOperand(1));
  return divisor && !divisor->isZero() && !divisor->isMinusOne();
}

/// Does the same with vectors, lane by lane, whatever is in lanes that nobody wants.
bool isLanewise(const Instruction &instruction) {
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    switch (call->getIntrinsicID()) {
    case Intrinsic::fma:
    case Intrinsic::fmuladd:
    case Intrinsic::fabs:
    case Intrinsic::sqrt:
    case Intrinsic::minnum:
    case Intrinsic::maxnum:
    case Intrinsic::minimumnum:
    case Intrinsic::maximumnum:
      return true;
    default:
      return isa<MinMaxIntrinsic>(call);
    }
  return isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(
             instruction) &&
         (!instruction.isIntDivRem() || isSafeDivision(instruction));
}

} // namespace

bool SumLoop::canExpand(const SCEV *what) const {
  return SCEVExpander(evolution_, "")
      .isSafeToExpandAt(what, loop_.getLoopPreheader()->getTerminator());
}

bool SumLoop::canTake() {
  const SCEV *rounds = evolution_.getBackedgeTakenCount(&loop_);
  if (!loop_.isInnermost() || loop_.getNumBlocks() != 1 || !loop_.getLoopPreheader() ||
      !loop_.getExitBlock() || isa<SCEVCouldNotCompute>(rounds) ||
      evolution_.getTypeSizeInBits(rounds->getType()) > 64 || !canExpand(rounds) || !findSums())
    return false;
  for (Instruction &instruction : body_) {
    if (instruction.isTerminator())
      continue;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    bool isHarmless = load ? load->isSimple()
                           : !instruction.mayHaveSideEffects() && !instruction.mayReadFromMemory();
    if (!isHarmless || instruction.getType()->isVectorTy() || isWantedBehind(instruction))
      return false;
  }
  return all_of(sums_, [&](const Sum &sum) {
    return all_of(seq<unsigned>(0, sum.additions.size()), [&](unsigned addition) {
      return all_of(sum.addends(addition), [&](Value *value) { return canWiden(value); });
    });
  });
}

bool SumLoop::isWorthIt() const {
  unsigned most = evolution_.getSmallConstantMaxTripCount(&loop_);
  return sideBySide_ > 0 && gathers_ <= sideBySide_ && (most == 0 || most >= FewestRounds);
}

unsigned SumLoop::lanesOfWholeTurns() const {
  unsigned lanes = std::max(FewestLanes, WholeTurnBits / narrowest_);
  unsigned most = evolution_.getSmallConstantMaxTripCount(&loop_);
  return gathers_ > 0 || (most != 0 && most < FewestWholeTurns * lanes) ? 0 : lanes;
}

/// Behind the loop only the sums are.
bool SumLoop::isWantedBehind(const Instruction &instruction) const {
  bool isSum = any_of(sums_, [&](const Sum &sum) { return sum.last() == &instruction; });
  return !isSum && any_of(instruction.users(), [&](const User *user) {
    return cast<Instruction>(user)->getParent() != &body_;
  });
}

/// The phis of the loop that are no counters are sums.
bool SumLoop::findSums() {
  for (PHINode &phi : body_.phis()) {
    if (phi.getType()->isPointerTy() || phi.getType()->isIntegerTy())
      if (walkOf(&phi))
        continue;
    auto *next = dyn_cast<Instruction>(phi.getIncomingValueForBlock(&body_));
    SmallVector<Instruction *, 2> additions;
    for (Instruction *sum = &phi; sum != next;) {
      if (!sum->hasOneUse() || additions.size() > body_.size())
        return false;
      auto *user = cast<Instruction>(*sum->user_begin());
      bool fits = user->getParent() == &body_ && isAccumulation(*user, *sum) &&
                  (additions.empty() || goesOn(Operation(*additions.front()), *user));
      if (!fits)
        return false;
      additions.push_back(user);
      sum = user;
    }
    if (additions.empty())
      return false;
    Operation operation(*additions.front());
    sums_.push_back({&phi, additions, operation});
  }
  return !sums_.empty();
}

const SCEVAddRecExpr *SumLoop::walkOf(Value *value) const {
  if (!evolution_.isSCEVable(value->getType()))
    return nullptr;
  const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(value));
  return walk && walk->getLoop() == &loop_ && walk->isAffine() ? walk : nullptr;
}

bool SumLoop::isSideBySide(const LoadInst &load) const {
  const SCEVAddRecExpr *walk = walkOf(const_cast<Value *>(load.getPointerOperand()));
  const auto *step = walk ? dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_)) : nullptr;
  const DataLayout &layout = body_.getDataLayout();
  return step && step->getAPInt() == layout.getTypeAllocSize(load.getType()).getFixedValue() &&
         layout.getTypeAllocSizeInBits(load.getType()) == layout.getTypeSizeInBits(load.getType());
}

bool SumLoop::canLoad(const LoadInst &load) {
  auto *type = FixedVectorType::get(load.getType(), Lanes);
  if (isSideBySide(load)) {
    ++sideBySide_;
    narrowest_ = std::min(narrowest_, std::max(8u, load.getType()->getScalarSizeInBits()));
    const SCEV *start = walkOf(const_cast<Value *>(load.getPointerOperand()))->getStart();
    return target_.isLegalMaskedLoad(type, load.getAlign(), load.getPointerAddressSpace()) &&
           canExpand(start);
  }
  ++gathers_;
  const auto *address = dyn_cast<GetElementPtrInst>(load.getPointerOperand());
  bool isLegal = target_.isLegalMaskedGather(type, load.getAlign()) &&
                 !target_.forceScalarizeMaskedGather(type, load.getAlign());
  return address && address->getNumIndices() == 1 &&
         loop_.isLoopInvariant(address->getPointerOperand()) &&
         (isLegal || (gathersWords_ && hasWordGather(*address, *load.getType(), machine_))) &&
         canWiden(address->getOperand(1));
}

bool SumLoop::canWiden(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!VectorType::isValidElementType(value->getType()) || value->getType()->isPointerTy())
    return false;
  if (!instruction || instruction->getParent() != &body_ || !known_.insert(value).second)
    return true;
  if (isa<PHINode>(instruction)) {
    const SCEVAddRecExpr *walk = walkOf(value);
    return walk && value->getType()->isIntegerTy() && canExpand(walk->getStart()) &&
           canExpand(walk->getStepRecurrence(evolution_));
  }
  if (const auto *load = dyn_cast<LoadInst>(instruction))
    return canLoad(*load);
  return isLanewise(*instruction) && all_of(instruction->operands(), [&](Value *operand) {
           return isa<Function>(operand) || canWiden(operand);
         });
}

} // namespace heddle::simt
