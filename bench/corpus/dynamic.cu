// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dynamic.h"

using namespace dynamic;
using bench::Data;

__global__ static void floydStep(int n, int k, int *distances) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) {
    int through = distances[i * n + k] + distances[k * n + j];
    if (through < distances[i * n + j])
      distances[i * n + j] = through;
  }
}

static void floydRun(Data &data) {
  int *distances = data.get<int>(1);
  cudaMemcpyAsync(distances, data.get<int>(0), Cities * Cities * sizeof(int),
                  cudaMemcpyDeviceToDevice);
  for (int k = 0; k < Cities; k++)
    floydStep<<<dim3(cover(Cities, 16), cover(Cities, 16)), dim3(16, 16)>>>(Cities, k, distances);
}

/// All pairs (i, i + distance): a thread has one of them.
__global__ static void nussinovDiagonal(int n, int distance, const int *bases, int *table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + distance;
  if (j >= n)
    return;
  int best = 0;
  if (j - 1 >= 0)
    best = max(best, table[i * n + j - 1]);
  if (i + 1 < n)
    best = max(best, table[(i + 1) * n + j]);
  if (j - 1 >= 0 && i + 1 < n) {
    int match = i < j - 1 && bases[i] + bases[j] == 3 ? 1 : 0;
    best = max(best, table[(i + 1) * n + j - 1] + match);
  }
  for (int k = i + 1; k < j; k++)
    best = max(best, table[i * n + k] + table[(k + 1) * n + j]);
  table[i * n + j] = best;
}

static void nussinovRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, Bases * Bases * sizeof(int));
  for (int distance = 1; distance < Bases; distance++)
    nussinovDiagonal<<<cover(Bases - distance, 64), 64>>>(Bases, distance, data.get<int>(0),
                                                          data.get<int>(1));
}

/// The cells (i, j) with i + j = diagonal.
__global__ static void lcsDiagonal(int n, int m, int diagonal, const int *a, const int *b,
                                   int *table) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i, pitch = m + 1;
  if (i > n || j < 1 || j > m)
    return;
  if (a[i - 1] == b[j - 1])
    table[i * pitch + j] = table[(i - 1) * pitch + j - 1] + 1;
  else
    table[i * pitch + j] = max(table[(i - 1) * pitch + j], table[i * pitch + j - 1]);
}

static void lcsRun(Data &data) {
  int *table = data.get<int>(2);
  cudaMemsetAsync(table, 0, (First + 1) * (Second + 1) * sizeof(int));
  for (int diagonal = 2; diagonal <= First + Second; diagonal++)
    lcsDiagonal<<<cover(First, 128), 128>>>(First, Second, diagonal, data.get<int>(0),
                                            data.get<int>(1), table);
}

/// Local alignment with a linear price of a gap.
__global__ static void waterman(int n, int m, int diagonal, const int *a, const int *b,
                                int *table) {
  int i = 1 + blockIdx.x * blockDim.x + threadIdx.x, j = diagonal - i, pitch = m + 1;
  if (i > n || j < 1 || j > m)
    return;
  int score = table[(i - 1) * pitch + j - 1] + (a[i - 1] == b[j - 1] ? 5 : -3);
  score = max(score, table[(i - 1) * pitch + j] - 4);
  score = max(score, table[i * pitch + j - 1] - 4);
  table[i * pitch + j] = max(score, 0);
}

static void watermanRun(Data &data) {
  int *table = data.get<int>(2);
  cudaMemsetAsync(table, 0, (First + 1) * (Second + 1) * sizeof(int));
  for (int diagonal = 2; diagonal <= First + Second; diagonal++)
    waterman<<<cover(First, 128), 128>>>(First, Second, diagonal, data.get<int>(0),
                                         data.get<int>(1), table);
}

/// Global alignment by one block: it goes down in bands of its threads' rows, along the diagonals
/// of each.
constexpr int Band = 128;
__global__ static void needleman(int n, int m, int penalty, const int *a, const int *b,
                                 int *table) {
  int thread = threadIdx.x, pitch = m + 1;
  for (int j = thread; j <= m; j += Band)
    table[j] = -j * penalty;
  for (int i = thread; i <= n; i += Band)
    table[i * pitch] = -i * penalty;
  __syncthreads();
  for (int band = 0; band < n; band += Band) {
    int i = band + thread + 1;
    for (int step = 0; step < m + Band - 1; step++) {
      int j = step - thread + 1;
      if (i <= n && j >= 1 && j <= m) {
        int score = table[(i - 1) * pitch + j - 1] + (a[i - 1] == b[j - 1] ? 4 : -2);
        table[i * pitch + j] =
            max(score, max(table[(i - 1) * pitch + j], table[i * pitch + j - 1]) - penalty);
      }
      __syncthreads();
    }
  }
}

static void needlemanRun(Data &data) {
  needleman<<<1, Band>>>(First, Second, 3, data.get<int>(0), data.get<int>(1), data.get<int>(2));
}

__global__ static void knapsackGoods(const int *weights, const int *values, int good, int capacity,
                                     const int *before, int *after) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c <= capacity) {
    int weight = weights[good], best = before[c];
    if (c >= weight)
      best = max(best, before[c - weight] + values[good]);
    after[c] = best;
  }
}

static void knapsackRun(Data &data) {
  int *rows[] = {data.get<int>(2), data.get<int>(3)};
  cudaMemsetAsync(rows[0], 0, (Capacity + 1) * sizeof(int));
  for (int good = 0; good < Goods; good++)
    knapsackGoods<<<cover(Capacity + 1, 256), 256>>>(
        data.get<int>(0), data.get<int>(1), good, Capacity, rows[good % 2], rows[(good + 1) % 2]);
}

/// Several rows in one launch: a block's outer threads compute what its inner ones need.
constexpr int PathBlock = 256, Halo = 10;
__global__ static void pathfinderRows(int columns, int rows, int first, const int *wall,
                                      const int *from, int *to) {
  __shared__ int before[PathBlock], after[PathBlock];
  int thread = threadIdx.x, x = blockIdx.x * (PathBlock - 2 * Halo) + thread - Halo;
  bool inside = x >= 0 && x < columns;
  before[thread] = inside ? from[x] : 0x3fffffff;
  __syncthreads();
  bool valid = false;
  for (int i = 0; i < rows; i++) {
    valid = inside && thread > i && thread < PathBlock - 1 - i;
    if (valid) {
      int least = min(before[thread], min(before[thread - 1], before[thread + 1]));
      after[thread] = least + wall[(first + i) * columns + x];
    } else
      after[thread] = 0x3fffffff;
    __syncthreads();
    before[thread] = after[thread];
    __syncthreads();
  }
  if (valid && thread >= Halo && thread < PathBlock - Halo)
    to[x] = before[thread];
}

static void pathfinderRun(Data &data) {
  int *costs[] = {data.get<int>(1), data.get<int>(2)}, turn = 1;
  const int *wall = data.get<int>(0);
  cudaMemcpyAsync(costs[1], wall, PathColumns * sizeof(int), cudaMemcpyDeviceToDevice);
  for (int row = 1; row < PathRows; row += Halo, turn = 1 - turn) {
    int rows = PathRows - row < Halo ? PathRows - row : Halo;
    pathfinderRows<<<cover(PathColumns, PathBlock - 2 * Halo), PathBlock>>>(
        PathColumns, rows, row, wall, costs[turn], costs[1 - turn]);
  }
  if (turn == 0)
    cudaMemcpyAsync(costs[1], costs[0], PathColumns * sizeof(int), cudaMemcpyDeviceToDevice);
}

/// A thread compares two words; the row of the table is a local array.
__global__ static void editKernel(int pairs, const unsigned char *a, const unsigned char *b,
                                  int *distances) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (pair >= pairs)
    return;
  int row[Word + 1];
  for (int j = 0; j <= Word; j++)
    row[j] = j;
  for (int i = 0; i < Word; i++) {
    int corner = row[0];
    row[0] = i + 1;
    for (int j = 0; j < Word; j++) {
      int replaced = corner + (a[pair * Word + i] != b[pair * Word + j]);
      corner = row[j + 1];
      row[j + 1] = min(replaced, min(row[j], row[j + 1]) + 1);
    }
  }
  distances[pair] = row[Word];
}

static void editRun(Data &data) {
  editKernel<<<cover(Pairs, 64), 64>>>(Pairs, data.get<unsigned char>(0),
                                       data.get<unsigned char>(1), data.get<int>(2));
}

__global__ static void chainLength(int n, int length, const int *sizes, int *work) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = i + length;
  if (j >= n)
    return;
  int best = 0x7fffffff;
  for (int k = i; k < j; k++) {
    int here = work[i * n + k] + work[(k + 1) * n + j] + sizes[i] * sizes[k + 1] * sizes[j + 1];
    if (here < best)
      best = here;
  }
  work[i * n + j] = best;
}

static void chainRun(Data &data) {
  cudaMemsetAsync(data.get<int>(1), 0, Matrices * Matrices * sizeof(int));
  for (int length = 1; length < Matrices; length++)
    chainLength<<<cover(Matrices - length, 32), 32>>>(Matrices, length, data.get<int>(0),
                                                      data.get<int>(1));
}

/// One block; a thread has a state.
__global__ static void viterbiKernel(int states, int length, const int *observed,
                                     const float *transition, const float *emission, float *scores,
                                     int *before) {
  __shared__ float last[64];
  int state = threadIdx.x;
  if (state < states)
    scores[state] = last[state] = emission[state * Symbols + observed[0]];
  __syncthreads();
  for (int t = 1; t < length; t++) {
    float best = -1e30f;
    int from = 0;
    if (state < states)
      for (int i = 0; i < states; i++) {
        float score = last[i] + transition[i * states + state];
        if (score > best) {
          best = score;
          from = i;
        }
      }
    __syncthreads();
    if (state < states) {
      best += emission[state * Symbols + observed[t]];
      scores[t * states + state] = last[state] = best;
      before[t * states + state] = from;
    }
    __syncthreads();
  }
}

static void viterbiRun(Data &data) {
  viterbiKernel<<<1, 64>>>(States, Observed, data.get<int>(0), data.get<float>(1),
                           data.get<float>(2), data.get<float>(3), data.get<int>(4));
}

BENCHMARK("floyd_warshall", floydWarshall, floydRun)
BENCHMARK("nussinov", nussinov, nussinovRun)
BENCHMARK("lcs", lcs, lcsRun)
BENCHMARK("smith_waterman", alignment, watermanRun)
BENCHMARK("nw", alignment, needlemanRun)
BENCHMARK("knapsack", knapsack, knapsackRun)
BENCHMARK("pathfinder", pathfinder, pathfinderRun)
BENCHMARK("edit_distance", editDistance, editRun)
BENCHMARK("matrix_chain", chain, chainRun)
BENCHMARK("viterbi", viterbi, viterbiRun)
