// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=unused-inputs %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are loaded for the next round if there is one: what a thread had before must stay where it is still
// used, in the round itself, behind the loop, or in a round that another condition grants.
#include "support.h"

constexpr int Threads = 70; // the last warp is not whole

/// Neighbours' sums of each tile; the next one is loaded while this one is summed up.
__global__ void nobodyLooks(int rounds, const float *in, float *out) {
  __shared__ float tile[2][Threads];
  int t = threadIdx.x, now = 0;
  float next = in[t], sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[now][t] = next;
    __syncthreads();
    if (round + 1 < rounds)
      next = in[(round + 1) * Threads + t];
    sum += tile[now][t] + 2 * tile[now][(t + 1) % Threads];
    now ^= 1;
  }
  out[t] = sum;
}

/// The last tile is looked at behind the loop.
__global__ void looksBehind(int rounds, const float *in, float *out) {
  __shared__ float tile[2][Threads];
  int t = threadIdx.x, now = 0;
  float next = in[t], sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[now][t] = next;
    __syncthreads();
    if (round + 1 < rounds)
      next = in[(round + 1) * Threads + t];
    sum += tile[now][t] + 2 * tile[now][(t + 1) % Threads];
    now ^= 1;
  }
  out[t] = sum + 100 * next;
}

/// The old tile is used once more in the round that loads no new one.
__global__ void looksAgain(int rounds, const float *in, float *out) {
  __shared__ float tile[2][Threads];
  int t = threadIdx.x, now = 0;
  float next = in[t], sum = 0;
  for (int round = 0; round < rounds; ++round) {
    tile[now][t] = next;
    __syncthreads();
    bool more = round + 1 < rounds;
    if (more)
      next = in[(round + 1) * Threads + t];
    sum += tile[now][t] + 2 * tile[now][(t + 1) % Threads];
    if (!more)
      sum -= 50 * next;
    now ^= 1;
  }
  out[t] = sum;
}

/// Every thread has its own number of rounds, and loads every other time only.
__global__ void ownRounds(int rounds, const float *in, float *out) {
  int t = threadIdx.x, mine = t % (rounds + 1);
  float next = in[t], sum = 0;
  for (int round = 0; round < mine; ++round) {
    sum = 2 * sum + next;
    bool more = round + 1 < mine;
    if (more && round % 2 == 0)
      next = in[(round + 1) * Threads + t];
    if (!more)
      break;
  }
  out[t] = sum;
}

static float neighbours(int rounds, const std::vector<float> &in, int t) {
  float sum = 0;
  for (int round = 0; round < rounds; ++round)
    sum += in[round * Threads + t] + 2 * in[round * Threads + (t + 1) % Threads];
  return sum;
}

static float alone(int rounds, const std::vector<float> &in, int t) {
  float next = in[t], sum = 0;
  for (int round = 0, mine = t % (rounds + 1); round < mine; ++round) {
    sum = 2 * sum + next;
    if (round + 1 < mine && round % 2 == 0)
      next = in[(round + 1) * Threads + t];
  }
  return sum;
}

int main() {
  for (int rounds : {1, 2, 7}) {
    std::vector<float> values(rounds * Threads); // small whole numbers: sums are exact
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i * 37 % 101);
    Buffer<float> in(values), out(Threads);
    auto test = [&](const char *name, void (*kernel)(int, const float *, float *), auto expected) {
      kernel<<<1, Threads>>>(rounds, in.data, out.data);
      auto got = out.get();
      for (int t = 0; t < Threads; ++t)
        expect(name, t, got[t], expected(t));
    };
    auto last = [&](int t) { return values[(rounds - 1) * Threads + t]; };
    test("nobody looks", nobodyLooks, [&](int t) { return neighbours(rounds, values, t); });
    test("behind", looksBehind, [&](int t) { return neighbours(rounds, values, t) + 100 * last(t); });
    test("again", looksAgain, [&](int t) { return neighbours(rounds, values, t) - 50 * last(t); });
    test("own rounds", ownRounds, [&](int t) { return alone(rounds, values, t); });
  }
  return finish();
}
