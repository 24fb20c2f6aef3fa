// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks every place of a text where a pattern of 8 bytes begins. Items are bytes of the text.
#pragma once

#include "../harness/bench.h"

namespace strsearch {
constexpr int N = 1 << 22;
constexpr int Length = 8;
constexpr const char *Pattern = "abcabcab";

inline bench::Problem problem() {
  bench::Problem problem{bench::Unit::Items, double(N)};
  problem.tolerance = 0;
  bench::Random random(1);
  std::vector<unsigned char> text(N + Length);
  for (unsigned char &letter : text)
    letter = 'a' + random.next() % 4;
  for (int i = 0; i < N; i += 997)
    std::memcpy(text.data() + i, Pattern, Length);
  std::vector<unsigned char> pattern(Pattern, Pattern + Length);
  return problem.input(text).input(pattern).output<unsigned char>(N);
}
} // namespace strsearch
