// RUN: %heddle cc %s -o %t
// RUN: %check --tool synccheck --report-api-errors no --exit 1 %s %t | FileCheck %s
// CHECK: Deadlock: no thread of the block can go on, in kernel numbered(int*)
// CHECK: waits at barrier 1 for 128 threads
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits that cannot end: the launch ends with an error, and the program goes on with a new device.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void numbered(int *out) { // 64 of 128 threads come
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 128;" ::: "memory"); // error: deadlock
  out[threadIdx.x] = 1;
}
__global__ void numberedRight(int *out) {
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = 1;
}

__global__ void ofGrid(int *out) {
  out[threadIdx.x] = 1;
  cg::this_grid().sync(); // error: grid-barrier-not-cooperative
  out[threadIdx.x] = 2;
}

__global__ void ofSomeBlocks(int *out) {
  out[threadIdx.x] = 1;
  if (blockIdx.x > 0)
    cg::this_grid().sync(); // error: grid-barrier-not-reached
  out[threadIdx.x] = 2;
}

__global__ void ofSomeThreads(int *out) { // other threads wait at the block's barrier
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 32)
    asm volatile("bar.sync 2, 64;" ::: "memory"); // error: deadlock
  else
    __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

template <class K> void run(K kernel, bool isCooperative, int threads) {
  int *out;
  cudaMalloc(&out, 4 * 128);
  void *arguments[] = {&out};
  if (isCooperative)
    cudaLaunchCooperativeKernel((void *)kernel, dim3(2), dim3(threads), arguments, 0, 0);
  else
    kernel<<<2, threads>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  run(numbered, false, 128);
  run(numberedRight, false, 128);
  run(ofGrid, false, 64);
  run(ofGrid, true, 64);
  run(ofSomeBlocks, true, 64);
  run(ofSomeThreads, false, 64);
  return 1;
}
