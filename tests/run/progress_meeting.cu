// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that meet in warp operations at different instructions (compute capability 7.0 on): in both arms of a branch, in
// different turns of a loop, in loops one behind the other, in different functions' calls.
#include "support.h"

constexpr unsigned All = ~0u;

// One lane in two, one in four, halves: each takes another arm.
__device__ bool takesFirst(int lane, int how) {
  return how == 0 ? lane & 1 : how == 1 ? (lane & 3) == 2 : lane < 16;
}

__global__ void bothArms(int how, int *out) {
  int lane = threadIdx.x % 32, t = int(threadInGrid());
  int shuffle, ballot, any, all, sum, same, whole;
  if (takesFirst(lane, how)) {
    shuffle = __shfl_xor_sync(All, 100 + lane, 1) + __shfl_sync(All, 7, (lane + 5) % 32);
    ballot = int(__ballot_sync(All, lane % 3 == 0));
    any = __any_sync(All, lane == 31);
    all = __all_sync(All, lane != 40);
    sum = __reduce_add_sync(All, lane);
    same = int(__match_any_sync(All, lane / 4));
    int told;
    whole = int(__match_all_sync(All, how, &told)) + told;
  } else {
    shuffle = __shfl_xor_sync(All, 200 + lane, 1) + __shfl_sync(All, 9, (lane + 5) % 32);
    ballot = int(__ballot_sync(All, lane % 5 == 0));
    any = __any_sync(All, false);
    all = __all_sync(All, lane != 0);
    sum = __reduce_add_sync(All, 1000);
    same = int(__match_any_sync(All, lane / 8));
    int told;
    whole = int(__match_all_sync(All, how + lane / 32, &told)) + told;
  }
  int *mine = out + 7 * t;
  mine[0] = shuffle, mine[1] = ballot, mine[2] = any, mine[3] = all, mine[4] = sum, mine[5] = same, mine[6] = whole;
}

std::vector<int> wantBothArms(int how, int threads) {
  auto first = [&](int lane) { return how == 0 ? (lane & 1) != 0 : how == 1 ? (lane & 3) == 2 : lane < 16; };
  std::vector<int> want;
  for (int t = 0; t < threads; t++) {
    int lane = t % 32, ballot = 0, any = 0, all = 1, sum = 0, same = 0;
    auto key = [&](int l) { return first(l) ? l / 4 : l / 8; };
    for (int l = 0; l < 32; l++) {
      ballot |= int((first(l) ? l % 3 == 0 : l % 5 == 0) ? 1u << l : 0u);
      any |= first(l) && l == 31;
      all &= first(l) || l != 0;
      sum += first(l) ? l : 1000;
      same |= int(key(l) == key(lane) ? 1u << l : 0u);
    }
    int a = lane ^ 1, b = (lane + 5) % 32;
    for (int value : {(first(a) ? 100 : 200) + a + (first(b) ? 7 : 9), ballot, any, all, sum, same, int(All) + 1})
      want.push_back(value);
  }
  return want;
}

// What one arm has written the other reads behind __syncwarp.
__global__ void syncInArms(int *out) {
  __shared__ int values[64];
  int t = int(threadIdx.x), lane = t % 32, other = t ^ 16;
  if (lane < 16) {
    values[t] = 3 * t;
    __syncwarp();
    out[t] = values[other];
    __syncwarp();
    values[t] = t;
    __syncwarp();
  } else {
    values[t] = 5 * t;
    __syncwarp();
    int before = values[other];
    __syncwarp();
    __syncwarp();
    out[t] = before + 1000 * values[other];
  }
}

// A front that goes over the lanes: each has as many steps in all, but begins later.
__global__ void front(int *out) {
  __shared__ int cells[33];
  int lane = int(threadIdx.x);
  cells[lane + 1] = lane == 0;
  __syncwarp();
  for (int i = 0; i < lane; i++)
    __syncwarp();
  if (lane > 0)
    cells[lane + 1] = cells[lane] * 2 + lane % 2;
  __syncwarp();
  for (int i = lane; i < 31; i++)
    __syncwarp();
  out[lane] = cells[lane + 1];
}

// Lanes that leave the loop early meet the others behind it.
__global__ void loopAndBehind(int *out) {
  int lane = int(threadIdx.x), sum = 0, turns = 1 + lane % 3;
  for (int i = 0; i < turns; i++)
    sum += __shfl_xor_sync(All, lane + 100 * i, 1);
  for (int i = turns; i < 3; i++)
    sum += __shfl_xor_sync(All, 10000, 1);
  out[lane] = sum;
}

// Not all lanes: a mask that both arms use, while the others go their way.
__global__ void partInArms(int *out) {
  const unsigned mask = 0x00ff00ff;
  int lane = int(threadIdx.x), x = -1;
  if (lane % 16 < 8) {
    if (lane < 16)
      x = __shfl_sync(mask, lane, 16 + lane);
    else
      x = __shfl_sync(mask, 50 + lane, lane - 16);
  } else {
    x = __shfl_xor_sync(~mask, lane, 1);
  }
  out[lane] = x;
}

__device__ int recursive(int lane, int depth) {
  return depth == 0 ? __shfl_xor_sync(All, lane, 2) : recursive(lane, depth - 1) + 1;
}
__global__ void inFunctions(int *out) {
  int lane = int(threadIdx.x);
  out[lane] = recursive(lane, lane % 4);
}

int main() {
  for (int how = 0; how < 3; how++) {
    Buffer<int> out(7 * 128);
    bothArms<<<2, 64>>>(how, out);
    checkLaunch();
    expectAll("both arms", out.get(), wantBothArms(how, 128));
  }
  {
    Buffer<int> out(64);
    syncInArms<<<1, 64>>>(out);
    checkLaunch();
    std::vector<int> want;
    for (int t = 0; t < 64; t++) {
      int other = t ^ 16;
      want.push_back(t % 32 < 16 ? 5 * other : 3 * other + 1000 * other);
    }
    expectAll("__syncwarp in both arms", out.get(), want);
  }
  {
    Buffer<int> out(32);
    front<<<1, 32>>>(out);
    checkLaunch();
    std::vector<int> want = {1};
    for (int lane = 1; lane < 32; lane++)
      want.push_back(int(unsigned(want.back()) * 2 + lane % 2));
    expectAll("front", out.get(), want);
  }
  {
    Buffer<int> out(32);
    loopAndBehind<<<1, 32>>>(out);
    checkLaunch();
    std::vector<int> want;
    for (int lane = 0; lane < 32; lane++) {
      int sum = 0, other = lane ^ 1;
      for (int i = 0; i < 3; i++)
        sum += i < 1 + other % 3 ? other + 100 * i : 10000;
      want.push_back(sum);
    }
    expectAll("loop and behind", out.get(), want);
  }
  {
    Buffer<int> out(32);
    partInArms<<<1, 32>>>(out);
    checkLaunch();
    std::vector<int> want;
    for (int lane = 0; lane < 32; lane++)
      want.push_back(lane % 16 >= 8 ? lane ^ 1 : lane < 16 ? 50 + 16 + lane : lane - 16);
    expectAll("part of the warp", out.get(), want);
  }
  {
    Buffer<int> out(32);
    inFunctions<<<1, 32>>>(out);
    checkLaunch();
    std::vector<int> want;
    for (int lane = 0; lane < 32; lane++)
      want.push_back((lane ^ 2) + lane % 4);
    expectAll("in functions", out.get(), want);
  }
  return finish();
}
