// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/lane_subset.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

LaneSubsets::LaneSubsets(const BlockOrder &order, const LaneFacts &facts)
    : facts_(facts), lanes_(order.blocks.size(), BitVector(facts.width)), tables_(facts.blockDim) {
  lanes_[0].set(0, std::min(facts.width, tables_.threads()));
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
  const ThreadTable *values = valuesOf(value);
  int first = lanes.find_first();
  return values && first >= 0 && all_of(lanes.set_bits(), [&](unsigned lane) {
           return (*values)[lane] == (*values)[first];
         });
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
  const ThreadTable *known = valuesOf(condition);
  BitVector lanes(facts_.width, !known);
  if (known)
    for (unsigned lane : lanes_[0].set_bits())
      if (((*known)[lane] != 0) == value)
        lanes.set(lane);
  return lanes;
}

const ThreadTable *LaneSubsets::valuesOf(Value *value) {
  auto [known, isNew] = values_.try_emplace(value, nullptr);
  const ThreadTable *table = isNew ? tables_.of(value) : nullptr;
  if (!table)
    return known->second;
  for (unsigned thread = facts_.width; thread < table->size(); ++thread)
    if ((*table)[thread] != (*table)[thread % facts_.width])
      return nullptr;
  return known->second = table;
}

std::optional<APInt> LaneSubsets::valueIn(Value *value, unsigned lane) {
  const ThreadTable *values = valuesOf(value);
  return values && lane < values->size()
             ? std::optional(
                   APInt(value->getType()->getIntegerBitWidth(), uint64_t((*values)[lane]), true))
             : std::nullopt;
}

bool LaneSubsets::isAlways(Value *condition) {
  const ThreadTable *known = valuesOf(condition);
  return known && !is_contained(*known, 0);
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
        indices.push_back(ConstantInt::getSigned(index->getType(), (*valuesOf(index))[lane]));
      offset += gep->getDataLayout().getIndexedOffsetInType(gep->getSourceElementType(), indices);
    }
  }
  return offsets;
}

} // namespace heddle::simt
