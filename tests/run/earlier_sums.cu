// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v4) %t
// RUN: %all env HEDDLE_DISABLE=register-block-sums %t
// RUN: %all env HEDDLE_DISABLE=coalesce-frame-slots %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More sums than there are registers, carried through barriers, of which the program also wants what they were before
// the last round, or what they would be with other products. The numbers are small integers: every order gives the same.
#include "support.h"

constexpr int Sums = 48, Threads = 64, Steps = 4, Rounds = 5;

enum Form {
  Last,      // the sums before the last round are wanted behind the loop
  Both,      // each sum is the start of two
  Neighbour, // each sum starts its own next one and the neighbour's
  Choice,    // what a round gave is taken or dropped
  OneBarrier,
  Forms
};

template <int form> __host__ __device__ int startOf(int i) { return form == Neighbour ? (i + 1) % Sums : i; }

template <int form> __global__ void add(const float *a, const float *b, float *out, const int *takes, int rounds) {
  __shared__ float tile[2 * Steps][Threads];
  float sums[Sums], others[Sums];
  for (int i = 0; i < Sums; ++i)
    sums[i] = float(i), others[i] = -1;
  int t = threadIdx.x;
  for (int round = 0; round < rounds; ++round) {
    int half = form == OneBarrier ? round % 2 * Steps : 0;
    if (form != OneBarrier)
      __syncthreads();
    for (int j = 0; j < Steps; ++j)
      tile[half + j][t] = a[(round * Steps + j) * Threads + t];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Sums; ++i)
      others[i] = sums[startOf<form>(i)];
    float before[Sums];
#pragma unroll
    for (int i = 0; i < Sums; ++i)
      before[i] = sums[i];
#pragma unroll
    for (int j = 0; j < Steps; ++j) {
      float x = tile[half + j][t], y = tile[half + j][t ^ 1];
#pragma unroll
      for (int i = 0; i < Sums; ++i) {
        if (form == Both || form == Neighbour)
          others[i] = fmaf(y, b[j * Sums + i], others[i]);
        sums[i] = fmaf(x, b[j * Sums + i], sums[i]);
      }
    }
    if (form == Both || form == Neighbour)
#pragma unroll
      for (int i = 0; i < Sums; ++i)
        out[i * Threads + t] = others[i];
    if (form == Choice && !takes[round]) {
#pragma unroll
      for (int i = 0; i < Sums; ++i)
        out[i * Threads + t] = sums[i];
      __syncthreads();
#pragma unroll
      for (int i = 0; i < Sums; ++i)
        sums[i] = before[i];
    }
  }
  __syncthreads();
  tile[0][t] = sums[0];
  __syncthreads();
  float neighbour = tile[0][(t + 1) % Threads];
  for (int i = 0; i < Sums; ++i) {
    if (form == Last || form == OneBarrier)
      out[i * Threads + t] = others[i] + neighbour;
    out[(Sums + i) * Threads + t] = sums[i];
  }
}

template <int form> void test() {
  std::vector<float> a(Rounds * Steps * Threads), b(Steps * Sums), want(2 * Sums * Threads, 0);
  std::vector<int> takes = {1, 0, 1, 1, 0};
  Random random(form + 1);
  for (float &x : a)
    x = float(random.below(7) - 3);
  for (float &x : b)
    x = float(random.below(5) - 2);
  std::vector<float> sums(Threads * Sums), others(Threads * Sums, -1);
  for (int t = 0; t < Threads; ++t)
    for (int i = 0; i < Sums; ++i)
      sums[t * Sums + i] = float(i);
  for (int round = 0; round < Rounds; ++round) {
    std::vector<float> before = sums;
    for (int t = 0; t < Threads; ++t)
      for (int i = 0; i < Sums; ++i) {
        float &sum = sums[t * Sums + i], &other = others[t * Sums + i];
        other = before[t * Sums + startOf<form>(i)];
        for (int j = 0; j < Steps; ++j) {
          const float *row = &a[(round * Steps + j) * Threads];
          sum += row[t] * b[j * Sums + i];
          if (form == Both || form == Neighbour)
            other += row[t ^ 1] * b[j * Sums + i];
        }
        if (form == Both || form == Neighbour)
          want[i * Threads + t] = other;
        if (form == Choice && !takes[round])
          want[i * Threads + t] = sum, sum = before[t * Sums + i];
      }
  }
  for (int t = 0; t < Threads; ++t)
    for (int i = 0; i < Sums; ++i) {
      if (form == Last || form == OneBarrier)
        want[i * Threads + t] = others[t * Sums + i] + sums[(t + 1) % Threads * Sums];
      want[(Sums + i) * Threads + t] = sums[t * Sums + i];
    }
  Buffer<float> deviceA(a), deviceB(b), out(want.size());
  Buffer<int> deviceTakes(takes);
  add<form><<<1, Threads>>>(deviceA, deviceB, out, deviceTakes, Rounds);
  checkLaunch();
  expectAll("form " + std::to_string(form), out.get(), want);
}

int main() {
  test<Last>();
  test<Both>();
  test<Neighbour>();
  test<Choice>();
  test<OneBarrier>();
  return finish();
}
