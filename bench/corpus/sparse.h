// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse matrices times vectors in the usual formats: a thread or a warp a row of compressed rows,
// ELLPACK, coordinates with atomics, blocks of 4 x 4, diagonals; products with several vectors; a
// step of Jacobi's solver in double.
#pragma once

#include "corpus.h"

#include <algorithm>

namespace sparse {
using namespace corpus;
using bench::Problem;

constexpr int Rows = 30011;
constexpr int Longest = 33;                           // elements of a row
constexpr int BlockRows = 5003, PerRow = 9, Side = 4; // bsr
constexpr int Diagonals = 9;
constexpr int Vectors = 16; // spmm
constexpr int SolverSteps = 4;

struct Matrix {
  std::vector<int> starts{0}, columns, rows;
  std::vector<float> values;
};

inline Matrix makeMatrix() {
  bench::Random random(7);
  Matrix matrix;
  for (int row = 0; row < Rows; ++row) {
    int count = 1 + random.below(row % 50 == 0 ? Longest : Longest / 2);
    std::vector<int> columns;
    for (int i = 0; i < count; ++i)
      columns.push_back(random.below(Rows));
    std::sort(columns.begin(), columns.end());
    for (int column : columns) {
      matrix.columns.push_back(column);
      matrix.rows.push_back(row);
      matrix.values.push_back(random.uniform(-1, 1));
    }
    matrix.starts.push_back(int(matrix.columns.size()));
  }
  return matrix;
}

inline const Matrix &matrix() {
  static const Matrix one = makeMatrix();
  return one;
}
inline int elements() { return int(matrix().columns.size()); }

/// Starts, columns, values, x, result.
inline Problem csr() {
  return items(elements(), floatError(2 * Longest))
      .input(matrix().starts)
      .input(matrix().columns)
      .input(matrix().values)
      .input(randomFloats(Rows, -1, 1, 2))
      .output<float>(Rows);
}

/// Rows, columns, values of all elements, x, result.
inline Problem coo() {
  return items(elements(), floatError(2 * Longest))
      .input(matrix().rows)
      .input(matrix().columns)
      .input(matrix().values)
      .input(randomFloats(Rows, -1, 1, 2))
      .output<float>(Rows);
}

/// Columns and values, column by column, -1 and 0 behind a row's end; x, result.
inline Problem ell() {
  std::vector<int> columns(size_t(Rows) * Longest, -1);
  std::vector<float> values(columns.size());
  for (int row = 0; row < Rows; ++row)
    for (int e = matrix().starts[row], i = 0; e < matrix().starts[row + 1]; ++e, ++i) {
      columns[i * Rows + row] = matrix().columns[e];
      values[i * Rows + row] = matrix().values[e];
    }
  return items(elements(), floatError(2 * Longest))
      .input(columns)
      .input(values)
      .input(randomFloats(Rows, -1, 1, 2))
      .output<float>(Rows);
}

/// Block columns (PerRow in each block row), values of blocks row by row, x, result.
inline Problem bsr() {
  return items(double(BlockRows) * PerRow * Side * Side, floatError(2 * PerRow * Side))
      .input(randomInts(BlockRows * PerRow, BlockRows, 1))
      .input(randomFloats(BlockRows * PerRow * Side * Side, -1, 1, 2))
      .input(randomFloats(BlockRows * Side, -1, 1, 3))
      .output<float>(BlockRows * Side);
}

/// Offsets of diagonals, their values (Rows each), x, result.
inline Problem dia() {
  return items(double(Rows) * Diagonals, floatError(2 * Diagonals))
      .input(std::vector<int>{-1200, -118, -10, -1, 0, 1, 10, 118, 1200})
      .input(randomFloats(Rows * Diagonals, -1, 1, 2))
      .input(randomFloats(Rows, -1, 1, 3))
      .output<float>(Rows);
}

/// Starts, columns, values, X (Rows x Vectors), result.
inline Problem spmm() {
  return items(double(elements()) * Vectors, floatError(2 * Longest))
      .input(matrix().starts)
      .input(matrix().columns)
      .input(matrix().values)
      .input(randomFloats(Rows * Vectors, -1, 1, 2))
      .output<float>(Rows * Vectors);
}

/// Starts, columns, values in double, b, x of even and odd steps; the first is the result.
inline Problem jacobi() {
  std::vector<double> values(matrix().values.begin(), matrix().values.end());
  return items(double(elements()) * SolverSteps, doubleError(4 * Longest * SolverSteps))
      .input(matrix().starts)
      .input(matrix().columns)
      .input(values)
      .input(randomDoubles(Rows, -1, 1, 2))
      .output<double>(Rows)
      .scratch<double>(Rows);
}
} // namespace sparse
