// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that have returned count as arrived: a guard `if (i >= n) return;` before a barrier, whole warps and
// parts of warps gone, threads that leave one by one between barriers of a loop.
#include "support.h"

__global__ void guard(const int *in, int *out, int n) {
  __shared__ int part[128];
  int t = threadInBlock(), i = threadInGrid();
  if (i >= n)
    return;
  int live = min(n - int(blockIdx.x * blockDim.x), int(blockDim.x));
  part[t] = in[i];
  __syncthreads();
  out[i] = part[live - 1 - t];
}

// Thread t takes part in steps 0 ... t.
__global__ void leaving(int *out) {
  __shared__ int sum[128];
  int t = threadInBlock(), n = blockDim.x;
  if (t == 0)
    for (int s = 0; s < n; s++)
      sum[s] = 0;
  __syncthreads();
  for (int s = 0; s < n; s++) {
    if (t < s) {
      out[blockIdx.x * n + t] = sum[t];
      return;
    }
    atomicAdd(&sum[s], t);
    __syncthreads();
  }
  out[blockIdx.x * n + t] = sum[t];
}

// Odd threads leave, the even ones go on with a barrier and a warp vote of what is left.
__global__ void halves(int *out) {
  __shared__ int value[128];
  int t = threadInBlock();
  value[t] = -1;
  __syncthreads();
  if (t & 1)
    return;
  value[t] = t * 10;
  __syncthreads();
  out[t] = value[(t + 2) % blockDim.x] + value[(t + 1) % blockDim.x];
}

int main() {
  for (int n : {300, 129, 1, 128, 200}) {
    std::vector<int> in(n), want(n);
    for (int i = 0; i < n; i++)
      in[i] = i * i;
    for (int i = 0; i < n; i++) {
      int first = i / 128 * 128, live = std::min(n - first, 128);
      want[i] = in[first + live - 1 - (i - first)];
    }
    Buffer<int> deviceIn(in), out(n);
    guard<<<(n + 127) / 128, 128>>>(deviceIn, out, n);
    checkLaunch();
    expectAll("guard", out.get(), want);
  }
  for (int n : {128, 32, 50}) {
    Buffer<int> out(2 * n);
    leaving<<<2, n>>>(out);
    checkLaunch();
    std::vector<int> want;
    for (int b = 0; b < 2; b++)
      for (int s = 0; s < n; s++)
        want.push_back((n - 1) * n / 2 - s * (s - 1) / 2);
    expectAll("leaving", out.get(), want);
  }
  for (int n : {128, 64, 34}) {
    Buffer<int> out(n);
    halves<<<1, n>>>(out);
    checkLaunch();
    std::vector<int> want(n);
    for (int t = 0; t < n; t += 2)
      want[t] = (t + 2) % n * 10 - 1;
    expectAll("halves", out.get(), want);
  }
  return finish();
}
