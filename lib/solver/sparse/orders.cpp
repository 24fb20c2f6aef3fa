// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of rows and columns (cuSOLVER, "cusolverSpXcsrsymmdq()" and what follows): minimum degree
// and nested dissection by CHOLMOD, and rows that put elements on the diagonal. All on the host.
#include "solver/sparse/matrices.h"

namespace heddle::solver {

namespace {

cusolverStatus_t orderSymmetric(cusolverSpHandle_t handle, sparse::Order order, int n, int nnz,
                                const cusparseMatDescr_t descr, const int *rowOffsets,
                                const int *columns, int *p) {
  HEDDLE_CHECK(handle, n >= 0 && nnz >= 0 && rowOffsets && p, descr);
  Graph graph(n, cusparseGetMatIndexBase(descr), rowOffsets, columns);
  std::vector<int> offsets{0}, indices, result;
  for (int j = 0; j < n; ++j) {
    for (int i : graph.neighbours[j])
      if (i < j)
        indices.push_back(i);
    indices.push_back(j);
    offsets.push_back(static_cast<int>(indices.size()));
  }
  if (n > 0 && !sparse::orderRows(order, n, offsets, indices, result))
    return CUSOLVER_STATUS_INTERNAL_ERROR;
  std::copy(result.begin(), result.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

/// Rows for columns, so that as many as possible have an element where they meet: each column takes
/// a free row, or one of another column that finds a free one in turn.
class Matching {
public:
  Matching(int n, std::vector<std::vector<int>> rowsOf)
      : n(n), rowsOf(std::move(rowsOf)), rowOf(n, -1), columnOf(n, -1), from(n) {}

  int run() {
    int found = 0;
    for (int column = 0; column < n; ++column)
      found += extend(column);
    return found;
  }

  /// The row of each column; columns without an element get what is left.
  std::vector<int> rows() const {
    std::vector<int> result = rowOf;
    int next = 0;
    for (int &row : result)
      if (row < 0) {
        while (columnOf[next] >= 0)
          ++next;
        row = next++;
      }
    return result;
  }

private:
  bool extend(int start) {
    std::vector<int> queue{start};
    std::vector<bool> seen(n);
    for (size_t next = 0; next < queue.size(); ++next)
      for (int row : rowsOf[queue[next]]) {
        if (seen[row])
          continue;
        seen[row] = true, from[row] = queue[next];
        if (columnOf[row] < 0)
          return take(row, start), true;
        queue.push_back(columnOf[row]);
      }
    return false;
  }

  /// Gives the row to the column that it was found from, whose row goes on to the one before, up to
  /// the first.
  void take(int row, int start) {
    for (int column = -1; column != start;) {
      column = from[row];
      int before = rowOf[column];
      rowOf[column] = row, columnOf[row] = column;
      row = before;
    }
  }

  int n;
  std::vector<std::vector<int>> rowsOf;
  std::vector<int> rowOf, columnOf, from;
};

template <typename T>
cusolverStatus_t zeroFreeDiagonal(cusolverSpHandle_t handle, int n, int nnz,
                                  const cusparseMatDescr_t descr, const T *values,
                                  const int *offsets, const int *indices, int *p, int *count) {
  HEDDLE_CHECK(handle, n >= 0 && nnz >= 0 && values && offsets && indices && p && count, descr);
  int base = cusparseGetMatIndexBase(descr);
  std::vector<std::vector<int>> rowsOf(n);
  for (int row = 0; row < n; ++row)
    for (int k = offsets[row] - base; k < offsets[row + 1] - base; ++k)
      if (values[k] != T(0)) {
        auto &rows = rowsOf[indices[k] - base];
        // A row that is on the diagonal already is tried first.
        rows.insert(indices[k] - base == row ? rows.begin() : rows.end(), row);
      }
  Matching matching(n, std::move(rowsOf));
  *count = matching.run();
  std::vector<int> rows = matching.rows();
  std::copy(rows.begin(), rows.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

/// By approximate degrees, as symamd: CHOLMOD has no exact ones.
HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnz,
                                                        const cusparseMatDescr_t descr,
                                                        const int *offsets, const int *indices,
                                                        int *p) {
  return orderSymmetric(handle, sparse::Order::MinimumDegree, n, nnz, descr, offsets, indices, p);
}
HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnz,
                                                        const cusparseMatDescr_t descr,
                                                        const int *offsets, const int *indices,
                                                        int *p) {
  return orderSymmetric(handle, sparse::Order::MinimumDegree, n, nnz, descr, offsets, indices, p);
}
/// METIS's options are its defaults, whatever `options` says.
HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnz,
                                                         const cusparseMatDescr_t descr,
                                                         const int *offsets, const int *indices,
                                                         const int64_t *, int *p) {
  return orderSymmetric(handle, sparse::Order::NestedDissection, n, nnz, descr, offsets, indices,
                        p);
}

#define HEDDLE_ZFD(p, T)                                                                           \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrzfdHost(                                        \
      cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, int *P, int *numnz) {                                \
    return zeroFreeDiagonal(handle, n, nnz, descr, native(values), offsets, indices, P, numnz);    \
  }
HEDDLE_ZFD(S, float)
HEDDLE_ZFD(D, double)
HEDDLE_ZFD(C, cuComplex)
HEDDLE_ZFD(Z, cuDoubleComplex)
