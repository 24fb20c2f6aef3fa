// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Factors of matrices of one pattern (cuSOLVER, "cuSolverRF: Refactorization Reference").
//
// The caller brings A, the pattern of its factors and the permutations, P A Q^T = L U. M = L + U
// holds both factors in one CSR matrix; a refactorisation spreads A over M and eliminates row by
// row inside M's pattern, which is complete by construction. What is given by columns is the
// transpose by rows: Q A^T P^T = U^T L^T, where U^T is the lower one. This is sequential work of
// the default stream; the matrices of a batch (refactor_batch.cpp) go beside each other.
#include "solver/refactor.h"

namespace heddle::solver {

void Factors::refactor() {
  std::vector<int> here(n, -1);
  boosted = false, zeroPivot = -1;
  for (int row = 0; row < n; ++row) {
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
      here[indices[k]] = k;
    for (int k = offsets[row]; k < diagonal[row]; ++k) {
      int column = indices[k];
      double factor = unitUpper ? values[k] : values[k] /= values[diagonal[column]];
      for (int i = diagonal[column] + 1; i < offsets[column + 1]; ++i)
        if (here[indices[i]] >= 0)
          values[here[indices[i]]] -= factor * values[i];
    }
    double &pivot = values[diagonal[row]];
    if (std::abs(pivot) < zero)
      pivot = boost, boosted = true;
    if (pivot == 0 && zeroPivot < 0)
      zeroPivot = row;
    for (int k = diagonal[row] + 1; unitUpper && k < offsets[row + 1]; ++k)
      values[k] /= pivot;
    for (int k = offsets[row]; k < offsets[row + 1]; ++k)
      here[indices[k]] = -1;
  }
}

/// y = U^-1 L^-1 y.
void Factors::solveRows(std::vector<double> &y) const {
  for (int i = 0; i < n; ++i) {
    for (int k = offsets[i]; k < diagonal[i]; ++k)
      y[i] -= values[k] * y[indices[k]];
    if (unitUpper)
      y[i] /= values[diagonal[i]];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = diagonal[i] + 1; k < offsets[i + 1]; ++k)
      y[i] -= values[k] * y[indices[k]];
    if (!unitUpper)
      y[i] /= values[diagonal[i]];
  }
}

/// y = L^-T U^-T y.
void Factors::solveColumns(std::vector<double> &y) const {
  for (int i = 0; i < n; ++i) {
    if (!unitUpper)
      y[i] /= values[diagonal[i]];
    for (int k = diagonal[i] + 1; k < offsets[i + 1]; ++k)
      y[indices[k]] -= values[k] * y[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    if (unitUpper)
      y[i] /= values[diagonal[i]];
    for (int k = offsets[i]; k < diagonal[i]; ++k)
      y[indices[k]] -= values[k] * y[i];
  }
}

void Factors::solve(double *b, const int *p, const int *q) const {
  std::vector<double> y(n);
  for (int i = 0; i < n; ++i)
    y[i] = b[p[i]];
  if (transposed)
    solveColumns(y);
  else
    solveRows(y);
  for (int i = 0; i < n; ++i)
    b[q[i]] = y[i];
}

/// M's pattern: L up to the diagonal, U from it on. False if both lack a pivot.
static bool joinFactors(Factors &f, int n, const Csr &l, const Csr &u) {
  f.n = n;
  f.offsets.assign(1, 0), f.indices.clear(), f.diagonal.assign(n, -1);
  for (int row = 0; row < n; ++row) {
    std::vector<int> columns;
    for (int k = l.offsets[row]; k < l.offsets[row + 1]; ++k)
      if (l.indices[k] <= row)
        columns.push_back(l.indices[k]);
    for (int k = u.offsets[row]; k < u.offsets[row + 1]; ++k)
      if (u.indices[k] >= row)
        columns.push_back(u.indices[k]);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    auto pivot = std::lower_bound(columns.begin(), columns.end(), row);
    if (pivot == columns.end() || *pivot != row)
      return false;
    f.diagonal[row] = f.offsets[row] + static_cast<int>(pivot - columns.begin());
    f.indices.insert(f.indices.end(), columns.begin(), columns.end());
    f.offsets.push_back(static_cast<int>(f.indices.size()));
  }
  f.values.assign(f.indices.size(), 0);
  return true;
}

/// Finds A's elements in M. False if one has no place there.
static bool placeMatrix(Factors &f, int nnz, const Csr &a, const int *p, const int *q) {
  std::vector<int> columnOf(f.n);
  for (int j = 0; j < f.n; ++j)
    columnOf[q[j]] = j;
  f.places.assign(nnz, -1);
  for (int i = 0; i < f.n; ++i)
    for (int k = a.offsets[p[i]]; k < a.offsets[p[i] + 1]; ++k) {
      auto end = f.indices.begin() + f.offsets[i + 1];
      auto found = std::lower_bound(f.indices.begin() + f.offsets[i], end, columnOf[a.indices[k]]);
      if (found == end || *found != columnOf[a.indices[k]])
        return false;
      f.places[k] = static_cast<int>(found - f.indices.begin());
    }
  return true;
}

bool setPattern(Factors &f, const cusolverRfCommon &handle, int n, int nnz, const Csr &a,
                const Csr &l, const Csr &u, const int *p, const int *q) {
  f.transposed = handle.format == CUSOLVERRF_MATRIX_FORMAT_CSC;
  bool unitU = handle.diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U ||
               handle.diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U;
  f.unitUpper = unitU != f.transposed;
  return f.transposed ? joinFactors(f, n, u, l) && placeMatrix(f, nnz, a, q, p)
                      : joinFactors(f, n, l, u) && placeMatrix(f, nnz, a, p, q);
}

void takeValues(Factors &f, const double *values) {
  std::fill(f.values.begin(), f.values.end(), 0);
  for (size_t k = 0; k < f.places.size(); ++k)
    f.values[f.places[k]] += values[k];
}

} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverRfCreate(cusolverRfHandle_t *handle) {
  HEDDLE_REQUIRE(handle, INVALID_VALUE);
  HEDDLE_REQUIRE(cudaFree(nullptr) == cudaSuccess, NOT_INITIALIZED);
  *handle = new cusolverRfCommon;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfDestroy(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfGetMatrixFormat(cusolverRfHandle_t handle,
                                                         cusolverRfMatrixFormat_t *format,
                                                         cusolverRfUnitDiagonal_t *diag) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(format && diag, INVALID_VALUE);
  *format = handle->format, *diag = handle->diagonal;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfSetMatrixFormat(cusolverRfHandle_t handle,
                                                         cusolverRfMatrixFormat_t format,
                                                         cusolverRfUnitDiagonal_t diag) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(format >= 0 && format <= CUSOLVERRF_MATRIX_FORMAT_CSC && diag >= 0 &&
                     diag <= CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_U,
                 INVALID_VALUE);
  handle->format = format, handle->diagonal = diag;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfSetNumericProperties(cusolverRfHandle_t handle,
                                                              double zero, double boost) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(zero >= 0, INVALID_VALUE);
  handle->zero = zero, handle->boost = boost;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfGetNumericProperties(cusolverRfHandle_t handle,
                                                              double *zero, double *boost) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(zero && boost, INVALID_VALUE);
  *zero = handle->zero, *boost = handle->boost;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t
cusolverRfGetNumericBoostReport(cusolverRfHandle_t handle, cusolverRfNumericBoostReport_t *report) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(report && handle->factors, INVALID_VALUE);
  cusolverStatus_t status = statusOf(cudaStreamSynchronize(handle->stream));
  *report =
      handle->factors->boosted ? CUSOLVERRF_NUMERIC_BOOST_USED : CUSOLVERRF_NUMERIC_BOOST_NOT_USED;
  return status;
}
// The algorithms all do the same here.
HEDDLE_EXPORT cusolverStatus_t cusolverRfSetAlgs(cusolverRfHandle_t handle,
                                                 cusolverRfFactorization_t factAlg,
                                                 cusolverRfTriangularSolve_t solveAlg) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(factAlg >= 0 && factAlg <= 2 && solveAlg >= 1 && solveAlg <= 3, INVALID_VALUE);
  handle->factorization = factAlg, handle->triangular = solveAlg;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfGetAlgs(cusolverRfHandle_t handle,
                                                 cusolverRfFactorization_t *factAlg,
                                                 cusolverRfTriangularSolve_t *solveAlg) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(factAlg && solveAlg, INVALID_VALUE);
  *factAlg = handle->factorization, *solveAlg = handle->triangular;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfGetResetValuesFastMode(
    cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t *fastMode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(fastMode, INVALID_VALUE);
  *fastMode = handle->fast;
  return CUSOLVER_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusolverStatus_t
cusolverRfSetResetValuesFastMode(cusolverRfHandle_t handle, cusolverRfResetValuesFastMode_t mode) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  handle->fast = mode;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Both forms of the set-up read arrays that this process can read; that of the device waits for
/// the stream first.
static cusolverStatus_t setUp(cusolverRfHandle_t handle, int n, int nnzA, const Csr &a,
                              const Csr &l, const Csr &u, const int *p, const int *q) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(n > 0 && nnzA >= 0 && a.offsets && a.indices && a.values && l.offsets &&
                     u.offsets && p && q,
                 INVALID_VALUE);
  cusolverStatus_t status = statusOf(cudaStreamSynchronize(handle->stream));
  if (status != CUSOLVER_STATUS_SUCCESS)
    return status;
  auto factors = std::make_shared<Factors>();
  HEDDLE_REQUIRE(setPattern(*factors, *handle, n, nnzA, a, l, u, p, q), INVALID_VALUE);
  takeValues(*factors, a.values);
  handle->factors = factors;
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfSetupHost(int n, int nnzA, int *rowPtrA, int *colIndA,
                                                   double *valA, int, int *rowPtrL, int *colIndL,
                                                   double *valL, int, int *rowPtrU, int *colIndU,
                                                   double *valU, int *P, int *Q,
                                                   cusolverRfHandle_t handle) {
  return setUp(handle, n, nnzA, {rowPtrA, colIndA, valA}, {rowPtrL, colIndL, valL},
               {rowPtrU, colIndU, valU}, P, Q);
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfSetupDevice(int n, int nnzA, int *rowPtrA, int *colIndA,
                                                     double *valA, int, int *rowPtrL, int *colIndL,
                                                     double *valL, int, int *rowPtrU, int *colIndU,
                                                     double *valU, int *P, int *Q,
                                                     cusolverRfHandle_t handle) {
  return setUp(handle, n, nnzA, {rowPtrA, colIndA, valA}, {rowPtrL, colIndL, valL},
               {rowPtrU, colIndU, valU}, P, Q);
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfResetValues(int n, int nnzA, int *csrRowPtrA,
                                                     int *csrColIndA, double *csrValA, int *P,
                                                     int *Q, cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(handle->factors && n == handle->factors->n && csrValA &&
                     nnzA == static_cast<int>(handle->factors->places.size()),
                 INVALID_VALUE);
  return inStream(handle, [factors = handle->factors, csrValA] { takeValues(*factors, csrValA); });
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfAnalyze(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(handle->factors, INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS; // the set-up has seen all of it
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfRefactor(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(handle->factors, INVALID_VALUE);
  handle->factors->zero = handle->zero, handle->factors->boost = handle->boost;
  return inStream(handle, [factors = handle->factors] { factors->refactor(); });
}
HEDDLE_EXPORT cusolverStatus_t cusolverRfSolve(cusolverRfHandle_t handle, int *P, int *Q, int nrhs,
                                               double *Temp, int ldt, double *XF, int ldxf) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(handle->factors && P && Q && nrhs >= 0 && XF && ldxf >= handle->factors->n,
                 INVALID_VALUE);
  return inStream(handle, [=, factors = handle->factors] {
    for (int j = 0; j < nrhs; ++j)
      factors->solve(XF + j * int64_t(ldxf), P, Q);
  });
}
