// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order of n numbers: a network that exchanges numbers of a power of four (Luby and Rackoff, "How to
// construct pseudorandom permutations from pseudorandom functions", 1988), again and again until the
// result is one of the n.
#include "device/cpu/schedule/shuffled.h"

#include <bit>
#include <utility>

namespace heddle::device::cpu {

uint64_t orderSeed = 0;

/// Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
static uint64_t mix(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

uint64_t shuffled(uint64_t i, uint64_t n, uint64_t seed) {
  if (n < 2)
    return i;
  constexpr unsigned Rounds = 4;
  unsigned half = (static_cast<unsigned>(std::bit_width(n - 1)) + 1) / 2;
  uint64_t mask = (uint64_t(1) << half) - 1;
  do {
    uint64_t left = i >> half, right = i & mask;
    for (unsigned round = 0; round < Rounds; ++round)
      left = std::exchange(right, left ^ (mix(seed ^ mix(right << 8 | round)) & mask));
    i = left << half | right;
  } while (i >= n);
  return i;
}

} // namespace heddle::device::cpu
