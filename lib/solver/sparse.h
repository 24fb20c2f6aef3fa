// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handle of cuSOLVER's sparse part, and matrices as its functions take them.
#pragma once

#include "solver/handle.h"
#include "solver/sparse_direct.h"

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
