// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitonic.h"

using bitonic::Piece;

__global__ static void bitonicSort(const unsigned *in, unsigned *out) {
  __shared__ unsigned keys[Piece];
  int thread = threadIdx.x, base = blockIdx.x * Piece;
  keys[thread] = in[base + thread];
  keys[thread + Piece / 2] = in[base + thread + Piece / 2];
  for (int size = 2; size <= Piece; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * thread - (thread & (stride - 1)), high = low + stride;
      unsigned a = keys[low], b = keys[high];
      bool ascending = (low & size) == 0;
      if ((a > b) == ascending) {
        keys[low] = b;
        keys[high] = a;
      }
    }
  __syncthreads();
  out[base + thread] = keys[thread];
  out[base + thread + Piece / 2] = keys[thread + Piece / 2];
}

static void run(bench::Data &data) {
  bitonicSort<<<bitonic::N / Piece, Piece / 2>>>(data.get<unsigned>(0), data.get<unsigned>(1));
}

BENCHMARK("bitonic_sort", bitonic::problem, run)
