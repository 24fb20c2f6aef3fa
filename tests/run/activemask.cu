// RUN: env HEDDLE_WIDTH=32 %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __activemask in branches and loops, votes and __syncwarp of what it gives: the lanes of one arm run together, and
// they meet again behind it. CUDA does not promise it, but hardware does it and programs count on it; below
// width 32 the parts of a warp go apart.
#include "support.h"

__global__ void parts(const int *in, unsigned *out) {
  int t = threadIdx.x, lane = t & 31;
  unsigned r = 0;
  if (in[t] % 2) {
    unsigned mask = __activemask();
    __syncwarp(mask);
    r = __ballot_sync(mask, in[t] % 3 == 0);
    if (in[t] % 3 == 0)
      r ^= __ballot_sync(r, lane > 7) * 3;
  } else if (lane < 20) {
    r = ~__activemask();
  }
  __syncwarp();
  out[t] = r + __activemask();
}

__global__ void loops(const int *in, unsigned *out) {
  int t = threadIdx.x, n = in[t] % 13;
  unsigned r = 0;
  for (int i = 0; i < n; i++) {
    unsigned mask = __activemask();
    r = r * 5 + mask;
    if (__any_sync(mask, (in[t] >> i) & 1))
      r ^= __ballot_sync(mask, i & 1);
  }
  out[t] = r;
}

int main() {
  Random random(53);
  std::vector<int> in(96);
  for (int i = 0; i < 96; i++)
    in[i] = i < 32 ? random.below(1000) : i < 64 ? random.below(900) + 1 : random.below(2000) - 1000;
  Buffer<int> deviceIn(in);
  std::vector<unsigned> want;
  // Here the lanes of one arm run together, as on the hardware.
  for (int threads : {96, 40}) {
    Buffer<unsigned> outParts(threads);
    parts<<<1, threads>>>(deviceIn, outParts);
    checkLaunch();
    want.clear();
    for (int t = 0; t < threads; t++) {
      int w = t / 32 * 32, lane = t % 32;
      unsigned live = 0, odd = 0, three = 0, even = 0;
      for (int k = 0; k < 32 && w + k < threads; k++) {
        int v = in[w + k];
        live |= 1u << k;
        (v % 2 ? odd : even) |= 1u << k;
        if (v % 2 && v % 3 == 0)
          three |= 1u << k;
      }
      unsigned r = 0;
      if (in[t] % 2)
        r = in[t] % 3 == 0 ? three ^ (three & 0xffffff00u) * 3 : three;
      else if (lane < 20)
        r = ~(even & 0xfffff);
      want.push_back(r + live);
    }
    expectAll("parts", outParts.get(), want);
  }

  for (int &v : in)
    v = v < 0 ? -v : v;
  deviceIn.put(in);
  Buffer<unsigned> outLoops(96);
  loops<<<1, 96>>>(deviceIn, outLoops);
  checkLaunch();
  want.clear();
  for (int t = 0; t < 96; t++) {
    unsigned r = 0;
    for (int i = 0; i < in[t] % 13; i++) {
      unsigned mask = 0;
      bool any = false;
      for (int k = 0; k < 32; k++) {
        int v = in[t / 32 * 32 + k];
        if (v % 13 > i)
          mask |= 1u << k, any |= (v >> i) & 1;
      }
      r = r * 5 + mask;
      if (any)
        r ^= i & 1 ? mask : 0;
    }
    want.push_back(r);
  }
  expectAll("loops", outLoops.get(), want);
  return finish();
}
