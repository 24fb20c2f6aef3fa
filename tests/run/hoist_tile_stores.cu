// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %all env HEDDLE_DISABLE=hoist-tile-stores %t
// RUN: %all env HEDDLE_DISABLE=prefetch-stores %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that walk over a tile by diagonals and copy its rows to a matrix: as they are complete, from the last one on,
// over what they were made of, added to what is there, two to the same place, to two matrices, only some of them,
// as others say; and the tile is read again behind the copy.
#include "support.h"

#include <algorithm>

constexpr int Tile = 32, Pitch = 3 * Tile + 1; ///< of the matrix: tiles do not begin with a line

template <class T> __host__ __device__ T cellOf(T corner, T up, T left, T score) {
  T most = up > left ? up : left;
  return corner + score > most - T(3) ? corner + score : most - T(3);
}

/// Where the rows of a tile go. `row`: of the matrix, that the tile's first row is in; `at`: the place of a cell there.
struct FromAbove {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *, int t) {
    for (int y = 0; y < Tile; ++y)
      out[y * Pitch + t] = tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *, const int *) {
    for (int i = 0; i < Tile * Tile; ++i)
      out[i / Tile * Pitch + i % Tile] = tile[i];
  }
};
struct FromBelow {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *, int t) {
    for (int y = Tile - 1; y >= 0; --y)
      out[y * Pitch + t] = tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *other, const int *some) {
    FromAbove::model(tile, out, other, some);
  }
};
/// Reads what it will write.
struct Adds {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *, int t) {
    for (int y = 0; y < Tile; ++y)
      out[y * Pitch + t] += tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *, const int *) {
    for (int i = 0; i < Tile * Tile; ++i)
      out[i / Tile * Pitch + i % Tile] += tile[i];
  }
};
/// Two rows go to the same place; the later one stays.
struct Overlaps {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *, int t) {
    for (int y = 0; y < Tile; ++y)
      out[y / 2 * Pitch + t] = tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *, const int *) {
    for (int i = 0; i < Tile * Tile; ++i)
      out[i / Tile / 2 * Pitch + i % Tile] = tile[i];
  }
};
/// Rows from above, and others from below.
struct Both {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *other, const int *, int t) {
    for (int y = 0; y < Tile; ++y) {
      out[y * Pitch + t] = tile[y + 1][t + 1];
      other[(Tile - 1 - y) * Pitch + t] = tile[Tile - y][t];
    }
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *other, const int *) {
    for (int y = 0; y < Tile; ++y)
      for (int x = 0; x < Tile; ++x) {
        out[y * Pitch + x] = tile[y * Tile + x];
        other[(Tile - 1 - y) * Pitch + x] = x ? tile[(Tile - 1 - y) * Tile + x - 1] : T(Tile - y);
      }
  }
};
/// As an array says.
struct Chosen {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *some, int t) {
    for (int y = 0; y < Tile; ++y)
      if (some[y] > 0)
        out[y * Pitch + t] = tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *, const int *some) {
    for (int i = 0; i < Tile * Tile; ++i)
      if (some[i / Tile] > 0)
        out[i / Tile * Pitch + i % Tile] = tile[i];
  }
};
/// Lanes beyond the limit store nothing.
struct Guarded {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *, const int *some, int t) {
    for (int y = 0; y < Tile; ++y)
      if (t < some[Tile])
        out[y * Pitch + t] = tile[y + 1][t + 1];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *, const int *some) {
    for (int i = 0; i < Tile * Tile; ++i)
      if (i % Tile < some[Tile])
        out[i / Tile * Pitch + i % Tile] = tile[i];
  }
};
/// Reads the tile again, which is changed in between.
struct Again {
  template <class T> __device__ static void copy(T (*tile)[Tile + 1], T *out, T *other, const int *some, int t) {
    FromAbove::copy(tile, out, other, some, t);
    __syncthreads();
    tile[t][some[t] & (Tile - 1)] = T(7);
    __syncthreads();
    for (int y = 0; y < Tile; ++y)
      other[y * Pitch + t] = tile[y][t];
  }
  template <class T> static void model(const std::vector<T> &tile, T *out, T *other, const int *some) {
    FromAbove::model(tile, out, other, some);
    for (int y = 0; y < Tile; ++y)
      for (int x = 0; x < Tile; ++x)
        other[y * Pitch + x] = (some[y] & (Tile - 1)) == x ? T(7)
                               : x && y                    ? tile[(y - 1) * Tile + x - 1]
                                                           : T(x + y);
  }
};

/// Tiles beside each other in the matrix, which may be the scores.
template <class Copy, class T>
__global__ void walk(const T *scores, T *matrix, T *other, const int *some) {
  __shared__ T tile[Tile + 1][Tile + 1], score[Tile][Tile];
  int t = threadIdx.x, corner = blockIdx.x * Tile;
  for (int y = 0; y < Tile; ++y)
    score[y][t] = scores[y * Pitch + corner + t];
  if (t == 0)
    tile[0][0] = 0;
  tile[0][t + 1] = T(t + 1);
  tile[t + 1][0] = T(t + 1);
  __syncthreads();
  for (int step = 0; step < 2 * Tile - 1; ++step) {
    int y = step - t;
    if (y >= 0 && y < Tile)
      tile[y + 1][t + 1] = cellOf(tile[y][t], tile[y][t + 1], tile[y + 1][t], score[y][t]);
    __syncthreads();
  }
  Copy::copy(tile, matrix + corner, other + corner, some, t);
}

template <class Copy, class T> void testWalk(const char *name, bool overScores, int seed) {
  constexpr int Cells = Pitch * Tile, Blocks = 3;
  Random random(seed);
  std::vector<T> scores(Cells), matrix(Cells), other(Cells);
  std::vector<int> some(Tile + 1);
  for (T &value : scores)
    value = T(random.below(21) - 10);
  for (T &value : matrix)
    value = T(random.below(100));
  for (int &value : some)
    value = random.below(40) - 10;
  some[Tile] = 21;
  T *deviceScores, *deviceMatrix, *deviceOther;
  int *deviceSome;
  size_t bytes = Cells * sizeof(T);
  CUDA_OK(cudaMalloc(&deviceScores, bytes));
  CUDA_OK(cudaMalloc(&deviceMatrix, bytes));
  CUDA_OK(cudaMalloc(&deviceOther, bytes));
  CUDA_OK(cudaMalloc(&deviceSome, some.size() * sizeof(int)));
  CUDA_OK(cudaMemcpy(deviceScores, scores.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemcpy(deviceMatrix, matrix.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_OK(cudaMemset(deviceOther, 0, bytes));
  CUDA_OK(cudaMemcpy(deviceSome, some.data(), some.size() * sizeof(int), cudaMemcpyHostToDevice));
  if (overScores)
    matrix = scores;
  std::vector<T> want = matrix, wantOther(Cells);
  for (int block = 0; block < Blocks; ++block) {
    std::vector<T> tile(Tile * Tile);
    auto at = [&](int y, int x) { return x < 0 || y < 0 ? T(x + y + 2) : tile[y * Tile + x]; };
    for (int y = 0; y < Tile; ++y)
      for (int x = 0; x < Tile; ++x)
        tile[y * Tile + x] =
            cellOf(at(y - 1, x - 1), at(y - 1, x), at(y, x - 1), scores[y * Pitch + block * Tile + x]);
    Copy::model(tile, &want[block * Tile], &wantOther[block * Tile], some.data());
  }
  T *to = overScores ? deviceScores : deviceMatrix;
  walk<Copy><<<Blocks, Tile>>>(deviceScores, to, deviceOther, deviceSome);
  std::vector<T> got(Cells), gotOther(Cells);
  CUDA_OK(cudaMemcpy(got.data(), to, bytes, cudaMemcpyDeviceToHost));
  CUDA_OK(cudaMemcpy(gotOther.data(), deviceOther, bytes, cudaMemcpyDeviceToHost));
  expectAll(name, got, want);
  expectAll(std::string(name) + ", other", gotOther, wantOther);
  for (void *memory : {(void *)deviceScores, (void *)deviceMatrix, (void *)deviceOther, (void *)deviceSome})
    CUDA_OK(cudaFree(memory));
}

template <class T> void testAll(const char *type, int seed) {
  auto name = [&](const char *what) { return std::string(what) + " of " + type; };
  for (bool overScores : {false, true}) {
    testWalk<FromAbove, T>(name("plain").c_str(), overScores, seed);
    testWalk<FromBelow, T>(name("from below").c_str(), overScores, seed + 1);
    testWalk<Adds, T>(name("adds").c_str(), overScores, seed + 2);
    testWalk<Overlaps, T>(name("overlaps").c_str(), overScores, seed + 3);
    testWalk<Both, T>(name("both").c_str(), overScores, seed + 4);
    testWalk<Chosen, T>(name("chosen").c_str(), overScores, seed + 5);
    testWalk<Guarded, T>(name("guarded").c_str(), overScores, seed + 6);
    testWalk<Again, T>(name("again").c_str(), overScores, seed + 7);
  }
}

int main() {
  testAll<int>("int", 1);
  testAll<float>("float", 20);
  return finish();
}
