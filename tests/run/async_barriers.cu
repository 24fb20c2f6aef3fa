// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// NVCC: -std=c++17 -arch=sm_90
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in shared memory that threads arrive at and wait for in two steps, and copies that a thread starts and
// waits for later: phases, tokens, parities, threads that drop out, warps that produce for others.
#include "support.h"

#include <algorithm>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

__device__ void waitFor(__mbarrier_t *barrier, __mbarrier_token_t token) {
  while (!__mbarrier_test_wait(barrier, token))
    ;
}

/// Each round every thread leaves a value, does something else, and takes its neighbour's.
__global__ void rounds(const int *in, int *out, int count) {
  __shared__ __mbarrier_t barrier;
  __shared__ int cells[2][128];
  int t = int(threadIdx.x), n = int(blockDim.x), at = int(blockIdx.x) * n + t, v = in[at], kept = 0;
  if (t == 0)
    __mbarrier_init(&barrier, n);
  __syncthreads();
  for (int i = 0; i < count; i++) {
    cells[i % 2][t] = v;
    __mbarrier_token_t token = __mbarrier_arrive(&barrier);
    kept += v * (i + 1);
    if (i % 3 == 0)
      waitFor(&barrier, token);
    else if (i % 3 == 1)
      while (!__mbarrier_test_wait_parity(&barrier, i % 2))
        ;
    else
      while (!__mbarrier_try_wait(&barrier, token, 100))
        ;
    v = cells[i % 2][(t + 1) % n] * 3 + i;
  }
  out[at] = v * 7 + kept;
  __syncthreads();
  if (t == 0)
    __mbarrier_inval(&barrier);
}

void testRounds(int threads, int count, Random &random) {
  int blocks = 3, n = blocks * threads;
  std::vector<int> in(n), v, kept(n), want(n);
  for (int &x : in)
    x = random.below(10);
  v = in;
  for (int i = 0; i < count; i++) {
    std::vector<int> next(n);
    for (int k = 0; k < n; k++)
      kept[k] += v[k] * (i + 1);
    for (int k = 0; k < n; k++)
      next[k] = v[k / threads * threads + (k % threads + 1) % threads] * 3 + i;
    v = next;
  }
  for (int k = 0; k < n; k++)
    want[k] = v[k] * 7 + kept[k];
  Buffer<int> deviceIn(in), out(n);
  rounds<<<blocks, threads>>>(deviceIn, out, count);
  checkLaunch();
  expectAll("rounds of " + std::to_string(threads), out.get(), want);
}

/// What arrivals say was missing.
__global__ void counts(unsigned *out) {
  __shared__ __mbarrier_t barrier;
  if (threadIdx.x == 0) {
    __mbarrier_init(&barrier, 3);
    __mbarrier_token_t first = __mbarrier_arrive(&barrier);
    out[0] = __mbarrier_token_pending_count(first);
    out[1] = __mbarrier_test_wait(&barrier, first);
    out[2] = __mbarrier_test_wait_parity(&barrier, 1); // the phase before
    out[3] = __mbarrier_test_wait_parity(&barrier, 0);
    __mbarrier_token_t second = __mbarrier_arrive_and_drop(&barrier); // two from the next phase on
    out[4] = __mbarrier_token_pending_count(second);
    __mbarrier_token_t third = __mbarrier_arrive(&barrier);
    out[5] = __mbarrier_token_pending_count(third);
    out[6] = __mbarrier_test_wait(&barrier, first) + 2 * __mbarrier_test_wait(&barrier, third);
    out[7] = __mbarrier_test_wait_parity(&barrier, 0);
    out[8] = __mbarrier_test_wait_parity(&barrier, 1);
    __mbarrier_token_t next = __mbarrier_arrive(&barrier);
    out[9] = __mbarrier_token_pending_count(next);
    out[10] = __mbarrier_test_wait(&barrier, next);
    out[11] = __mbarrier_token_pending_count(__mbarrier_arrive(&barrier));
    out[12] = __mbarrier_test_wait(&barrier, next);
    out[13] = __mbarrier_test_wait_parity(&barrier, 0) + 2 * __mbarrier_test_wait_parity(&barrier, 1);
    out[14] = __mbarrier_maximum_count();
  }
}

/// The first warp produces tiles for the others, in a ring of two: full and empty barriers.
__global__ void producer(const int *in, int *out, int tiles) {
  __shared__ __mbarrier_t full[2], empty[2];
  __shared__ int ring[2][32];
  int t = int(threadIdx.x), consumers = int(blockDim.x) - 32;
  if (t == 0)
    for (int i = 0; i < 2; i++) {
      __mbarrier_init(&full[i], 32);
      __mbarrier_init(&empty[i], consumers);
    }
  __syncthreads();
  if (t < 32) {
    for (int i = 0; i < tiles; i++) {
      int slot = i % 2, use = i / 2;
      if (use > 0)
        while (!__mbarrier_test_wait_parity(&empty[slot], (use - 1) % 2))
          ;
      ring[slot][t] = in[i * 32 + t];
      __mbarrier_arrive(&full[slot]);
    }
  } else {
    int sum = 0;
    for (int i = 0; i < tiles; i++) {
      int slot = i % 2, use = i / 2;
      while (!__mbarrier_test_wait_parity(&full[slot], use % 2))
        ;
      sum = sum * 3 + ring[slot][(t * 5 + i) % 32];
      __mbarrier_arrive(&empty[slot]);
    }
    out[blockIdx.x * consumers + t - 32] = sum;
  }
}

void testProducer(int threads, int tiles, Random &random) {
  int consumers = threads - 32, blocks = 2;
  std::vector<int> in(tiles * 32), want;
  for (int &v : in)
    v = random.below(100);
  for (int b = 0; b < blocks; b++)
    for (int t = 32; t < threads; t++) {
      unsigned sum = 0;
      for (int i = 0; i < tiles; i++)
        sum = sum * 3 + unsigned(in[i * 32 + (t * 5 + i) % 32]);
      want.push_back(int(sum));
    }
  Buffer<int> deviceIn(in), out(consumers * blocks);
  producer<<<blocks, threads>>>(deviceIn, out, tiles);
  checkLaunch();
  expectAll("producer " + std::to_string(threads), out.get(), want);
}

/// Threads drop out of a barrier one after the other.
__global__ void dropping(int *out) {
  __shared__ __mbarrier_t barrier;
  __shared__ int sum;
  int t = int(threadIdx.x), n = int(blockDim.x);
  if (t == 0) {
    sum = 0;
    __mbarrier_init(&barrier, n);
  }
  __syncthreads();
  for (int round = 0; round <= t % 7; round++) {
    atomicAdd(&sum, 1);
    if (round == t % 7) {
      __mbarrier_arrive_and_drop(&barrier);
      out[t] = 100 + round;
    } else {
      waitFor(&barrier, __mbarrier_arrive(&barrier));
    }
  }
  __syncthreads();
  if (t == 0)
    out[n] = sum;
}

void testDropping(int threads) {
  std::vector<int> want;
  int sum = 0;
  for (int t = 0; t < threads; t++)
    want.push_back(100 + t % 7), sum += t % 7 + 1;
  want.push_back(sum);
  Buffer<int> out(threads + 1);
  dropping<<<1, threads>>>(out);
  checkLaunch();
  expectAll("dropping " + std::to_string(threads), out.get(), want);
}

/// Copies of 4, 8 and 16 bytes, some with zeros at their end, in a pipeline of stages.
template <class T> __global__ void pipeline(const T *in, T *out, int tiles, int zeros) {
  constexpr int Stages = 3;
  __shared__ T ring[Stages][64];
  int t = int(threadIdx.x), n = int(blockDim.x);
  in += blockIdx.x * tiles * n, out += blockIdx.x * tiles * n;
  auto start = [&](int i) {
    if (i < tiles)
      __pipeline_memcpy_async(&ring[i % Stages][t], &in[i * n + t], sizeof(T), i % 2 ? zeros : 0);
    __pipeline_commit();
  };
  for (int i = 0; i < Stages - 1; i++)
    start(i);
  for (int i = 0; i < tiles; i++) {
    start(i + Stages - 1);
    __pipeline_wait_prior(Stages - 1);
    __syncthreads();
    out[i * n + t] = ring[i % Stages][n - 1 - t];
    __syncthreads();
  }
}

template <class T> void testPipeline(const char *name, int threads, int tiles, int zeros, Random &random) {
  int blocks = 2, n = blocks * tiles * threads;
  std::vector<T> in(n), want(n);
  for (T &v : in)
    for (size_t b = 0; b < sizeof(T); b++)
      reinterpret_cast<unsigned char *>(&v)[b] = (unsigned char)random.bits();
  for (int i = 0; i < n; i++) {
    want[i] = in[i / threads * threads + threads - 1 - i % threads];
    if (i / threads % tiles % 2)
      std::memset(reinterpret_cast<char *>(&want[i]) + sizeof(T) - zeros, 0, zeros);
  }
  Buffer<T> deviceIn(in), out(n);
  pipeline<<<blocks, threads>>>(deviceIn.data, out.data, tiles, zeros);
  checkLaunch();
  expectAll(name, out.get(), want);
}

/// Copies whose end a barrier waits for.
__global__ void arriveOn(const int *in, int *out) {
  __shared__ __mbarrier_t barrier;
  __shared__ int cells[96];
  int t = int(threadIdx.x), n = int(blockDim.x);
  if (t == 0)
    __mbarrier_init(&barrier, n);
  __syncthreads();
  __pipeline_memcpy_async(&cells[t], &in[t], 4);
  __pipeline_arrive_on(&barrier);
  waitFor(&barrier, __mbarrier_arrive(&barrier));
  out[t] = cells[(t + 17) % n];
}

int main() {
  Random random(5501);
  for (int threads : {32, 96, 77, 128, 1})
    testRounds(threads, 7, random);
  Buffer<unsigned> numbers(15);
  counts<<<1, 32>>>(numbers);
  checkLaunch();
  expectAll("counts", numbers.get(), {3, 0, 1, 0, 2, 1, 3, 1, 0, 2, 0, 1, 1, 2, 0x3fff});
  testProducer(64, 5, random);
  testProducer(96, 9, random);
  testProducer(128, 16, random);
  for (int threads : {32, 64, 50})
    testDropping(threads);
  testPipeline<int>("4 bytes", 64, 8, 0, random);
  testPipeline<int>("4 bytes", 33, 5, 3, random);
  testPipeline<int2>("8 bytes", 64, 4, 5, random);
  testPipeline<int4>("16 bytes", 64, 7, 9, random);
  std::vector<int> in(96), want(96);
  for (int i = 0; i < 96; i++)
    in[i] = random.below(1000);
  for (int i = 0; i < 96; i++)
    want[i] = in[(i + 17) % 96];
  Buffer<int> deviceIn(in), out(96);
  arriveOn<<<1, 96>>>(deviceIn, out);
  checkLaunch();
  expectAll("arrive on", out.get(), want);
  return finish();
}
