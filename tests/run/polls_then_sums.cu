// RUN: %heddle cc %s -o %t
// RUN: %t
// RUN: %heddle cc -arch=sm_60 %s -o %t
// RUN: %t
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One warp polls flags of another, which a comparison of the thread's number with a multiple of 32 tells apart, and then
// sums without __syncwarp, as programs from before compute capability 7.0 do: its lanes meet again behind the loop.
#include "waiting.h"

constexpr int Warp = 32;

__device__ int sum(volatile int *s, int t) {
  int mine = s[t];
  for (int d = Warp / 2; d > 0; d /= 2)
    if (t < d)
      s[t] = mine = mine + s[t + d];
  return mine;
}

/// Warp 0 takes what warp 1 hands to it; `Reversed`: the other way round.
template <bool Reversed> __global__ void reduce(volatile int *data, int *flags, int *out) {
  __shared__ volatile int s[2 * Warp];
  const int t = int(threadIdx.x), lane = t % Warp, from = Reversed ? lane : Warp + lane;
  const bool takes = Reversed ? t >= Warp : t < Warp;
  if (takes) {
    while (atomicAdd(&flags[from], 0) != 1) {
    }
    __threadfence_block();
    s[lane] = data[from];
    int all = sum(s, lane);
    if (lane == 0)
      *out = all;
  } else {
    data[t] = t + 1;
    __threadfence_block();
    atomicExch(&flags[t], 1);
  }
}

template <bool Reversed> void test() {
  Buffer<int> data(2 * Warp), flags(2 * Warp), out(1);
  reduce<Reversed><<<1, 2 * Warp>>>(data, flags, out);
  checkLaunch();
  int want = 0;
  for (int lane = 0; lane < Warp; lane++)
    want += (Reversed ? lane : Warp + lane) + 1;
  expect("sum", Reversed, out.get()[0], want);
}

int main() {
  test<false>();
  test<true>();
  return finish();
}
