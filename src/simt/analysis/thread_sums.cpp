// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads have in common, and what each has of its own.
//
// Shapes (shapes.h) follow values through control flow, and say how they go over the lanes of one
// program; tables (thread_tables.h) know the numbers of each thread. A sum puts the two together:
// sums, differences and products are taken apart down to values that are common to the program, to
// the numbers of the threads, and to values of which neither is known, which stand for themselves.
//
// Whether a sum of n bits may be taken apart depends on what is asked (analysis/overflow.h). Modulo
// 2^n it always may be. As a whole number it may where no operation wraps around; where one may,
// its result stands for itself, as it does where the numbers are so large that their sums might be
// none of 64 bits. Of the operand of an extension the whole number is asked.
#include "simt/analysis/thread_sums.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/overflow.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr size_t MostProducts = 16; ///< in a sum
constexpr size_t MostFactors = 4;   ///< in a product
/// Of whole numbers, so that sums and products of some of them have 64 bits.
constexpr int64_t LargestNumber = int64_t(1) << 27;

bool isZero(const ThreadTable &table) {
  return all_of(table, [](int64_t number) { return number == 0; });
}

unsigned bitsOf(const Value &value) {
  return value.getType()->isIntegerTy() ? value.getType()->getIntegerBitWidth() : 64;
}

bool areSmall(const ThreadSum &sum) {
  return all_of(sum.products, [](const auto &product) {
    return all_of(product.second, [](int64_t number) {
      return number <= LargestNumber && number >= -LargestNumber;
    });
  });
}

/// The smallest numbers that are the same modulo 2^bits.
ThreadTable modulo(ThreadTable table, unsigned bits) {
  if (bits < 64)
    for (int64_t &number : table)
      number = SignExtend64(uint64_t(number), bits);
  return table;
}

} // namespace

const ThreadTable *ThreadSum::numbers() const {
  return products.size() == 1 && products.begin()->first.empty() ? &products.begin()->second
                                                                 : nullptr;
}

std::optional<int64_t> ThreadSums::distance(const ThreadSum &sum, unsigned one,
                                            const ThreadSum &other, unsigned two) const {
  auto isSame = [&](const ThreadSum::Product &product) {
    return areTogether(one, two) && (one == two || all_of(product, [&](const Value *factor) {
                                       return shapes_.isScalar(factor);
                                     }));
  };
  auto in = [](const ThreadSum &from, const ThreadSum::Product &product, unsigned thread) {
    auto found = from.products.find(product);
    return found == from.products.end() ? 0 : found->second[thread];
  };
  for (const ThreadSum *each : {&sum, &other})
    for (const auto &[product, table] : each->products) {
      int64_t first = in(sum, product, one), second = in(other, product, two);
      if (!product.empty() && (first != second || (first != 0 && !isSame(product))))
        return std::nullopt;
    }
  return int64_t(uint64_t(in(sum, {}, one)) - uint64_t(in(other, {}, two)));
}

std::optional<ThreadSum> ThreadSums::find(Value &value, Arithmetic arithmetic) {
  auto key = std::make_pair(&value, arithmetic);
  if (auto known = known_.find(key); known != known_.end())
    return known->second;
  std::optional<ThreadSum> result;
  if (const ThreadTable *table = tables_.of(&value))
    result = ThreadSum{{{{}, *table}}};
  else if (auto *instruction = dyn_cast<Instruction>(&value))
    result = parts(*instruction, arithmetic);
  if (result && arithmetic == Arithmetic::Whole && value.getType()->isIntegerTy() &&
      !areSmall(*result))
    result.reset();
  if (!result)
    result = itself(value, arithmetic);
  return known_[key] = std::move(result);
}

/// In all lanes as in the first one, but for an offset, or in each lane what it is there.
std::optional<ThreadSum> ThreadSums::itself(Value &value, Arithmetic arithmetic) {
  Shape shape = shapes_.of(&value);
  ThreadSum result{{{{factor(value)}, ThreadTable(tables_.threads(), 1)}}};
  if (!shape.regular || shape.uniform())
    return result;
  if (arithmetic == Arithmetic::Whole && !shape.cannotCarry(bitsOf(value)))
    return std::nullopt;
  ThreadTable &offsets = result.products.try_emplace({}, tables_.threads()).first->second;
  for (auto [thread, offset] : enumerate(offsets))
    offset = shape.offset(thread % shapes_.width());
  return arithmetic == Arithmetic::Modular || areSmall(result) ? std::optional(result)
                                                               : std::nullopt;
}

/// Nothing if it is none of its parts' sum.
std::optional<ThreadSum> ThreadSums::parts(Instruction &instruction, Arithmetic arithmetic) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return ofAddress(*address);
  if (isa<AddrSpaceCastInst>(instruction))
    return find(*instruction.getOperand(0), arithmetic);
  if (isa<TruncInst>(instruction) && arithmetic == Arithmetic::Modular)
    return find(*instruction.getOperand(0), arithmetic);
  auto *zext = dyn_cast<ZExtInst>(&instruction);
  if (isa<SExtInst>(instruction) || (zext && zext->hasNonNeg()))
    return find(*instruction.getOperand(0), Arithmetic::Whole);
  auto *binary = dyn_cast<BinaryOperator>(&instruction);
  return binary && binary->getType()->isIntegerTy() && bitsOf(*binary) <= 64
             ? ofBinary(*binary, arithmetic)
             : std::nullopt;
}

std::optional<ThreadSum> ThreadSums::ofBinary(BinaryOperator &binary, Arithmetic arithmetic) {
  unsigned opcode = sumOpcode(binary);
  if (!opcode || (arithmetic == Arithmetic::Whole && !isExact(binary, Sign::Signed, &tables_)))
    return std::nullopt;
  std::optional<ThreadSum> a = find(*binary.getOperand(0), arithmetic),
                           b = find(*binary.getOperand(1), arithmetic);
  if (!a || !b)
    return std::nullopt;
  std::optional<ThreadSum> result;
  switch (opcode) {
  case Instruction::Add:
    result = add(std::move(*a), *b, 1);
    break;
  case Instruction::Sub:
    result = add(std::move(*a), *b, -1);
    break;
  case Instruction::Mul:
    result = multiply(*a, *b);
    break;
  default: {
    auto *bits = dyn_cast<ConstantInt>(binary.getOperand(1));
    if (bits && bits->getValue().ult(32))
      result = multiply(*a, constant(int64_t(1) << bits->getZExtValue()));
  }
  }
  if (!result || result->products.size() > MostProducts)
    return std::nullopt;
  if (arithmetic == Arithmetic::Modular)
    for (auto &[product, table] : result->products)
      table = modulo(std::move(table), bitsOf(binary));
  return result;
}

std::optional<ThreadSum> ThreadSums::ofAddress(GetElementPtrInst &address) {
  std::optional<ThreadSum> result = modular(*address.getPointerOperand());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constantBytes(64, 0);
  if (!result || !address.collectOffset(layout_, 64, indices, constantBytes))
    return std::nullopt;
  result = plus(std::move(*result), constantBytes.getSExtValue());
  for (auto &[index, scale] : indices) {
    std::optional<ThreadSum> part =
        index->getType()->isIntegerTy(64) ? modular(*index) : std::nullopt;
    if (!part)
      return std::nullopt;
    result = add(std::move(*result), *part, scale.getSExtValue());
  }
  return result->products.size() <= MostProducts ? std::move(result) : std::nullopt;
}

ThreadSum::Factor ThreadSums::factor(Value &value) {
  return {factors_.try_emplace(&value, factors_.size()).first->second, &value};
}

ThreadSum ThreadSums::constant(int64_t number) const {
  return {{{{}, ThreadTable(tables_.threads(), number)}}};
}

ThreadSum ThreadSums::add(ThreadSum a, const ThreadSum &b, int64_t factor) const {
  for (const auto &[product, table] : b.products) {
    ThreadTable &sum =
        a.products.try_emplace(product, ThreadTable(tables_.threads(), 0)).first->second;
    sum = plusMultiple(std::move(sum), table, factor);
    if (isZero(sum) && !product.empty())
      a.products.erase(product);
  }
  return a;
}

std::optional<ThreadSum> ThreadSums::multiply(const ThreadSum &a, const ThreadSum &b) const {
  ThreadSum result = constant(0);
  for (const auto &[one, numbers] : a.products)
    for (const auto &[two, others] : b.products) {
      ThreadSum::Product product = one;
      product.append(two);
      if (product.size() > MostFactors)
        return std::nullopt;
      llvm::sort(product);
      ThreadTable table = numbers;
      for (auto [number, other] : zip(table, others))
        number = int64_t(uint64_t(number) * uint64_t(other));
      result = add(std::move(result), {{{product, std::move(table)}}}, 1);
    }
  return result.products.size() <= MostProducts ? std::optional(std::move(result)) : std::nullopt;
}

std::optional<ThreadTable> ThreadDifferences::of(Value &value) {
  if (auto known = known_.find(&value); known != known_.end())
    return known->second;
  known_[&value] = std::nullopt; // what stands for itself in its sum is not asked again
  std::optional<ThreadTable> result = ofShape(value);
  if (!result)
    result = ofSum(value);
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!result && instruction)
    result = ofResult(*instruction);
  if (result)
    result = modulo(std::move(*result), bitsOf(value));
  return known_[&value] = std::move(result);
}

/// Lanes that one lane stands for.
std::optional<ThreadTable> ThreadDifferences::ofShape(const Value &value) const {
  const Shapes &shapes = sums_.shapes();
  Shape shape = shapes.of(&value);
  if (!shape.known())
    return std::nullopt;
  ThreadTable result;
  for (auto [from, to] : zip(from_, to_)) {
    unsigned one = from % shapes.width(), two = to % shapes.width();
    if (!sums_.areTogether(from, to) || shape.part(one) != shape.part(two))
      return std::nullopt;
    result.push_back(shape.offset(two) - shape.offset(one));
  }
  return result;
}

std::optional<ThreadTable> ThreadDifferences::ofSum(Value &value) {
  std::optional<ThreadSum> sum = sums_.modular(value);
  if (!sum)
    return std::nullopt;
  ThreadTable result(from_.size(), 0);
  for (const auto &[product, table] : sum->products) {
    for (auto [difference, from, to] : zip(result, from_, to_)) {
      if (product.empty())
        difference = int64_t(uint64_t(table[to]) - uint64_t(table[from]));
      else if (table[to] != table[from] || !sums_.areTogether(from, to))
        return std::nullopt;
    }
    if (!product.empty() && !all_of(product, [&](Value *factor) {
          std::optional<ThreadTable> own = factor == &value ? std::nullopt
                                           : sums_.shapes().isScalar(factor)
                                               ? std::optional(ThreadTable()) // of the first lane
                                               : of(*factor);
          return own && isZero(*own);
        }))
      return std::nullopt;
  }
  return result;
}

/// The same where its operands are.
std::optional<ThreadTable> ThreadDifferences::ofResult(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  auto *load = dyn_cast<LoadInst>(&instruction);
  bool follows =
      isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, GetElementPtrInst>(
          instruction) ||
      (load && load->isSimple()) ||
      (call && warpBehaviour(*call) == WarpBehaviour::Elementwise && !call->mayReadOrWriteMemory());
  if (!follows || !all_of(instruction.operands(), [&](Value *operand) {
        std::optional<ThreadTable> own = isa<Constant>(operand) ? ThreadTable() : of(*operand);
        return own && isZero(*own);
      }))
    return std::nullopt;
  return ThreadTable(from_.size(), 0);
}

} // namespace heddle::simt
