// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose trip counts differ between the lanes of a warp, with break, continue and return inside.
#include "support.h"

struct Collatz {
  __host__ __device__ int operator()(unsigned x) const {
    int steps = 0;
    for (x = x % 10000 + 1; x != 1; steps++)
      x = x & 1 ? 3 * x + 1 : x / 2;
    return steps;
  }
};

struct BreakContinue {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned sum = 0;
    for (unsigned i = 0; i < (x & 63); i++) {
      if ((x >> (i & 31)) & 1)
        continue;
      sum += i * x;
      if (sum % 17 == 3)
        break;
      sum ^= i;
    }
    return sum;
  }
};

struct NestedLoops {
  __host__ __device__ unsigned operator()(unsigned x) const {
    unsigned sum = 0;
    for (unsigned i = 0; i < x % 9; i++) {
      for (unsigned j = i; j < (x >> 4) % 7; j++) {
        if ((i + j + x) % 5 == 0)
          break;
        unsigned k = x % 4;
        do {
          sum = sum * 33 + i * 7 + j;
          if (sum % 101 == 0)
            return sum + 1;
        } while (k-- > 0);
      }
      if (sum & 0x40)
        continue;
      sum += i;
    }
    return sum;
  }
};

// Values that leave a loop at different iterations must keep what they were.
struct LiveOut {
  __host__ __device__ unsigned long long operator()(unsigned x) const {
    unsigned a = 1, b = 1, i = 0, last = 0;
    while (true) {
      unsigned t = a + b;
      a = b, b = t, i++;
      if (b > x % 100000)
        break;
      last = b;
      if (i == (x & 31))
        break;
    }
    return ((unsigned long long)a << 32 | b) + i * 77ull + last;
  }
};

struct Never {
  __host__ __device__ int operator()(unsigned x) const {
    int n = 0;
    while (x & 1)
      n++, x >>= 1;
    for (unsigned i = 5; i < x % 5; i++)
      n += 1000000;
    return n;
  }
};

// The only way out is a uniform branch, which some lanes reach rounds later than others.
__global__ void uniformExit(const unsigned *in, int n, volatile int *go, int *rounds) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  if (t >= n)
    return;
  int i;
  for (i = 0;; i++) {
    if ((in[t] >> i % 32 & 3) == 1)
      continue;
    if (*go)
      break;
  }
  rounds[t] = i;
}

int main() {
  Random random(2);
  std::vector<unsigned> in;
  for (int i = 0; i < 1501; i++)
    in.push_back(random.bits());
  in[7] = 0xffffffff, in[40] = 0;
  mapOnDevice<Collatz>("collatz", in);
  mapOnDevice<BreakContinue>("break and continue", in);
  mapOnDevice<NestedLoops>("nested loops", in);
  mapOnDevice<LiveOut>("values that leave a loop", in);
  mapOnDevice<Never>("loops that some lanes never enter", in);

  std::vector<int> want;
  for (unsigned x : in) {
    int i = 0;
    while ((x >> i % 32 & 3) == 1)
      i++;
    want.push_back(i);
  }
  Buffer<unsigned> deviceIn(in);
  Buffer<int> go(std::vector<int>{1}), rounds(in.size());
  uniformExit<<<24, 64>>>(deviceIn, int(in.size()), go, rounds);
  checkLaunch();
  expectAll("a uniform way out", rounds.get(), want);
  return finish();
}
