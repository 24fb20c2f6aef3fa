// RUN: %nvcc -DMINE='const int warpSize = 16;' %s -o %t && %t | FileCheck %s --check-prefix=MINE
// RUN: %nvcc -DMINE='constexpr int warpSize = 16;' %s -o %t && %t | FileCheck %s --check-prefix=MINE
// RUN: %nvcc %s -o %t && %t | FileCheck %s --check-prefix=CUDAS
// RUN: not %nvcc -DMINE='int warpSize = 16;' %s -o %t 2>&1 | FileCheck %s --check-prefix=OTHER
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As for nvcc, warpSize may be a constant of the program's, which then has the name alone.
#include <cstdio>

#ifdef MINE
MINE
#endif
// OTHER: error: redefinition of 'warpSize'

namespace other {
const int warpSize = 8;
}
template <int warpSize> __device__ int fromTemplate() { return warpSize; }
__device__ int fromParameter(int warpSize) { return warpSize; }

__global__ void tell(int *p) {
  p[0] = warpSize;
  p[1] = ::warpSize;
  p[2] = other::warpSize;
  p[3] = fromTemplate<4>();
  p[4] = fromParameter(5);
}

int main() {
  int *p;
  cudaMallocManaged(&p, 5 * sizeof(int));
  tell<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  // MINE: 16 16 8 4 5, host 16, device 32
  // CUDAS: 32 32 8 4 5, host 32, device 32
  printf("%d %d %d %d %d, host %d, device %d\n", p[0], p[1], p[2], p[3], p[4], warpSize, properties.warpSize);
}
