// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harris.h"

using harris::Block;

/// The forms up to the fourth differ in how the tree is walked.
template <int Form> __device__ static void sumOfTree(float *cache) {
  int thread = threadIdx.x;
  if constexpr (Form == 1) {
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
      if (thread % (2 * distance) == 0)
        cache[thread] += cache[thread + distance];
      __syncthreads();
    }
  } else if constexpr (Form == 2) {
    for (int distance = 1; distance < blockDim.x; distance *= 2) {
      int left = 2 * distance * thread;
      if (left < blockDim.x)
        cache[left] += cache[left + distance];
      __syncthreads();
    }
  } else {
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      if (thread < half)
        cache[thread] += cache[thread + half];
      __syncthreads();
    }
  }
}

/// 64 cells into cell 0 by one warp, by the rules since Volta: a read, a barrier of the warp, a
/// write, another one.
__device__ static void sumOfLastWarp(float *cache, int thread) {
  float sum = cache[thread];
#pragma unroll
  for (int distance = 32; distance > 0; distance /= 2) {
    sum += cache[thread + distance];
    __syncwarp();
    cache[thread] = sum;
    __syncwarp();
  }
}

__device__ static void sumOfTreeThenWarp(float *cache) {
  int thread = threadIdx.x;
  for (int half = blockDim.x / 2; half > 32; half /= 2) {
    if (thread < half)
      cache[thread] += cache[thread + half];
    __syncthreads();
  }
  if (thread < 32)
    sumOfLastWarp(cache, thread);
}

template <int Size> __device__ static void sumUnrolled(float *cache) {
  int thread = threadIdx.x;
  if (Size >= 512) {
    if (thread < 256)
      cache[thread] += cache[thread + 256];
    __syncthreads();
  }
  if (Size >= 256) {
    if (thread < 128)
      cache[thread] += cache[thread + 128];
    __syncthreads();
  }
  if (Size >= 128) {
    if (thread < 64)
      cache[thread] += cache[thread + 64];
    __syncthreads();
  }
  if (thread < 32)
    sumOfLastWarp(cache, thread);
}

/// Forms 1 to 5, for any block size that is a power of two from 64 on.
template <int Form> __global__ static void reduce(const float *in, float *sums) {
  extern __shared__ float cache[];
  int thread = threadIdx.x;
  if constexpr (Form < 4) {
    cache[thread] = in[blockIdx.x * blockDim.x + thread];
  } else {
    int i = blockIdx.x * blockDim.x * 2 + thread;
    cache[thread] = in[i] + in[i + blockDim.x];
  }
  __syncthreads();
  if constexpr (Form < 5)
    sumOfTree<Form>(cache);
  else
    sumOfTreeThenWarp(cache);
  if (thread == 0)
    sums[blockIdx.x] = cache[0];
}

/// Forms 6 and 7: the block size is known to the compiler.
template <int Form, int Size> __global__ static void reduceUnrolled(int n, const float *in, float *sums) {
  extern __shared__ float cache[];
  int thread = threadIdx.x, i = blockIdx.x * Size * 2 + thread;
  if constexpr (Form == 6) {
    cache[thread] = in[i] + in[i + Size];
  } else {
    float sum = 0;
    for (; i < n; i += Size * 2 * gridDim.x)
      sum += in[i] + in[i + Size];
    cache[thread] = sum;
  }
  __syncthreads();
  sumUnrolled<Size>(cache);
  if (thread == 0)
    sums[blockIdx.x] = cache[0];
}

template <int Form> static void run(bench::Data &data) {
  const float *in = data.get<float>(0);
  float *sums = data.get<float>(1);
  size_t shared = Block * sizeof(float);
  if constexpr (Form < 6)
    reduce<Form><<<harris::blocks(Form), Block, shared>>>(in, sums);
  else
    reduceUnrolled<Form, Block><<<harris::blocks(Form), Block, shared>>>(harris::N, in, sums);
}

HARRIS_BENCHMARK(1, "divergent")
HARRIS_BENCHMARK(2, "conflicts")
HARRIS_BENCHMARK(3, "sequential")
HARRIS_BENCHMARK(4, "first_add")
HARRIS_BENCHMARK(5, "last_warp")
HARRIS_BENCHMARK(6, "unrolled")
HARRIS_BENCHMARK(7, "multiple")
