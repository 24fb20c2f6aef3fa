// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a value is made of is a set that only grows; variables of loops begin with the empty one.
#include "simt/canonical/unrolled_numbers.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

UnrolledNumbers::UnrolledNumbers(const Loop &loop) : loop_(loop) {
  for (const Loop *one : loop.getLoopsInPreorder())
    headers_.insert(one->getHeader());
  for (bool changed = true; changed;) {
    changed = false;
    for (const BasicBlock *block : loop.blocks())
      for (const Instruction &instruction : *block) {
        unsigned parts = made(instruction), &before = parts_[&instruction];
        changed |= parts != before;
        before = parts;
      }
  }
}

unsigned UnrolledNumbers::of(const Value &value) {
  if (isa<ConstantData>(value))
    return 0;
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return Unknown;
  if (auto found = parts_.find(&value); found != parts_.end())
    return found->second;
  return loop_.contains(instruction) ? 0 : parts_[&value] = made(*instruction);
}

unsigned UnrolledNumbers::ofOperands(const Instruction &instruction) {
  unsigned parts = 0;
  const auto *call = dyn_cast<CallInst>(&instruction); // a minimum, say
  for (const Use &operand : call ? call->args() : instruction.operands())
    parts |= of(*operand);
  return parts;
}

unsigned UnrolledNumbers::made(const Instruction &instruction) {
  if (const auto *call = dyn_cast<CallInst>(&instruction)) {
    if (callKind(*call) == CallKind::ThreadIndex)
      return OfThread;
    if (callKind(*call) != CallKind::Widen)
      return Unknown;
  }
  if (instruction.mayReadOrWriteMemory() || instruction.isTerminator() ||
      isa<AllocaInst>(instruction))
    return Unknown;
  if (const auto *phi = dyn_cast<PHINode>(&instruction)) {
    if (!headers_.contains(phi->getParent()))
      return phi->getNumIncomingValues() == 1 ? ofOperands(*phi) : Unknown;
    return ofOperands(*phi) | (phi->getParent() == loop_.getHeader() ? OfRound : 0);
  }
  return ofOperands(instruction);
}

/// Of sums it makes sums: neighbouring threads lie as far from each other in each round.
static bool isLinear(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or: // of different bits, nearly always, and often without a word of it
  case Instruction::PHI:
    return true;
  case Instruction::Mul:
  case Instruction::Shl:
    return isa<Constant>(instruction.getOperand(1));
  default:
    return instruction.isCast();
  }
}

bool UnrolledNumbers::dividesThreads(const Instruction &instruction) {
  return of(instruction) == (OfRound | OfThread) && !isLinear(instruction);
}

} // namespace heddle::simt
