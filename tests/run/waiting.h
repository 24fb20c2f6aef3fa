// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests share whose threads wait for each other: a lock, fences that are no more than release
// and acquire, and accesses that the compiler leaves as they are.
#pragma once

#include "support.h"

__device__ inline void take(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ inline void give(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

// The fences are clang's, since CUDA's own are full ones.
#ifdef __clang__
__device__ inline void release() { __atomic_thread_fence(__ATOMIC_RELEASE); }
__device__ inline void acquire() { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
#else
__device__ inline void release() { __threadfence(); }
__device__ inline void acquire() { __threadfence(); }
#endif
__device__ inline int look(int *place) { return *(volatile int *)place; }
__device__ inline void put(int *place, int number) { *(volatile int *)place = number; }
