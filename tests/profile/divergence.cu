// RUN: %heddle cc %s -o %t && env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_COUNT=1 HEDDLE_COUNT_BLOCKS=2,1 %t 2>&1 | FileCheck %s --check-prefix=SAMPLED
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops that lanes of a warp take differently, and blocks that are not whole warps. Of four
// blocks two may be counted, and one kept.
#include <cstdio>

__global__ void branches(int *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 4 == 0)
    atomicAdd(&out[0], t);
  else
    atomicMax(&out[1], t);
  if (threadIdx.x >= 32)
    atomicAnd(&out[2], t);
}

__global__ void loops(int *out) {
  int t = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < t; i++)
    atomicAdd(&out[i], 1);
}

int main() {
  int *a;
  cudaMalloc(&a, 1 << 20);
  branches<<<4, 64>>>(a);
  loops<<<1, 40>>>(a);
  return cudaDeviceSynchronize();
}

// CHECK: counted: branches(int*) grid 4 1 1 block 64 1 1: 4 of 4 blocks
// CHECK: divergence.cu:14:
// CHECK-NEXT: global reduction of 4: 8 requests, 64 lanes
// CHECK-NEXT: addresses: 8, deepest 64
// CHECK: divergence.cu:16:
// CHECK-NEXT: global reduction of 4: 8 requests, 192 lanes
// CHECK: divergence.cu:18:
// CHECK-NEXT: global reduction of 4: 4 requests, 128 lanes

// 31 turns of the first warp and 39 of the second; 0 + ... + 39 by threads.
// CHECK: counted: loops(int*)
// CHECK: divergence.cu:25:
// CHECK-NEXT: global reduction of 4: 70 requests, 780 lanes

// SAMPLED: counted: branches(int*) grid 4 1 1 block 64 1 1: 2 of 4 blocks
// SAMPLED: global reduction of 4: 4 requests, 32 lanes
// SAMPLED: counted: loops(int*) grid 1 1 1 block 40 1 1: 1 of 1 blocks
// SAMPLED: global reduction of 4: 70 requests, 780 lanes
