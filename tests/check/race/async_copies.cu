// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies to shared memory that a thread begins, and reads before it has waited, beside their correct twins.
// RUN: %heddle cc -arch=sm_80 %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// CHECK: Race between asynchronous copy and read of shared memory
// CHECK: the copy by thread (0,0,0), which has not waited for it
#include <cuda_pipeline_primitives.h>

constexpr int N = 64;

__global__ void notWaited(int *out, const int *in) {
  __shared__ int s[N];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);
  __pipeline_commit();
  out[t] = s[t]; // error: race-asynchronous-copy
  __pipeline_wait_prior(0);
}
__global__ void waited(int *out, const int *in) {
  __shared__ int s[N];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = s[t];
}

__global__ void barrierBeforeWait(int *out, const int *in) { // the others' copies need a barrier behind the wait
  __shared__ int s[N];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4); // error: race-read-write
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  out[t] = s[N - 1 - t]; // error: race-asynchronous-copy
}
__global__ void barrierBehindWait(int *out, const int *in) {
  __shared__ int s[N];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = s[N - 1 - t];
}

/// Two stages: the older one is there.
__global__ void wrongStage(int *out, const int *in) {
  __shared__ int s[2][N];
  int t = threadIdx.x;
  for (int i = 0; i < 2; i++) {
    __pipeline_memcpy_async(&s[i][t], &in[i * N + t], 4);
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  out[t] = s[1][t]; // error: race-asynchronous-copy
  __pipeline_wait_prior(0);
}
__global__ void stages(int *out, const int *in, int rounds) {
  __shared__ int s[2][N];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&s[0][t], &in[t], 4);
  __pipeline_commit();
  for (int i = 0; i < rounds; i++) {
    if (i + 1 < rounds)
      __pipeline_memcpy_async(&s[(i + 1) % 2][t], &in[(i + 1) * N + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    sum += s[i % 2][N - 1 - t];
    __syncthreads();
  }
  out[t] = sum;
}

/// A store to what is being copied to.
__global__ void overwritten(int *out, const int *in) {
  __shared__ alignas(16) int s[4 * N];
  int t = threadIdx.x;
  unsigned to = unsigned(__cvta_generic_to_shared(&s[4 * t]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
  s[4 * t + 3] = t; // error: race-asynchronous-copy
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[t] = s[4 * t];
}
__global__ void onlyCommitted(int *out, const int *in) {
  __shared__ alignas(16) int s[4 * N];
  int t = threadIdx.x;
  unsigned to = unsigned(__cvta_generic_to_shared(&s[4 * t]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[t] = s[4 * t]; // error: race-asynchronous-copy
  asm volatile("cp.async.wait_group 0;" ::: "memory");
}
__global__ void overwrittenLater(int *out, const int *in) {
  __shared__ alignas(16) int s[4 * N];
  int t = threadIdx.x;
  unsigned to = unsigned(__cvta_generic_to_shared(&s[4 * t]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * t) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  s[4 * t + 3] = t;
  out[t] = s[4 * t];
}

template <class... T> void run(void (*kernel)(int *, const int *, T...), T... arguments) {
  int *in, *out;
  cudaMalloc(&in, 16 * N * sizeof(int));
  cudaMalloc(&out, N * sizeof(int));
  cudaMemset(in, 1, 16 * N * sizeof(int));
  kernel<<<1, N>>>(out, in, arguments...);
  cudaFree(in), cudaFree(out);
}

int main() {
  run(notWaited);
  run(waited);
  run(barrierBeforeWait);
  run(barrierBehindWait);
  run(wrongStage);
  run(stages, 5);
  run(overwritten);
  run(onlyCommitted);
  run(overwrittenLater);
  return cudaDeviceSynchronize();
}
