// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace heddle {

/// A size or position of a program's that is computed with: it stays at the largest number where the
/// result does not fit, and so is larger than all that there is.
class Checked {
public:
  constexpr Checked(size_t value) : value_(value) {}
  constexpr operator size_t() const { return value_; }
  Checked operator+(Checked other) const {
    size_t sum;
    return __builtin_add_overflow(value_, other.value_, &sum) ? SIZE_MAX : sum;
  }
  Checked operator*(Checked other) const {
    size_t product;
    return __builtin_mul_overflow(value_, other.value_, &product) ? SIZE_MAX : product;
  }
  template <std::integral T> Checked operator+(T other) const { return *this + Checked(other); }
  template <std::integral T> Checked operator*(T other) const { return *this * Checked(other); }

private:
  size_t value_;
};

} // namespace heddle
