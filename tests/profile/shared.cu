// RUN: %heddle cc %s -o %t && env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposes: naive, by a tile, and by a padded tile; shared atomic operations; constant memory. 32 warps.
#include <cstdio>

__global__ void naive(float *out, const float *in) {
  out[threadIdx.x * 32 + threadIdx.y] = in[threadIdx.y * 32 + threadIdx.x];
}

template <int Pitch> __global__ void tiled(float *out, const float *in) {
  __shared__ float tile[32][Pitch];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void histogram(int *out) {
  __shared__ int bins[4];
  if (threadIdx.y == 0 && threadIdx.x < 4)
    bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 4], 1);
  __syncthreads();
  if (threadIdx.y == 0 && threadIdx.x < 4)
    out[threadIdx.x] = bins[threadIdx.x];
}

__constant__ float table[64];
__global__ void constants(float *out) {
  int t = threadIdx.y * 32 + threadIdx.x;
  out[t] = table[threadIdx.y] + table[threadIdx.x / 4];
}

int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  dim3 block(32, 32);
  naive<<<1, block>>>(a, b);
  tiled<32><<<1, block>>>(a, b);
  tiled<33><<<1, block>>>(a, b);
  histogram<<<1, block>>>(reinterpret_cast<int *>(a));
  constants<<<1, block>>>(a);
  return cudaDeviceSynchronize();
}

// CHECK: counted: naive(float*, float const*)
// CHECK: global load of 4: 32 requests, 1024 lanes
// CHECK: global store of 4: 32 requests, 1024 lanes
// CHECK-NEXT: transactions: 1.0=1024 1.2=1024 2.x=1024 3.x=1024 5.x=1024 pastL1=1024

// CHECK: counted: void tiled<32>(float*, float const*)
// CHECK: shared store of 4: 32 requests, 1024 lanes
// CHECK-NEXT: wavefronts: 1.0=64 1.2=64 2.x=32 3.x=32 5.x=32 wide=32
// CHECK-NEXT: conflicts: 1.0=0 1.2=0 2.x=0 3.x=0 5.x=0 wide=0
// CHECK: shared.cu:16: 1 operations, 32 by warps, 1024 by threads
// CHECK: shared load of 4: 32 requests, 1024 lanes
// CHECK-NEXT: wavefronts: 1.0=1024 1.2=1024 2.x=1024 3.x=512 5.x=1024 wide=512
// CHECK-NEXT: conflicts: 1.0=960 1.2=960 2.x=992 3.x=480 5.x=992 wide=480

// CHECK: counted: void tiled<33>(float*, float const*)
// CHECK: shared load of 4: 32 requests, 1024 lanes
// CHECK-NEXT: wavefronts: 1.0=64 1.2=64 2.x=32 3.x=32 5.x=32 wide=48
// CHECK-NEXT: conflicts: 1.0=0 1.2=0 2.x=0 3.x=0 5.x=0 wide=16

// CHECK: counted: histogram(int*)
// CHECK: shared store of 4: 1 requests, 4 lanes
// CHECK: shared reduction of 4: 32 requests, 1024 lanes
// CHECK-NEXT: addresses: 128, deepest 256

// CHECK: counted: constants(float*)
// CHECK: constant load of 4: 32 requests, 1024 lanes
// CHECK-NEXT: passes: 32
// CHECK: constant load of 4: 32 requests, 1024 lanes
// CHECK-NEXT: passes: 256
