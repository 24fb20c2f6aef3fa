// RUN: %nvcc %s -o %t
// RUN: env HEDDLE_HANG_SECONDS=1 %t block 2>&1 | FileCheck %s --check-prefixes=CHECK,BLOCK
// RUN: env HEDDLE_HANG_SECONDS=1 %t grid 2>&1 | FileCheck %s --check-prefixes=CHECK,GRID
// RUN: env HEDDLE_HANG_SECONDS=1 %t streams 2>&1 | FileCheck %s --check-prefix=CHECK
// RUN: env HEDDLE_HANG_SECONDS=soon %t done 2>&1 | FileCheck %s --check-prefix=NUMBER
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// Kernels that wait for what nobody writes.
#include <cstdio>
#include <cstring>

__device__ volatile int flag;
__device__ int arrived;

/// The first warp waits for the flag, the others for the first warp.
__global__ void waitInBlock() {
  if (threadIdx.x < 32)
    while (!flag)
      ;
  __syncthreads();
}

/// A barrier that wants one block more than there are.
__global__ void waitInGrid() {
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1);
    while (atomicAdd(&arrived, 0) <= gridDim.x)
      ;
  }
  __syncthreads();
}

int main(int, char **argv) {
  cudaStream_t streams[3];
  for (cudaStream_t &stream : streams)
    cudaStreamCreate(&stream);
  if (!strcmp(argv[1], "done")) {
    int one = 1;
    cudaMemcpyToSymbol(flag, &one, sizeof(one));
  }
  if (!strcmp(argv[1], "grid"))
    waitInGrid<<<300, 64>>>();
  else
    waitInBlock<<<2, 96>>>();
  if (!strcmp(argv[1], "streams"))
    for (cudaStream_t stream : streams)
      waitInBlock<<<2, 96, 0, stream>>>();
  cudaError_t error = cudaDeviceSynchronize();
  fflush(stderr);
  printf("synchronize: %s\n", cudaGetErrorName(error));
  printf("malloc: %s\n", cudaGetErrorName(cudaMalloc((void **)&argv, 4)));
  cudaDeviceReset();
  printf("after a reset: %s\n", cudaGetErrorName(cudaMalloc((void **)&argv, 4)));
}

// BLOCK: ========= kernel waitInBlock() waits for ever: nothing has changed for 1 seconds (HEDDLE_HANG_SECONDS)
// BLOCK-NEXT: block (0,0,0), and 1 more like it:
// BLOCK-NEXT: threads 0 to 31: polls in a loop at {{.*}}hang.cu:21
// BLOCK-NEXT: threads 32 to 95: waits at barrier 0 at {{.*}}hang.cu:23
// GRID: ========= kernel waitInGrid() waits for ever: nothing has changed for 1 seconds (HEDDLE_HANG_SECONDS)
// GRID-NEXT: block (0,0,0), and 299 more like it:
// GRID-NEXT: threads 0 to 31: polls in a loop at {{.*}}hang.cu:30
// CHECK: the launch is cancelled and the context is lost
// CHECK-NEXT: synchronize: cudaErrorLaunchTimeout
// CHECK-NEXT: malloc: cudaErrorLaunchTimeout
// CHECK-NEXT: after a reset: cudaSuccess
// NUMBER: heddle: HEDDLE_HANG_SECONDS is 'soon'; a number of seconds is wanted, or 0 for never
// NUMBER-NEXT: synchronize: cudaSuccess
