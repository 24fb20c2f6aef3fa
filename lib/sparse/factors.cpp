// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incomplete factors without fill-in, in place: LU and Cholesky of rows of elements and of blocks
// (cuSPARSE, "cusparse<t>csrilu02()", "cusparse<t>csric02()" and those of blocks).
//
// The elements that a factor may have are those of the matrix. A matrix of blocks has all elements
// of its blocks, so its factor by blocks is the factor by elements of the same pattern, and one
// loop over rows serves both (lines.h).
#include "sparse/formats.h"
#include "sparse/zero_pivot.h"

using namespace heddle::sparse;
using namespace heddle::library;

struct csrilu02Info : ZeroPivot {
  bool boost = false;
  double tolerance = 0;
  ComplexDouble replacement;
};
struct bsrilu02Info : csrilu02Info {};
struct csric02Info : csrilu02Info {};
struct bsric02Info : csrilu02Info {};

namespace {

/// Where the elements of the row at hand are, by columns.
class RowPlaces {
public:
  explicit RowPlaces(int64_t width) : places(width, -1) {}

  template <typename L> void take(const L &lines, int64_t row) {
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k)
      places[lines.index(k)] = k;
  }
  template <typename L> void drop(const L &lines, int64_t row) {
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k)
      places[lines.index(k)] = -1;
  }
  int64_t operator[](int64_t column) const { return places[column]; }

private:
  std::vector<int64_t> places;
};

struct Boost {
  bool enabled;
  double tolerance;
  ComplexDouble value;

  template <typename T> void apply(T &pivot) const {
    if (!enabled || std::abs(pivot) > tolerance)
      return;
    if constexpr (isComplex<T>)
      pivot = T(value);
    else
      pivot = T(value.real());
  }
};

/// Returns the first row without a pivot, or -1. U's diagonal is in the matrix, L's is one.
template <typename T, typename L> int64_t factorLu(const L &lines, T *values, const Boost &boost) {
  RowPlaces here(lines.width);
  std::vector<int64_t> diagonal(lines.count, -1);
  int64_t zero = -1;
  for (int64_t row = 0; row < lines.count; ++row) {
    here.take(lines, row);
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k) {
      int64_t column = lines.index(k);
      if (column >= row || diagonal[column] < 0)
        continue;
      T factor = values[lines.place(k)] /= values[lines.place(diagonal[column])];
      for (int64_t i = lines.begin(column); i < lines.end(column); ++i)
        if (int64_t j = lines.index(i); j > column && here[j] >= 0)
          values[lines.place(here[j])] -= factor * values[lines.place(i)];
    }
    diagonal[row] = here[row];
    if (here[row] >= 0)
      boost.apply(values[lines.place(here[row])]);
    if (zero < 0 && (here[row] < 0 || values[lines.place(here[row])] == T(0)))
      zero = row;
    here.drop(lines, row);
  }
  return zero;
}

/// The same for A = L L^H, whose lower triangle is replaced.
template <typename T, typename L> int64_t factorCholesky(const L &lines, T *values, const Boost &) {
  RowPlaces here(lines.width);
  std::vector<int64_t> diagonal(lines.count, -1);
  int64_t zero = -1;
  for (int64_t row = 0; row < lines.count; ++row) {
    here.take(lines, row);
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k) {
      int64_t column = lines.index(k);
      if (column > row)
        continue;
      T sum = values[lines.place(k)];
      for (int64_t i = lines.begin(column); i < lines.end(column); ++i)
        if (int64_t j = lines.index(i); j < column && here[j] >= 0)
          sum -= values[lines.place(here[j])] * conjugate(values[lines.place(i)]);
      if (column < row)
        values[lines.place(k)] =
            diagonal[column] < 0 ? sum : sum / conjugate(values[lines.place(diagonal[column])]);
      else
        values[lines.place(k)] = std::sqrt(sum);
    }
    diagonal[row] = here[row];
    if (zero < 0 && (here[row] < 0 || !(std::real(values[lines.place(here[row])]) > 0)))
      zero = row;
    here.drop(lines, row);
  }
  return zero;
}

template <typename L> int64_t findMissingDiagonal(const L &lines) {
  for (int64_t row = 0; row < lines.count; ++row) {
    bool there = false;
    for (int64_t k = lines.begin(row); k < lines.end(row) && !there; ++k)
      there = lines.index(k) == row;
    if (!there)
      return row;
  }
  return -1;
}

/// The position that the caller is told: of a block's row where there are blocks.
int positionOf(const cusparseSpMatDescr &matrix, int64_t row) {
  return row < 0 ? -1 : static_cast<int>(row / matrix.blockRows) + matrix.base;
}

cusparseStatus_t analyseFactor(cusparseHandle_t handle, int m, int nnz,
                               const cusparseMatDescr_t descrA, const cusparseSpMatDescr &matrix,
                               csrilu02Info *info) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_REQUIRE(m >= 0 && nnz >= 0 && info, INVALID_VALUE);
  return inStream(handle, [matrix, position = info->position] {
    withLines(matrix, [&](const auto &lines) {
      *position = positionOf(matrix, findMissingDiagonal(lines));
    });
  });
}

template <bool Cholesky, typename T>
cusparseStatus_t factor(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                        const cusparseSpMatDescr &matrix, T *values, csrilu02Info *info) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_REQUIRE(m >= 0 && nnz >= 0 && info, INVALID_VALUE);
  Boost boost{info->boost, info->tolerance, info->replacement};
  return inStream(handle, [=, position = info->position] {
    withLines(matrix, [&](const auto &lines) {
      int64_t row =
          Cholesky ? factorCholesky(lines, values, boost) : factorLu(lines, values, boost);
      *position = positionOf(matrix, row);
    });
  });
}

/// The tolerance and the pivot to set in its place are read where the handle's pointers are.
template <typename T>
cusparseStatus_t setBoost(cusparseHandle_t handle, csrilu02Info *info, int enable,
                          const double *tolerance, const T *value) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(info && (!enable || (tolerance && value)), INVALID_VALUE);
  info->boost = enable != 0;
  if (!enable)
    return CUSPARSE_STATUS_SUCCESS;
  if (pointersOnDevice(handle))
    if (cusparseStatus_t status = statusOf(cudaStreamSynchronize(handle->stream));
        status != CUSPARSE_STATUS_SUCCESS)
      return status;
  info->tolerance = *tolerance;
  info->replacement = ComplexDouble(*value);
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

#define HEDDLE_INFO(Name, name)                                                                    \
  HEDDLE_EXPORT cusparseStatus_t cusparseCreate##Name##Info(name##Info_t *info) {                  \
    HEDDLE_REQUIRE(info, INVALID_VALUE);                                                           \
    *info = new name##Info;                                                                        \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseDestroy##Name##Info(name##Info_t info) {                  \
    delete info;                                                                                   \
    return CUSPARSE_STATUS_SUCCESS;                                                                \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparseX##name##_zeroPivot(cusparseHandle_t handle,              \
                                                             name##Info_t info, int *position) {   \
    return tellZeroPivot(handle, info, position);                                                  \
  }
HEDDLE_INFO(Csrilu02, csrilu02)
HEDDLE_INFO(Bsrilu02, bsrilu02)
HEDDLE_INFO(Csric02, csric02)
HEDDLE_INFO(Bsric02, bsric02)

#define HEDDLE_CSR_FACTOR(p, T, name, cholesky)                                                    \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_bufferSize(                                   \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *, const int *,  \
      const int *, name##Info_t info, int *bufferSize) {                                           \
    return tellBuffer(handle, m >= 0 && nnz >= 0 && descrA && info, bufferSize);                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_bufferSizeExt(                                \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *, const int *,  \
      const int *, name##Info_t info, size_t *bufferSize) {                                        \
    return tellBuffer(handle, m >= 0 && nnz >= 0 && descrA && info, bufferSize);                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_analysis(                                     \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *,         \
      const int *csrRowPtrA, const int *csrColIndA, name##Info_t info, cusparseSolvePolicy_t,      \
      void *) {                                                                                    \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    return analyseFactor(handle, m, nnz, descrA,                                                   \
                         csrMatrix(m, m, csrRowPtrA, csrColIndA, descrA->base), info);             \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name(                                                \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T *csrValA,        \
      const int *csrRowPtrA, const int *csrColIndA, name##Info_t info, cusparseSolvePolicy_t,      \
      void *) {                                                                                    \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    return factor<cholesky>(handle, m, nnz, descrA,                                                \
                            csrMatrix(m, m, csrRowPtrA, csrColIndA, descrA->base),                 \
                            native(csrValA), info);                                                \
  }

#define HEDDLE_BSR_FACTOR(p, T, AnalysedT, name, cholesky)                                         \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_bufferSize(                                   \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, T *, const int *, const int *, int blockDim,                \
      name##Info_t info, int *bufferSize) {                                                        \
    return tellBuffer(handle,                                                                      \
                      isDirection(dirA) && mb >= 0 && nnzb >= 0 && descrA && blockDim > 0 && info, \
                      bufferSize);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_bufferSizeExt(                                \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, T *, const int *, const int *, int blockDim,                \
      name##Info_t info, size_t *bufferSize) {                                                     \
    return tellBuffer(handle,                                                                      \
                      isDirection(dirA) && mb >= 0 && nnzb >= 0 && descrA && blockDim > 0 && info, \
                      bufferSize);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name##_analysis(                                     \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, AnalysedT *, const int *bsrRowPtr, const int *bsrColInd,    \
      int blockDim, name##Info_t info, cusparseSolvePolicy_t, void *) {                            \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_REQUIRE(isDirection(dirA) && blockDim > 0, INVALID_VALUE);                              \
    return analyseFactor(                                                                          \
        handle, mb, nnzb, descrA,                                                                  \
        bsrMatrix(dirA, mb, mb, blockDim, blockDim, bsrRowPtr, bsrColInd, descrA->base), info);    \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##name(                                                \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,                         \
      const cusparseMatDescr_t descrA, T *bsrVal, const int *bsrRowPtr, const int *bsrColInd,      \
      int blockDim, name##Info_t info, cusparseSolvePolicy_t, void *) {                            \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_REQUIRE(isDirection(dirA) && blockDim > 0, INVALID_VALUE);                              \
    return factor<cholesky>(                                                                       \
        handle, mb, nnzb, descrA,                                                                  \
        bsrMatrix(dirA, mb, mb, blockDim, blockDim, bsrRowPtr, bsrColInd, descrA->base),           \
        native(bsrVal), info);                                                                     \
  }

#define HEDDLE_FACTORS(p, T)                                                                       \
  HEDDLE_CSR_FACTOR(p, T, csrilu02, false)                                                         \
  HEDDLE_CSR_FACTOR(p, T, csric02, true)                                                           \
  HEDDLE_BSR_FACTOR(p, T, T, bsrilu02, false)                                                      \
  HEDDLE_BSR_FACTOR(p, T, const T, bsric02, true)                                                  \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csrilu02_numericBoost(                               \
      cusparseHandle_t handle, csrilu02Info_t info, int enable, double *tol, T *boost) {           \
    return setBoost(handle, info, enable, tol, native(boost));                                     \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsrilu02_numericBoost(                               \
      cusparseHandle_t handle, bsrilu02Info_t info, int enable, double *tol, T *boost) {           \
    return setBoost(handle, info, enable, tol, native(boost));                                     \
  }
HEDDLE_FOUR_TYPES(HEDDLE_FACTORS)
