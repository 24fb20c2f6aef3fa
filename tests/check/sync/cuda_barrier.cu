// RUN: %heddle cc -arch=sm_80 %s -o %t
// RUN: %check --tool synccheck --report-api-errors no --exit 1 %s %t | FileCheck %s
// CHECK-NOT: Deadlock
// CHECK: Deadlock: a wait for an mbarrier that no thread can end, in kernel noInit
// CHECK: it was not initialised
// CHECK: Deadlock: a wait for an mbarrier that no thread can end, in kernel tooMany
// CHECK: missing: 1 of 65 arrivals
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waits of cuda::barrier, which pause by a clock.
#include <cuda/barrier>
#include <cuda_awbarrier_primitives.h>
#include <cstdio>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void noInit(int *out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    *reinterpret_cast<volatile unsigned long long *>(&barrier) = 0;
  __syncthreads();
  out[threadIdx.x] = 1;
  barrier.arrive_and_wait(); // error: mbarrier-not-initialized, deadlock
}
__global__ void rightInit(int *out) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, 64);
  __syncthreads();
  out[threadIdx.x] = 1;
  barrier.arrive_and_wait();
}
__global__ void tooMany(int *out, int expected) {
  __shared__ Barrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, expected);
  __syncthreads();
  out[threadIdx.x] = 1;
  barrier.arrive_and_wait(); // error: deadlock
}

/// A bound in time ends by itself.
__global__ void bounded(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, 65);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  long long begun = clock64();
  while (!__mbarrier_test_wait(&barrier, token) && clock64() - begun < 1000000)
    ;
  out[threadIdx.x] = 1;
}

template <class K, class... T> void run(K kernel, T... arguments) {
  int *out;
  cudaMalloc(&out, 4 * 64);
  kernel<<<2, 64>>>(out, arguments...);
  cudaError_t error = cudaDeviceSynchronize();
  if (error)
    printf("%s\n", cudaGetErrorName(error)), cudaDeviceReset();
}

int main() {
  run(noInit);
  run(rightInit);
  run(tooMany, 65);
  run(tooMany, 64);
  run(bounded);
  return 1;
}
