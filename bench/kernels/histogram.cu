// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "histogram.h"

using namespace histogram;

__global__ static void clearBins(unsigned *bins) { bins[threadIdx.x] = 0; }

__global__ static void histogramShared(int n, const unsigned char *in, unsigned *bins) {
  __shared__ unsigned mine[Bins];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ static void histogramGlobal(int n, const unsigned char *in, unsigned *bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[in[i]], 1u);
}

static void shared(bench::Data &data) {
  clearBins<<<1, Bins>>>(data.get<unsigned>(1));
  histogramShared<<<Blocks, Block>>>(N, data.get<unsigned char>(0), data.get<unsigned>(1));
}

static void global(bench::Data &data) {
  clearBins<<<1, Bins>>>(data.get<unsigned>(1));
  histogramGlobal<<<Blocks, Block>>>(N, data.get<unsigned char>(0), data.get<unsigned>(1));
}

BENCHMARK("histogram_shared", problem, shared)
BENCHMARK("histogram_global", problem, global)
