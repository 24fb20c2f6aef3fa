// RUN: %heddle cc -arch=sm_90 %s -o %t
// RUN: %check --tool synccheck --report-api-errors no --exit 1 %s %t | FileCheck %s
// CHECK: '__mbarrier_arrive' of an mbarrier that was not initialised
// CHECK: '__mbarrier_init' of an mbarrier whose phase is under way
// CHECK: missing: 32 of 64 arrivals
// CHECK: it was initialised here
// CHECK: Deadlock: a wait for an mbarrier that no thread can end, in kernel tooMany
// CHECK: missing: 1 of 65 arrivals
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in shared memory, each misuse beside its correct twin.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_awbarrier.h>
#include <cuda_awbarrier_primitives.h>
namespace cg = cooperative_groups;

__global__ void notInitialized(int *out) {
  __shared__ __mbarrier_t barrier;
  __mbarrier_arrive(&barrier); // error: mbarrier-not-initialized
  out[threadIdx.x] = __mbarrier_test_wait_parity(&barrier, 0); // error: mbarrier-not-initialized
}
__global__ void initialized(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_try_wait(&barrier, token, 100))
    ;
  out[threadIdx.x] = 1;
}

__global__ void initializedLate(int *out) { // some threads use it before
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x < 32)
    __mbarrier_test_wait_parity(&barrier, 0); // error: mbarrier-not-initialized
  __syncthreads();
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, 64);
  out[threadIdx.x] = 1;
}

__global__ void inUse(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 32)
    __mbarrier_arrive(&barrier);
  __syncthreads();
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x); // error: mbarrier-in-use
  out[threadIdx.x] = 1;
}
__global__ void usedAgain(int *out) { // behind a phase
  __shared__ __mbarrier_t barrier;
  for (int i = 0; i < 3; i++) {
    if (threadIdx.x == 0)
      __mbarrier_init(&barrier, blockDim.x);
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token))
      ;
    __syncthreads();
    if (threadIdx.x == 0)
      __mbarrier_inval(&barrier);
  }
  out[threadIdx.x] = 1;
}

__global__ void badCount(int *out, int n) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, n); // error: mbarrier-bad-count
  out[threadIdx.x] = 1;
}

__global__ void invalidated(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, 64);
    __mbarrier_inval(&barrier);
  }
  __syncthreads();
  __mbarrier_arrive(&barrier); // error: mbarrier-invalidated
  out[threadIdx.x] = 1;
}

__global__ void overwritten(int *out) { // the memory is used for something else
  __shared__ union {
    __mbarrier_t barrier;
    int values[64];
  } s;
  if (threadIdx.x == 0)
    __mbarrier_init(&s.barrier, blockDim.x);
  __syncthreads();
  s.values[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  __mbarrier_arrive(&s.barrier); // error: mbarrier-overwritten
  out[threadIdx.x] = s.values[threadIdx.x];
}
__global__ void notOverwritten(int *out) {
  __shared__ union {
    __mbarrier_t barrier;
    int values[64];
  } s;
  if (threadIdx.x == 0)
    __mbarrier_init(&s.barrier, blockDim.x);
  __syncthreads();
  __mbarrier_arrive(&s.barrier);
  __syncthreads();
  if (threadIdx.x == 0)
    __mbarrier_inval(&s.barrier);
  s.values[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s.values[threadIdx.x];
}

__device__ unsigned windowOf(const void *p) { return unsigned(__cvta_generic_to_shared(p)); }
/// Several arrivals at once do not fit.
__global__ void twoOfOne(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, 3);
    unsigned at = windowOf(&barrier);
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], 2; }" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 s;" // error: mbarrier-too-many-arrivals
                 "mbarrier.arrive.shared.b64 s, [%0], 2; }" ::"r"(at) : "memory");
  }
  out[threadIdx.x] = 1;
}
__global__ void threeOfThree(int *out) { // single arrivals go on in the next phase
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, 3);
    unsigned at = windowOf(&barrier);
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0], 2; }" ::"r"(at) : "memory");
    for (int i = 0; i < 5; i++)
      asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
  }
  out[threadIdx.x] = 1;
}

// Waits that nobody ends.
__global__ void tooMany(int *out, int expected) { // expects more threads than come
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, expected);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  while (!__mbarrier_test_wait(&barrier, token)) // error: deadlock
    ;
  out[threadIdx.x] = 1;
}

__global__ void neverArrived(int *out) { // others are at the block's barrier
  __shared__ nvcuda::experimental::awbarrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, 32);
  __syncthreads();
  if (threadIdx.x < 32)
    barrier.wait_parity(false); // error: deadlock
  __syncthreads();
  if (threadIdx.x >= 32)
    barrier.arrive();
  out[threadIdx.x] = 1;
}
__global__ void arrivedBefore(int *out) {
  __shared__ nvcuda::experimental::awbarrier barrier;
  if (threadIdx.x == 0)
    init(&barrier, 32);
  __syncthreads();
  if (threadIdx.x < 32)
    barrier.wait_parity(false);
  else
    barrier.arrive();
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void noBarrier(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    *reinterpret_cast<volatile unsigned long long *>(&barrier) = 0;
  __syncthreads();
  while (!__mbarrier_test_wait_parity(&barrier, false)) // error: mbarrier-not-initialized, deadlock
    ;
  out[threadIdx.x] = 1;
}
__global__ void barrierOver(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, 64);
    __mbarrier_inval(&barrier);
  }
  __syncthreads();
  while (!__mbarrier_test_wait_parity(&barrier, false)) // error: mbarrier-invalidated, deadlock
    ;
  out[threadIdx.x] = 1;
}
__global__ void otherPhase(int *out) { // the memory looks like a barrier whose phase is over
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    *reinterpret_cast<volatile unsigned long long *>(&barrier) = 0;
  __syncthreads();
  while (!__mbarrier_test_wait_parity(&barrier, true)) // error: mbarrier-not-initialized
    ;
  out[threadIdx.x] = 1;
}

__global__ void bytesMissing(int *out, const int *in) { // announces more than it copies
  __shared__ __mbarrier_t barrier;
  __shared__ alignas(16) int tile[64];
  unsigned at = windowOf(&barrier), to = windowOf(tile);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256; }" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];"
                 ::"r"(to), "l"(in), "r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p;" // error: deadlock
               "again_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again_%=; }" ::"r"(at)
               : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void bytesCome(int *out, const int *in) {
  __shared__ __mbarrier_t barrier;
  __shared__ alignas(16) int tile[64];
  unsigned at = windowOf(&barrier), to = windowOf(tile);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("{ .reg .b64 s; mbarrier.arrive.expect_tx.shared.b64 s, [%0], 256; }" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                 ::"r"(to), "l"(in), "r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p;"
               "again_%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra again_%=; }" ::"r"(at)
               : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}

/// A bounded wait ends by itself.
__global__ void bounded(int *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x + 1);
  __syncthreads();
  __mbarrier_token_t token = __mbarrier_arrive(&barrier);
  int turns = 0;
  while (!__mbarrier_test_wait(&barrier, token) && turns < 1000)
    turns++;
  out[threadIdx.x] = turns;
}
/// A flag in global memory ends it.
__global__ void flagged(int *out, volatile int *flag) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0)
    __mbarrier_init(&barrier, blockDim.x + 1);
  __syncthreads();
  if (blockIdx.x == 0) {
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    while (!__mbarrier_test_wait(&barrier, token) && !*flag)
      ;
  } else {
    *flag = 1;
  }
  out[threadIdx.x] = 1;
}

template <class K, class... T> void run(K kernel, T... arguments) {
  int *out;
  cudaMalloc(&out, 4 * 1024);
  cudaMemset(out, 0, 4 * 1024);
  kernel<<<2, 64>>>(out, arguments...);
  cudaError_t error = cudaDeviceSynchronize();
  if (error)
    printf("%s\n", cudaGetErrorName(error)), cudaDeviceReset();
  else
    cudaFree(out);
}

int main() {
  run(notInitialized);
  run(initialized);
  run(initializedLate);
  run(inUse);
  run(usedAgain);
  run(badCount, 0);
  run(invalidated);
  run(overwritten);
  run(notOverwritten);
  run(twoOfOne);
  run(threeOfThree);
  run(tooMany, 64);
  run(tooMany, 65);
  run(neverArrived);
  run(arrivedBefore);
  run(noBarrier);
  run(barrierOver);
  run(otherPhase);
  int *in;
  cudaMalloc(&in, 256), cudaMemset(in, 0, 256);
  run(bytesMissing, in);
  cudaMalloc(&in, 256), cudaMemset(in, 0, 256);
  run(bytesCome, in);
  run(bounded);
  int *flag;
  cudaMalloc(&flag, 4), cudaMemset(flag, 0, 4);
  run(flagged, flag);
  return 1;
}
