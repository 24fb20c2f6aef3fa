// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/lane_subset.h"

#include "simt/intrinsics.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

LaneSubsets::LaneSubsets(const BlockOrder &order, const LaneFacts &facts)
    : facts_(facts), lanes_(order.blocks.size(), BitVector(facts.width)) {
  unsigned threads = facts.blockDim[0] * facts.blockDim[1] * facts.blockDim[2];
  lanes_[0].set(0, std::min(facts.width, threads));
  for (bool changed = true; changed;) { // lanes only come in
    changed = false;
    for (BasicBlock *block : order.blocks)
      for (unsigned i = 0; i < block->getTerminator()->getNumSuccessors(); ++i) {
        BitVector &target = lanes_[order.index(block->getTerminator()->getSuccessor(i))];
        BitVector come = onEdge(*block, i);
        come &= lanes_[order.index(block)];
        changed |= come.test(target);
        target |= come;
      }
  }
}

BitVector LaneSubsets::onEdge(BasicBlock &from, unsigned successor) {
  auto *branch = dyn_cast<BranchInst>(from.getTerminator());
  if (!branch || !branch->isConditional())
    return BitVector(facts_.width, true);
  return whereMayBe(branch->getCondition(), successor == 0);
}

bool LaneSubsets::isSame(Value *value, const BitVector &lanes) {
  const Values &values = valuesOf(value);
  int first = lanes.find_first();
  return !values.empty() && first >= 0 && isa<ConstantInt>(values[first]) &&
         all_of(lanes.set_bits(), [&](unsigned lane) { return values[lane] == values[first]; });
}

BitVector LaneSubsets::whereMayBe(Value *condition, bool value) {
  Value *left, *right;
  if (match(condition, m_Not(m_Value(left))))
    return whereMayBe(left, !value);
  bool isAnd = match(condition, m_LogicalAnd(m_Value(left), m_Value(right)));
  if (isAnd || match(condition, m_LogicalOr(m_Value(left), m_Value(right)))) {
    BitVector lanes = whereMayBe(left, value), others = whereMayBe(right, value);
    if (isAnd == value) // needs both
      lanes &= others;
    else
      lanes |= others;
    return lanes;
  }
  const Values &known = valuesOf(condition);
  BitVector lanes(facts_.width, known.empty());
  for (auto [lane, constant] : enumerate(known))
    if (!isa<ConstantInt>(constant) || constant->isOneValue() == value)
      lanes.set(lane);
  return lanes;
}

const LaneSubsets::Values &LaneSubsets::valuesOf(Value *value) {
  if (auto known = values_.find(value); known != values_.end())
    return known->second;
  Values result;
  auto *instruction = dyn_cast<Instruction>(value);
  if (auto *constant = dyn_cast<Constant>(value))
    result.assign(facts_.width, constant);
  else if (instruction && instruction->getType()->isIntegerTy())
    result = folded(*instruction);
  return values_[value] = std::move(result);
}

std::optional<APInt> LaneSubsets::valueIn(Value *value, unsigned lane) {
  const Values &values = valuesOf(value);
  auto *constant = values.empty() ? nullptr : dyn_cast<ConstantInt>(values[lane]);
  return constant ? std::optional(constant->getValue()) : std::nullopt;
}

bool LaneSubsets::isAlways(Value *condition) {
  const Values &known = valuesOf(condition);
  return !known.empty() && all_of(lanes_[0].set_bits(), [&](unsigned lane) {
    return isa<ConstantInt>(known[lane]) && known[lane]->isOneValue();
  });
}

SmallVector<int64_t, 0> LaneSubsets::offsetsFrom(const Value *base, Value *address,
                                                 const BitVector &lanes) {
  SmallVector<int64_t, 0> offsets(lanes.count(), 0);
  for (; address != base; address = cast<User>(address)->getOperand(0)) {
    if (isa<AddrSpaceCastInst>(address))
      continue;
    auto *gep = dyn_cast<GetElementPtrInst>(address);
    if (!gep || !all_of(gep->indices(), [&](Value *index) { return isKnown(index); }))
      return {};
    for (auto [offset, lane] : zip(offsets, lanes.set_bits())) {
      SmallVector<Value *, 4> indices;
      for (Value *index : gep->indices())
        indices.push_back(valuesOf(index)[lane]);
      if (!all_of(indices, [](Value *index) { return isa<ConstantInt>(index); }))
        return {};
      offset += gep->getDataLayout().getIndexedOffsetInType(gep->getSourceElementType(), indices);
    }
  }
  return offsets;
}

LaneSubsets::Values LaneSubsets::folded(Instruction &instruction) {
  if (auto *call = dyn_cast<CallInst>(&instruction)) {
    if (callKind(*call) != CallKind::ThreadIndex)
      return {};
    if (warpBehaviour(*call) == WarpBehaviour::LaneId)
      return laneNumbers(*call);
    unsigned dimension = static_cast<unsigned>(warpBehaviour(*call)) -
                         static_cast<unsigned>(WarpBehaviour::ThreadIndexX);
    return dimension < 3 ? threadIndex(*call, dimension) : Values();
  }
  if (!isa<BinaryOperator, CastInst, ICmpInst, SelectInst>(instruction))
    return {};
  SmallVector<Values, 3> operands;
  for (Value *operand : instruction.operands()) {
    operands.push_back(valuesOf(operand));
    if (operands.back().empty())
      return {};
  }
  Values result;
  for (unsigned lane = 0; lane < facts_.width; ++lane) {
    SmallVector<Constant *, 3> constants;
    for (const Values &values : operands)
      constants.push_back(values[lane]);
    Constant *constant =
        ConstantFoldInstOperands(&instruction, constants, instruction.getDataLayout());
    if (!constant)
      return {};
    result.push_back(constant);
  }
  return result;
}

/// Known where each program begins at the same index: where it holds whole turns of the dimension.
LaneSubsets::Values LaneSubsets::laneNumbers(const CallInst &call) const {
  if (facts_.width < WarpSize)
    return {};
  Values result;
  for (unsigned lane = 0; lane < facts_.width; ++lane)
    result.push_back(ConstantInt::get(call.getType(), lane % WarpSize));
  return result;
}

LaneSubsets::Values LaneSubsets::threadIndex(const CallInst &call, unsigned dimension) const {
  unsigned inner = 1, threads = 1, count = facts_.blockDim[dimension];
  for (unsigned d = 0; d < 3; ++d) {
    inner *= d < dimension ? facts_.blockDim[d] : 1;
    threads *= facts_.blockDim[d];
  }
  if (facts_.width < threads && facts_.width % (inner * count) != 0)
    return {};
  Values result;
  for (unsigned lane = 0; lane < facts_.width; ++lane)
    result.push_back(ConstantInt::get(call.getType(), lane / inner % count));
  return result;
}

} // namespace heddle::simt
