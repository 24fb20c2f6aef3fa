// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks that one of two threads takes without a fence, or one that reaches too near, whoever comes
// first. Beside each kernel the right one.
// RUN: %heddle cc -arch=sm_90 -g %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// RUN: %check --tool racecheck --seed 3 %s %t | FileCheck %s
//
// CHECK-DAG: in kernel firstWithout
// CHECK-DAG: in kernel secondWithout
// CHECK-DAG: in kernel warpWithout
// CHECK-DAG: in kernel sharedWithout
// CHECK: no fence comes behind what would order the two
#include <cuda/atomic>

#define IS_FIRST (blockIdx.x == 0)

__device__ void acquire(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
}
__device__ void release(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

template <bool FIRST> __device__ void oneWithout(int *sum, int *lock) {
  acquire(lock);
  if (IS_FIRST != FIRST)
    __threadfence();
  sum[0] += 1 + blockIdx.x; // error: race-read-write, race-write-write
  release(lock);
}
__global__ void firstWithout(int *sum, int *lock) { oneWithout<true>(sum, lock); }
__global__ void secondWithout(int *sum, int *lock) { oneWithout<false>(sum, lock); }
__global__ void bothWith(int *sum, int *lock) {
  acquire(lock);
  __threadfence();
  sum[0] += 1 + blockIdx.x;
  release(lock);
}

// The fence reaches the own block.
__global__ void firstNear(int *sum, int *lock) {
  acquire(lock);
  if (IS_FIRST) {
    __threadfence_block();
    sum[0] = 1;
  } else {
    __threadfence();
    sum[0] = 2; // error: race-write-write
  }
  release(lock);
}
// The fence comes behind the access.
__global__ void fencedLate(int *sum, int *lock) {
  acquire(lock);
  if (IS_FIRST) {
    sum[0] = 1;
    __threadfence();
    sum[1] = 1;
  } else {
    __threadfence();
    sum[0] = 2; // error: race-write-write
    sum[1] = 2;
  }
  release(lock);
}
// The two do not touch the same.
__global__ void apart(int *sum, int *lock) {
  acquire(lock);
  if (!IS_FIRST)
    __threadfence();
  sum[blockIdx.x] = 1;
  release(lock);
}
// One writes before it has the lock, and tells so under the lock.
__global__ void toldUnderLock(int *sum, int *lock) {
  if (IS_FIRST)
    sum[0] = 5;
  acquire(lock);
  __threadfence();
  if (IS_FIRST)
    sum[1] = 1;
  else if (sum[1])
    sum[2] = sum[0];
  release(lock);
}
// What orders the two is a flag.
__global__ void orderedOtherwise(int *sum, int *lock) {
  volatile int *flag = lock + 2;
  if (!IS_FIRST) {
    while (!*flag)
      ;
    __threadfence();
  }
  acquire(lock);
  if (!IS_FIRST)
    __threadfence();
  sum[0] += 1 + blockIdx.x;
  release(lock);
  if (IS_FIRST)
    *flag = 1;
}
// A place that is taken, and not given back.
__global__ void claimed(int *sum, int *lock) {
  if (atomicCAS(lock, 0, 1) == 0) {
    sum[0] = 1;
    __threadfence();
    atomicExch(lock, 2);
  } else {
    while (atomicAdd(lock, 0) != 2)
      ;
    __threadfence();
    sum[0] += 2;
  }
}

// Warps of a block.
template <bool WITH> __device__ void ofBlock(int *sum, int *lock) {
  if (threadIdx.x % 32)
    return;
  while (atomicCAS_block(lock, 0, 1) != 0)
    ;
  if (WITH || threadIdx.x)
    __threadfence_block();
  sum[0] = 1 + threadIdx.x; // error: race-write-write
  __threadfence_block();
  atomicExch_block(lock, 0);
}
__global__ void warpWithout(int *sum, int *lock) { ofBlock<false>(sum + blockIdx.x, lock + blockIdx.x); }
__global__ void warpWith(int *sum, int *lock) {
  if (threadIdx.x % 32)
    return;
  while (atomicCAS_block(lock + blockIdx.x, 0, 1) != 0)
    ;
  __threadfence_block();
  sum[blockIdx.x] = 1 + threadIdx.x;
  __threadfence_block();
  atomicExch_block(lock + blockIdx.x, 0);
}
template <bool WITH> __device__ void inShared(int *sum) {
  __shared__ int lock, data;
  if (threadIdx.x == 0)
    lock = data = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    if (WITH || threadIdx.x)
      __threadfence_block();
    data += 1 + threadIdx.x; // error: race-read-write, race-write-write
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  sum[blockIdx.x] = data;
}
__global__ void sharedWithout(int *sum, int *) { inShared<false>(sum); }
__global__ void sharedWith(int *sum, int *) {
  __shared__ int lock, data;
  if (threadIdx.x == 0)
    lock = data = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    __threadfence_block();
    data += 1 + threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  sum[blockIdx.x] = data;
}

// Of the library.
__global__ void ofLibrary(int *sum, int *lock) {
  cuda::atomic_ref<int, cuda::thread_scope_device> at(*lock);
  int expected = 0;
  while (!at.compare_exchange_strong(expected, 1, IS_FIRST ? cuda::memory_order_relaxed : cuda::memory_order_acquire))
    expected = 0;
  sum[0] += 1 + blockIdx.x; // error: race-read-write, race-write-write
  at.store(0, cuda::memory_order_release);
}
__global__ void ofLibraryRight(int *sum, int *lock) {
  cuda::atomic_ref<int, cuda::thread_scope_device> at(*lock);
  int expected = 0;
  while (!at.compare_exchange_strong(expected, 1, cuda::memory_order_acquire))
    expected = 0;
  sum[0] += 1 + blockIdx.x;
  at.store(0, cuda::memory_order_release);
}

// Taken and given back in other ways.
struct Exchange {
  static __device__ void take(int *lock) {
    while (atomicExch(lock, 1))
      ;
  }
  static __device__ void giveBack(int *lock) { atomicExch(lock, 0); }
};
struct ExchangeOfOne { // of a lock that is free at 1
  static __device__ void take(int *lock) {
    while (atomicExch(lock + 4, 0) != 1)
      ;
  }
  static __device__ void giveBack(int *lock) { *(volatile int *)(lock + 4) = 1; }
};
struct Swaps {
  static __device__ void take(int *lock) { acquire(lock); }
  static __device__ void giveBack(int *lock) { atomicCAS(lock, 1, 0); }
};
struct Arithmetic {
  static __device__ void take(int *lock) {
    while (atomicExch(lock, 1) == 1)
      ;
  }
  static __device__ void giveBack(int *lock) { atomicSub(lock, 1); }
};
/// Of three blocks all but one have a fence behind taking the lock.
template <class Lock, int WITHOUT> __global__ void oneOfThree(int *sum, int *lock) {
  Lock::take(lock);
  if (blockIdx.x != WITHOUT)
    __threadfence();
  sum[0] += 1 + blockIdx.x; // error: race-read-write, race-write-write
  __threadfence();
  Lock::giveBack(lock);
}
template <class Lock> __global__ void allOfThree(int *sum, int *lock) {
  Lock::take(lock);
  __threadfence();
  sum[0] += 1 + blockIdx.x;
  __threadfence();
  Lock::giveBack(lock);
}
/// One gives it back without a fence.
template <class Lock> __global__ void givenBackWithout(int *sum, int *lock) {
  Lock::take(lock);
  __threadfence();
  sum[0] = 1 + blockIdx.x; // error: race-write-write
  if (blockIdx.x != 1)
    __threadfence();
  Lock::giveBack(lock);
}
/// Claimed once, and never given back.
__global__ void claimedByExchange(int *sum, int *lock) {
  if (atomicExch(lock, 1) == 0) {
    sum[0] = 1;
    __threadfence();
    atomicExch(lock, 2);
  }
}
// Warps of a block, in shared memory.
template <int WITHOUT> __global__ void sharedOneWithout(int *sum, int *) {
  __shared__ int lock, data;
  if (threadIdx.x == 0)
    lock = data = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicExch(&lock, 1) != 0)
      ;
    if (threadIdx.x / 32 != WITHOUT)
      __threadfence_block();
    data = 1 + threadIdx.x; // error: race-write-write
    __threadfence_block();
    atomicAdd(&lock, -1);
  }
  __syncthreads();
  sum[blockIdx.x] = data;
}
__global__ void sharedAllWith(int *sum, int *) {
  __shared__ int lock, data;
  if (threadIdx.x == 0)
    lock = data = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicExch(&lock, 1) != 0)
      ;
    __threadfence_block();
    data = 1 + threadIdx.x;
    __threadfence_block();
    atomicAdd(&lock, -1);
  }
  __syncthreads();
  sum[blockIdx.x] = data;
}

int main() {
  int *sum, *lock;
  cudaMalloc(&sum, 64);
  cudaMalloc(&lock, 64);
  using Kernel = void (*)(int *, int *);
  auto run = [&](Kernel kernel, int threads, int blocks = 2) {
    int begin[] = {0, 0, 0, 0, 1};
    cudaMemset(sum, 0, 64);
    cudaMemset(lock, 0, 64);
    cudaMemcpy(lock, begin, sizeof(begin), cudaMemcpyHostToDevice);
    kernel<<<blocks, threads>>>(sum, lock);
  };
  for (Kernel kernel : {firstWithout, secondWithout, bothWith, firstNear, fencedLate, apart, toldUnderLock,
                        orderedOtherwise, claimed, ofLibrary, ofLibraryRight})
    run(kernel, 1);
  for (Kernel kernel : {warpWithout, warpWith, sharedWithout, sharedWith})
    run(kernel, 64);
  for (Kernel kernel : {Kernel(oneOfThree<Exchange, 0>), Kernel(oneOfThree<Exchange, 1>), Kernel(oneOfThree<Exchange, 2>),
                        Kernel(oneOfThree<ExchangeOfOne, 0>), Kernel(oneOfThree<ExchangeOfOne, 2>),
                        Kernel(oneOfThree<Swaps, 0>), Kernel(oneOfThree<Swaps, 2>),
                        Kernel(oneOfThree<Arithmetic, 0>), Kernel(oneOfThree<Arithmetic, 2>),
                        Kernel(allOfThree<Exchange>), Kernel(allOfThree<ExchangeOfOne>), Kernel(allOfThree<Swaps>),
                        Kernel(allOfThree<Arithmetic>), Kernel(givenBackWithout<Exchange>),
                        Kernel(givenBackWithout<Swaps>), Kernel(givenBackWithout<Arithmetic>),
                        Kernel(claimedByExchange)})
    run(kernel, 1, 3);
  for (Kernel kernel : {Kernel(sharedOneWithout<0>), Kernel(sharedOneWithout<2>), Kernel(sharedAllWith)})
    run(kernel, 96, 1);
  return cudaDeviceSynchronize();
}
