// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices that wrap around by a remainder of what lanes share, behind a first one: with an offset that each lane
// has counted for itself in a loop, that a branch has chosen, and with quotients that differ within a warp.
// RUN: %heddle cc -O3 %s -o %t
// RUN: %widths %t
#include "support.h"

constexpr int Threads = 777;

template <class Int> __global__ void counted(const int *in, const int *most, int *out, Int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = 0;
  if (i >= Threads)
    return;
  while ((n + 1) * (n + 1) < most[i])
    n++; // lanes leave at different n
  Int x = Int(i) % w;
  out[i] = in[x] + in[(x + 3 * Int(n)) % w];
}

template <class Int> __global__ void chosen(const int *in, const int *most, int *out, Int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Threads)
    return;
  Int step = 1;
  if (most[i] & 1)
    step = most[i] & 2 ? 5 : 2;
  Int x = Int(i) % w, y = Int(i) / w;
  out[i] = in[x] + in[(x + 7 * step) % w] + in[y % w];
}

template <class Int> void test(Random &random, int w) {
  std::vector<int> in(w), most(Threads), want(Threads);
  for (int &value : in)
    value = int(random.bits() >> 4);
  for (int &value : most)
    value = random.below(60);
  Buffer<int> deviceIn(in), deviceMost(most), out(Threads);
  counted<Int><<<4, 224>>>(deviceIn.data, deviceMost.data, out.data, Int(w));
  for (int i = 0; i < Threads; ++i) {
    int n = 0;
    while ((n + 1) * (n + 1) < most[i])
      n++;
    want[i] = in[i % w] + in[(i % w + 3 * n) % w];
  }
  expectAll("counted", out.get(), want);
  chosen<Int><<<4, 224>>>(deviceIn.data, deviceMost.data, out.data, Int(w));
  for (int i = 0; i < Threads; ++i) {
    int step = most[i] & 1 ? most[i] & 2 ? 5 : 2 : 1;
    want[i] = in[i % w] + in[(i % w + 7 * step) % w] + in[i / w % w];
  }
  expectAll("chosen", out.get(), want);
}

int main() {
  Random random(17);
  for (int w : {1, 2, 7, 31, 32, 33, 100, 256, 1000}) {
    test<int>(random, w);
    test<unsigned>(random, w);
    test<unsigned long long>(random, w);
  }
  return finish();
}
