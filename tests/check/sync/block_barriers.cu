// RUN: %heddle cc %s -o %t
// RUN: %check --tool synccheck %s %t | FileCheck %s
// CHECK: Barrier of the block that not all threads reach, in kernel sumInside(int*)
// CHECK: by thread (0,0,0) in block (0,0,0)
// CHECK: threads (16,0,0) to (31,0,0) of the warp are elsewhere
// CHECK: they parted
// CHECK-NEXT: at {{.*}}block_barriers.cu:[[#@LINE+14]]
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __syncthreads() that not all threads of the block reach, each beside its correct twin.
#include <cstdio>

__global__ void sumInside(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2)
    if (t < half) {
      s[t] += s[t + half];
      __syncthreads(); // error: divergent-barrier
    }
  if (t == 0)
    out[0] = s[0];
}

__global__ void sumOutside(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0)
    out[0] = s[0];
}

__global__ void guarded(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < n)
    __syncthreads(); // error: divergent-barrier
  out[t] = s[63 - t];
}

// Threads that have ended are not waited for.
__global__ void returned(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t >= n)
    return;
  __syncthreads();
  out[t] = s[n - 1 - t];
}

__global__ void returnedAfterStore(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t >= n) {
    out[t] = -1;
    return;
  }
  __syncthreads();
  out[t] = s[n - 1 - t];
}

// Turns of a loop that differ between threads.
__global__ void strided(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = t; i < n; i += 64) {
    s[t] += i;
    __syncthreads(); // error: divergent-barrier
  }
  out[t] = s[t];
}

__global__ void stridedTogether(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  for (int first = 0; first < n; first += 64) {
    if (first + t < n)
      s[t] += first + t;
    __syncthreads();
  }
  out[t] = s[t];
}

__global__ void brokenOff(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  for (int i = 0; i < n; i++) {
    if (s[t] > 40)
      break;
    __syncthreads(); // error: divergent-barrier
    s[t] += 20;
  }
  out[t] = s[t];
}

// All leave the loop at once.
__global__ void brokenOffTogether(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  for (int i = 0; i < n; i++) {
    if (__syncthreads_or(s[t] > 40))
      break;
    s[t] += 20;
  }
  out[t] = s[t];
}

__global__ void early(int *out, int n) { // they return within the loop
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  for (int i = 0; i < n; i++) {
    if (s[t] > 40) {
      out[t] = i;
      return;
    }
    __syncthreads();
    s[t] += 20;
    __syncthreads();
  }
  out[t] = s[t];
}

// Whole warps go around.
__global__ void firstWarp(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 32)
    __syncthreads(); // error: divergent-barrier
  out[t] = s[63 - t];
}

// Each warp has a barrier of its own for the same turn: the hardware counts warps.
__global__ void ownBarriers(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 32) {
    __syncthreads();
    out[t] = 1;
  } else {
    __syncthreads();
    out[t] = 2;
  }
  out[t] += s[63 - t];
}

__global__ void otherWarp(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t >= 32)
    __syncthreads(); // error: divergent-barrier
  out[t] = s[63 - t];
  __syncthreads();
  s[t] = 1;
  out[t] += s[t];
}

__global__ void bothTimes(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];
  __syncthreads();
  s[t] = 1;
  out[t] += s[t];
}

// Two barriers are not one for threads of a warp.
__global__ void arms(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (t % 2) {
    __syncthreads(); // error: divergent-barrier
    out[t] = s[t ^ 2];
  } else {
    __syncthreads();
    out[t] = 2 * s[t ^ 2];
  }
}

__global__ void joined(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t % 2)
    out[t] = s[t ^ 2];
  else
    out[t] = 2 * s[t ^ 2];
}

__global__ void skipped(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = 0; i < n; i++) {
    if ((i + t) % 3 == 0)
      continue;
    s[t] += i;
    __syncthreads(); // error: divergent-barrier
  }
  out[t] = s[t];
}

__global__ void notSkipped(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = 0;
  for (int i = 0; i < n; i++) {
    if ((i + t) % 3 != 0)
      s[t] += i;
    __syncthreads();
  }
  out[t] = s[t];
}

__device__ int sharedSum(int *s, int t, int x) {
  s[t] = x;
  __syncthreads(); // error: divergent-barrier
  int sum = s[t ^ 1] + x;
  return sum;
}
__global__ void inFunction(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  if (out[t] < n)
    sum = sharedSum(s, t, t);
  out[t] = sum;
}
__device__ int sharedSumOfAll(int *s, int t, int x) {
  s[t] = x;
  __syncthreads();
  return s[t ^ 1] + x;
}
__global__ void aroundFunction(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int sum = sharedSumOfAll(s, t, out[t] < n ? t : 0);
  out[t] = sum;
}

__global__ void voted(int *out, int n) {
  int t = threadIdx.x, count = 0;
  if (t < n)
    count = __syncthreads_count(t % 2); // error: divergent-barrier
  out[t] = count;
}
__global__ void votedByAll(int *out, int n) {
  int t = threadIdx.x;
  int count = __syncthreads_count(t < n && t % 2);
  out[t] = count;
}

// A condition that is the same in the whole block.
__global__ void sameInBlock(int *out, int n) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (blockIdx.x < n)
    __syncthreads();
  out[t] = s[t];
}

// Roles: some warps come to the numbered barrier, and all to the other.
__global__ void numbered(int *out) {
  __shared__ int s[96];
  int t = threadIdx.x;
  s[t] = t;
  if (t < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  __syncthreads();
  out[t] = s[95 - t];
}

template <class K, class... T> void run(K kernel, int threads, T... arguments) {
  int *out;
  cudaMalloc(&out, 4 * 128);
  cudaMemset(out, 0, 4 * 128);
  for (int i = 0; i < 64; i += 2)
    cudaMemset(out + i, 1, 1);
  kernel<<<2, threads>>>(out, arguments...);
  cudaFree(out);
}

int main() {
  run(sumInside, 64);
  run(sumOutside, 64);
  run(guarded, 64, 40);
  run(guarded, 64, 64);
  run(returned, 64, 40);
  run(returned, 64, 20);
  run(returnedAfterStore, 64, 40);
  run(returnedAfterStore, 64, 20);
  run(strided, 64, 100);
  run(stridedTogether, 64, 100);
  run(brokenOff, 64, 3);
  run(brokenOffTogether, 64, 3);
  run(early, 64, 3);
  run(firstWarp, 64);
  run(ownBarriers, 64);
  run(otherWarp, 64);
  run(bothTimes, 64);
  run(arms, 64);
  run(joined, 64);
  run(skipped, 64, 5);
  run(notSkipped, 64, 5);
  run(inFunction, 64, 1);
  run(aroundFunction, 64, 1);
  run(voted, 64, 50);
  run(votedByAll, 64, 50);
  run(sameInBlock, 64, 1);
  run(numbered, 96);
  return cudaDeviceSynchronize() != cudaSuccess;
}
