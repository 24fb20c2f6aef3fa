// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse least squares, alone and in batches of one pattern, and eigenvalues near a number
// (cuSOLVER, "cusolverSp<t>csrlsqvqr()", "cusolverSp<t>csrqrsvBatched()",
// "cusolverSp<t>csreigvsi()").
#include "solver/sparse/low_level.h"

#include <cmath>
#include <limits>

namespace heddle::solver {

namespace {

template <typename T> double normOf(const std::vector<T> &values) {
  double sum = 0;
  for (const T &value : values)
    sum += std::norm(value);
  return std::sqrt(sum);
}

template <typename T> std::vector<T> multiply(const sparse::Rows<T> &a, const std::vector<T> &x) {
  std::vector<T> y(a.n);
  for (int i = 0; i < a.n; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      y[i] += a.values[k] * x[a.indices[k]];
  return y;
}

template <typename T>
cusolverStatus_t leastSquares(cusolverSpHandle_t handle, int m, int n, int nnz,
                              const cusparseMatDescr_t descr, const T *values, const int *offsets,
                              const int *indices, const T *b, double tolerance, int *rank, T *x,
                              int *p, Real<T> *norm) {
  HEDDLE_CHECK(handle,
               n >= 0 && m >= n && nnz >= 0 && values && offsets && indices && b && rank && x &&
                   p && norm,
               descr);
  using W = Widened<T>;
  std::vector<W> right(b, b + m), solution;
  std::vector<int> order(n);
  sparse::Rows<W> a = widenTall(m, n, cusparseGetMatIndexBase(descr), values, offsets, indices);
  *rank = 0;
  if (n > 0 && !sparse::solveLeastSquares(a, right, tolerance, solution, *rank, &order).available)
    return CUSOLVER_STATUS_INTERNAL_ERROR;
  std::vector<W> rest = n > 0 ? multiply(a, solution) : std::vector<W>(m);
  for (int i = 0; i < m; ++i)
    rest[i] -= right[i];
  *norm = static_cast<Real<T>>(normOf(rest));
  std::copy(order.begin(), order.end(), p);
  for (int i = 0; i < n; ++i)
    x[i] = T(solution[i]);
  return CUSOLVER_STATUS_SUCCESS;
}

template <typename T>
cusolverStatus_t solveBatch(cusolverSpHandle_t handle, int m, int n, int nnz,
                            const cusparseMatDescr_t descr, const T *values, const int *offsets,
                            const int *indices, const T *b, T *x, int count, csrqrInfo_t info) {
  HEDDLE_CHECK(handle,
               n >= 0 && m >= n && nnz >= 0 && values && offsets && indices && b && x &&
                   count >= 0 && info,
               descr);
  const auto &steps = *info->steps;
  HEDDLE_REQUIRE(steps.m == m && steps.n == n && steps.nnz == nnz, INVALID_VALUE);
  return inStream(handle, [=, base = int(cusparseGetMatIndexBase(descr))] {
    for (int64_t i = 0; n > 0 && i < count; ++i) {
      using W = Widened<T>;
      std::vector<W> right(b + i * m, b + (i + 1) * m), solution;
      int rank = 0;
      // -2: SPQR's own tolerance
      sparse::solveLeastSquares(widenTall(m, n, base, values + i * nnz, offsets, indices), right,
                                -2, solution, rank);
      std::copy_n(solution.begin(), std::min<size_t>(n, solution.size()), x + i * n);
    }
  });
}

/// Inverse iteration: x = (A - mu0)^-1 x, until mu = x^H A x changes by less than the tolerance.
template <typename W>
bool iterate(const sparse::Rows<W> &a, W mu0, int limit, double tolerance, W &mu,
             std::vector<W> &x) {
  double largest = 1;
  for (const W &value : a.values)
    largest = std::max(largest, std::abs(value));
  auto normalize = [](std::vector<W> &vector) {
    double size = normOf(vector);
    for (W &value : vector)
      value /= size;
  };
  normalize(x);
  mu = mu0;
  W shift = mu0;
  for (int i = 0; i < limit; ++i) {
    std::vector<W> next;
    sparse::Outcome outcome = sparse::solve(sparse::Method::LU, shifted(a, shift), x, 0, next);
    if (!outcome.available)
      return false;
    if (outcome.singularity >= 0) { // it is an eigenvalue: one beside it finds its vector
      shift += W(largest * std::numeric_limits<double>::epsilon() * 16);
      continue;
    }
    normalize(next);
    x = next;
    std::vector<W> product = multiply(a, x);
    W before = mu;
    mu = 0;
    for (int k = 0; k < a.n; ++k)
      if constexpr (IsComplex<W>)
        mu += std::conj(x[k]) * product[k];
      else
        mu += x[k] * product[k];
    if (std::abs(mu - before) < tolerance)
      break;
  }
  return true;
}

template <typename T>
cusolverStatus_t eigenvalueNear(cusolverSpHandle_t handle, int m, int nnz,
                                const cusparseMatDescr_t descr, const T *values, const int *offsets,
                                const int *indices, T mu0, const T *x0, int limit, double tolerance,
                                T *mu, T *x) {
  HEDDLE_CHECK(handle,
               m >= 0 && nnz >= 0 && values && offsets && indices && x0 && limit >= 0 && mu && x,
               descr);
  bool available = true;
  cusolverStatus_t status =
      inStreamAndWait(handle, [=, base = int(cusparseGetMatIndexBase(descr)), out = &available] {
        using W = Widened<T>;
        std::vector<W> vector(x0, x0 + m);
        W found;
        *out = m == 0 || iterate(widen(m, base, values, offsets, indices), W(mu0), limit, tolerance,
                                 found, vector);
        if (!*out || m == 0)
          return;
        *mu = T(found);
        for (int i = 0; i < m; ++i)
          x[i] = T(vector[i]);
      });
  return available ? status : CUSOLVER_STATUS_INTERNAL_ERROR;
}

template <typename T> auto nativeValue(T value) { return *native(&value); }

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverSpXcsrqrAnalysisBatched(
    cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,
    const int *offsets, const int *indices, csrqrInfo_t info) {
  HEDDLE_CHECK(handle, n >= 0 && m >= n && nnz >= 0 && offsets && indices && info, descr);
  *info = {};
  info->steps->m = m, info->steps->n = n, info->steps->nnz = nnz;
  return CUSOLVER_STATUS_SUCCESS;
}

#define HEDDLE_VALUES(p, T, R)                                                                     \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrlsqvqrHost(                                     \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,            \
      const T *values, const int *offsets, const int *indices, const T *b, R tol, int *rank, T *x, \
      int *P, R *norm) {                                                                           \
    return leastSquares(handle, m, n, nnz, descr, native(values), offsets, indices, native(b),     \
                        tol, rank, native(x), P, norm);                                            \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csreigvsiHost(                                     \
      cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, T mu0, const T *x0, int maxite, R tol, T *mu,        \
      T *x) {                                                                                      \
    return eigenvalueNear(handle, m, nnz, descr, native(values), offsets, indices,                 \
                          nativeValue(mu0), native(x0), maxite, tol, native(mu), native(x));       \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csreigvsi(                                         \
      cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descr, const T *values,  \
      const int *offsets, const int *indices, T mu0, const T *x0, int maxite, R eps, T *mu,        \
      T *x) {                                                                                      \
    return eigenvalueNear(handle, m, nnz, descr, native(values), offsets, indices,                 \
                          nativeValue(mu0), native(x0), maxite, eps, native(mu), native(x));       \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrBufferInfoBatched(                            \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr, const T *, \
      const int *, const int *, int batchSize, csrqrInfo_t info, size_t *internalBytes,            \
      size_t *workspaceBytes) {                                                                    \
    HEDDLE_CHECK(handle,                                                                           \
                 n >= 0 && m >= n && nnz >= 0 && batchSize >= 0 && info && internalBytes &&        \
                     workspaceBytes,                                                               \
                 descr);                                                                           \
    *internalBytes = *workspaceBytes = 16;                                                         \
    return CUSOLVER_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusolverStatus_t cusolverSp##p##csrqrsvBatched(                                    \
      cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descr,            \
      const T *values, const int *offsets, const int *indices, const T *b, T *x, int batchSize,    \
      csrqrInfo_t info, void *) {                                                                  \
    return solveBatch(handle, m, n, nnz, descr, native(values), offsets, indices, native(b),       \
                      native(x), batchSize, info);                                                 \
  }
HEDDLE_VALUES(S, float, float)
HEDDLE_VALUES(D, double, double)
HEDDLE_VALUES(C, cuComplex, float)
HEDDLE_VALUES(Z, cuDoubleComplex, double)
