// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that walk over a tile by diagonals: each cell from the ones above, to the left and above that; from the other
// corner; from cells that are yet to be written; twice; with lengths that are known at run time only; with cells of
// bytes beside cells of words; in blocks that are no whole warps.
#include "support.h"

#include <algorithm>

template <class T> __host__ __device__ T larger(T a, T b) { return a > b ? a : b; }
template <class T> __host__ __device__ T smaller(T a, T b) { return a < b ? a : b; }

/// What becomes of a cell: `rows` cells down and one cell right of the tile's corner.
struct Align {
  template <class T> __host__ __device__ static void step(T *cell, int pitch, T score, int) {
    T next = larger<T>(cell[-1], cell[-pitch]) - T(10);
    *cell = larger<T>(cell[-pitch - 1] + score, next);
  }
};
struct Warp {
  template <class T> __host__ __device__ static void step(T *cell, int pitch, T score, int) {
    T least = smaller<T>(smaller<T>(cell[-1], cell[-pitch]), cell[-pitch - 1]);
    *cell = least + (score < T(0) ? -score : score);
  }
};
/// Sees its right and lower neighbours as they were.
struct Relax {
  template <class T> __host__ __device__ static void step(T *cell, int pitch, T score, int) {
    *cell = cell[-1] + cell[-pitch] * T(3) - cell[1] + cell[pitch] * T(2) + *cell + score;
  }
};
/// Writes a cell that is written again by the next one.
struct Pushes {
  template <class T> __host__ __device__ static void step(T *cell, int pitch, T score, int) {
    *cell = larger<T>(*cell, cell[-pitch]) + score;
    cell[1] = cell[1] + *cell / T(4);
  }
};
/// Some cells stay as they were, as their values say.
struct Chosen {
  template <class T> __host__ __device__ static void step(T *cell, int pitch, T score, int) {
    if (score > T(0))
      *cell = larger<T>(cell[-1], cell[-pitch]) + score;
  }
};

/// The tile has a rim of one cell on each side.
template <class Cell, class T, int Columns, int Rows, int Sweeps>
__global__ void walk(const T *in, const T *scores, T *out) {
  constexpr int Pitch = Columns + 2, Cells = Pitch * (Rows + 2);
  __shared__ T tile[Cells], score[Rows * Columns];
  int t = threadIdx.x;
  for (int i = t; i < Cells; i += Columns)
    tile[i] = in[blockIdx.x * Cells + i];
  for (int y = 0; y < Rows; ++y)
    score[y * Columns + t] = scores[y * Columns + t];
  __syncthreads();
  for (int sweep = 0; sweep < Sweeps; ++sweep)
    for (int step = 0; step < Rows + Columns - 1; ++step) {
      int y = step - t;
      if (y >= 0 && y < Rows)
        Cell::step(&tile[(y + 1) * Pitch + t + 1], Pitch, score[y * Columns + t], sweep);
      __syncthreads();
    }
  for (int i = t; i < Cells; i += Columns)
    out[blockIdx.x * Cells + i] = tile[i];
}

template <class Cell, class T, int Columns, int Rows, int Sweeps = 1>
void testWalk(const char *name, int seed) {
  constexpr int Pitch = Columns + 2, Cells = Pitch * (Rows + 2), Blocks = 3;
  Random random(seed);
  std::vector<T> in(Blocks * Cells), scores(Rows * Columns);
  for (T &value : in)
    value = T(random.below(200) - 100);
  for (T &value : scores)
    value = T(random.below(21) - 10);
  std::vector<T> want = in;
  for (int block = 0; block < Blocks; ++block)
    for (int sweep = 0; sweep < Sweeps; ++sweep)
      for (int step = 0; step < Rows + Columns - 1; ++step)
        for (int t = 0; t < Columns; ++t)
          if (int y = step - t; y >= 0 && y < Rows)
            Cell::step(&want[block * Cells + (y + 1) * Pitch + t + 1], Pitch, scores[y * Columns + t], sweep);
  T *deviceIn, *deviceScores, *deviceOut;
  CUDA_OK(cudaMalloc(&deviceIn, in.size() * sizeof(T)));
  CUDA_OK(cudaMalloc(&deviceOut, in.size() * sizeof(T)));
  CUDA_OK(cudaMalloc(&deviceScores, scores.size() * sizeof(T)));
  CUDA_OK(cudaMemcpy(deviceIn, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(deviceScores, scores.data(), scores.size() * sizeof(T), cudaMemcpyHostToDevice));
  walk<Cell, T, Columns, Rows, Sweeps><<<Blocks, Columns>>>(deviceIn, deviceScores, deviceOut);
  std::vector<T> got(in.size());
  CUDA_OK(cudaMemcpy(got.data(), deviceOut, in.size() * sizeof(T), cudaMemcpyDeviceToHost));
  expectAll(name, got, want);
  CUDA_OK(cudaFree(deviceIn));
  CUDA_OK(cudaFree(deviceOut));
  CUDA_OK(cudaFree(deviceScores));
}

constexpr int Letters = 32;

/// The longest common subsequence of two words, from their ends, with letters in shared memory and each cell's way
/// written to memory in each step. `known`: the words fill the tile.
template <bool Known> __global__ void subsequence(const char *a, const char *b, int n, int m, int *length, char *ways) {
  __shared__ int cells[Letters + 1][Letters + 1];
  __shared__ char first[Letters], second[Letters];
  int t = threadIdx.x;
  if (t < n)
    first[t] = a[t];
  if (t < m)
    second[t] = b[t];
  for (int y = t; y <= Letters; y += Letters)
    cells[y][Letters] = cells[Letters][y] = 0;
  for (int y = 0; y < Letters; ++y)
    cells[y][t] = 0;
  __syncthreads();
  for (int step = 2 * Letters - 2; step >= 0; --step) {
    int y = step - t;
    if (Known ? y >= 0 && y < Letters : y >= 0 && y < n && t < m) {
      int down = cells[y + 1][t], right = cells[y][t + 1];
      bool same = first[y] == second[t];
      cells[y][t] = same ? cells[y + 1][t + 1] + 1 : larger(down, right);
      ways[y * Letters + t] = same ? 'x' : down > right ? 'd' : 'r';
    }
    __syncthreads();
  }
  length[t] = cells[t][0];
}

void testSubsequence(int n, int m, bool known) {
  Random random(n * 100 + m);
  std::string a, b;
  for (int i = 0; i < Letters; ++i) {
    a += char('a' + random.below(4));
    b += char('a' + random.below(4));
  }
  std::vector<std::vector<int>> want(Letters + 1, std::vector<int>(Letters + 1));
  std::string wantWays(Letters * Letters, '-');
  for (int y = n - 1; y >= 0; --y)
    for (int x = m - 1; x >= 0; --x) {
      int down = want[y + 1][x], right = want[y][x + 1];
      want[y][x] = a[y] == b[x] ? want[y + 1][x + 1] + 1 : std::max(down, right);
      wantWays[y * Letters + x] = a[y] == b[x] ? 'x' : down > right ? 'd' : 'r';
    }
  char *letters;
  int *length;
  CUDA_OK(cudaMalloc(&letters, 2 * Letters + Letters * Letters));
  CUDA_OK(cudaMalloc(&length, Letters * sizeof(int)));
  char *ways = letters + 2 * Letters;
  CUDA_OK(cudaMemcpy(letters, a.data(), Letters, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(letters + Letters, b.data(), Letters, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(ways, '-', Letters * Letters));
  if (known)
    subsequence<true><<<1, Letters>>>(letters, letters + Letters, n, m, length, ways);
  else
    subsequence<false><<<1, Letters>>>(letters, letters + Letters, n, m, length, ways);
  std::vector<int> got(Letters);
  std::string gotWays(Letters * Letters, ' ');
  CUDA_OK(cudaMemcpy(got.data(), length, Letters * sizeof(int), cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(&gotWays[0], ways, Letters * Letters, cudaMemcpyDeviceToHost));
  for (int y = 0; y < Letters; ++y)
    expect("subsequence", y, got[y], want[y][0]);
  expectTrue("ways of " + std::to_string(n) + " and " + std::to_string(m), gotWays == wantWays);
  CUDA_OK(cudaFree(letters));
  CUDA_OK(cudaFree(length));
}

int main() {
  testWalk<Align, int, 32, 32>("align", 1);
  testWalk<Align, int, 32, 17>("align low", 2);
  testWalk<Align, int, 16, 24>("align narrow", 3);
  testWalk<Align, int, 24, 32>("align 24", 4);
  testWalk<Align, int, 48, 16>("align 48", 5);
  testWalk<Align, int, 64, 1>("align one row", 6);
  testWalk<Align, short, 32, 32>("align shorts", 7);
  testWalk<Align, long long, 32, 20>("align long", 8);
  testWalk<Align, double, 16, 16>("align doubles", 9);
  testWalk<Warp, float, 32, 32>("warp", 10);
  testWalk<Relax, int, 32, 32>("relax", 11);
  testWalk<Relax, int, 32, 16, 2>("relax twice", 12);
  testWalk<Relax, unsigned, 20, 30>("relax 20", 13);
  testWalk<Pushes, int, 32, 32>("pushes", 14);
  testWalk<Chosen, int, 32, 32>("chosen", 15);
  testWalk<Align, int, 33, 8>("align 33", 16);
  testSubsequence(Letters, Letters, true);
  testSubsequence(Letters, Letters, false);
  testSubsequence(20, 27, false);
  return finish();
}
