// RUN: %heddle run %s
// RUN: %all %at(8) %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders of threads' numbers of type int, of numbers that may be negative beside
// them, and of a launch of more than 2^31 threads along x, whose numbers are negative at the end.
#include "support.h"

__host__ __device__ int parts(int i, int w) {
  int a = i / 64, b = i % 64, c = i / 64 % 7, d = (i + 5) / 3, e = (i * 2 + 1) >> 3, f = i % w;
  return a + 3 * b + 5 * c + 7 * d + 11 * e + 13 * f + 17 * (i & 12) / 4;
}
__host__ __device__ int signedParts(int i, int w) {
  int j = i - 1000, k = -i;
  return j / 8 + 3 * (j % 8) + 5 * (k / 16 % 5) + 7 * (j >> 2) + 11 * (k % 3) + 13 * (j / w);
}
__global__ void numbers(int *out, int n, int w) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = parts(i, w) ^ signedParts(i, w);
}
__host__ __device__ int steps(int first, int n, int step) {
  int sum = 0;
  for (int i = first; i < n; i += step)
    sum = sum * 3 + i / 16 + i % 16;
  for (int i = first; i > -40; i -= 7)
    sum = sum * 5 + i / 4 + i % 4;
  return sum;
}
__global__ void loops(int *out, int n, int step) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = steps(i, n, step);
}
__global__ void columns(int *out, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * w + x] = x / 4 * 10 + y % 4 + (x - y) / 2 + (y * w + x) / 32 % 5;
}

/// Numbers of the last block. Those before it do nothing.
__global__ void last(int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1)
    out[threadIdx.x] = i / 64 + i % 64 + (i >> 5);
}
int ofLast(int i) { return i / 64 + i % 64 + (i >> 5); }

int main() {
  constexpr int N = 3000, W = 96;
  Buffer<int> out(N + 1000);
  std::vector<int> got;
  for (int threads : {256, 192, 32, 100}) {
    numbers<<<N / threads + 1, threads>>>(out, N, 37);
    checkLaunch();
    got = out.get();
    for (int i = 0; i < N; ++i)
      expect("number", i, got[i], parts(i, 37) ^ signedParts(i, 37));
    loops<<<10, threads>>>(out, 500, 33);
    checkLaunch();
    got = out.get();
    for (int i = 0; i < 10 * threads; ++i)
      expect("loop", i, got[i], steps(i, 500, 33));
  }
  columns<<<dim3(3, 4), dim3(32, 8)>>>(out, W);
  checkLaunch();
  got = out.get();
  for (int i = 0; i < 32 * W; ++i) {
    int x = i % W, y = i / W;
    expect("column", i, got[i], x / 4 * 10 + y % 4 + (x - y) / 2 + i / 32 % 5);
  }
  // The same code for a few blocks, more than 2^31 threads, and a few again.
  for (unsigned blocks : {5u, (1u << 21) + 1, 7u}) {
    last<<<blocks, 1024>>>(out);
    checkLaunch();
    got = out.get();
    for (unsigned t = 0; t < 1024; ++t)
      expect("last", t, got[t], ofLast(int((blocks - 1) * 1024 + t)));
  }
}
