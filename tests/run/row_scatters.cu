// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that have neighbours write them to shared memory one by one, all of them or the last block's some: a scan by
// blocks, whose sums are exact in all types.
#include <cstdio>
#include <vector>

constexpr int Threads = 64;

/// Sums of the elements up to each, by blocks of Threads * Items; threads behind `n` write nothing.
template <class T, int Items> __global__ void scanBlocks(const T *in, T *out, int n) {
  __shared__ T tile[Threads * Items], totals[Threads];
  const int t = threadIdx.x, first = blockIdx.x * Threads * Items;
  T mine[Items];
#pragma unroll
  for (int i = 0; i < Items; i++)
    tile[i * Threads + t] = first + i * Threads + t < n ? in[first + i * Threads + t] : T(0);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Items; i++)
    mine[i] = tile[t * Items + i] + (i > 0 ? mine[i - 1] : T(0));
  totals[t] = mine[Items - 1];
  __syncthreads();
  T before = 0;
  for (int i = 0; i < t; i++)
    before += totals[i];
  if (first + t * Items < n)
#pragma unroll
    for (int i = 0; i < Items; i++)
      tile[t * Items + i] = mine[i] + before;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < Items; i++)
    if (first + i * Threads + t < n)
      out[first + i * Threads + t] = tile[i * Threads + t];
}

template <class T, int Items> bool check(int n) {
  const int block = Threads * Items, blocks = (n + block - 1) / block;
  std::vector<T> in(n), out(n);
  for (int i = 0; i < n; i++)
    in[i] = T(i % 13 - 5);
  T *from, *to;
  cudaMalloc(&from, n * sizeof(T));
  cudaMalloc(&to, n * sizeof(T));
  cudaMemcpy(from, in.data(), n * sizeof(T), cudaMemcpyDefault);
  scanBlocks<T, Items><<<blocks, Threads>>>(from, to, n);
  cudaMemcpy(out.data(), to, n * sizeof(T), cudaMemcpyDefault);
  cudaFree(from);
  cudaFree(to);
  T sum = 0;
  for (int i = 0; i < n; i++) {
    sum = (i % block ? sum : T(0)) + in[i];
    if (out[i] != sum) {
      std::printf("%d items of %zu bytes: element %d is %g, not %g\n", Items, sizeof(T), i, double(out[i]), double(sum));
      return false;
    }
  }
  return true;
}

int main() {
  bool right = check<int, 4>(5000) & check<float, 7>(5000) & check<double, 5>(5000) & check<long long, 2>(5000) &
               check<int, 15>(5000);
  std::puts(right ? "ok" : "wrong");
  return !right;
}
