// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmeans.h"

using namespace kmeans;

__global__ static void start(const float *first, float *centres, float *sums) {
  int i = threadIdx.x;
  if (i < Centres * Dimensions)
    centres[i] = first[i];
  if (i < Cells)
    sums[i] = 0;
}

__global__ static void assign(int points, const float *coordinates, const float *centres, int *nearest,
                              float *sums) {
  __shared__ float blockCentres[Centres * Dimensions], blockSums[Cells];
  int thread = threadIdx.x, i = blockIdx.x * Block + thread;
  if (thread < Centres * Dimensions)
    blockCentres[thread] = centres[thread];
  if (thread < Cells)
    blockSums[thread] = 0;
  __syncthreads();
  if (i < points) {
    float mine[Dimensions], least = 3e38f;
    int best = 0;
    for (int d = 0; d < Dimensions; ++d)
      mine[d] = coordinates[d * points + i];
    for (int c = 0; c < Centres; ++c) {
      float distance = 0;
      for (int d = 0; d < Dimensions; ++d) {
        float difference = mine[d] - blockCentres[c * Dimensions + d];
        distance += difference * difference;
      }
      if (distance < least) {
        least = distance;
        best = c;
      }
    }
    nearest[i] = best;
    float *sum = blockSums + best * (Dimensions + 1);
    for (int d = 0; d < Dimensions; ++d)
      atomicAdd(&sum[d], mine[d]);
    atomicAdd(&sum[Dimensions], 1.0f);
  }
  __syncthreads();
  if (thread < Cells)
    atomicAdd(&sums[thread], blockSums[thread]);
}

__global__ static void move(float *centres, float *sums) {
  int c = threadIdx.x;
  float *sum = sums + c * (Dimensions + 1), count = sum[Dimensions];
  for (int d = 0; d < Dimensions; ++d) {
    if (count > 0)
      centres[c * Dimensions + d] = sum[d] / count;
    sum[d] = 0;
  }
  sum[Dimensions] = 0;
}

static void run(bench::Data &data) {
  float *centres = data.get<float>(2), *sums = data.get<float>(4);
  start<<<1, Block>>>(data.get<float>(1), centres, sums);
  for (int round = 0; round < Rounds; ++round) {
    assign<<<(Points + Block - 1) / Block, Block>>>(Points, data.get<float>(0), centres, data.get<int>(3), sums);
    move<<<1, Centres>>>(centres, sums);
  }
}

BENCHMARK("kmeans", problem, run)
