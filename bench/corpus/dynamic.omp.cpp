// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dynamic.h"

#include <algorithm>

using namespace dynamic;
using bench::Data;

static void floydRun(Data &data) {
  int *distances = data.get<int>(1);
  std::memcpy(distances, data.get<int>(0), Cities * Cities * sizeof(int));
#pragma omp parallel
  for (int k = 0; k < Cities; k++)
#pragma omp for
    for (int i = 0; i < Cities; i++)
#pragma omp simd
      for (int j = 0; j < Cities; j++)
        distances[i * Cities + j] = std::min(distances[i * Cities + j],
                                             distances[i * Cities + k] + distances[k * Cities + j]);
}

/// For each left end from the right: the sums over k go along rows.
static void nussinovRun(Data &data) {
  constexpr int N = Bases;
  const int *bases = data.get<int>(0);
  int *table = data.get<int>(1);
  std::memset(table, 0, N * N * sizeof(int));
  for (int i = N - 1; i >= 0; i--) {
    int *row = table + i * N;
    for (int j = i + 1; j < N; j++) {
      int best = std::max(row[j], row[j - 1]);
      if (i + 1 < N) {
        best = std::max(best, table[(i + 1) * N + j]);
        best = std::max(best, table[(i + 1) * N + j - 1] + (i < j - 1 && bases[i] + bases[j] == 3));
      }
      row[j] = best;
      // What ends at j is known now: all pairs (i, j2) with a cut behind j.
#pragma omp simd
      for (int j2 = j + 1; j2 < N; j2++)
        row[j2] = std::max(row[j2], row[j] + table[(j + 1) * N + j2]);
    }
  }
}

static void lcsRun(Data &data) {
  constexpr int Pitch = Second + 1;
  const int *a = data.get<int>(0), *b = data.get<int>(1);
  int *table = data.get<int>(2);
  std::memset(table, 0, (First + 1) * Pitch * sizeof(int));
  for (int i = 1; i <= First; i++)
    for (int j = 1; j <= Second; j++) {
      int *cell = table + i * Pitch + j;
      *cell = a[i - 1] == b[j - 1] ? cell[-Pitch - 1] + 1 : std::max(cell[-Pitch], cell[-1]);
    }
}

static void watermanRun(Data &data) {
  constexpr int Pitch = Second + 1;
  const int *a = data.get<int>(0), *b = data.get<int>(1);
  int *table = data.get<int>(2);
  std::memset(table, 0, (First + 1) * Pitch * sizeof(int));
  for (int i = 1; i <= First; i++)
    for (int j = 1; j <= Second; j++) {
      int *cell = table + i * Pitch + j, score = cell[-Pitch - 1] + (a[i - 1] == b[j - 1] ? 5 : -3);
      *cell = std::max(std::max(score, 0), std::max(cell[-Pitch], cell[-1]) - 4);
    }
}

static void needlemanRun(Data &data) {
  constexpr int Pitch = Second + 1, Penalty = 3;
  const int *a = data.get<int>(0), *b = data.get<int>(1);
  int *table = data.get<int>(2);
  for (int j = 0; j <= Second; j++)
    table[j] = -j * Penalty;
  for (int i = 1; i <= First; i++) {
    table[i * Pitch] = -i * Penalty;
    for (int j = 1; j <= Second; j++) {
      int *cell = table + i * Pitch + j, score = cell[-Pitch - 1] + (a[i - 1] == b[j - 1] ? 4 : -2);
      *cell = std::max(score, std::max(cell[-Pitch], cell[-1]) - Penalty);
    }
  }
}

static void knapsackRun(Data &data) {
  int *rows[] = {data.get<int>(2), data.get<int>(3)};
  std::memset(rows[0], 0, (Capacity + 1) * sizeof(int));
  for (int good = 0; good < Goods; good++) {
    const int *before = rows[good % 2];
    int *after = rows[(good + 1) % 2];
    const int weight = data.get<int>(0)[good], value = data.get<int>(1)[good];
    std::memcpy(after, before, weight * sizeof(int));
#pragma omp parallel for simd firstprivate(before, after, weight, value)
    for (int c = weight; c <= Capacity; c++) {
      int without = before[c], with = before[c - weight] + value;
      after[c] = with > without ? with : without;
    }
  }
}

static void pathfinderRun(Data &data) {
  const int *wall = data.get<int>(0);
  int *costs[] = {data.get<int>(2), data.get<int>(1)};
  std::memcpy(costs[0], wall, PathColumns * sizeof(int));
  for (int row = 1; row < PathRows; row++) {
    const int *from = costs[(row + 1) % 2], *bricks = wall + row * PathColumns;
    int *to = costs[row % 2];
    to[0] = std::min(from[0], from[1]) + bricks[0];
#pragma omp parallel for simd firstprivate(from, to, bricks)
    for (int x = 1; x < PathColumns - 1; x++) {
      int side = from[x - 1] < from[x + 1] ? from[x - 1] : from[x + 1];
      to[x] = (side < from[x] ? side : from[x]) + bricks[x];
    }
    to[PathColumns - 1] =
        std::min(from[PathColumns - 1], from[PathColumns - 2]) + bricks[PathColumns - 1];
  }
}

static void editRun(Data &data) {
  const unsigned char *as = data.get<unsigned char>(0), *bs = data.get<unsigned char>(1);
  int *distances = data.get<int>(2);
#pragma omp parallel for
  for (int pair = 0; pair < Pairs; pair++) {
    const unsigned char *a = as + pair * Word, *b = bs + pair * Word;
    int row[Word + 1];
    for (int j = 0; j <= Word; j++)
      row[j] = j;
    for (int i = 0; i < Word; i++) {
      int corner = row[0];
      row[0] = i + 1;
      for (int j = 0; j < Word; j++) {
        int replaced = corner + (a[i] != b[j]);
        corner = row[j + 1];
        row[j + 1] = std::min(replaced, std::min(row[j], row[j + 1]) + 1);
      }
    }
    distances[pair] = row[Word];
  }
}

/// As Nussinov's: from the right, with the cuts added as soon as their left part is known.
static void chainRun(Data &data) {
  constexpr int N = Matrices;
  const int *sizes = data.get<int>(0);
  int *work = data.get<int>(1);
  std::memset(work, 0, N * N * sizeof(int));
  for (int i = N - 1; i >= 0; i--) {
    int *row = work + i * N;
    std::fill(row + i + 1, row + N, 0x7fffffff);
    for (int k = i; k < N; k++)
#pragma omp simd
      for (int j = k + 1; j < N; j++)
        row[j] = std::min(row[j],
                          row[k] + work[(k + 1) * N + j] + sizes[i] * sizes[k + 1] * sizes[j + 1]);
  }
}

static void viterbiRun(Data &data) {
  const int *observed = data.get<int>(0);
  const float *transition = data.get<float>(1), *emission = data.get<float>(2);
  float *scores = data.get<float>(3);
  int *before = data.get<int>(4);
  for (int state = 0; state < States; state++)
    scores[state] = emission[state * Symbols + observed[0]];
  for (int t = 1; t < Observed; t++) {
    const float *last = scores + (t - 1) * States;
    float best[States];
    int from[States] = {};
    std::fill(best, best + States, -1e30f);
    for (int i = 0; i < States; i++)
#pragma omp simd
      for (int state = 0; state < States; state++) {
        float score = last[i] + transition[i * States + state];
        from[state] = score > best[state] ? i : from[state];
        best[state] = score > best[state] ? score : best[state];
      }
    for (int state = 0; state < States; state++) {
      scores[t * States + state] = best[state] + emission[state * Symbols + observed[t]];
      before[t * States + state] = from[state];
    }
  }
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
