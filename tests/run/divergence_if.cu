// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nested divergent branches: ifs, else-ifs, conditional expressions and early returns.
#include "support.h"

struct Nested {
  __host__ __device__ int operator()(int x) const {
    int r = 0;
    if (x & 1) {
      r += 10;
      if (x & 2) {
        r = r * 3 + x;
        if (x & 4)
          r ^= 0x55;
        else
          r -= 7;
      } else if (x & 8) {
        r = -r;
        if (x > 1000)
          r += x / 3;
      }
      r += 1;
    } else {
      if ((x & 6) == 6)
        r = x * 5;
      else
        r = x - 2;
    }
    return r + (x & 16 ? r / 3 : r * 2);
  }
};

struct EarlyReturn {
  __host__ __device__ unsigned operator()(unsigned x) const {
    if (x % 3 == 0)
      return x * 7;
    unsigned r = x ^ 0xabcdef;
    if (x % 5 == 0) {
      if (x % 7 == 0)
        return r;
      r = r * 31 + 1;
    } else if (x % 11 == 0) {
      return ~r;
    }
    if (r & 0x100)
      return r - x;
    return r + x;
  }
};

// Values that only some arms define, and swaps between them.
struct Phis {
  __host__ __device__ long long operator()(int x) const {
    long long a = x, b = ~(long long)x, c = 3;
    if (x & 1) {
      long long t = a;
      a = b, b = t;
    }
    if (x & 2) {
      long long t = a;
      a = c, c = b, b = t;
    }
    if (x & 4)
      c = a * b;
    else if (x & 8)
      a = b - c;
    return a * 1000003 + b * 31 + c;
  }
};

int main() {
  Random random(1);
  std::vector<int> ints;
  std::vector<unsigned> words;
  for (int i = 0; i < 1013; i++) {
    ints.push_back(random.below(5000) - 1000);
    words.push_back(random.bits());
  }
  mapOnDevice<Nested>("nested", ints);
  mapOnDevice<EarlyReturn>("early return", words);
  mapOnDevice<Phis>("phis", ints);
  return finish();
}
