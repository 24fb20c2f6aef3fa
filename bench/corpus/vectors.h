// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a matrix with vectors, with the matrix and with its transpose: a thread walks along a
// row, or down a column. And two solvers of triangular and Toeplitz systems in single blocks.
#pragma once

#include "corpus.h"

namespace vectors {
using namespace corpus;
using bench::Problem;

constexpr int M = 1403, N = 1157; // rows and columns
constexpr int Square = 1201;
constexpr int System = 1501;  // trisolv
constexpr int Toeplitz = 255; // durbin: fits one block of 256 threads
constexpr float Alpha = 1.5f, Beta = 1.2f;

inline Problem matrix(int rows, int columns, double work, double operations) {
  return items(work, floatError(operations)).input(randomFloats(size_t(rows) * columns, -1, 1, 1));
}

/// A, x, A x, result A^T (A x).
inline Problem atax() {
  return matrix(M, N, 2.0 * M * N, 4 * (M + N))
      .input(randomFloats(N, -1, 1, 2))
      .scratch<float>(M)
      .output<float>(N);
}

/// A, p, r, results A p and A^T r.
inline Problem bicg() {
  return matrix(M, N, 2.0 * M * N, 2 * (M + N))
      .input(randomFloats(N, -1, 1, 2))
      .input(randomFloats(M, -1, 1, 3))
      .output<float>(M)
      .output<float>(N);
}

/// A, y1, y2, start values x1 and x2, results x1 + A y1 and x2 + A^T y2.
inline Problem mvt() {
  Problem problem = matrix(Square, Square, 2.0 * Square * Square, 2 * Square);
  for (uint32_t seed = 2; seed < 6; ++seed)
    problem.input(randomFloats(Square, -1, 1, seed));
  return problem.output<float>(Square).output<float>(Square);
}

/// A, u1, v1, u2, v2, y, z, matrix A + u1 v1^T + u2 v2^T, x, result.
inline Problem gemver() {
  Problem problem = matrix(Square, Square, 4.0 * Square * Square, 8 * Square);
  for (uint32_t seed = 2; seed < 8; ++seed)
    problem.input(randomFloats(Square, -1, 1, seed));
  return problem.scratch<float>(Square * Square).output<float>(Square).output<float>(Square);
}

/// A, B, x, result alpha A x + beta B x.
inline Problem gesummv() {
  return matrix(Square, Square, 2.0 * Square * Square, 4 * Square)
      .input(randomFloats(Square * Square, -1, 1, 2))
      .input(randomFloats(Square, -1, 1, 3))
      .output<float>(Square);
}

/// L with a heavy diagonal, b, what is left of b, x.
inline Problem trisolv() {
  std::vector<float> lower = randomFloats(System * System, -1, 1, 1);
  for (int i = 0; i < System; ++i)
    lower[i * System + i] = float(System);
  return items(0.5 * System * System, floatError(4 * System))
      .input(lower)
      .input(randomFloats(System, -1, 1, 2))
      .scratch<float>(System)
      .output<float>(System);
}

/// The first column of a Toeplitz matrix that is far from singular, the solutions of Yule and
/// Walker's equations for 7 such columns.
constexpr int Systems = 7;
inline Problem durbin() {
  return items(double(Systems) * Toeplitz * Toeplitz, floatError(20 * Toeplitz))
      .input(randomFloats(Systems * Toeplitz, -0.02f, 0.02f, 1))
      .output<float>(Systems * Toeplitz);
}
} // namespace vectors
