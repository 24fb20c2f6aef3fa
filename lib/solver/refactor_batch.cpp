// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several matrices of one pattern at once, and factors given to the caller (cuSOLVER, "cuSolverRF:
// Refactorization Reference").
#include "solver/refactor.h"

#include <cstdlib>
#include <cstring>

namespace heddle::solver {

namespace {

using Batch = std::vector<std::shared_ptr<Factors>>;

/// Puts f(factors, number) for each matrix of the batch into the stream.
template <typename F> cusolverStatus_t forBatch(cusolverRfHandle_t handle, F f) {
  return inStream(handle, [batch = handle->batch, f] {
    library::parallelFor(static_cast<int64_t>(batch.size()), 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        f(*batch[i], i);
    });
  });
}

/// A copy for the caller to free.
template <typename T> T *copyOf(const std::vector<T> &values) {
  auto *copy = static_cast<T *>(std::malloc(std::max<size_t>(1, values.size() * sizeof(T))));
  if (copy)
    std::memcpy(copy, values.data(), values.size() * sizeof(T));
  return copy;
}

/// A factor by rows.
struct Factor {
  std::vector<int> offsets{0}, indices;
  std::vector<double> values;

  void add(int column, double value) { indices.push_back(column), values.push_back(value); }
  void endRow() { offsets.push_back(static_cast<int>(indices.size())); }
  bool give(int *count, int **toOffsets, int **toIndices, double **toValues) const {
    *count = static_cast<int>(indices.size());
    *toOffsets = copyOf(offsets), *toIndices = copyOf(indices), *toValues = copyOf(values);
    return *toOffsets && *toIndices && *toValues;
  }
};

/// M's lower and upper factor. The ones of the one that has them are stored or not.
void split(const Factors &f, bool withOnes, Factor &lower, Factor &upper) {
  for (int row = 0; row < f.n; ++row) {
    int k = f.offsets[row];
    for (; k < f.diagonal[row]; ++k)
      lower.add(f.indices[k], f.values[k]);
    (f.unitUpper ? lower : upper).add(row, f.values[k]);
    if (withOnes)
      (f.unitUpper ? upper : lower).add(row, 1);
    for (++k; k < f.offsets[row + 1]; ++k)
      upper.add(f.indices[k], f.values[k]);
    lower.endRow(), upper.endRow();
  }
}

cusolverStatus_t waitForFactors(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(handle->factors, INVALID_VALUE);
  return statusOf(cudaStreamSynchronize(handle->stream));
}

} // namespace
} // namespace heddle::solver

using namespace heddle::solver;

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchSetupHost(int batchSize, int n, int nnzA,
                                                        int *rowPtrA, int *colIndA, double *valA[],
                                                        int, int *rowPtrL, int *colIndL,
                                                        double *valL, int, int *rowPtrU,
                                                        int *colIndU, double *valU, int *P, int *Q,
                                                        cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(batchSize > 0 && n > 0 && nnzA >= 0 && rowPtrA && colIndA && valA && rowPtrL &&
                     rowPtrU && P && Q,
                 INVALID_VALUE);
  Factors pattern;
  HEDDLE_REQUIRE(setPattern(pattern, *handle, n, nnzA, {rowPtrA, colIndA, nullptr},
                            {rowPtrL, colIndL, valL}, {rowPtrU, colIndU, valU}, P, Q),
                 INVALID_VALUE);
  handle->batch.clear();
  for (int i = 0; i < batchSize; ++i) {
    handle->batch.push_back(std::make_shared<Factors>(pattern));
    takeValues(*handle->batch.back(), valA[i]);
  }
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchResetValues(int batchSize, int n, int nnzA, int *,
                                                          int *, double *valA[], int *, int *,
                                                          cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(!handle->batch.empty() && batchSize == static_cast<int>(handle->batch.size()) &&
                     n == handle->batch[0]->n && valA &&
                     nnzA == static_cast<int>(handle->batch[0]->places.size()),
                 INVALID_VALUE);
  return forBatch(handle, [valA](Factors &f, int64_t i) { takeValues(f, valA[i]); });
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchAnalyze(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(!handle->batch.empty(), INVALID_VALUE);
  return CUSOLVER_STATUS_SUCCESS; // the set-up has seen all of it
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchRefactor(cusolverRfHandle_t handle) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(!handle->batch.empty(), INVALID_VALUE);
  return forBatch(handle, [zero = handle->zero, boost = handle->boost](Factors &f, int64_t) {
    f.zero = zero, f.boost = boost;
    f.refactor();
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchSolve(cusolverRfHandle_t handle, int *P, int *Q,
                                                    int nrhs, double *, int, double *XF[],
                                                    int ldxf) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(!handle->batch.empty() && P && Q && nrhs >= 0 && XF && ldxf >= handle->batch[0]->n,
                 INVALID_VALUE);
  return forBatch(handle, [=](Factors &f, int64_t i) {
    for (int j = 0; j < nrhs; ++j)
      f.solve(XF[i] + j * int64_t(ldxf), P, Q);
  });
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfBatchZeroPivot(cusolverRfHandle_t handle, int *position) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(!handle->batch.empty() && position, INVALID_VALUE);
  cusolverStatus_t status = statusOf(cudaStreamSynchronize(handle->stream));
  for (const auto &factors : handle->batch)
    *position++ = factors->zeroPivot;
  return status;
}

/// Device memory is memory of the process, so the factors are where they are.
HEDDLE_EXPORT cusolverStatus_t cusolverRfAccessBundledFactorsDevice(cusolverRfHandle_t handle,
                                                                    int *nnzM, int **Mp, int **Mi,
                                                                    double **Mx) {
  if (cusolverStatus_t bad = waitForFactors(handle))
    return bad;
  HEDDLE_REQUIRE(nnzM && Mp && Mi && Mx, INVALID_VALUE);
  Factors &f = *handle->factors;
  *nnzM = static_cast<int>(f.indices.size());
  *Mp = f.offsets.data(), *Mi = f.indices.data(), *Mx = f.values.data();
  return CUSOLVER_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfExtractBundledFactorsHost(cusolverRfHandle_t handle,
                                                                   int *nnzM, int **Mp, int **Mi,
                                                                   double **Mx) {
  if (cusolverStatus_t bad = waitForFactors(handle))
    return bad;
  HEDDLE_REQUIRE(nnzM && Mp && Mi && Mx, INVALID_VALUE);
  const Factors &f = *handle->factors;
  *nnzM = static_cast<int>(f.indices.size());
  *Mp = copyOf(f.offsets), *Mi = copyOf(f.indices), *Mx = copyOf(f.values);
  return *Mp && *Mi && *Mx ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

HEDDLE_EXPORT cusolverStatus_t cusolverRfExtractSplitFactorsHost(cusolverRfHandle_t handle,
                                                                 int *nnzL, int **Lp, int **Li,
                                                                 double **Lx, int *nnzU, int **Up,
                                                                 int **Ui, double **Ux) {
  if (cusolverStatus_t bad = waitForFactors(handle))
    return bad;
  HEDDLE_REQUIRE(nnzL && Lp && Li && Lx && nnzU && Up && Ui && Ux, INVALID_VALUE);
  Factor l, u;
  bool withOnes = handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_L ||
                  handle->diagonal == CUSOLVERRF_UNIT_DIAGONAL_STORED_U;
  bool byColumns = handle->factors->transposed;
  split(*handle->factors, withOnes, byColumns ? u : l, byColumns ? l : u);
  return l.give(nnzL, Lp, Li, Lx) && u.give(nnzU, Up, Ui, Ux) ? CUSOLVER_STATUS_SUCCESS
                                                              : CUSOLVER_STATUS_ALLOC_FAILED;
}
