// RUN: %heddle cc %s -o %t && env HEDDLE_COUNT=1 %t 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies with an offset and with a stride, 16 warps each: what they come to by the rules of compute
// capability 1.0, 1.2, 2.x, 3.x and from 5.0 on (CUDA C++ Programming Guide, "Compute Capabilities").
#include <cstdio>

__global__ void offset(float *to, const float *from, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i + by];
}

__global__ void stride(float *to, const float *from, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i * by];
}

struct alignas(16) Four {
  float x, y, z, w;
};

__global__ void vectors(Four *to, const Four *from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

int main() {
  float *a, *b;
  cudaMalloc(&a, 1 << 20);
  cudaMalloc(&b, 1 << 20);
  offset<<<4, 128>>>(a, b, 0);
  offset<<<4, 128>>>(a, b, 1);
  stride<<<4, 128>>>(a, b, 2);
  stride<<<4, 128>>>(a, b, 32);
  vectors<<<4, 128>>>(reinterpret_cast<Four *>(a), reinterpret_cast<Four *>(b));
  return cudaDeviceSynchronize();
}

// CHECK: counted: offset(float*, float const*, int) grid 4 1 1 block 128 1 1: 4 of 4 blocks, 272 warp instructions, 8704 thread instructions
// CHECK: copies.cu:11: 4 operations, 64 by warps, 2048 by threads
// CHECK-NEXT: copies.cu:12: 7 operations, 112 by warps, 3584 by threads
// CHECK-NEXT: global load of 4: 16 requests, 512 lanes
// CHECK-NEXT: transactions: 1.0=32 1.2=32 2.x=16 3.x=64 5.x=64 pastL1=16
// CHECK-NEXT: bytes: 1.0=2048 1.2=2048 2.x=2048 3.x=2048 5.x=2048 pastL1=2048 wanted=2048
// CHECK-NEXT: global store of 4: 16 requests, 512 lanes
// CHECK-NEXT: transactions: 1.0=32 1.2=32 2.x=16 3.x=64 5.x=64 pastL1=16

// CHECK: counted: offset(float*, float const*, int)
// CHECK: global load of 4: 16 requests, 512 lanes
// CHECK-NEXT: transactions: 1.0=512 1.2=48 2.x=32 3.x=80 5.x=80 pastL1=32
// CHECK-NEXT: bytes: 1.0=16384 1.2=3584 2.x=4096 3.x=2560 5.x=2560 pastL1=2560 wanted=2048

// CHECK: counted: stride(float*, float const*, int)
// CHECK: global load of 4: 16 requests, 512 lanes
// CHECK-NEXT: transactions: 1.0=512 1.2=32 2.x=32 3.x=128 5.x=128 pastL1=32
// CHECK-NEXT: bytes: 1.0=16384 1.2=4096 2.x=4096 3.x=4096 5.x=4096 pastL1=4096 wanted=2048

// CHECK: counted: stride(float*, float const*, int)
// CHECK: global load of 4: 16 requests, 512 lanes
// CHECK-NEXT: transactions: 1.0=512 1.2=512 2.x=512 3.x=512 5.x=512 pastL1=512

// CHECK: counted: vectors(Four*, Four const*)
// CHECK: global load of 16: 16 requests, 512 lanes
// CHECK: global store of 16: 16 requests, 512 lanes
