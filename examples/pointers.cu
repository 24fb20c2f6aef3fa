// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "About Pointers" and "Don't confuse the compiler!"
//
// A pointer may point into any memory space, and nothing in its type says into which. In the second
// kernel it even depends on the data: threads of one warp hold pointers into different spaces.
#include "common.h"

__device__ int globalVariable;
__constant__ int constantVariable = 13;

__global__ void pointEverywhere(int *seen) {
  __shared__ int sharedVariable;
  int localVariable = 29;
  int *toGlobal = &globalVariable;
  const int *toConstant = &constantVariable;
  int *toShared = &sharedVariable;
  int *toLocal = &localVariable;

  *toShared = *toConstant * 2; // every thread stores the same value
  *toLocal += *toShared;
  __syncthreads();
  *toGlobal = *toShared;
  seen[blockIdx.x * blockDim.x + threadIdx.x] = *toLocal;
}

/// Where a thread's pointer points depends on its input. All pointers must then be usable in one
/// place.
__global__ void pointByData(const int *input, int *output, int n) {
  __shared__ int sharedVariable[64];
  __shared__ int *sharedPointer; // a pointer that lies in shared memory, not one into it
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int privateVariable = 1000 + int(threadIdx.x);
  sharedVariable[threadIdx.x] = 2000 + int(threadIdx.x);
  if (threadIdx.x == 0)
    sharedPointer = &globalVariable;
  __syncthreads();

  int *pointer = nullptr;
  if (i < n) {
    int kind = input[i] % 3;
    if (kind == 0)
      pointer = &privateVariable;
    else if (kind == 1)
      pointer = &sharedVariable[63 - threadIdx.x];
    else
      pointer = sharedPointer;
  }
  if (pointer)
    output[i] = *pointer;
}

static void runEverywhere(int blocks, int threads) {
  int got = 0, *seen = zerosOnDevice<int>(blocks * threads);
  pointEverywhere<<<blocks, threads>>>(seen);
  check(same(toHost(seen, blocks * threads), std::vector<int>(blocks * threads, 55)),
        "constant, shared and local memory through pointers, %d threads", threads);
  CUDA_CHECK(cudaMemcpyFromSymbol(&got, globalVariable, sizeof got));
  check(got == 26, "global memory through a pointer: %d", got);
  CUDA_CHECK(cudaFree(seen));
}

static void runByData(int n) {
  int global = 31, blocks = (n + 63) / 64;
  CUDA_CHECK(cudaMemcpyToSymbol(globalVariable, &global, sizeof global));
  std::vector<int> input(n), want(n);
  Random random(24);
  for (int i = 0; i < n; ++i) {
    input[i] = random.integer(0, 1000);
    int t = i % 64, kind = input[i] % 3;
    want[i] = kind == 0 ? 1000 + t : kind == 1 ? 2000 + 63 - t : global;
  }
  int *in = toDevice(input), *out = zerosOnDevice<int>(n);
  pointByData<<<blocks, 64>>>(in, out, n);
  check(same(toHost(out, n), want), "pointers chosen by data, %d threads", n);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
}

int main() {
  runEverywhere(1, 1);
  runEverywhere(3, 50);
  for (int n : {1, 63, 64, 1000})
    runByData(n);
  return exitCode();
}
