// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Control Flow Divergence", "Nested branches" and the switch over
// threadIdx.x % N; Nickolls & Kirk, section B.4 (SIMT); chapter 7.4 (warps with different paths).
//
// Threads of a warp that take different paths take them one after the other: right always, slow
// sometimes.
#include "common.h"

__host__ __device__ int doA(int x) { return x * 3 + 1; }

__host__ __device__ int doB(int x) { // a loop whose length differs from thread to thread
  int steps = 0;
  while (x > 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    ++steps;
  }
  return steps;
}

__host__ __device__ int doC(int x) {
  if (x < 5)
    return -x; // an early return in a divergent call
  return x / (x % 5 + 1);
}

__host__ __device__ bool foo(int x) { return x % 3 == 0; }
__host__ __device__ bool bar(int x) { return x % 2 == 0; }

__host__ __device__ int nested(int x) {
  int result;
  if (foo(x)) {
    if (bar(x))
      result = doA(x);
    else
      result = doB(x);
  } else {
    result = doC(x);
  }
  return result;
}

__host__ __device__ int selected(int x, int ways) {
  switch (x % ways) {
  case 0:
    return doA(x);
  case 1:
    return doB(x);
  case 2:
    return doC(x);
  case 3:
    return ~x; // no break needed: each returns
  case 4:
    x += 100;
    [[fallthrough]];
  case 5:
    return x * x;
  default:
    return 42 + x % 7;
  }
}

__global__ void branchTwo(int *result) {
  int x = threadIdx.x;
  if (foo(x))
    result[blockIdx.x * blockDim.x + x] = doA(x);
  else
    result[blockIdx.x * blockDim.x + x] = doB(x);
}

__global__ void branchNested(int *result) {
  result[blockIdx.x * blockDim.x + threadIdx.x] = nested(threadIdx.x);
}

__global__ void branchSwitch(int *result, int ways) {
  result[blockIdx.x * blockDim.x + threadIdx.x] = selected(threadIdx.x, ways);
}

static void run(int blocks, int threads) {
  int n = blocks * threads, *result = zerosOnDevice<int>(n);
  std::vector<int> want(n);
  auto verify = [&](const char *name, auto expected) {
    for (int i = 0; i < n; ++i)
      want[i] = expected(i % threads);
    check(same(toHost(result, n), want), "%s, %d blocks of %d", name, blocks, threads);
  };
  branchTwo<<<blocks, threads>>>(result);
  verify("two ways", [](int x) { return foo(x) ? doA(x) : doB(x); });
  branchNested<<<blocks, threads>>>(result);
  verify("nested", nested);
  for (int ways : {1, 2, 5, 8}) {
    branchSwitch<<<blocks, threads>>>(result, ways);
    char name[32];
    std::snprintf(name, sizeof name, "switch of %d ways", ways);
    verify(name, [ways](int x) { return selected(x, ways); });
  }
  CUDA_CHECK(cudaFree(result));
}

int main() {
  run(1, 1);
  run(2, 32);
  run(3, 100);
  run(5, 511);
  return exitCode();
}
