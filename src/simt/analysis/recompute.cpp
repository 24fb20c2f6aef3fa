// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/recompute.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

bool isRepeatable(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  return !isa<PHINode>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory() && !(call && call->isConvergent()) &&
         isSafeToSpeculativelyExecute(&instruction);
}

bool isIndexArithmetic(const Instruction &instruction) {
  return isa<BinaryOperator, CastInst, GetElementPtrInst>(instruction) &&
         !instruction.isIntDivRem();
}

bool canRecompute(Value &value, function_ref<bool(Value &)> isInput,
                  function_ref<bool(const Instruction &)> mayRepeat, unsigned depth) {
  SmallPtrSet<Value *, 16> seen; // what cannot be computed ends the walk
  auto can = [&](auto &&can, Value &value, unsigned depth) -> bool {
    if (isa<Constant>(value) || isInput(value) || seen.contains(&value))
      return true;
    auto *instruction = dyn_cast<Instruction>(&value);
    if (!instruction || depth == 0 || !mayRepeat(*instruction) ||
        !all_of(instruction->operands(),
                [&](Value *operand) { return can(can, *operand, depth - 1); }))
      return false;
    seen.insert(&value);
    return true;
  };
  return can(can, value, depth);
}

Value *Recomputation::of(Value &value) {
  if (isa<Constant>(value))
    return &value;
  if (Value *known = known_.lookup(&value))
    return known;
  Value *made = inputs_(value);
  if (!made) {
    Instruction *copy = cast<Instruction>(value).clone();
    for (Use &operand : copy->operands())
      operand.set(of(*operand));
    if (flags_ == Flags::Dropped) {
      copy->dropPoisonGeneratingAnnotations();
      copy->dropUBImplyingAttrsAndUnknownMetadata(
          {LLVMContext::MD_invariant_load, LLVMContext::MD_tbaa});
    }
    made = builder_.Insert(copy);
  }
  return known_[&value] = made;
}

} // namespace heddle::simt
