// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divergent switches: dense, sparse, with fall-through, with 64-bit and enum labels, inside loops.
#include "support.h"

struct Dense {
  __host__ __device__ int operator()(int x) const {
    int r = x;
    switch (x & 7) {
    case 0: r += 1; break;
    case 1: r *= 3;
    case 2: r -= 5;
    case 3: r ^= 0x33; break;
    default: r = -r; break;
    case 5: return r * r;
    case 6: r /= 3;
    }
    return r + 1;
  }
};

struct Sparse {
  __host__ __device__ unsigned operator()(unsigned x) const {
    switch (x) {
    case 0: return 1;
    case 17: return 2;
    case 1000: return 3;
    case 100000: return 4;
    case 0x80000000u: return 5;
    case 0xffffffffu: return 6;
    }
    return x * 9;
  }
};

struct Wide {
  __host__ __device__ int operator()(long long x) const {
    switch (x) {
    case -1: return 10;
    case 0x100000000ll: return 20;
    case 0x100000001ll: return 30;
    case 1: return 40;
    default: return int(x & 0xff);
    }
  }
};

// An interpreter: a switch in a loop with break, continue and return.
struct Machine {
  __host__ __device__ unsigned operator()(unsigned program) const {
    unsigned acc = 1, steps = 0;
    while (steps++ < 40) {
      unsigned op = program & 7;
      program = program >> 3 | (program & 7) << 29;
      switch (op) {
      case 0: acc += steps; break;
      case 1: acc *= 5; continue;
      case 2: acc ^= acc >> 7; break;
      case 3:
        if (acc & 1)
          break;
        acc += 99;
      case 4: acc = acc << 3 | acc >> 29; break;
      case 5:
        if (acc % 13 == 0)
          return acc + steps;
        continue;
      case 6:
        for (unsigned i = 0; i < (acc & 3); i++)
          acc = acc * 3 + i;
        break;
      default: acc--;
      }
      acc += op;
    }
    return acc;
  }
};

int main() {
  Random random(3);
  std::vector<int> ints;
  std::vector<unsigned> words, sparse;
  std::vector<long long> wide;
  const unsigned labels[] = {0, 17, 1000, 100000, 0x80000000u, 0xffffffffu, 5};
  const long long wideLabels[] = {-1, 0x100000000ll, 0x100000001ll, 1, 0, 12345678901ll};
  for (int i = 0; i < 777; i++) {
    ints.push_back(random.below(20001) - 10000);
    words.push_back(random.bits());
    sparse.push_back(labels[random.below(7)]);
    wide.push_back(wideLabels[random.below(6)]);
  }
  mapOnDevice<Dense>("dense", ints);
  mapOnDevice<Sparse>("sparse", sparse);
  mapOnDevice<Wide>("wide", wide);
  mapOnDevice<Machine>("machine", words);
  return finish();
}
