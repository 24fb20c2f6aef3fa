// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM sinks a store that both arms of a branch end with, and then chooses between two copies of
// one index:
//
//   then:  %a = sext i32 %i to i64        then:  %a = sext i32 %i to i64
//   else:  %b = sext i32 %i to i64   =>   else:  %b = sext i32 %i to i64
//   join:  %k = phi [%a, then], [%b]      join:  %k = sext i32 %i to i64
//
// A choice between lanes has no shape, so the store would become a scatter (and, since the copies
// feed a phi, the loads of the arms gathers). LLVM folds such a phi only if nobody else uses the
// copies.
#include "simt/canonical/join_values.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::simt {

namespace {

using Values = SmallVector<Value *, 4>;

constexpr unsigned Depth = 4; ///< of the computations compared

Values operands(const Values &values, unsigned index) {
  return map_to_vector<4>(
      values, [&](Value *value) { return cast<Instruction>(value)->getOperand(index); });
}

/// Address arithmetic: without effects, and no dearer at the join than in the arms.
bool isArithmetic(const Instruction &instruction) {
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return is_contained(
        {Instruction::Add, Instruction::Sub, Instruction::Mul, Instruction::Shl, Instruction::Or},
        binary->getOpcode());
  return isa<CastInst, GetElementPtrInst>(instruction);
}

bool areAlike(const Values &values, unsigned depth = 0) {
  if (all_equal(values))
    return true;
  auto *first = dyn_cast<Instruction>(values.front());
  if (!first || depth == Depth || !isArithmetic(*first))
    return false;
  for (Value *value : values) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || !first->isSameOperationAs(instruction))
      return false;
  }
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!areAlike(operands(values, i), depth + 1))
      return false;
  return true;
}

/// The common value, computed before `at`. What all share dominates the join, for it dominates
/// every way there.
Value *computeAt(const Values &values, Instruction *at) {
  if (all_equal(values))
    return values.front();
  Instruction *copy = cast<Instruction>(values.front())->clone();
  for (unsigned i = 0; i < copy->getNumOperands(); ++i)
    copy->setOperand(i, computeAt(operands(values, i), at));
  for (Value *value : values) {
    copy->andIRFlags(value);
    copy->applyMergedLocation(copy->getDebugLoc(), cast<Instruction>(value)->getDebugLoc());
  }
  copy->dropUnknownNonDebugMetadata();
  copy->insertBefore(at->getIterator());
  return copy;
}

} // namespace

void joinValues(Function &function) {
  for (BasicBlock &block : function)
    for (PHINode &phi : make_early_inc_range(block.phis())) {
      Values values(phi.incoming_values());
      if (values.size() < 2 || all_equal(values) || !areAlike(values))
        continue;
      phi.replaceAllUsesWith(computeAt(values, &*block.getFirstInsertionPt()));
      phi.eraseFromParent();
    }
}

} // namespace heddle::simt
