// RUN: %heddle cc -O3 %s -o %t
// RUN: env HEDDLE_DEVICE=8800gtx %t | FileCheck %s --check-prefix=G80
// RUN: env HEDDLE_DEVICE=c870 %t | FileCheck %s --check-prefix=C870
// RUN: env HEDDLE_DEVICE=c1060 %t | FileCheck %s --check-prefix=C1060
// RUN: env HEDDLE_DEVICE=c2050 %t | FileCheck %s --check-prefix=C2050
// RUN: env HEDDLE_DEVICE=k10 %t | FileCheck %s --check-prefix=K10
// RUN: env HEDDLE_DEVICE=k20 %t | FileCheck %s --check-prefix=K20
// RUN: env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s --check-prefix=COUNT
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the texts say to the digit: peak bandwidths (twice the memory's clock by the width of its bus), which blocks
// cannot be launched, that columns of a tile meet in one bank, and what a shifted row becomes.
#include <cstdio>

constexpr int Square = 32;

__global__ void shifted(float *a, int shift) { a[threadIdx.x + shift] = 1; }
__global__ void columns(float *out) {
  __shared__ float tile[Square][Square];
  tile[threadIdx.y][threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.y * Square + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main() {
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  // G80: peak 86.40 GB/s
  // C870: peak 76.80 GB/s
  // C1060: peak 102.40 GB/s
  // C2050: peak 144.00 GB/s
  // K10: peak 160.00 GB/s
  // K20: peak 208.00 GB/s
  std::printf("peak %.2f GB/s\n", 2.0 * device.memoryClockRate * (device.memoryBusWidth / 8) / 1e6);
  float *data;
  cudaMalloc(&data, 4096 * sizeof(float));
  // COUNT: counted: columns
  // COUNT: shared load of 4: 32 requests
  // COUNT-NEXT: wavefronts: 1.0=1024 1.2=1024 2.x=1024 3.x=512
  columns<<<1, dim3(Square, Square)>>>(data);
  // G80: 1024 threads: invalid configuration argument
  // K20: 1024 threads: no error
  std::printf("1024 threads: %s\n", cudaGetErrorString(cudaGetLastError()));
  // COUNT: counted: shifted
  // COUNT: transactions: 1.0=32 1.2=3 2.x=2 3.x=4
  // COUNT-NEXT: bytes: 1.0=1024 1.2=192 2.x=128 3.x=128
  shifted<<<1, 32>>>(data, 8);
  cudaDeviceSynchronize();
}
