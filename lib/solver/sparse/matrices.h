// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle of cuSOLVER's sparse part, and matrices as its functions take them.
#pragma once

#include "solver/handle.h"
#include "solver/sparse/direct.h"

#include <cusolverSp.h>

#include <algorithm>
#include <vector>

struct cusolverSpContext {
  cudaStream_t stream = nullptr;
};

namespace heddle::solver {

template <typename T> using Widened = std::conditional_t<IsComplex<T>, ComplexDouble, double>;

inline cusolverStatus_t check(cusolverSpHandle_t handle, bool valid,
                              const cusparseMatDescr_t descr) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(valid && descr, INVALID_VALUE);
  HEDDLE_REQUIRE(cusparseGetMatType(descr) == CUSPARSE_MATRIX_TYPE_GENERAL,
                 MATRIX_TYPE_NOT_SUPPORTED);
  return CUSOLVER_STATUS_SUCCESS;
}
#define HEDDLE_CHECK(...)                                                                          \
  if (cusolverStatus_t status = check(__VA_ARGS__); status != CUSOLVER_STATUS_SUCCESS)             \
  return status

template <typename T>
sparse::Rows<Widened<T>> widen(int n, int base, const T *values, const int *offsets,
                               const int *indices) {
  sparse::Rows<Widened<T>> rows;
  rows.n = rows.columns = n;
  int count = offsets[n] - offsets[0];
  for (int i = 0; i <= n; ++i)
    rows.offsets.push_back(offsets[i] - base);
  for (int k = 0; k < count; ++k)
    rows.indices.push_back(indices[k] - base), rows.values.push_back(Widened<T>(values[k]));
  return rows;
}

/// A matrix of m rows and n columns.
template <typename T>
sparse::Rows<Widened<T>> widenTall(int m, int n, int base, const T *values, const int *offsets,
                                   const int *indices) {
  sparse::Rows<Widened<T>> rows = widen(m, base, values, offsets, indices);
  rows.columns = n;
  return rows;
}

/// A with a number taken from the diagonal, whose elements may be missing.
template <typename T> sparse::Rows<T> shifted(const sparse::Rows<T> &a, T number) {
  sparse::Rows<T> result;
  result.n = a.n, result.columns = a.columns;
  result.offsets.push_back(0);
  for (int i = 0; i < a.n; ++i) {
    std::vector<std::pair<int, T>> line;
    if (i < a.columns)
      line.emplace_back(i, -number);
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (a.indices[k] == i)
        line[0].second += a.values[k];
      else
        line.emplace_back(a.indices[k], a.values[k]);
    std::sort(line.begin(), line.end(), [](auto &l, auto &r) { return l.first < r.first; });
    for (auto &[column, value] : line)
      result.indices.push_back(column), result.values.push_back(value);
    result.offsets.push_back(static_cast<int>(result.indices.size()));
  }
  return result;
}

/// The pattern of A + A^T without the diagonal, from 0 on.
struct Graph {
  std::vector<std::vector<int>> neighbours;

  Graph(int n, int base, const int *offsets, const int *indices) : neighbours(n) {
    for (int row = 0; row < n; ++row)
      for (int k = offsets[row] - base; k < offsets[row + 1] - base; ++k)
        if (int column = indices[k] - base; column != row) {
          neighbours[row].push_back(column);
          neighbours[column].push_back(row);
        }
    for (std::vector<int> &list : neighbours) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }
};

} // namespace heddle::solver
