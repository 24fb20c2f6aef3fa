// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in that works in dlopen and in dlclose, and leaves a kernel running.
#include <cstdio>
#include <cstdlib>

__device__ int counter = VALUE;
__managed__ int done;

__global__ void add(int *p) { *p += atomicAdd(&counter, 1); }
__global__ void slow(int rounds) {
  int x = threadIdx.x;
  for (int i = 0; i < rounds; ++i)
    x = x * 3 + i;
  if (threadIdx.x == 0)
    done = x | 1;
}

struct Object {
  int *p = nullptr;
  Object() {
    cudaMallocManaged(&p, sizeof(int));
    *p = 100;
    add<<<1, 1>>>(p);
    cudaDeviceSynchronize();
  }
  ~Object() {
    add<<<1, 1>>>(p);
    bool isRight = cudaDeviceSynchronize() == cudaSuccess && *p == 100 + VALUE + VALUE + 1 + VALUE + 2;
    std::printf(isRight ? "closed %d\n" : "wrong %d\n", VALUE);
    std::fflush(stdout);
    cudaFree(p);
    slow<<<1, 32>>>(1000); // nobody waits for it
  }
};
static Object object;

extern "C" int value() {
  add<<<1, 1>>>(object.p);
  return cudaDeviceSynchronize() == cudaSuccess ? *object.p : -1;
}
