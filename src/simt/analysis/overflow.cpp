// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/overflow.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace heddle::simt {

namespace {

bool hasFlag(const BinaryOperator &operation, Sign sign) {
  const auto *wraps = dyn_cast<OverflowingBinaryOperator>(&operation);
  return wraps && (sign == Sign::Signed ? wraps->hasNoSignedWrap() : wraps->hasNoUnsignedWrap());
}

bool followsFromRanges(const BinaryOperator &operation, Sign sign) {
  const Value *a = operation.getOperand(0), *b = operation.getOperand(1);
  SimplifyQuery query(operation.getDataLayout(), &operation);
  bool isSigned = sign == Sign::Signed;
  switch (sumOpcode(operation)) {
  case Instruction::Add:
    return (isSigned ? computeOverflowForSignedAdd(WithCache<const Value *>(a),
                                                   WithCache<const Value *>(b), query)
                     : computeOverflowForUnsignedAdd(WithCache<const Value *>(a),
                                                     WithCache<const Value *>(b), query)) ==
           OverflowResult::NeverOverflows;
  case Instruction::Sub:
    return (isSigned
                ? computeOverflowForSignedSub(a, b, query)
                : computeOverflowForUnsignedSub(a, b, query)) == OverflowResult::NeverOverflows;
  case Instruction::Mul:
    return (isSigned
                ? computeOverflowForSignedMul(a, b, query)
                : computeOverflowForUnsignedMul(a, b, query)) == OverflowResult::NeverOverflows;
  default:
    return false;
  }
}

/// In each thread of the block.
bool followsFromTables(BinaryOperator &operation, Sign sign, ThreadTables &tables) {
  unsigned bits = operation.getType()->getIntegerBitWidth();
  const ThreadTable *found = bits <= 32 ? tables.of(operation.getOperand(0)) : nullptr;
  if (!found)
    return false;
  ThreadTable first = *found; // tables move when others are made
  const ThreadTable *second = tables.of(operation.getOperand(1));
  if (!second)
    return false;
  int64_t least = sign == Sign::Signed ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t most = sign == Sign::Signed ? -least - 1 : (int64_t(1) << bits) - 1;
  auto read = [&](int64_t number) { // tables are sign extended
    return sign == Sign::Signed ? number
                                : int64_t(uint64_t(number) & maskTrailingOnes<uint64_t>(bits));
  };
  for (auto [one, two] : zip(first, *second)) {
    int64_t a = read(one), b = read(two), result;
    switch (sumOpcode(operation)) {
    case Instruction::Add:
      result = a + b;
      break;
    case Instruction::Sub:
      result = a - b;
      break;
    case Instruction::Mul:
      if (MulOverflow(a, b, result))
        return false;
      break;
    case Instruction::Shl:
      if (two < 0 || two >= 31 || MulOverflow(a, int64_t(1) << two, result))
        return false;
      break;
    default:
      return false;
    }
    if (result < least || result > most)
      return false;
  }
  return true;
}

/// What is known of the threads only fills bits below those that the other term may have: nothing
/// is carried into the sign.
bool fillsZeros(BinaryOperator &operation, ThreadTables &tables) {
  if (operation.getOpcode() != Instruction::Add)
    return false;
  unsigned bits = operation.getType()->getIntegerBitWidth();
  return any_of(std::initializer_list<unsigned>{0, 1}, [&](unsigned low) {
    const ThreadTable *table = tables.of(operation.getOperand(low));
    if (!table || *min_element(*table) < 0)
      return false;
    unsigned zeros = computeKnownBits(operation.getOperand(1 - low), operation.getDataLayout())
                         .countMinTrailingZeros();
    return zeros < bits && uint64_t(*max_element(*table)) < uint64_t(1) << std::min(zeros, 62u);
  });
}

} // namespace

unsigned sumOpcode(const BinaryOperator &operation) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
    return operation.getOpcode();
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(operation).isDisjoint() ? Instruction::Add : 0;
  default:
    return 0;
  }
}

bool isExact(const BinaryOperator &operation, Sign sign, ThreadTables *tables) {
  if (!sumOpcode(operation))
    return false;
  // Without common bits nothing is carried, into the sign either.
  if (isa<PossiblyDisjointInst>(operation) || hasFlag(operation, sign))
    return true;
  return operation.getType()->isIntegerTy() &&
         (followsFromRanges(operation, sign) ||
          (tables && (fillsZeros(const_cast<BinaryOperator &>(operation), *tables) ||
                      followsFromTables(const_cast<BinaryOperator &>(operation), sign, *tables))));
}

} // namespace heddle::simt
