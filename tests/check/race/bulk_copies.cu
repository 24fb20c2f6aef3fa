// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bulk copies to and from shared memory that are not waited for, beside their correct twins.
// RUN: %heddle cc -arch=sm_90 %s -o %t && %check --tool racecheck %s %t | FileCheck %s
// CHECK-DAG: the copy by thread (0,0,0), whose mbarrier nobody has looked at
// CHECK-DAG: the copy by thread (0,0,0), which has not waited for it
#include <cstdint>
constexpr int N = 64, Bytes = N * sizeof(int);

__device__ unsigned at(const void *shared) { return unsigned(__cvta_generic_to_shared(shared)); }
__device__ void begin(uint64_t *barrier) {
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at(barrier)) : "memory");
  __syncthreads();
}
__device__ void expect(uint64_t *barrier) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(at(barrier)), "n"(Bytes)
               : "memory");
}
__device__ void load(void *to, const void *from, uint64_t *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(to)), "l"(from), // error: race-read-write
               "n"(Bytes), "r"(at(barrier))
               : "memory");
}
__device__ void wait(uint64_t *barrier, unsigned parity) {
  asm volatile("{ .reg .pred done;\n"
               "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
               "@!done bra again; }" ::"r"(at(barrier)),
               "r"(parity)
               : "memory");
}
__device__ void store(void *to, const void *from) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(at(from)), "n"(Bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

__global__ void notWaited(int *out, const int *in) {
  __shared__ alignas(16) int s[N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    expect(&barrier);
    load(s, in, &barrier);
  }
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x]; // error: race-asynchronous-copy
}
__global__ void waited(int *out, const int *in) {
  __shared__ alignas(16) int s[N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    expect(&barrier);
    load(s, in, &barrier);
  }
  wait(&barrier, 0);
  out[threadIdx.x] = s[threadIdx.x];
}
__global__ void oneWaited(int *out, const int *in) { // the others meet it at the barrier
  __shared__ alignas(16) int s[N];
  __shared__ uint64_t barrier;
  begin(&barrier);
  if (threadIdx.x == 0) {
    load(s, in, &barrier);
    expect(&barrier);
    wait(&barrier, 0);
  }
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}

__global__ void otherBarrier(int *out, const int *in) {
  __shared__ alignas(16) int s[2][N];
  __shared__ uint64_t barriers[2];
  begin(&barriers[0]);
  begin(&barriers[1]);
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++) {
      expect(&barriers[i]);
      load(s[i], in + i * N, &barriers[i]);
    }
  wait(&barriers[0], 0);
  out[threadIdx.x] = s[1][threadIdx.x]; // error: race-asynchronous-copy
}
__global__ void stages(int *out, const int *in, int rounds) {
  __shared__ alignas(16) int s[2][N];
  __shared__ uint64_t barriers[2];
  begin(&barriers[0]);
  begin(&barriers[1]);
  int sum = 0;
  for (int i = 0; i < rounds; i++) {
    if (threadIdx.x == 0) {
      expect(&barriers[i % 2]);
      load(s[i % 2], in + i * N, &barriers[i % 2]);
    }
    wait(&barriers[i % 2], i / 2 % 2);
    sum += s[i % 2][threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void overwritten(int *out) {
  __shared__ alignas(16) int s[N];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store(out, s);
    s[1] = 5; // error: race-asynchronous-copy
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
__global__ void overwrittenByOthers(int *out) {
  __shared__ alignas(16) int s[N];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    store(out, s);
  __syncthreads();
  s[threadIdx.x] = 0; // error: race-asynchronous-copy
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void overwrittenLater(int *out) { // while it is copied others may read it
  __shared__ alignas(16) int s[N];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    store(out, s);
  int read = s[N - 1 - threadIdx.x];
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  __syncthreads();
  s[threadIdx.x] = read;
  out[N + threadIdx.x] = s[threadIdx.x];
}
__global__ void olderIsDone(int *out) {
  __shared__ alignas(16) int s[2][N];
  s[0][threadIdx.x] = s[1][threadIdx.x] = threadIdx.x;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    store(out, s[0]);
    store(out + N, s[1]);
    asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    s[0][0] = 1;
    s[1][0] = 1; // error: race-asynchronous-copy
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    s[1][1] = 1;
  }
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * Bytes);
  cudaMalloc(&out, 16 * Bytes);
  cudaMemset(in, 1, 16 * Bytes);
  notWaited<<<1, N>>>(out, in);
  waited<<<1, N>>>(out, in);
  oneWaited<<<1, N>>>(out, in);
  otherBarrier<<<1, N>>>(out, in);
  stages<<<1, N>>>(out, in, 5);
  overwritten<<<1, N>>>(out);
  overwrittenByOthers<<<1, N>>>(out);
  overwrittenLater<<<1, N>>>(out);
  olderIsDone<<<1, N>>>(out);
  return cudaDeviceSynchronize();
}
