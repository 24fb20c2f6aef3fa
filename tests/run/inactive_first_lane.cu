// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that are contiguous over the active lanes, while the index of the first lanes, which are inactive, wraps
// around: x[i - offset] under i >= offset, in a row of threads, in the rows of a 2D block, and in loops that the index may
// be moved out of.
#include <cstdio>
#include <cuda_runtime.h>
#include <initializer_list>

constexpr unsigned Threads = 96, Side = 16;

__global__ void shifted(const int *x, int *y, unsigned offset) {
  unsigned i = threadIdx.x;
  if (i >= offset)
    y[i] = x[i - offset] + 1;
}

__global__ void shiftedInShared(const int *x, int *y, unsigned rounds) {
  __shared__ int piece[Threads];
  unsigned i = threadIdx.x;
  piece[i] = x[i];
  __syncthreads();
  for (unsigned offset = 1, round = 0; round < rounds; offset *= 2, ++round) {
    int left;
    if (i >= offset)
      left = piece[i - offset];
    __syncthreads();
    if (i >= offset)
      piece[i] = left + piece[i];
    __syncthreads();
  }
  y[i] = piece[i];
}

__global__ void shiftedInLoop(const int *x, int *y, unsigned offset, int repeat) {
  unsigned i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < repeat; ++k)
    if (i >= offset)
      sum += x[i - offset] * k;
  y[i] = sum;
}

__global__ void shiftedRows(const int *x, int *y, unsigned offset) {
  unsigned column = threadIdx.x, row = threadIdx.y;
  if (column >= offset)
    y[row * Side + column] = x[row * Side + (column - offset)];
}

__global__ void shiftedInColumnsOnly(const int *x, int *y, unsigned offset) {
  unsigned column = threadIdx.x;
  if (column >= offset)
    y[threadIdx.y * Side + column] = x[column - offset];
}

static int failures = 0;

template <class Expected> void verify(const char *name, unsigned argument, const int *y, unsigned n, Expected expected) {
  cudaError_t error = cudaDeviceSynchronize();
  bool right = error == cudaSuccess;
  for (unsigned i = 0; right && i < n; ++i)
    right = y[i] == expected(i);
  if (!right)
    std::printf("%s(%u) is wrong: %s\n", name, argument, cudaGetErrorString(error));
  failures += !right;
}

int main() {
  int *x, *y; // x begins at the allocation: what lies far before or behind it does not exist
  cudaMallocManaged(&x, Side * Side * sizeof(int));
  cudaMallocManaged(&y, Side * Side * sizeof(int));
  for (unsigned i = 0; i < Side * Side; ++i)
    x[i] = int(i * 7 + 3);
  auto clear = [&] {
    for (unsigned i = 0; i < Side * Side; ++i)
      y[i] = -1;
  };
  for (unsigned offset : {0u, 1u, 5u, 31u, 32u, 33u, 95u, 96u}) {
    clear();
    shifted<<<1, Threads>>>(x, y, offset);
    verify("shifted", offset, y, Threads, [&](unsigned i) { return i >= offset ? x[i - offset] + 1 : -1; });
    clear();
    shiftedInLoop<<<1, Threads>>>(x, y, offset, 5);
    verify("shiftedInLoop", offset, y, Threads, [&](unsigned i) { return i >= offset ? x[i - offset] * 10 : 0; });
  }
  for (unsigned offset : {0u, 1u, 7u, 8u, 15u}) {
    clear();
    shiftedRows<<<1, dim3(Side, Side)>>>(x, y, offset);
    verify("shiftedRows", offset, y, Side * Side, [&](unsigned i) { return i % Side >= offset ? x[i - offset] : -1; });
    clear();
    shiftedInColumnsOnly<<<1, dim3(Side, Side)>>>(x, y, offset);
    verify("shiftedInColumnsOnly", offset, y, Side * Side,
           [&](unsigned i) { return i % Side >= offset ? x[i % Side - offset] : -1; });
  }
  clear();
  shiftedInShared<<<1, Threads>>>(x, y, 7);
  verify("shiftedInShared", 7, y, Threads, [&](unsigned i) {
    int sum = 0;
    for (unsigned j = 0; j <= i; ++j)
      sum += x[j];
    return sum;
  });
  std::printf(failures ? "FAIL\n" : "ok\n");
  return failures != 0;
}
