// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffles by a part of a warp: inside divergent branches with the mask of the branch, in loops that lanes leave,
// in a partial warp; both arms of one branch shuffling among themselves.
#include "support.h"

__global__ void branches(const int *in, int *out, int n) {
  int t = threadIdx.x, lane = t & 31;
  unsigned mask = n - (t & ~31) >= 32 ? 0xffffffffu : (1u << n) - 1; // the lanes that exist
  int v = in[t], r = -1;
  if (lane < 11) {
    r = __shfl_sync(mask & 0x7ff, v, (lane + 4) % 11);
  } else if (lane & 1) {
    unsigned odd = mask & 0xaaaaa800u;
    r = __shfl_down_sync(odd, v, 2); // the last odd lane gets its own value if lane + 2 leaves the warp
    if (__popc(odd >> lane) == 1)
      r = v;
  } else {
    r = __shfl_xor_sync(mask & 0x55555000u, v, 0) * 2;
  }
  out[t] = r + __shfl_sync(mask, v, 0);
}

__global__ void loops(const int *in, const int *count, int *out) {
  int t = threadIdx.x, lane = t & 31, v = in[t], sum = 0;
  for (int i = 0; i < 10; i++) {
    unsigned mask = __ballot_sync(0xffffffff, i < count[t]);
    if (i < count[t]) {
      int first = __ffs(mask) - 1;
      sum = sum * 3 + __shfl_sync(mask, v + i, first);
      int leader = __shfl_sync(mask, lane, first);
      sum += leader == lane ? __popc(mask) : 0;
    }
  }
  out[t] = sum;
}

int main() {
  Random random(52);
  std::vector<int> in(64), count(64);
  for (int t = 0; t < 64; t++)
    in[t] = random.below(1000), count[t] = random.below(11);
  Buffer<int> deviceIn(in), deviceCount(count), out(64);
  branches<<<1, 64>>>(deviceIn, out, 64);
  checkLaunch();
  std::vector<int> want(64);
  for (int t = 0; t < 64; t++) {
    int lane = t % 32, w = t - lane;
    int r = lane < 11 ? in[w + (lane + 4) % 11] : lane & 1 ? (lane < 30 ? in[t + 2] : in[t]) : in[t] * 2;
    want[t] = r + in[w];
  }
  expectAll("branches", out.get(), want);
  // A partial warp: lanes 0 to 20.
  Buffer<int> outPartial(21);
  branches<<<1, 21>>>(deviceIn, outPartial, 21);
  checkLaunch();
  std::vector<int> wantPartial(want.begin(), want.begin() + 21);
  wantPartial[19] = in[19] + in[0]; // the last odd lane there
  expectAll("partial warp", outPartial.get(), wantPartial);

  loops<<<1, 64>>>(deviceIn, deviceCount, out);
  checkLaunch();
  for (int w = 0; w < 64; w += 32)
    for (int t = w; t < w + 32; t++) {
      unsigned sum = 0;
      for (int i = 0; i < count[t]; i++) {
        int first = w, members = 0;
        while (count[first] <= i)
          first++;
        for (int k = w; k < w + 32; k++)
          members += count[k] > i;
        sum = sum * 3 + in[first] + i + (first == t ? members : 0);
      }
      want[t] = int(sum);
    }
  expectAll("loops", out.get(), want);
  return finish();
}
