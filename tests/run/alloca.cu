// RUN: %heddle cc %s -o %t && %widths %t
// RUN: env HEDDLE_DEVICE=gpu HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %t
// RUN: %heddle cc -G %s -o %t.debug && %t.debug
// NVCC:
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// alloca in device code: of one size, of a size that differs between threads, again and again in loops, across
// barriers, in functions that are inlined, recursive or called through pointers.
#include "support.h"

#include <alloca.h>

__device__ unsigned fill(int *p, int n, int seed) {
  for (int i = 0; i < n; i++)
    p[i] = seed * 31 + i;
  unsigned sum = 0;
  for (int i = n; i-- > 0;)
    sum = sum * 3 + p[i];
  return sum;
}
__host__ unsigned filled(int n, int seed) {
  unsigned sum = 0;
  for (int i = n; i-- > 0;)
    sum = sum * 3 + seed * 31 + i;
  return sum;
}

__global__ void sizes(unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n = t % 37 + 1;
  int *fixed = static_cast<int *>(alloca(8 * sizeof(int)));
  int *mine = static_cast<int *>(__builtin_alloca(n * sizeof(int)));
  int first = fill(fixed, 8, t);
  out[t] = fill(mine, n, t) + first + (reinterpret_cast<unsigned long long>(mine) % 16 ? 1 : 0);
}

struct Node {
  Node *next;
  int value;
};

/// Each turn's memory is another one.
__global__ void chains(unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Node *list = nullptr;
  for (int i = 0; i < t % 20; i++) {
    Node *node = static_cast<Node *>(alloca(sizeof(Node)));
    *node = {list, i * t};
    list = node;
  }
  unsigned sum = 0;
  for (; list; list = list->next)
    sum = sum * 5 + list->value;
  out[t] = sum;
}

/// The memory is a thread's own while others wait.
__global__ void barriers(unsigned *out) {
  __shared__ unsigned sums[128];
  int t = threadIdx.x, n = t % 5 + 2;
  int *mine = static_cast<int *>(alloca(n * sizeof(int)));
  fill(mine, n, t);
  for (int turn = 0; turn < 3; turn++) {
    sums[t] = mine[turn % n];
    __syncthreads();
    mine[turn % n] += sums[(t + 1) % blockDim.x];
    __syncthreads();
  }
  unsigned sum = 0;
  for (int i = 0; i < n; i++)
    sum = sum * 7 + mine[i];
  out[blockIdx.x * blockDim.x + t] = sum;
}

__device__ unsigned deep(int depth, int seed) {
  int *p = static_cast<int *>(alloca((depth + 1) * sizeof(int)));
  unsigned sum = fill(p, depth + 1, seed);
  if (depth > 0)
    sum += deep(depth - 1, seed + 1);
  return sum + p[depth];
}
__host__ unsigned deepOnHost(int depth, int seed) {
  unsigned sum = filled(depth + 1, seed);
  if (depth > 0)
    sum += deepOnHost(depth - 1, seed + 1);
  return sum + seed * 31 + depth;
}
__device__ unsigned one(int n, int seed) { return fill(static_cast<int *>(alloca(n * 4)), n, seed); }
__device__ unsigned other(int n, int seed) { return fill(static_cast<int *>(alloca(n * 8)), 2 * n, seed); }

__global__ void calls(unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned (*function)(int, int) = t % 3 ? one : other;
  unsigned sum = deep(t % 6, t);
  for (int i = 1; i < 4; i++)
    sum += function(i + t % 4, i) + one(i, t);
  out[t] = sum;
}

/// All that was asked for is given back: 40 GB in all.
__global__ void manyTimes(unsigned *out) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int i = 0; i < 100; i++)
    sum += one(100 + t % 3, i) & 1;
  out[t] = sum;
}

int main() {
  constexpr int Blocks = 6, Threads = 128, Count = Blocks * Threads;
  unsigned *out;
  CUDA_OK(cudaMallocManaged(&out, Count * sizeof(unsigned)));
  auto run = [&](const char *name, void (*kernel)(unsigned *), int repeats, auto &&value) {
    for (int i = 0; i < repeats; i++)
      kernel<<<Blocks, Threads>>>(out);
    CUDA_OK(cudaDeviceSynchronize());
    for (int t = 0; t < Count; t++)
      expect(name, t, out[t], value(t));
  };
  run("sizes", sizes, 1, [](int t) { return filled(t % 37 + 1, t) + filled(8, t); });
  run("chains", chains, 1, [](int t) {
    unsigned sum = 0;
    for (int i = t % 20; i-- > 0;)
      sum = sum * 5 + i * t;
    return sum;
  });
  run("barriers", barriers, 1, [](int at) {
    static int values[Threads][8];
    int t = at % Threads;
    auto length = [](int t) { return t % 5 + 2; };
    if (t == 0) {
      for (int i = 0; i < Threads; i++)
        for (int k = 0; k < length(i); k++)
          values[i][k] = i * 31 + k;
      for (int turn = 0; turn < 3; turn++) {
        unsigned sums[Threads];
        for (int i = 0; i < Threads; i++)
          sums[i] = values[i][turn % length(i)];
        for (int i = 0; i < Threads; i++)
          values[i][turn % length(i)] += sums[(i + 1) % Threads];
      }
    }
    unsigned sum = 0;
    for (int k = 0; k < length(t); k++)
      sum = sum * 7 + values[t][k];
    return sum;
  });
  run("calls", calls, 1, [](int t) {
    unsigned sum = deepOnHost(t % 6, t);
    for (int i = 1; i < 4; i++)
      sum += filled(t % 3 ? i + t % 4 : 2 * (i + t % 4), i) + filled(i, t);
    return sum;
  });
  run("manyTimes", manyTimes, 20, [](int t) {
    unsigned sum = 0;
    for (int i = 0; i < 100; i++)
      sum += filled(100 + t % 3, i) & 1;
    return sum;
  });
  return finish();
}
