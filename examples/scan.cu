// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: Nickolls & Kirk, appendix B, section B.8, figures B.8.6 to B.8.8 (scan, serial and
// parallel).
//
// Every element becomes the sum of all elements up to it. The parallel form of Hillis and Steele
// takes log2(n) steps; in step k each thread adds the element 2^k to its left. Between reading and
// writing lies a barrier, since a neighbour's element is read before it changes. The length need
// not be a power of two.
#include "common.h"

/// The host's version takes the length, the device's has one thread per element.
template <class T> __host__ void plusScan(T *x, unsigned n) {
  for (unsigned i = 1; i < n; ++i)
    x[i] = x[i - 1] + x[i];
}

template <class T> __device__ T plusScan(T *x) {
  unsigned i = threadIdx.x;
  unsigned n = blockDim.x;
  for (unsigned offset = 1; offset < n; offset *= 2) {
    T left;
    if (i >= offset)
      left = x[i - offset];
    __syncthreads();
    if (i >= offset)
      x[i] = left + x[i];
    __syncthreads();
  }
  return x[i];
}

/// Each block scans its own piece, in place in global memory.
template <class T> __global__ void scanGlobal(T *x) { plusScan(x + blockIdx.x * blockDim.x); }

/// The same with the piece in shared memory; the result that plusScan returns is used.
template <class T> __global__ void scanShared(T *x) {
  __shared__ T piece[1024];
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  piece[threadIdx.x] = x[i];
  __syncthreads();
  x[i] = plusScan(piece);
}

template <class T> void run(const char *type, unsigned blocks, unsigned threads) {
  std::vector<T> x = wholeNumbers<T>(blocks * threads, 100, 40), want = x;
  for (unsigned block = 0; block < blocks; ++block)
    plusScan(want.data() + block * threads, threads);
  T *global = toDevice(x), *shared = toDevice(x);
  scanGlobal<<<blocks, threads>>>(global);
  scanShared<<<blocks, threads>>>(shared);
  check(same(toHost(global, x.size()), want), "in global memory, %u x %u %s", blocks, threads,
        type);
  check(same(toHost(shared, x.size()), want), "in shared memory, %u x %u %s", blocks, threads,
        type);
  CUDA_CHECK(cudaFree(global));
  CUDA_CHECK(cudaFree(shared));
}

int main() {
  for (unsigned threads : {1u, 2u, 8u, 31u, 32u, 33u, 100u, 256u, 1000u, 1024u})
    run<int>("int", 3, threads);
  run<float>("float", 7, 96);
  run<double>("double", 5, 200);
  run<long long>("long long", 2, 1023);
  return exitCode();
}
