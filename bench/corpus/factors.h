// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factorisations and what is near them: LU, Cholesky and Gram-Schmidt with a launch for each
// column, Gauss's elimination as in Rodinia, LU of blocks in shared memory, and the statistics of
// columns.
#pragma once

#include "corpus.h"

namespace factors {
using namespace corpus;
using bench::Problem;

constexpr int N = 201;                                     // lu, cholesky, gaussian
constexpr int Rows = 257, Columns = 131;                   // gramschmidt, correlation, covariance
constexpr int Tile = 16, Tiles = 12, Tiled = Tile * Tiles; // lud

/// A matrix without small pivots: a heavy diagonal.
inline std::vector<float> heavyDiagonal(int n, uint32_t seed) {
  std::vector<float> matrix = randomFloats(size_t(n) * n, -1, 1, seed);
  for (int i = 0; i < n; ++i)
    matrix[i * n + i] += float(n);
  return matrix;
}

/// A, result.
inline Problem lu() {
  return items(N * double(N) * N / 3, floatError(4 * N))
      .input(heavyDiagonal(N, 1))
      .output<float>(N * N);
}

/// A symmetric matrix; its lower factor.
inline Problem cholesky() {
  std::vector<float> matrix = heavyDiagonal(N, 1);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < i; ++j)
      matrix[j * N + i] = matrix[i * N + j];
  return items(N * double(N) * N / 6, floatError(4 * N)).input(matrix).output<float>(N * N);
}

/// A, b, factors of a column, A made triangular, b along with it.
inline Problem gaussian() {
  return items(N * double(N) * N / 3, floatError(4 * N))
      .input(heavyDiagonal(N, 1))
      .input(randomFloats(N, -1, 1, 2))
      .scratch<float>(N)
      .output<float>(N * N)
      .output<float>(N);
}

/// A, result.
inline Problem lud() {
  return items(Tiled * double(Tiled) * Tiled / 3, floatError(4 * Tiled))
      .input(heavyDiagonal(Tiled, 1))
      .output<float>(Tiled * Tiled);
}

/// A (Rows x Columns), what is left of it, Q, R.
inline Problem gramschmidt() {
  return items(double(Rows) * Columns * Columns, floatError(20 * Rows))
      .input(randomFloats(Rows * Columns, -1, 1, 1))
      .scratch<float>(Rows * Columns)
      .output<float>(Rows * Columns)
      .output<float>(Columns * Columns);
}

/// Data (Rows x Columns), mean and deviation of a column, the centred data, result (Columns x
/// Columns).
inline Problem statistics() {
  return items(0.5 * Rows * Columns * Columns, floatError(8 * Rows))
      .input(randomFloats(Rows * Columns, -1, 3, 1))
      .scratch<float>(Columns)
      .scratch<float>(Columns)
      .scratch<float>(Rows * Columns)
      .output<float>(Columns * Columns);
}
} // namespace factors
