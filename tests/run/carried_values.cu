// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %all env HEDDLE_DISABLE=coalesce-frame-slots %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that a loop carries through two and more barriers a round: sums, values that change places, old ones that
// are wanted after the new ones were made, loops in loops, loops that are left between two barriers.
#include "support.h"

constexpr int Threads = 150; // the last warp is not whole

struct Case {
  int rounds;
  const float *in;
  float *out;
};

__device__ static float neighbour(const float *tile) { return tile[(threadIdx.x * 7 + 3) % Threads]; }
static float neighbour(const float *row, int t) { return row[(t * 7 + 3) % Threads]; }

/// Two barriers a round.
__global__ void sums(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float sum = 0, product = 1;
  for (int round = 0; round < c.rounds; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    sum += neighbour(tile);
    product = product * 0.5f + neighbour(tile);
    __syncthreads();
  }
  c.out[t] = sum + product;
}

/// The old value is wanted behind the second barrier.
__global__ void oldOnes(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float last = 0, sum = 0;
  for (int round = 0; round < c.rounds; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    float now = neighbour(tile);
    __syncthreads();
    sum = sum * 0.5f + last;
    last = now;
  }
  c.out[t] = sum;
}

/// Two values change places each round.
__global__ void swapped(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float a = 1, b = 2;
  for (int round = 0; round < c.rounds; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    float more = a + neighbour(tile);
    __syncthreads();
    a = b;
    b = more;
    __syncthreads();
  }
  c.out[t] = a - 2 * b;
}

/// A loop with barriers in one with barriers; one sum goes through both, one is of the inner loop only.
__global__ void nested(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float all = 0;
  for (int round = 0; round < c.rounds; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    float sum = 0, old = all;
    for (int inner = 0; inner < round % 3; ++inner) {
      sum += neighbour(tile) + old;
      __syncthreads();
      tile[t] += 1;
      __syncthreads();
      all += sum * 0.25f;
    }
    __syncthreads();
  }
  c.out[t] = all;
}

/// Left between two barriers.
__global__ void left(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float sum = 0;
  for (int round = 0;; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    if (round == c.rounds - 1)
      break;
    sum = sum * 0.5f + neighbour(tile);
    __syncthreads();
  }
  c.out[t] = sum - neighbour(tile);
}

/// The sum is added to in some rounds only.
__global__ void sometimes(Case c) {
  __shared__ float tile[Threads];
  int t = threadIdx.x;
  float sum = 0;
  for (int round = 0; round < c.rounds; ++round) {
    tile[t] = c.in[round * Threads + t];
    __syncthreads();
    if (round % 2)
      sum += neighbour(tile);
    if (t % 3 == 0)
      sum *= 0.5f;
    __syncthreads();
  }
  c.out[t] = sum;
}

int main() {
  for (int rounds : {1, 2, 5, 8}) {
    std::vector<float> values(rounds * Threads); // sums are exact
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = float(i * 37 % 101) * 256;
    Buffer<float> in(values), out(Threads);
    auto row = [&](int round) { return values.data() + round * Threads; };
    auto test = [&](const char *name, void (*kernel)(Case), auto expected) {
      kernel<<<1, Threads>>>(Case{rounds, in.data, out.data});
      auto got = out.get();
      for (int t = 0; t < Threads; ++t)
        expect(name, t, got[t], expected(t));
    };
    test("sums", sums, [&](int t) {
      float sum = 0, product = 1;
      for (int r = 0; r < rounds; ++r) {
        sum += neighbour(row(r), t);
        product = product * 0.5f + neighbour(row(r), t);
      }
      return sum + product;
    });
    test("old ones", oldOnes, [&](int t) {
      float last = 0, sum = 0;
      for (int r = 0; r < rounds; ++r) {
        sum = sum * 0.5f + last;
        last = neighbour(row(r), t);
      }
      return sum;
    });
    test("swapped", swapped, [&](int t) {
      float a = 1, b = 2;
      for (int r = 0; r < rounds; ++r) {
        float more = a + neighbour(row(r), t);
        a = b;
        b = more;
      }
      return a - 2 * b;
    });
    test("nested", nested, [&](int t) {
      float all = 0;
      for (int r = 0; r < rounds; ++r) {
        float sum = 0, old = all;
        for (int inner = 0; inner < r % 3; ++inner) {
          sum += neighbour(row(r), t) + inner + old;
          all += sum * 0.25f;
        }
      }
      return all;
    });
    test("left", left, [&](int t) {
      float sum = 0;
      for (int r = 0; r < rounds - 1; ++r)
        sum = sum * 0.5f + neighbour(row(r), t);
      return sum - neighbour(row(rounds - 1), t);
    });
    test("sometimes", sometimes, [&](int t) {
      float sum = 0;
      for (int r = 0; r < rounds; ++r) {
        if (r % 2)
          sum += neighbour(row(r), t);
        if (t % 3 == 0)
          sum *= 0.5f;
      }
      return sum;
    });
  }
  return finish();
}
