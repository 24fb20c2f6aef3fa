// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Unsigned indices that wrap around in shared memory, whose addresses have 32 bits on a GPU: merges along diagonals count
// downwards by `~i`.
#include "support.h"

constexpr int Threads = 64;

__global__ void complement(const int *in, int *out) {
  __shared__ int ones[Threads], twos[Threads];
  unsigned t = threadIdx.x;
  ones[t] = in[t], twos[t] = 2 * in[t];
  __syncthreads();
  int *end = twos + Threads;
  out[t] = end[~t] + ones[t];
}

__device__ __noinline__ int before(const int *p, unsigned distance) { return p[-distance]; }

__global__ void negative(const int *in, int *out) {
  extern __shared__ int tile[];
  unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  out[t] = before(tile + Threads - 1, in[t] % Threads);
}

__global__ void bytes(const int *in, int *out) {
  __shared__ unsigned char tile[Threads];
  unsigned t = threadIdx.x, i = 0;
  tile[t] = in[t];
  __syncthreads();
  for (unsigned step = 0; step <= t; ++step)
    i -= 1; // to -t - 1
  out[t] = (tile + Threads)[i];
}

int main() {
  std::vector<int> in(Threads), want(Threads);
  Random random(1);
  for (int &value : in)
    value = random.below(200);
  Buffer<int> deviceIn(in), out(Threads);
  auto check = [&](const char *name, auto of) {
    checkLaunch();
    for (int t = 0; t < Threads; ++t)
      want[t] = of(t);
    expectAll(name, out.get(), want);
  };
  complement<<<1, Threads>>>(deviceIn, out);
  check("complement", [&](int t) { return 2 * in[Threads - 1 - t] + in[t]; });
  negative<<<1, Threads, Threads * sizeof(int)>>>(deviceIn, out);
  check("negative", [&](int t) { return in[Threads - 1 - in[t] % Threads]; });
  bytes<<<1, Threads>>>(deviceIn, out);
  check("bytes", [&](int t) { return in[Threads - 1 - t]; });
  return finish();
}
