// RUN: %heddle cc -rdc=true %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_WORKERS=1 %t
// HARDWARE: only up to compute capability 8.x, and up to CUDA 12 with CUDA_FORCE_CDP1_IF_SUPPORTED
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cudaDeviceSynchronize() in device code: a thread waits for what its block has launched, also for its children's
// children, and goes on with what they have written; in one lane, in some, in all, in a loop, nested.
#include "../support.h"

__global__ void add(int *data, int n, int amount) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    data[i] += amount;
}

/// One thread launches and waits; the whole block reads after a barrier.
__global__ void oneWaits(int *data, int n, int rounds, int *sums) {
  data += blockIdx.x * n;
  int sum = 0;
  for (int round = 0; round < rounds; round++) {
    if (threadIdx.x == 0) {
      add<<<(n + 31) / 32, 32>>>(data, n, round + 1);
      cudaDeviceSynchronize();
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
      sum += data[i];
    __syncthreads();
  }
  atomicAdd(sums + blockIdx.x, sum);
}

void testOneWaits() {
  constexpr int N = 75, Blocks = 7, Rounds = 6;
  Buffer<int> data(std::vector<int>(N * Blocks, 0)), sums(std::vector<int>(Blocks, 0));
  oneWaits<<<Blocks, 50>>>(data, N, Rounds, sums);
  checkLaunch();
  int want = 0, value = 0;
  for (int round = 0; round < Rounds; round++)
    want += N * (value += round + 1);
  expectAll("one waits", sums.get(), std::vector<int>(Blocks, want));
}

/// Every lane, or those of a mask, launches for itself and waits.
__global__ void allWait(int *data, int *seen, unsigned mask) {
  int i = threadIdx.x;
  if (!(mask >> (i % 32) & 1))
    return;
  add<<<1, 1>>>(data + i, 1, i);
  cudaDeviceSynchronize();
  seen[i] = data[i];
  add<<<1, 1>>>(data + i, 1, 1000);
}

void testAllWait(unsigned mask) {
  constexpr int N = 45;
  Buffer<int> data(std::vector<int>(N, 5)), seen(std::vector<int>(N, 0));
  allWait<<<1, N>>>(data, seen, mask);
  checkLaunch();
  std::vector<int> wantData, wantSeen;
  for (int i = 0; i < N; i++) {
    bool works = mask >> (i % 32) & 1;
    wantSeen.push_back(works ? 5 + i : 0);
    wantData.push_back(works ? 1005 + i : 5);
  }
  expectAll("seen", seen.get(), wantSeen);
  expectAll("after", data.get(), wantData);
}

/// Fibonacci numbers by grids that wait for the two before them.
__global__ void fibonacci(int n, long long *result) {
  if (n < 2) {
    *result = n;
    return;
  }
  long long *parts;
  if (cudaMalloc(&parts, 2 * sizeof *parts) != cudaSuccess)
    return;
  fibonacci<<<1, 1>>>(n - 1, parts);
  fibonacci<<<1, 1, 0, cudaStreamPerThread>>>(n - 2, parts + 1);
  cudaDeviceSynchronize();
  *result = parts[0] + parts[1];
  cudaFree(parts);
}

void testNested() {
  Buffer<long long> result(std::vector<long long>(1, 0));
  fibonacci<<<1, 1>>>(9, result);
  checkLaunch();
  expect("fibonacci", 9, result.get()[0], 34ll);
}

/// Grids wait as deep as cudaLimitDevRuntimeSyncDepth says: 2 levels if nobody says.
__global__ void waitAtDepth(cudaError_t *errors, int depth) {
  if (depth < 5)
    waitAtDepth<<<1, 1>>>(errors, depth + 1);
  errors[depth] = cudaDeviceSynchronize();
  cudaGetLastError();
}

void testDepth(size_t limit) {
  Buffer<cudaError_t> errors(std::vector<cudaError_t>(6, cudaErrorUnknown));
  CUDA_OK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, limit));
  waitAtDepth<<<1, 1>>>(errors, 0);
  checkLaunch();
  for (size_t depth = 0; depth < 6; depth++)
    expectError("depth " + std::to_string(depth), errors.get()[depth],
                depth < limit ? cudaSuccess : cudaErrorSyncDepthExceeded);
}

/// A chain of grids that wait, each for the next.
__global__ void nested(int *data, int depth) {
  if (depth > 0) {
    nested<<<1, 3>>>(data, depth - 1);
    cudaDeviceSynchronize();
  }
  if (threadIdx.x == 0)
    data[0] = data[0] * 3 % 10007 + depth;
}

/// A child's children, and copies, are waited for, too; without any child there is nothing to wait for.
__global__ void grandchildren(int *data, int n) {
  cudaMemcpyAsync(data + n, data, n * sizeof(int), cudaMemcpyDeviceToDevice);
  add<<<1, n, 0, cudaStreamFireAndForget>>>(data + n, 0, 0);
  add<<<1, n>>>(data + n, n, 7);
}
__global__ void waits(int *data, int n, int *ok) {
  *ok = cudaDeviceSynchronize() == cudaSuccess;
  grandchildren<<<1, 1>>>(data, n);
  *ok += cudaDeviceSynchronize() == cudaSuccess;
  for (int i = 0; i < n; i++)
    *ok += data[n + i] == data[i] + 7;
}

int main() {
  testOneWaits();
  testAllWait(~0u);
  testAllWait(0x80000001);
  testAllWait(0x0f0ff0f0);
  size_t limit = 0;
  CUDA_OK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimeSyncDepth));
  expect("the limit", 0, int(limit), 2);
  for (size_t deep : {2, 1, 4, 16})
    testDepth(deep);
  testNested();

  Buffer<int> data(std::vector<int>(1, 1));
  nested<<<1, 1>>>(data, 5);
  checkLaunch();
  Buffer<int> values(std::vector<int>(80, 3)), ok(std::vector<int>(1, 0));
  waits<<<1, 1>>>(values, 40, ok);
  checkLaunch();
  expect("grandchildren", 0, ok.get()[0], 42);
  return finish();
}
