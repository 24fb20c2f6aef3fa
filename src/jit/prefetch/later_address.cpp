// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/prefetch/later_address.h"

#include "llvm/IR/Instructions.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned LongestChain = 24; ///< instructions from the variable to an address

} // namespace

bool LaterAddress::isKnown(Value *address) {
  return canFollow(address, LongestChain) && depends_.lookup(address);
}

Value *LaterAddress::make(IRBuilder<> &builder, Value *value, Value *later) {
  if (value == variable_)
    return later;
  if (!depends_.lookup(value))
    return value;
  Instruction *copy = cast<Instruction>(value)->clone();
  for (Use &operand : copy->operands())
    operand.set(make(builder, operand.get(), later));
  copy->dropPoisonGeneratingFlags();
  return builder.Insert(copy);
}

bool LaterAddress::canFollow(Value *value, unsigned depth) {
  if (value == variable_)
    return depends_[value] = true;
  if (depends_.contains(value))
    return true;
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !loop_.contains(instruction) ||
      !isa<BinaryOperator, CastInst, GetElementPtrInst>(instruction))
    return true; // as it is
  bool depends = false;
  for (Value *operand : instruction->operands()) {
    if (depth == 0 || !canFollow(operand, depth - 1))
      return false;
    depends |= depends_.lookup(operand);
  }
  if (depends && instruction->isIntDivRem())
    return false;
  depends_[value] = depends;
  return true;
}

} // namespace heddle::jit
