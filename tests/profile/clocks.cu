// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels read from clocks with HEDDLE_TIMING=model: the time of the board, as microbenchmarks
// measure it (Wong et al., Jia et al.), the same digits each time.
//
// RUN: %heddle cc -O2 %s -o %t
// RUN: env HEDDLE_TIMING=model HEDDLE_DEVICE=k20 %t > %t.first
// RUN: env HEDDLE_TIMING=model HEDDLE_DEVICE=k20 %t | diff - %t.first
// RUN: FileCheck --check-prefix=K20 %s < %t.first
// RUN: env HEDDLE_TIMING=model HEDDLE_DEVICE=h200 %t | FileCheck --check-prefix=H200 %s
//
// 64 warps on four schedulers: 16 cycles on both. Of the chain in 4 KB L1 has all on an H200, and a K20
// keeps no global memory there.
// K20: alone: 9.0 cycles
// K20-NEXT: with others: 16.0 cycles
// K20-NEXT: chase in 4 KB: {{21[0-9]}} cycles
// K20-NEXT: chase in 256 KB: {{21[0-9]}} cycles
// K20-NEXT: chase in 16384 KB: {{3[0-9]+}} cycles
// K20-NEXT: shared: {{[345][0-9]}} cycles
// K20-NEXT: a millisecond: 1.000 ms
// K20-NEXT: ten by events: 10.0{{[0-9]}} ms, by the timer: 10.00 ms
// H200: alone: 4.0 cycles
// H200-NEXT: with others: 16.{{[0-9]}} cycles
// H200-NEXT: chase in 4 KB: {{3[0-9]}} cycles
// H200-NEXT: chase in 256 KB: {{[34][0-9]}} cycles
// H200-NEXT: chase in 16384 KB: {{2[0-9]+}} cycles
#include <cstdio>

__global__ void sums(float *out, long *time, float by) {
  float x = threadIdx.x;
  clock_t begin = clock();
#pragma unroll
  for (int i = 0; i < 256; ++i)
    x = x * by + by;
  clock_t end = clock();
  out[threadIdx.x] = x;
  if (threadIdx.x == 0)
    time[blockIdx.x] = end - begin;
}

__global__ void chase(int *next, int steps, long *time, int *out) {
  int at = 0;
  for (int i = 0; i < steps; ++i) // the first time around, for L2
    at = next[at];
  long long begin = clock64();
  for (int i = 0; i < steps; ++i)
    at = next[at];
  *out = at;
  *time = clock64() - begin;
}

__global__ void chaseShared(int steps, long *time, int *out) {
  __shared__ int next[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    next[i] = (i + 33) % 256;
  __syncthreads();
  int at = 0;
  long long begin = clock64();
  for (int i = 0; i < steps; ++i)
    at = next[at];
  long long end = clock64();
  *out = at;
  *time = end - begin;
}

__global__ void spin(int cycles, long *time) {
  unsigned long long before, after;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
  clock_t begin = clock();
  while (clock() - begin < cycles)
    ;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(after));
  *time = long(after - before);
}

long read(const long *time) {
  long value = 0;
  cudaMemcpy(&value, time, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

int main() {
  constexpr int Blocks = 600;
  long *time;
  float *out;
  cudaMalloc(&time, Blocks * sizeof(long));
  cudaMalloc(&out, 1024 * sizeof(float));
  sums<<<1, 32>>>(out, time, 1.5f);
  printf("alone: %.1f cycles\n", read(time) / 256.0);
  sums<<<Blocks, 512>>>(out, time, 1.5f);
  printf("with others: %.1f cycles\n", read(time) / 256.0);
  for (int bytes : {1 << 12, 1 << 18, 1 << 24}) {
    int count = bytes / 128, *next;
    cudaMalloc(&next, bytes);
    int *host = new int[bytes / 4]();
    for (int i = 0; i < count; ++i)
      host[i * 32] = (i + 1) % count * 32;
    cudaMemcpy(next, host, bytes, cudaMemcpyHostToDevice);
    chase<<<1, 1>>>(next, count, time, (int *)out);
    printf("chase in %d KB: %.0f cycles\n", bytes >> 10, double(read(time)) / count);
  }
  chaseShared<<<1, 32>>>(512, time, (int *)out);
  printf("shared: %.0f cycles\n", read(time) / 512.0);
  spin<<<1, 1>>>(705500, time);
  printf("a millisecond: %.3f ms\n", read(time) * 1e-6);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  spin<<<1, 1>>>(7055000, time);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms;
  cudaEventElapsedTime(&ms, begin, end);
  printf("ten by events: %.2f ms, by the timer: %.2f ms\n", ms, read(time) * 1e-6);
}
