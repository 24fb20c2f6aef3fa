// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of dense matrices: a thread computes an element of the result and walks along a row and
// a column.
#pragma once

#include "corpus.h"

namespace products {
using namespace corpus;
using bench::Problem;

constexpr int N = 197;          // rows and columns of square matrices
constexpr int M = 187, K = 201; // M x K times K x N
constexpr float Alpha = 1.5f, Beta = 1.2f;
constexpr int DR = 37, DQ = 41, DP = 91; // doitgen

inline std::vector<float> matrix(int rows, int columns, uint32_t seed) {
  return randomFloats(size_t(rows) * columns, -1, 1, seed);
}

/// A, B, C, result.
inline Problem gemm() {
  return items(double(M) * N * K, floatError(2 * K))
      .input(matrix(M, K, 1))
      .input(matrix(K, N, 2))
      .input(matrix(M, N, 3))
      .output<float>(M * N);
}

/// A, B, C, D, A * B, result A * B * C + D.
inline Problem mm2() {
  return items(2.0 * N * N * N, floatError(4 * N))
      .input(matrix(N, N, 1))
      .input(matrix(N, N, 2))
      .input(matrix(N, N, 3))
      .input(matrix(N, N, 4))
      .scratch<float>(N * N)
      .output<float>(N * N);
}

/// A, B, C, D, A * B, C * D, result (A * B) * (C * D).
inline Problem mm3() {
  return items(3.0 * N * N * N, floatError(6 * N))
      .input(matrix(N, N, 1))
      .input(matrix(N, N, 2))
      .input(matrix(N, N, 3))
      .input(matrix(N, N, 4))
      .scratch<float>(N * N)
      .scratch<float>(N * N)
      .output<float>(N * N);
}

/// A (N x K), C, result.
inline Problem syrk() {
  return items(0.5 * N * N * K, floatError(2 * K))
      .input(matrix(N, K, 1))
      .input(matrix(N, N, 2))
      .output<float>(N * N);
}

/// A, B (N x K), C, result.
inline Problem syr2k() {
  return items(1.0 * N * N * K, floatError(4 * K))
      .input(matrix(N, K, 1))
      .input(matrix(N, K, 2))
      .input(matrix(N, N, 3))
      .output<float>(N * N);
}

/// A (symmetric, its lower half), B, C, result.
inline Problem symm() {
  return items(double(N) * N * N, floatError(2 * N))
      .input(matrix(N, N, 1))
      .input(matrix(N, N, 2))
      .input(matrix(N, N, 3))
      .output<float>(N * N);
}

/// A (lower triangle), B, result.
inline Problem trmm() {
  return items(0.5 * N * N * N, floatError(2 * N))
      .input(matrix(N, N, 1))
      .input(matrix(N, N, 2))
      .output<float>(N * N);
}

/// A (DR x DQ x DP), C4 (DP x DP), result.
inline Problem doitgen() {
  return items(double(DR) * DQ * DP * DP, floatError(2 * DP))
      .input(randomFloats(DR * DQ * DP, -1, 1, 1))
      .input(matrix(DP, DP, 2))
      .output<float>(DR * DQ * DP);
}
} // namespace products
