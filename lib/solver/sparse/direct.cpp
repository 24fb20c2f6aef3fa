// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole systems: factors (factors.h) that serve once, and SPQR's least squares.
#include "solver/sparse/direct.h"

#include "solver/sparse/factors.h"
#include "solver/sparse/suitesparse.h"

namespace heddle::solver::sparse {

namespace {

HEDDLE_USE(cholmod, cholmod_start)
HEDDLE_USE(cholmod, cholmod_finish)
HEDDLE_USE(cholmod, cholmod_amd)
HEDDLE_USE(cholmod, cholmod_metis)
HEDDLE_USE(cholmod, cholmod_l_free)
HEDDLE_USE(cholmod, cholmod_l_start)
HEDDLE_USE(cholmod, cholmod_l_finish)
HEDDLE_USE(cholmod, cholmod_l_free_dense)
HEDDLE_USE(spqr, SuiteSparseQR_C)
HEDDLE_USE(spqr, SuiteSparseQR_C_backslash)

template <typename T>
Outcome solveLu(const Rows<T> &a, const std::vector<T> &b, double tolerance, std::vector<T> &x) {
  if (!LuFactors<T>::isAvailable())
    return {false};
  LuFactors<T> factors;
  factors.factor(a, 1, true);
  Outcome outcome{true, factors.singularity(tolerance)};
  if (outcome.singularity < 0)
    factors.solve(b, x);
  return outcome;
}

template <typename T>
Outcome solveCholesky(const Rows<T> &a, const std::vector<T> &b, std::vector<T> &x) {
  if (!CholeskyFactors<T>::isAvailable())
    return {false};
  CholeskyFactors<T> factors;
  factors.factor(a);
  Outcome outcome{true, factors.singularity(0)};
  if (outcome.singularity < 0)
    factors.solve(b, x);
  return outcome;
}

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

/// SPQR drops columns that are zero to the tolerance; the singularity is the number of those that
/// remain.
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
  Columns<T, SuiteSparse_long> columns(a);
  cholmod_common common;
  cholmod_l_startOf(&common);
  common.print = 0;
  cholmod_sparse matrix =
      sparseOf(a.n, a.columns, columns.offsets, columns.indices, columns.values, 0);
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
  cholmod_sparse matrix = sparseOf(n, n, offsets, indices, values, 1);
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
