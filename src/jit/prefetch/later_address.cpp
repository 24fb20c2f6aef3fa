// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/later_address.h"

#include "simt/analysis/recompute.h"

#include "llvm/IR/Instructions.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned LongestChain = 24; ///< instructions from the variable to an address

} // namespace

bool LaterAddress::isKnown(Value *address) {
  auto isInput = [&](Value &value) { return &value == variable_ || !depends(value, LongestChain); };
  return depends(*address, LongestChain) &&
         simt::canRecompute(*address, isInput, simt::isIndexArithmetic, LongestChain);
}

Value *LaterAddress::make(IRBuilder<> &builder, Value *value, Value *later) {
  simt::Recomputation then(builder, [&](Value &input) -> Value * {
    if (&input == variable_)
      return later;
    return depends(input, LongestChain) ? nullptr : &input;
  });
  return then.of(*value);
}

/// True too of what is too long to tell.
bool LaterAddress::depends(Value &value, unsigned depth) {
  if (&value == variable_)
    return true;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !loop_.contains(instruction) ||
      !isa<BinaryOperator, CastInst, GetElementPtrInst>(instruction))
    return false; // as it is
  if (auto known = depends_.find(&value); known != depends_.end())
    return known->second;
  bool result = depth == 0 || any_of(instruction->operands(),
                                     [&](Value *operand) { return depends(*operand, depth - 1); });
  return depends_[&value] = result;
}

} // namespace heddle::jit
