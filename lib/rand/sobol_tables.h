// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The direction vectors and scramble constants of Sobol's sequences, 20000 dimensions of each.
#pragma once

#include <curand.h>

#include <cstdint>

namespace heddle::rand {

constexpr unsigned Dimensions = 20000;

/// Tables that are made when they are first wanted and live as long as the program; null without
/// memory for them.
template <typename Word> struct SobolTables {
  static constexpr int Bits = 8 * sizeof(Word);
  using Vectors = Word[Bits];

  static const Vectors *plain();
  static const Vectors *scrambled();
  static const Word *constants();
};

extern template struct SobolTables<uint32_t>;
extern template struct SobolTables<unsigned long long>;

} // namespace heddle::rand
