// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/canonical/regular_sums.h"

#include "simt/analysis/overflow.h"

#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

bool RegularSums::isOfThreads(Value &value) {
  if (isa<Constant>(value))
    return false;
  const ThreadTable *table = tables_.of(&value);
  return table && !all_equal(*table);
}

Counter RegularSums::counterOf(Value &value) {
  auto *phi = dyn_cast<PHINode>(&value);
  if (!phi || phi->getNumIncomingValues() != 2)
    return {};
  for (unsigned i : {0u, 1u}) {
    auto *next = dyn_cast<BinaryOperator>(phi->getIncomingValue(1 - i));
    unsigned opcode = next ? next->getOpcode() : 0;
    bool counts = (opcode == Instruction::Add && is_contained(next->operands(), phi)) ||
                  (opcode == Instruction::Sub && next->getOperand(0) == phi);
    if (!counts)
      continue;
    Value *step = next->getOperand(next->getOperand(0) == phi), *start = phi->getIncomingValue(i);
    bool hasThreads = false;
    if (isa<Instruction>(step) && !isa<LoadInst>(step) &&
        (!goesRegularly(*step, hasThreads, DeepestSum) || hasThreads))
      return {};
    return step != phi && start != next ? Counter{start, i, next} : Counter();
  }
  return {};
}

/// The same in the lanes of a row of the block.
static bool isOfRows(const Shape &shape) {
  return shape.uniform() || (shape.segment > 1 && shape.stride == 0);
}

bool RegularSums::isChoiceOfRows(const SelectInst &choice) {
  const auto *condition = dyn_cast<Instruction>(choice.getCondition());
  return !condition || isOfRows(inWarps(*condition));
}

bool RegularSums::goesRegularly(Value &value, bool &hasThreads, unsigned depth) {
  if (isOfThreads(value))
    return hasThreads = true;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return true;
  if (isa<PHINode>(instruction)) {
    if (depth == 0 || !looked_.insert(instruction).second)
      return true;
    Counter counter = counterOf(value);
    looked_.erase(instruction);
    return !counter || goesRegularly(*counter.start, hasThreads, depth - 1);
  }
  if (isa<LoadInst>(instruction)) // a parameter, or what a row of the block reads together
    return instruction->hasMetadata(LLVMContext::MD_invariant_load) ||
           isOfRows(inWarps(*instruction));
  // The row of a neighbour, clamped; the first lane's number; what is made of it by many steps.
  if (depth == 0 || !isa<BinaryOperator, CastInst, SelectInst, ICmpInst, FreezeInst>(instruction))
    return isOfRows(inWarps(*instruction));
  // Threads cannot be taken out of a quotient, nor out of one of two numbers.
  const auto *choice = dyn_cast<SelectInst>(instruction);
  bool isTaken = !instruction->isIntDivRem(), isSum = isTaken && !choice;
  for (Value *operand : instruction->operands()) {
    bool hasOwn = false;
    if (!goesRegularly(*operand, hasOwn, depth - 1))
      return false;
    hasThreads |= isSum && hasOwn;
    isTaken &= hasOwn || (choice && operand == choice->getCondition());
  }
  hasThreads |= choice && isTaken;
  return true;
}

/// How the value goes over the lanes of a warp. Asked of what was there from the start.
Shape RegularSums::inWarps(const Instruction &instruction) {
  if (!lanes_) {
    facts_.emplace(thread_);
    lanes_.emplace(thread_, *facts_, LaneFacts{WarpSize, options_.blockDim});
  }
  return lanes_->shapes.of(&instruction);
}

} // namespace heddle::simt
