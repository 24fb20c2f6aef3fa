// RUN: rm -rf %t.cache
// RUN: %nvcc %s -o %t
// RUN: env CUDA_CACHE_PATH=%t.cache CUDA_CACHE_MAXSIZE=15000 %t 6
// RUN: rm -rf %t.cache && env CUDA_CACHE_PATH=%t.cache %t 3 && env CUDA_CACHE_PATH=%t.cache %t 1
// RUN: rm -rf %t.cache && env CUDA_CACHE_PATH=%t.cache CUDA_CACHE_DISABLE=1 %t 2 && not ls %t.cache
// RUN: env CUDA_CACHE_PATH=/proc/no/such/folder %t 1
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several processes share a cache, which may be too small for their kernels: each takes out what another has just found.
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

template <int N> __global__ void addUp(int *sum) {
  for (int i = 0; i < N; ++i)
    atomicAdd(sum, N * i);
}

template <int N> void launch(int *sum) {
  addUp<N><<<1, 32>>>(sum);
  if constexpr (N > 1)
    launch<N - 1>(sum);
}

constexpr int Kernels = 24;

int runAll() {
  int *sum, want = 0;
  cudaMallocManaged(&sum, sizeof(int));
  *sum = 0;
  launch<Kernels>(sum);
  cudaError_t error = cudaDeviceSynchronize();
  for (int n = 1; n <= Kernels; ++n)
    want += 32 * n * (n * (n - 1) / 2);
  if (error != cudaSuccess || *sum != want)
    printf("%s: %d, not %d\n", cudaGetErrorName(error), *sum, want);
  return error != cudaSuccess || *sum != want;
}

int main(int, char **argv) {
  int processes = atoi(argv[1]), failures = 0;
  for (int i = 0; i < processes; ++i)
    if (fork() == 0)
      return runAll();
  for (int i = 0, status; i < processes && wait(&status) > 0; ++i)
    failures += status != 0;
  return failures;
}
