// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/thread_sums.h"

#include "simt/analysis/overflow.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr size_t MostProducts = 16; ///< in a sum
constexpr size_t MostFactors = 4;   ///< in a product

bool isZero(const ThreadTable &table) {
  return all_of(table, [](int64_t number) { return number == 0; });
}

} // namespace

const ThreadTable *ThreadSum::numbers() const {
  return products.size() == 1 && products.begin()->first.empty() ? &products.begin()->second
                                                                 : nullptr;
}

std::optional<int64_t> distance(const ThreadSum &sum, unsigned one, const ThreadSum &other,
                                unsigned two) {
  int64_t result = 0;
  auto count = [&](const ThreadSum &from, unsigned thread, const ThreadSum &to,
                   unsigned itsThread) {
    for (const auto &[product, table] : from.products) {
      auto match = to.products.find(product);
      int64_t number = match == to.products.end() ? 0 : match->second[itsThread];
      if (product.empty())
        result = table[thread] - number;
      else if (table[thread] != number)
        return false;
    }
    return true;
  };
  if (!count(other, two, sum, one))
    return std::nullopt;
  result = -result; // where only `other` has a number
  return count(sum, one, other, two) ? std::optional(result) : std::nullopt;
}

std::optional<ThreadSum> ThreadSums::of(Value &value) {
  if (auto known = known_.find(&value); known != known_.end())
    return known->second;
  known_[&value] = std::nullopt; // a phi's circle ends here
  std::optional<ThreadSum> result;
  if (const ThreadTable *table = value.getType()->isIntegerTy() ? tables_.of(&value) : nullptr)
    result = ThreadSum{{{{}, *table}}};
  else if (auto *instruction = dyn_cast<Instruction>(&value))
    result = parts(*instruction);
  if (!result && shapes_.isUniform(&value))
    result = ThreadSum{{{{&value}, ThreadTable(tables_.threads(), 1)}}};
  return known_[&value] = std::move(result);
}

std::optional<ThreadSum> ThreadSums::parts(Instruction &instruction) {
  if (auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return ofAddress(*address);
  if (isa<SExtInst, AddrSpaceCastInst>(instruction))
    return of(*instruction.getOperand(0));
  if (auto *extension = dyn_cast<ZExtInst>(&instruction); extension && extension->hasNonNeg())
    return of(*instruction.getOperand(0));
  auto *binary = dyn_cast<BinaryOperator>(&instruction);
  if (!binary || !isExact(*binary, Sign::Signed, &tables_))
    return std::nullopt;
  std::optional<ThreadSum> a = of(*binary->getOperand(0)), b = of(*binary->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  switch (sumOpcode(*binary)) {
  case Instruction::Add:
    return add(std::move(*a), *b, 1);
  case Instruction::Sub:
    return add(std::move(*a), *b, -1);
  case Instruction::Mul:
    return multiply(*a, *b);
  default: {
    auto *bits = dyn_cast<ConstantInt>(binary->getOperand(1));
    return bits && bits->getValue().ult(32)
               ? multiply(*a, constant(int64_t(1) << bits->getZExtValue()))
               : std::nullopt;
  }
  }
}

std::optional<ThreadSum> ThreadSums::ofAddress(GetElementPtrInst &address) {
  std::optional<ThreadSum> result = of(*address.getPointerOperand());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constantBytes(64, 0);
  if (!result || !address.collectOffset(layout_, 64, indices, constantBytes))
    return std::nullopt;
  result = add(std::move(*result), constant(constantBytes.getSExtValue()), 1);
  for (auto &[index, scale] : indices) {
    std::optional<ThreadSum> part = index->getType()->isIntegerTy(64) ? of(*index) : std::nullopt;
    if (!part)
      return std::nullopt;
    result = add(std::move(*result), *part, scale.getSExtValue());
  }
  return result->products.size() <= MostProducts ? std::move(result) : std::nullopt;
}

ThreadSum ThreadSums::constant(int64_t number) const {
  return {{{{}, ThreadTable(tables_.threads(), number)}}};
}

ThreadSum ThreadSums::add(ThreadSum a, const ThreadSum &b, int64_t factor) const {
  for (const auto &[product, table] : b.products) {
    ThreadTable &sum =
        a.products.try_emplace(product, ThreadTable(tables_.threads(), 0)).first->second;
    for (auto [number, other] : zip(sum, table))
      number += factor * other;
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
        number *= other;
      result = add(std::move(result), {{{product, std::move(table)}}}, 1);
    }
  return result.products.size() <= MostProducts ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace heddle::simt
