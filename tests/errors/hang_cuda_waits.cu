// RUN: %nvcc -arch=sm_80 %s -o %t
// RUN: env HEDDLE_HANG_SECONDS=1 %t barrier 2>&1 | FileCheck %s
// RUN: env HEDDLE_HANG_SECONDS=1 %t device 2>&1 | FileCheck %s
// RUN: env HEDDLE_HANG_SECONDS=1 %t semaphore 2>&1 | FileCheck %s
// RUN: env HEDDLE_HANG_SECONDS=1 %t atomic 2>&1 | FileCheck %s
// RUN: env HEDDLE_HANG_SECONDS=1 %t bounded 2>&1 | FileCheck %s --check-prefix=BOUNDED
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HARDWARE: undefined
//
// libcu++ waits for what does not come; by the clock it chooses how long it pauses.
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cstdio>
#include <cstring>

__device__ int flag;
alignas(16) __device__ char memory[64];
using OfDevice = cuda::barrier<cuda::thread_scope_device>;

__global__ void begin(int expected) { new (memory) OfDevice(expected); }
__global__ void arrive() { reinterpret_cast<OfDevice *>(memory)->arrive_and_wait(); }
__global__ void inBlock(int expected) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0)
    init(&barrier, expected);
  __syncthreads();
  barrier.arrive_and_wait();
}
__global__ void acquire() {
  using Semaphore = cuda::counting_semaphore<cuda::thread_scope_device, 4>;
  if (threadIdx.x == 0)
    new (memory) Semaphore(3);
  __syncthreads();
  reinterpret_cast<Semaphore *>(memory)->acquire();
}
__global__ void waitForChange() { cuda::atomic_ref<int, cuda::thread_scope_device>(flag).wait(0); }
/// Ends after two seconds.
__global__ void bounded() {
  long long begun, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begun));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (!*(volatile int *)&flag && now - begun < 2000000000);
}

int main(int, char **argv) {
  if (!strcmp(argv[1], "barrier"))
    inBlock<<<1, 64>>>(65);
  if (!strcmp(argv[1], "device")) {
    begin<<<1, 1>>>(5);
    arrive<<<4, 1>>>();
  }
  if (!strcmp(argv[1], "semaphore"))
    acquire<<<1, 4>>>();
  if (!strcmp(argv[1], "atomic"))
    waitForChange<<<1, 1>>>();
  if (!strcmp(argv[1], "bounded"))
    bounded<<<1, 1>>>();
  // CHECK: waits for ever: nothing has changed for 1 seconds
  // CHECK: polls in a loop at
  // CHECK: cudaErrorLaunchTimeout
  // BOUNDED-NOT: waits
  // BOUNDED: cudaSuccess
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
