// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Q and R by SPQR. Q stays as Householder's vectors v, one to a column of H: Q = (I - t1 v1 v1^H)
// (I - t2 v2 v2^H) ... on rows that are permuted.
#include "solver/sparse/factors.h"
#include "solver/sparse/suitesparse.h"

#include <cmath>
#include <limits>

namespace heddle::solver::sparse {

namespace {

HEDDLE_USE(spqr, SuiteSparseQR_C)
HEDDLE_USE(cholmod, cholmod_l_start)
HEDDLE_USE(cholmod, cholmod_l_finish)
HEDDLE_USE(cholmod, cholmod_l_free)
HEDDLE_USE(cholmod, cholmod_l_free_dense)
HEDDLE_USE(cholmod, cholmod_l_free_sparse)

/// Calls f(row, value) for the elements of a column.
template <typename T, typename F> void forColumn(const cholmod_sparse &a, int column, F f) {
  const auto *offsets = static_cast<const SuiteSparse_long *>(a.p);
  const auto *indices = static_cast<const SuiteSparse_long *>(a.i);
  const T *values = static_cast<const T *>(a.x);
  for (SuiteSparse_long k = offsets[column]; k < offsets[column + 1]; ++k)
    f(static_cast<int>(indices[k]), values[k]);
}

} // namespace

template <typename T> struct QrFactors<T>::State {
  ~State() {
    if (!started)
      return;
    clear();
    cholmod_l_finishOf(&common);
  }
  void clear() {
    cholmod_l_free_sparseOf(&r, &common);
    cholmod_l_free_sparseOf(&h, &common);
    cholmod_l_free_denseOf(&taus, &common);
    if (columns)
      cholmod_l_freeOf(n, sizeof *columns, columns, &common);
    if (rows)
      cholmod_l_freeOf(m, sizeof *rows, rows, &common);
    columns = rows = nullptr;
  }

  bool started = false;
  int m = 0, n = 0;
  cholmod_common common;
  cholmod_sparse *r = nullptr, *h = nullptr;
  cholmod_dense *taus = nullptr;
  SuiteSparse_long *columns = nullptr; ///< column i of R is column columns[i] of A; null: no change
  SuiteSparse_long *rows = nullptr;    ///< row i of A is row rows[i] of Q
  std::vector<T> diagonal;             ///< of R
};

template <typename T> QrFactors<T>::QrFactors() : state(std::make_unique<State>()) {}
template <typename T> QrFactors<T>::~QrFactors() = default;
template <typename T> bool QrFactors<T>::isAvailable() {
  return SuiteSparseQR_COf && cholmod_l_startOf;
}
template <typename T> bool QrFactors<T>::isMade() const { return state->r; }

template <typename T> void QrFactors<T>::factor(const Rows<T> &a) {
  State &s = *state;
  if (!s.started)
    cholmod_l_startOf(&s.common), s.started = true;
  s.common.print = 0;
  s.clear();
  s.m = a.n, s.n = a.columns;
  Columns<T, SuiteSparse_long> columns(a);
  cholmod_sparse matrix =
      sparseOf(a.n, a.columns, columns.offsets, columns.indices, columns.values, 0);
  SuiteSparseQR_COf(SPQR_ORDERING_DEFAULT, SPQR_NO_TOL, a.columns, 0, &matrix, nullptr, nullptr,
                    nullptr, nullptr, &s.r, &s.columns, &s.h, &s.rows, &s.taus, &s.common);
  s.diagonal.assign(s.n, T(0));
  for (int i = 0; s.r && i < s.n; ++i)
    forColumn<T>(*s.r, i, [&](int row, T value) {
      if (row == i)
        s.diagonal[i] = value;
    });
}

template <typename T> int QrFactors<T>::singularity(double tolerance) const {
  for (int i = 0; i < state->n; ++i)
    if (!(std::abs(state->diagonal[i]) > tolerance))
      return i;
  return -1;
}

template <typename T> void QrFactors<T>::solve(const std::vector<T> &b, std::vector<T> &x) const {
  const State &s = *state;
  x.assign(s.n, T(std::numeric_limits<double>::quiet_NaN()));
  if (!s.r || singularity(0) >= 0)
    return;
  std::vector<T> y(s.m);
  for (int i = 0; i < s.m; ++i)
    y[s.rows ? s.rows[i] : i] = b[i];
  for (size_t i = 0; i < s.h->ncol; ++i) {
    T sum = 0;
    int column = static_cast<int>(i);
    forColumn<T>(*s.h, column, [&](int row, T value) { sum += conjugate(value) * y[row]; });
    sum *= conjugate(static_cast<const T *>(s.taus->x)[i]);
    forColumn<T>(*s.h, column, [&](int row, T value) { y[row] -= sum * value; });
  }
  for (int i = s.n - 1; i >= 0; --i) {
    y[i] /= s.diagonal[i];
    forColumn<T>(*s.r, i, [&](int row, T value) {
      if (row != i)
        y[row] -= value * y[i];
    });
    x[s.columns ? s.columns[i] : i] = y[i];
  }
}

template class QrFactors<double>;
template class QrFactors<std::complex<double>>;

} // namespace heddle::solver::sparse
