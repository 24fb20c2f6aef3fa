// RUN: %heddle cc %s -o %t
// RUN: env HEDDLE_TUNE=full %t
// RUN: env HEDDLE_TUNE=off %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that count on the threads of a warp to go together, as they did before compute capability 7.0, give the same
// in all forms that a kernel is run in: sums and scans in shared memory without __syncwarp, by volatile accesses, with
// fences between, and plainly.
#include "support.h"

constexpr unsigned Threads = 128, Blocks = 500, Launches = 30;

__device__ int scanVolatile(int value, volatile int *s) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & 31);
  s[at] = 0;
  at += 32;
  int t = s[at] = value;
  s[at] = t += s[at - 1];
  s[at] = t += s[at - 2];
  s[at] = t += s[at - 4];
  s[at] = t += s[at - 8];
  s[at] = t += s[at - 16];
  return s[at];
}

__device__ int scanFenced(int value, int *s) {
  unsigned at = 2 * threadIdx.x - (threadIdx.x & 31);
  s[at] = 0;
  at += 32;
  s[at] = value;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    __threadfence_block();
    int other = s[at - distance];
    __threadfence_block();
    s[at] += other;
  }
  return s[at];
}

/// Of a warp's last thread: the sum.
__device__ int sumPlain(int value, int *s) {
  s[threadIdx.x] = value;
  if (threadIdx.x % 32 < 16)
    s[threadIdx.x] += s[threadIdx.x + 16];
  int *warp = s + threadIdx.x / 32 * 32;
  int sum = 0;
  for (int i = 0; i < 16; i++)
    sum += warp[i];
  return sum;
}

template <int Kind> __global__ void kernel(const int *in, int *out, unsigned n) {
  __shared__ int s[2 * Threads];
  unsigned i = blockIdx.x * Threads + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int result = Kind == 0   ? scanVolatile(value, s)
               : Kind == 1 ? scanFenced(value, s)
                           : sumPlain(value, s);
  if (i < n)
    out[i] = result;
}

template <int Kind> void test(const char *what, const std::vector<int> &in) {
  Buffer<int> from(in), to(in.size());
  std::vector<int> want(in.size());
  for (size_t warp = 0; warp < in.size(); warp += 32) {
    int sum = 0;
    const size_t end = std::min(in.size(), warp + 32);
    for (size_t i = warp; i < end; i++)
      want[i] = sum += in[i];
    if (Kind == 2)
      std::fill(want.begin() + warp, want.begin() + end, sum);
  }
  for (unsigned launch = 0; launch < Launches; launch++) {
    CUDA_OK(cudaMemset(to, 0, in.size() * sizeof(int)));
    kernel<Kind><<<Blocks, Threads>>>(from, to, unsigned(in.size()));
    checkLaunch();
    expectAll(what, to.get(), want);
  }
}

int main() {
  Random random(5);
  std::vector<int> in(Blocks * Threads - 77);
  for (int &x : in)
    x = int(random.below(1000));
  test<0>("volatile", in);
  test<1>("fenced", in);
  test<2>("plain", in);
  return finish();
}
