// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kmeans.h"

using namespace kmeans;

/// Points at a time: their coordinates and distances stay in the first-level cache.
constexpr int Chunk = 256;

static void assignChunk(const float *coordinates, const float *centres, int *nearest, float *sums) {
  float least[Chunk];
  for (int i = 0; i < Chunk; ++i)
    least[i] = 3e38f;
  for (int c = 0; c < Centres; ++c)
#pragma omp simd
    for (int i = 0; i < Chunk; ++i) {
      float distance = 0;
      for (int d = 0; d < Dimensions; ++d) {
        float difference = coordinates[size_t(d) * Points + i] - centres[c * Dimensions + d];
        distance += difference * difference;
      }
      nearest[i] = distance < least[i] ? c : nearest[i];
      least[i] = distance < least[i] ? distance : least[i];
    }
  for (int i = 0; i < Chunk; ++i) {
    float *sum = sums + nearest[i] * (Dimensions + 1);
    for (int d = 0; d < Dimensions; ++d)
      sum[d] += coordinates[size_t(d) * Points + i];
    sum[Dimensions] += 1;
  }
}

static void moveCentres(const float *sums, float *centres) {
  for (int c = 0; c < Centres; ++c) {
    const float *sum = sums + c * (Dimensions + 1);
    for (int d = 0; d < Dimensions && sum[Dimensions] > 0; ++d)
      centres[c * Dimensions + d] = sum[d] / sum[Dimensions];
  }
}

static void run(bench::Data &data) {
  const float *coordinates = data.get<float>(0);
  float *centres = data.get<float>(2);
  int *nearest = data.get<int>(3);
  std::memcpy(centres, data.get<float>(1), Centres * Dimensions * sizeof(float));
  for (int round = 0; round < Rounds; ++round) {
    float sums[Cells] = {};
#pragma omp parallel
    {
      // Summed chunk by chunk, for a long sum of floats would lose what the CUDA form's blocks
      // keep.
      float mine[Cells] = {};
#pragma omp for nowait
      for (int first = 0; first < Points; first += Chunk) {
        float chunk[Cells] = {};
        assignChunk(coordinates + first, centres, nearest + first, chunk);
        for (int cell = 0; cell < Cells; ++cell)
          mine[cell] += chunk[cell];
      }
#pragma omp critical
      for (int cell = 0; cell < Cells; ++cell)
        sums[cell] += mine[cell];
    }
    moveCentres(sums, centres);
  }
}

BENCHMARK("kmeans", problem, run)
