// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/analysis/digit_sum.h"

#include "llvm/IR/Constants.h"

using namespace llvm;

namespace heddle::simt {

/// Adds the digits of the numbers along one coordinate, each with a factor of its own.
static bool addDigits(ThreadTable along, unsigned coordinate, DigitSum &sum) {
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
