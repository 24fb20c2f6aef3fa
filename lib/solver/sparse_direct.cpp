// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SuiteSparse has matrices by columns. The arrays of A by rows are those of its transpose by columns: UMFPACK solves
// with the transpose of what it factored, CHOLMOD gets the conjugate of a Hermitian matrix, and the matrix for SPQR is
// turned.
#include "solver/sparse_direct.h"

#include "support/cpu_library.h"

#include <SuiteSparseQR_C.h>
#include <cholmod.h>
#include <umfpack.h>

#include <cmath>

namespace heddle::solver::sparse {

namespace {

library::CpuLibrary umfpack{"libumfpack.so.5", "libumfpack5"};
library::CpuLibrary cholmod{"libcholmod.so.3", "libcholmod3"};
library::CpuLibrary spqr{"libspqr.so.2", "libspqr2"};

#define HEDDLE_USE(from, name) heddle::library::CpuFunction<decltype(::name)> name##Of{from, #name};
HEDDLE_USE(umfpack, umfpack_di_symbolic)
HEDDLE_USE(umfpack, umfpack_zi_symbolic)
HEDDLE_USE(umfpack, umfpack_di_numeric)
HEDDLE_USE(umfpack, umfpack_zi_numeric)
HEDDLE_USE(umfpack, umfpack_di_solve)
HEDDLE_USE(umfpack, umfpack_zi_solve)
HEDDLE_USE(umfpack, umfpack_di_get_numeric)
HEDDLE_USE(umfpack, umfpack_zi_get_numeric)
HEDDLE_USE(umfpack, umfpack_di_free_symbolic)
HEDDLE_USE(umfpack, umfpack_zi_free_symbolic)
HEDDLE_USE(umfpack, umfpack_di_free_numeric)
HEDDLE_USE(umfpack, umfpack_zi_free_numeric)
HEDDLE_USE(cholmod, cholmod_start)
HEDDLE_USE(cholmod, cholmod_finish)
HEDDLE_USE(cholmod, cholmod_analyze)
HEDDLE_USE(cholmod, cholmod_factorize)
HEDDLE_USE(cholmod, cholmod_solve)
HEDDLE_USE(cholmod, cholmod_free_factor)
HEDDLE_USE(cholmod, cholmod_free_dense)
HEDDLE_USE(cholmod, cholmod_amd)
HEDDLE_USE(cholmod, cholmod_metis)
HEDDLE_USE(cholmod, cholmod_l_free)
HEDDLE_USE(cholmod, cholmod_l_start)
HEDDLE_USE(cholmod, cholmod_l_finish)
HEDDLE_USE(cholmod, cholmod_l_free_dense)
HEDDLE_USE(spqr, SuiteSparseQR_C)
HEDDLE_USE(spqr, SuiteSparseQR_C_backslash)
#undef HEDDLE_USE

template <typename T> constexpr bool IsComplex = !std::is_same_v<T, double>;
template <typename T> const double *numbers(const std::vector<T> &values) {
  return reinterpret_cast<const double *>(values.data());
}

/// The first element of U's diagonal that is not larger than the tolerance.
template <typename T> int findSingular(const std::vector<T> &diagonal, double tolerance) {
  for (size_t i = 0; i < diagonal.size(); ++i)
    if (!(std::abs(diagonal[i]) > tolerance))
      return static_cast<int>(i);
  return -1;
}

template <typename T>
Outcome solveLu(const Rows<T> &a, const std::vector<T> &b, double tolerance, std::vector<T> &x) {
  if (!umfpack_di_symbolicOf)
    return {false};
  void *symbolic = nullptr, *numeric = nullptr;
  const int *p = a.offsets.data(), *i = a.indices.data();
  const double *v = numbers(a.values);
  double *solution = reinterpret_cast<double *>(x.data());
  std::vector<T> diagonal(a.n);
  double *d = reinterpret_cast<double *>(diagonal.data());
  int scaled = 0;
  // Complex numbers are pairs where there is no array for the imaginary parts.
  if constexpr (IsComplex<T>) {
    umfpack_zi_symbolicOf(a.n, a.n, p, i, v, nullptr, &symbolic, nullptr, nullptr);
    umfpack_zi_numericOf(p, i, v, nullptr, symbolic, &numeric, nullptr, nullptr);
    umfpack_zi_free_symbolicOf(&symbolic);
    if (!numeric)
      return {true, 0};
    umfpack_zi_get_numericOf(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             nullptr, nullptr, d, nullptr, &scaled, nullptr, numeric);
  } else {
    umfpack_di_symbolicOf(a.n, a.n, p, i, v, &symbolic, nullptr, nullptr);
    umfpack_di_numericOf(p, i, v, symbolic, &numeric, nullptr, nullptr);
    umfpack_di_free_symbolicOf(&symbolic);
    if (!numeric)
      return {true, 0};
    umfpack_di_get_numericOf(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             d, &scaled, nullptr, numeric);
  }
  Outcome outcome{true, findSingular(diagonal, tolerance)};
  if constexpr (IsComplex<T>) {
    if (outcome.singularity < 0)
      umfpack_zi_solveOf(UMFPACK_Aat, p, i, v, nullptr, solution, nullptr, numbers(b), nullptr,
                         numeric, nullptr, nullptr);
    umfpack_zi_free_numericOf(&numeric);
  } else {
    if (outcome.singularity < 0)
      umfpack_di_solveOf(UMFPACK_Aat, p, i, v, solution, numbers(b), numeric, nullptr, nullptr);
    umfpack_di_free_numericOf(&numeric);
  }
  return outcome;
}

/// A right side as CHOLMOD has it; it only reads it.
template <typename T> cholmod_dense denseOf(const std::vector<T> &values) {
  cholmod_dense dense{};
  dense.nrow = dense.nzmax = dense.d = values.size(), dense.ncol = 1;
  dense.x = const_cast<T *>(values.data());
  dense.xtype = IsComplex<T> ? CHOLMOD_COMPLEX : CHOLMOD_REAL, dense.dtype = CHOLMOD_DOUBLE;
  return dense;
}

template <typename T, typename I>
cholmod_sparse sparseOf(int n, std::vector<I> &offsets, std::vector<I> &indices,
                        const std::vector<T> &values, int stype, int itype) {
  cholmod_sparse matrix{};
  matrix.nrow = matrix.ncol = static_cast<size_t>(n), matrix.nzmax = values.size();
  matrix.p = offsets.data(), matrix.i = indices.data();
  matrix.x = const_cast<T *>(values.data());
  matrix.stype = stype, matrix.itype = itype, matrix.dtype = CHOLMOD_DOUBLE;
  matrix.xtype = IsComplex<T> ? CHOLMOD_COMPLEX : CHOLMOD_REAL;
  matrix.packed = 1;
  return matrix;
}

template <typename T> T conjugate(T value) {
  if constexpr (IsComplex<T>)
    return std::conj(value);
  else
    return value;
}

/// By columns, the lower triangle by rows is the upper triangle of the conjugate: conj(A) conj(x) = conj(b).
template <typename T>
Outcome solveCholesky(const Rows<T> &a, const std::vector<T> &b, std::vector<T> &x) {
  if (!cholmod_startOf)
    return {false};
  cholmod_common common;
  cholmod_startOf(&common);
  common.print = 0;
  common.final_ll = 1; // factors with negative pivots are no Cholesky factors
  std::vector<int> offsets = a.offsets, indices = a.indices;
  cholmod_sparse matrix = sparseOf(a.n, offsets, indices, a.values, 1, CHOLMOD_INT);
  cholmod_factor *factor = cholmod_analyzeOf(&matrix, &common);
  cholmod_factorizeOf(&matrix, factor, &common);
  Outcome outcome;
  if (factor->minor < static_cast<size_t>(a.n))
    outcome.singularity = static_cast<int>(factor->minor);
  else {
    std::vector<T> right(b);
    for (T &value : right)
      value = conjugate(value);
    cholmod_dense dense = denseOf(right);
    cholmod_dense *solution = cholmod_solveOf(CHOLMOD_A, factor, &dense, &common);
    for (int i = 0; i < a.n; ++i)
      x[i] = conjugate(static_cast<T *>(solution->x)[i]);
    cholmod_free_denseOf(&solution, &common);
  }
  cholmod_free_factorOf(&factor, &common);
  cholmod_finishOf(&common);
  return outcome;
}

/// A matrix by columns, as SPQR takes it.
template <typename T> struct Columns {
  explicit Columns(const Rows<T> &a)
      : offsets(a.columns + 1), indices(a.indices.size()), values(a.values.size()) {
    for (int column : a.indices)
      ++offsets[column + 1];
    for (int i = 0; i < a.columns; ++i)
      offsets[i + 1] += offsets[i];
    std::vector<SuiteSparse_long> next(offsets.begin(), offsets.end() - 1);
    for (int row = 0; row < a.n; ++row)
      for (int k = a.offsets[row]; k < a.offsets[row + 1]; ++k) {
        SuiteSparse_long to = next[a.indices[k]]++;
        indices[to] = row, values[to] = a.values[k];
      }
  }
  std::vector<SuiteSparse_long> offsets, indices;
  std::vector<T> values;
};

/// The columns' order in the factors.
std::vector<int> columnOrder(cholmod_sparse &matrix, double tolerance, cholmod_common &common) {
  SuiteSparse_long *order = nullptr;
  SuiteSparseQR_COf(SPQR_ORDERING_DEFAULT, tolerance, 0, 0, &matrix, nullptr, nullptr, nullptr,
                    nullptr, nullptr, &order, nullptr, nullptr, nullptr, &common);
  std::vector<int> result(matrix.ncol);
  for (size_t i = 0; i < result.size(); ++i)
    result[i] = order ? static_cast<int>(order[i]) : static_cast<int>(i);
  if (order)
    cholmod_l_freeOf(matrix.ncol, sizeof *order, order, &common);
  return result;
}

/// SPQR drops columns that are zero to the tolerance; the singularity is the number of those that remain.
template <typename T>
Outcome solveQr(const Rows<T> &a, const std::vector<T> &b, double tolerance, std::vector<T> &x) {
  int rank = 0;
  Outcome outcome = solveLeastSquares(a, b, tolerance, x, rank);
  if (rank < a.n)
    outcome.singularity = rank;
  return outcome;
}

} // namespace

template <typename T>
Outcome solveLeastSquares(const Rows<T> &a, const std::vector<T> &b, double tolerance,
                          std::vector<T> &x, int &rank, std::vector<int> *order) {
  if (!SuiteSparseQR_C_backslashOf || !cholmod_l_startOf)
    return {false};
  Columns<T> columns(a);
  cholmod_common common;
  cholmod_l_startOf(&common);
  common.print = 0;
  cholmod_sparse matrix =
      sparseOf(a.n, columns.offsets, columns.indices, columns.values, 0, CHOLMOD_LONG);
  matrix.ncol = static_cast<size_t>(a.columns);
  cholmod_dense right = denseOf(b);
  cholmod_dense *solution =
      SuiteSparseQR_C_backslashOf(SPQR_ORDERING_DEFAULT, tolerance, &matrix, &right, &common);
  rank = static_cast<int>(common.SPQR_istat[4]);
  x.assign(a.columns, T(0));
  for (int i = 0; solution && i < a.columns; ++i)
    x[i] = static_cast<T *>(solution->x)[i];
  if (solution)
    cholmod_l_free_denseOf(&solution, &common);
  if (order)
    *order = columnOrder(matrix, tolerance, common);
  cholmod_l_finishOf(&common);
  return {};
}
template Outcome solveLeastSquares(const Rows<double> &, const std::vector<double> &, double,
                                   std::vector<double> &, int &, std::vector<int> *);
template Outcome solveLeastSquares(const Rows<std::complex<double>> &,
                                   const std::vector<std::complex<double>> &, double,
                                   std::vector<std::complex<double>> &, int &, std::vector<int> *);

bool orderRows(Order order, int n, std::vector<int> &offsets, std::vector<int> &indices,
               std::vector<int> &result) {
  if (!cholmod_startOf)
    return false;
  cholmod_common common;
  cholmod_startOf(&common);
  common.print = 0;
  std::vector<double> values(indices.size());
  cholmod_sparse matrix = sparseOf(n, offsets, indices, values, 1, CHOLMOD_INT);
  matrix.xtype = CHOLMOD_PATTERN, matrix.x = nullptr;
  result.resize(n);
  int done = order == Order::MinimumDegree
                 ? cholmod_amdOf(&matrix, nullptr, 0, result.data(), &common)
                 : cholmod_metisOf(&matrix, nullptr, 0, 1, result.data(), &common);
  cholmod_finishOf(&common);
  return done;
}

template <typename T>
Outcome solve(Method method, const Rows<T> &a, const std::vector<T> &b, double tolerance,
              std::vector<T> &x) {
  x.assign(a.n, T(0));
  if (a.n == 0)
    return {};
  switch (method) {
  case Method::LU:
    return solveLu(a, b, tolerance, x);
  case Method::QR:
    return solveQr(a, b, tolerance, x);
  case Method::Cholesky:
    return solveCholesky(a, b, x);
  }
  return {};
}
template Outcome solve(Method, const Rows<double> &, const std::vector<double> &, double,
                       std::vector<double> &);
template Outcome solve(Method, const Rows<std::complex<double>> &,
                       const std::vector<std::complex<double>> &, double,
                       std::vector<std::complex<double>> &);

} // namespace heddle::solver::sparse
