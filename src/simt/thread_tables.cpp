// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread_tables.h"

#include "simt/intrinsics.h"
#include "simt/shapes.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// One integer operation on sign-extended numbers; nothing where it is undefined, or another one.
std::optional<int64_t> compute(unsigned opcode, int64_t a, int64_t b, unsigned bits) {
  uint64_t mask = maskTrailingOnes<uint64_t>(bits), x = uint64_t(a) & mask, y = uint64_t(b) & mask;
  auto number = [&](uint64_t value) { return SignExtend64(value & mask, bits); };
  switch (opcode) {
  case Instruction::Add:
    return number(x + y);
  case Instruction::Sub:
    return number(x - y);
  case Instruction::Mul:
    return number(x * y);
  case Instruction::And:
    return number(x & y);
  case Instruction::Or:
    return number(x | y);
  case Instruction::Xor:
    return number(x ^ y);
  default:
    break;
  }
  bool shifts =
      opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
  if (shifts ? y >= bits : y == 0)
    return std::nullopt;
  switch (opcode) {
  case Instruction::Shl:
    return number(x << y);
  case Instruction::LShr:
    return number(x >> y);
  case Instruction::AShr:
    return a >> y;
  case Instruction::UDiv:
    return number(x / y);
  case Instruction::URem:
    return number(x % y);
  case Instruction::SDiv:
    return b == -1 ? std::nullopt : std::optional(a / b);
  case Instruction::SRem:
    return b == -1 ? std::nullopt : std::optional(a % b);
  default:
    return std::nullopt;
  }
}

/// Adds the digits of the numbers along one coordinate, each with a factor of its own.
bool addDigits(ThreadTable along, unsigned coordinate, DigitSum &sum) {
  for (unsigned divisor = 1; along.size() > 1;) {
    unsigned count = along.size(), length = 2;
    int64_t factor = along[1] - along[0];
    while (length < count && along[length] - along[0] == factor * length)
      ++length;
    while (count % length != 0)
      --length;
    if (length < 2)
      return false;
    if (factor != 0)
      sum.digits.push_back({coordinate, divisor, length < count ? length : 0, factor});
    sum.grows &= factor >= 0;
    ThreadTable rest;
    for (unsigned i = 0; i < count; i += length)
      rest.push_back(along[i]);
    along = std::move(rest);
    divisor *= length;
  }
  return true;
}

/// a + factor * b
ThreadTable sum(ThreadTable a, const ThreadTable &b, int64_t factor) {
  for (auto [number, other] : zip(a, b))
    number += other * factor;
  return a;
}

} // namespace

const ThreadTable *ThreadTables::of(Value *value) {
  if (auto known = tables_.find(value); known != tables_.end())
    return known->second ? &*known->second : nullptr;
  tables_[value] = std::nullopt; // a phi's circle ends here
  ThreadTable table(threads());
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64 ||
      !fill(*value, table))
    return nullptr;
  auto &place = tables_[value];
  place = std::move(table);
  return &*place;
}

bool ThreadTables::fill(Value &value, ThreadTable &table) {
  if (auto *constant = dyn_cast<ConstantInt>(&value)) {
    std::fill(table.begin(), table.end(), constant->getSExtValue());
    return true;
  }
  if (auto *call = dyn_cast<CallInst>(&value)) {
    WarpBehaviour behaviour = warpBehaviour(*call);
    for (auto [thread, number] : enumerate(table)) {
      unsigned index = thread;
      if (behaviour == WarpBehaviour::ThreadIndexX)
        number = index % blockDim_[0];
      else if (behaviour == WarpBehaviour::ThreadIndexY)
        number = index / blockDim_[0] % blockDim_[1];
      else if (behaviour == WarpBehaviour::ThreadIndexZ)
        number = index / blockDim_[0] / blockDim_[1];
      else
        return false;
    }
    return true;
  }
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || !isa<BinaryOperator, SExtInst, ZExtInst, TruncInst>(instruction))
    return false;
  // Tables move when others are made: numbers are copied.
  const ThreadTable *found = of(instruction->getOperand(0));
  if (!found)
    return false;
  ThreadTable first = *found;
  unsigned bits = value.getType()->getIntegerBitWidth();
  if (isa<CastInst>(instruction)) {
    unsigned from = instruction->getOperand(0)->getType()->getIntegerBitWidth();
    for (auto [number, source] : zip(table, first)) {
      number = source;
      if (isa<ZExtInst>(instruction))
        number = int64_t(uint64_t(source) & maskTrailingOnes<uint64_t>(from));
      else if (isa<TruncInst>(instruction))
        number = SignExtend64(source, bits);
    }
    return true;
  }
  const ThreadTable *second = of(instruction->getOperand(1));
  if (!second)
    return false;
  for (auto [number, a, b] : zip(table, first, *second)) {
    std::optional<int64_t> result = compute(instruction->getOpcode(), a, b, bits);
    if (!result)
      return false;
    number = *result;
  }
  return true;
}

std::optional<ThreadTable> ThreadDifferences::of(Value &value) {
  if (shapes_.isUniform(&value))
    return ThreadTable(from_.size(), 0);
  if (auto known = known_.find(&value); known != known_.end())
    return known->second;
  std::optional<ThreadTable> result = compute(value);
  return known_[&value] = std::move(result);
}

std::optional<ThreadTable> ThreadDifferences::compute(Value &value) {
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = tables_.of(&value)) {
      ThreadTable result;
      for (auto [from, to] : zip(from_, to_))
        result.push_back((*table)[to] - (*table)[from]);
      return result;
    }
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction || isa<PHINode>(instruction))
    return std::nullopt;
  if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
    return ofAddress(*address);
  SmallVector<ThreadTable, 3> operands;
  for (Value *operand : instruction->operands()) {
    std::optional<ThreadTable> table = of(*operand);
    if (!table)
      return std::nullopt;
    operands.push_back(std::move(*table));
  }
  auto isZero = [](const ThreadTable &table) {
    return all_of(table, [](int64_t number) { return number == 0; });
  };
  if (all_of(operands, isZero))
    return operands.empty() ? std::nullopt : std::optional(operands[0]);
  auto *constant =
      operands.size() == 2 ? dyn_cast<ConstantInt>(instruction->getOperand(1)) : nullptr;
  switch (instruction->getOpcode()) {
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(instruction)->isDisjoint())
      return std::nullopt;
    [[fallthrough]];
  case Instruction::Add:
    return sum(operands[0], operands[1], 1);
  case Instruction::Sub:
    return sum(operands[0], operands[1], -1);
  case Instruction::Mul:
    if (!constant || constant->getValue().getActiveBits() > 31)
      return std::nullopt;
    return sum(ThreadTable(from_.size(), 0), operands[0], constant->getSExtValue());
  case Instruction::Shl:
    if (!constant || constant->getValue().uge(31))
      return std::nullopt;
    return sum(ThreadTable(from_.size(), 0), operands[0], int64_t(1) << constant->getZExtValue());
  default: // of the extension of a sum nothing follows from the terms (analysis/overflow.h)
    return std::nullopt;
  }
}

std::optional<ThreadTable> ThreadDifferences::ofAddress(GetElementPtrInst &address) {
  std::optional<ThreadTable> result = of(*address.getPointerOperand());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(64, 0);
  if (!result || !address.collectOffset(address.getDataLayout(), 64, indices, constant))
    return std::nullopt;
  for (auto &[index, scale] : indices) {
    std::optional<ThreadTable> step = index->getType()->isIntegerTy(64) ? of(*index) : std::nullopt;
    if (!step)
      return std::nullopt;
    result = sum(*result, *step, scale.getSExtValue());
  }
  return result;
}

std::optional<DigitSum> findDigitSum(const ThreadTable &table, ArrayRef<unsigned> counts) {
  DigitSum result;
  result.first = table[0];
  result.grows = table[0] >= 0;
  unsigned apart = 1;
  for (auto [coordinate, count] : enumerate(counts)) {
    ThreadTable along;
    for (unsigned i = 0; i < count; ++i)
      along.push_back(table[i * apart]);
    if (!addDigits(std::move(along), coordinate, result))
      return std::nullopt;
    apart *= count;
  }
  SmallVector<unsigned, 4> values(counts.size());
  for (auto [place, number] : enumerate(table)) {
    unsigned rest = place;
    for (auto [value, count] : zip(values, counts)) {
      value = rest % count;
      rest /= count;
    }
    int64_t sum = result.first;
    for (const DigitSum::Digit &digit : result.digits) {
      unsigned value = values[digit.coordinate] / digit.divisor;
      sum += digit.factor * (digit.modulus ? value % digit.modulus : value);
    }
    if (sum != number)
      return std::nullopt;
  }
  return result;
}

Value *emitSum(const DigitSum &table, ArrayRef<Coordinate> coordinates, Type *type,
               IRBuilder<> &builder) {
  Value *sum = ConstantInt::getSigned(type, table.first);
  for (const DigitSum::Digit &digit : table.digits) {
    auto [value, first] = coordinates[digit.coordinate];
    Type *own = value->getType();
    if (first != 0)
      value = builder.CreateSub(value, ConstantInt::getSigned(own, first));
    if (digit.divisor > 1)
      value = builder.CreateUDiv(value, ConstantInt::get(own, digit.divisor));
    if (digit.modulus)
      value = builder.CreateURem(value, ConstantInt::get(own, digit.modulus));
    value = builder.CreateZExtOrTrunc(value, type);
    if (digit.factor != 1)
      value = builder.CreateMul(value, ConstantInt::getSigned(type, digit.factor), "", table.grows,
                                table.grows);
    sum = builder.CreateAdd(value, sum, "", table.grows, table.grows);
  }
  return sum;
}

} // namespace heddle::simt
