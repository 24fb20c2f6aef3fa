// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shared.h"

static Registered program("main");
#ifdef CALLED
__device__ int called(int); // called.cu
__global__ void call(int *p) { *p = called(*p); }
#else
__global__ void call(int *p) { *p *= 2; }
#endif

int main() {
  std::printf("sum %d\n", sumOf(1));
  try {
    sumOf(-1);
  } catch (const std::exception &error) {
    std::printf("caught %s\n", error.what());
  }
  int *p;
  cudaMallocManaged(&p, 4);
  fill<<<1, 1>>>(p, 21);
  call<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  std::printf("%d, %d initialised\n", *p, counter<Registered>());
  return cudaGetLastError();
}
