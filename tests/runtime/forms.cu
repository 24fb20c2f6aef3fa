// RUN: rm -rf %t.cache && %nvcc -O3 %s -o %t
// RUN: env HEDDLE_TUNE=full CUDA_CACHE_PATH=%t.cache %t
// RUN: env HEDDLE_TUNE=on CUDA_CACHE_PATH=%t.cache %t
// RUN: env HEDDLE_TUNE=off CUDA_CACHE_PATH=%t.cache %t
// RUN: env HEDDLE_TUNE=full CUDA_CACHE_DISABLE=1 %t
// RUN: env CUDA_CACHE_PATH=%t.cache %heddle devices --kernels | FileCheck %s
// RUN: env CUDA_CACHE_PATH=%t.empty %heddle devices --kernels | FileCheck %s --check-prefix=EMPTY
// RUN: env HEDDLE_TUNE=maybe %t 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: sh -c "echo rubbish | not %build/lib/heddle/bin/heddle-form library 2>&1" | FileCheck %s --check-prefix=RUBBISH
// RUBBISH: heddle-form: a request of another version
// CHECK-DAG: walk(int, int, float const*, float*) in blocks of 96 x 1 x 1
// CHECK-DAG: reverse(int, int const*, int*) in blocks of 256 x 1 x 1
// CHECK-DAG: launches of size class {{[0-9a-f]+}}: {{the compiler's choice|[0-9]+ lanes, [0-9.]+ times as fast}}
// EMPTY: nothing is known of kernels
// WORD: HEDDLE_TUNE: 'maybe' is not off, on or full
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose forms are measured while they run: blocks of one launch run in several of them, and all results are
// right. The program sees nothing of the processes that compile the forms.
#include "../run/support.h"

#include <cerrno>
#include <csignal>
#include <sys/wait.h>

/// A row for each thread, by itself.
__global__ void walk(int rows, int length, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  float sum = 0;
  for (int k = 0; k < length; k++)
    sum = sum * 0.5f + in[i * length + k];
  out[i] += sum;
}

/// With a barrier, and shared memory.
__global__ void reverse(int n, const int *in, int *out) {
  __shared__ int tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : -1;
  __syncthreads();
  int other = tile[blockDim.x - 1 - threadIdx.x];
  if (i < n)
    out[i] += other;
}

/// Adds that workers may put off until the end of a launch.
__global__ void histogram(int n, const int *in, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[in[i] & 31], 1);
}

/// Lanes that part, and go on for long.
__global__ void collatz(int n, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int steps = 0;
  for (long long x = i + 1; x != 1; steps++)
    x = x & 1 ? 3 * x + 1 : x / 2;
  out[i] += steps;
}

static volatile sig_atomic_t signals = 0;

int main() {
  signal(SIGCHLD, [](int) { signals = signals + 1; });
  const int n = 30011, length = 37, launches = 60;
  Random random(1);
  float *rows, *sums;
  int *in, *reversed, *bins, *steps;
  CUDA_OK(cudaMallocManaged(&rows, n * length * sizeof(float)));
  CUDA_OK(cudaMallocManaged(&in, n * sizeof(int)));
  for (void *array : {(void *)&sums, (void *)&reversed, (void *)&steps}) {
    CUDA_OK(cudaMallocManaged((void **)array, n * sizeof(int)));
    CUDA_OK(cudaMemset(*(void **)array, 0, n * sizeof(int)));
  }
  CUDA_OK(cudaMallocManaged(&bins, 32 * sizeof(int)));
  CUDA_OK(cudaMemset(bins, 0, 32 * sizeof(int)));
  for (int i = 0; i < n * length; i++)
    rows[i] = float(random.below(100));
  for (int i = 0; i < n; i++)
    in[i] = random.below(1000);
  for (int k = 0; k < launches; k++) {
    walk<<<(n + 95) / 96, 96>>>(n, length, rows, sums);
    reverse<<<(n + 255) / 256, 256>>>(n, in, reversed);
    histogram<<<(n + 127) / 128, 128>>>(n, in, bins);
    collatz<<<(n + 63) / 64, 64>>>(n, steps);
  }
  CUDA_OK(cudaDeviceSynchronize());

  std::vector<int> counts(32);
  for (int i = 0; i < n; i++) {
    float sum = 0, all = 0;
    for (int k = 0; k < length; k++)
      sum = sum * 0.5f + rows[i * length + k];
    int count = 0, last = i / 256 * 256 + 255, other = last - i % 256;
    for (long long x = i + 1; x != 1; count++)
      x = x & 1 ? 3 * x + 1 : x / 2;
    for (int k = 0; k < launches; k++)
      all += sum;
    expect("sum", i, sums[i], all);
    expect("reversed", i, reversed[i], launches * (other < n ? in[other] : -1));
    expect("steps", i, steps[i], launches * count);
    ++counts[in[i] & 31];
  }
  for (int i = 0; i < 32; i++)
    expect("bin", i, bins[i], launches * counts[i]);
  errno = 0;
  expect("child", 0, int(waitpid(-1, nullptr, WNOHANG)), -1);
  expect("no child", 0, errno, ECHILD);
  expect("signals", 0, int(signals), 0);
  return finish();
}
