// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %if x86 %{ env HEDDLE_WIDTH=32 HEDDLE_CPU=x86-64-v3 %t %}
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit-fields that branches and loops change: bits of two values by a constant mask, in some lanes.
#include "support.h"

struct Fields {
  unsigned long long wide : 37;
  int three : 3;
  bool flag : 1;
};

struct Changed {
  __host__ __device__ uint64_t operator()(uint32_t x) const {
    Fields s;
    s.wide = (unsigned long long)(x)*77777;
    s.three = x & 3;
    s.flag = x & 1;
    for (unsigned j = 0; j < (x >> 8 & 7); j++) {
      s.wide = s.wide * 3 + 1;
      if (s.flag)
        s.three = -(s.three & 3);
      s.flag = !s.flag;
    }
    return uint64_t(s.wide) ^ uint64_t(uint32_t(s.three + s.flag)) << 40;
  }
};

/// The parts in both orders, with either as what the branch leaves.
template <int Order> struct Merged {
  __host__ __device__ uint64_t operator()(uint32_t seed) const {
    constexpr uint64_t Mask = 0xe000000012340000;
    uint64_t x = seed * 0x9e3779b97f4a7c15ull, y = x * x;
    for (unsigned j = 0; j < (seed >> 8 & 7); j++) {
      uint64_t merged = Order & 1 ? (x & Mask) | (y & ~Mask) : (y & Mask) | (x & ~Mask);
      if (x >> 40 & 1)
        (Order & 2 ? x : y) = merged;
      x = x * 3 + j;
      y += x;
    }
    return x ^ y;
  }
};

int main() {
  Random random(5);
  std::vector<uint32_t> in(1000);
  for (uint32_t &x : in)
    x = random.bits();
  mapOnDevice<Changed>("changed", in);
  mapOnDevice<Merged<0>>("merged 0", in);
  mapOnDevice<Merged<1>>("merged 1", in);
  mapOnDevice<Merged<2>>("merged 2", in);
  mapOnDevice<Merged<3>>("merged 3", in);
  return finish();
}
