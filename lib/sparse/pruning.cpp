// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements that are counted and elements that are kept (cuSPARSE, "cuSPARSE Format Conversion
// Reference": nnz, nnz_compress, csr2csr_compress, pruneDense2csr, pruneCsr2csr and both by
// percentage).
//
// What is kept is larger in magnitude than a threshold. A percentage is a threshold too: of the
// magnitudes in ascending order the one at ceil(count * percentage / 100) - 1. The function that
// counts finds it, and the pruneInfo_t carries it to the function that writes.
#include "sparse/formats.h"

#include <cmath>
#include <memory>

using namespace heddle::sparse;
using namespace heddle::library;

struct pruneInfo {
  std::shared_ptr<double> threshold = std::make_shared<double>(0);
};

namespace {

template <typename T> double magnitude(const T &value) {
  if constexpr (std::is_same_v<T, __half>)
    return std::fabs(static_cast<float>(value));
  else
    return std::abs(value);
}

template <typename T> struct DenseSource {
  using Element = T;
  int64_t rows, cols, ld;
  const T *values;

  int64_t elements() const { return rows * cols; }
  template <typename F> void eachInRow(int64_t row, F &&f) const {
    for (int64_t column = 0; column < cols; ++column)
      f(column, values[row + column * ld]);
  }
};

template <typename T> struct CsrSource {
  using Element = T;
  int64_t rows;
  const T *values;
  const int *offsets, *indices; ///< indices may be null where only counts are wanted
  int64_t base;

  int64_t elements() const { return offsets[rows] - base; }
  template <typename F> void eachInRow(int64_t row, F &&f) const {
    for (int64_t k = offsets[row] - base; k < offsets[row + 1] - base; ++k)
      f(indices ? indices[k] - base : 0, values[k]);
  }
};

template <typename S> int countKept(const S &source, int64_t row, double threshold) {
  int count = 0;
  source.eachInRow(row, [&](int64_t, const auto &value) { count += magnitude(value) > threshold; });
  return count;
}

/// Writes how many elements of each row are kept; returns all of them.
template <typename S> int countRows(const S &source, double threshold, int *counts) {
  parallelFor(source.rows, 256, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      counts[row] = countKept(source, row, threshold);
  });
  int total = 0;
  for (int64_t row = 0; row < source.rows; ++row)
    total += counts[row];
  return total;
}

/// offsets[row + 1] is the number of elements of a row, and becomes where the next one begins.
void makeOffsets(int *offsets, int64_t rows, int base) {
  offsets[0] = base;
  for (int64_t row = 0; row < rows; ++row)
    offsets[row + 1] += offsets[row];
}

/// The kept elements, where `offsets` says that their rows begin.
template <typename S>
void writeKept(const S &source, double threshold, typename S::Element *values, const int *offsets,
               int *indices, int base) {
  parallelFor(source.rows, 256, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t k = offsets[row] - base;
      source.eachInRow(row, [&](int64_t column, const auto &value) {
        if (!(magnitude(value) > threshold))
          return;
        indices[k] = static_cast<int>(column) + base;
        values[k++] = value;
      });
    }
  });
}

template <typename S> double thresholdOf(const S &source, float percentage) {
  int64_t count = source.elements();
  if (count == 0)
    return 0;
  std::vector<double> magnitudes;
  magnitudes.reserve(count);
  for (int64_t row = 0; row < source.rows; ++row)
    source.eachInRow(row,
                     [&](int64_t, const auto &value) { magnitudes.push_back(magnitude(value)); });
  auto wanted = static_cast<int64_t>(std::ceil(double(count) * (double(percentage) / 100))) - 1;
  auto at = magnitudes.begin() + std::clamp<int64_t>(wanted, 0, count - 1);
  std::nth_element(magnitudes.begin(), at, magnitudes.end());
  return *at;
}

/// A threshold that the caller gives: in the element's type, where the handle's pointers are.
template <typename T> auto given(cusparseHandle_t handle, const T *threshold) {
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
  return [value = scalar(handle, threshold, TypeOf<T>)](const auto &) {
    return static_cast<double>(value.template get<Compute>());
  };
}

/// One of a percentage, which is kept in the info.
auto found(float percentage, const pruneInfo *info) {
  return [percentage, kept = info->threshold](const auto &source) {
    return *kept = thresholdOf(source, percentage);
  };
}
auto kept(const pruneInfo *info) {
  return [threshold = info->threshold](const auto &) { return *threshold; };
}

template <typename S, typename F>
cusparseStatus_t tellKept(cusparseHandle_t handle, const S &source, F threshold,
                          const cusparseMatDescr *descrC, int *offsets, int *total) {
  HEDDLE_REQUIRE(offsets, INVALID_VALUE);
  return inStreamForResult(handle, [=, base = descrC->base] {
    int count = countRows(source, threshold(source), offsets + 1);
    makeOffsets(offsets, source.rows, base);
    give(total, count);
  });
}

template <typename S, typename F>
cusparseStatus_t keep(cusparseHandle_t handle, const S &source, F threshold,
                      const cusparseMatDescr *descrC, typename S::Element *values,
                      const int *offsets, int *indices) {
  return inStream(handle, [=, base = descrC->base] {
    writeKept(source, threshold(source), values, offsets, indices, base);
  });
}

cusparseStatus_t checkDense(cusparseHandle_t handle, int m, int n, int lda,
                            const cusparseMatDescr *descr) {
  HEDDLE_CHECK_GENERAL(handle, descr);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && lda >= std::max(1, m), INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t checkCsr(cusparseHandle_t handle, int m, int n, int nnz,
                          const cusparseMatDescr *descrA, const cusparseMatDescr *descrC) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_CHECK_GENERAL(handle, descrC);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0, INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}

bool isPercentage(float percentage) { return percentage >= 0 && percentage <= 100; }

#define HEDDLE_CHECK_DENSE(...)                                                                    \
  if (cusparseStatus_t status = checkDense(__VA_ARGS__); status != CUSPARSE_STATUS_SUCCESS)        \
  return status
#define HEDDLE_CHECK_CSR(...)                                                                      \
  if (cusparseStatus_t status = checkCsr(__VA_ARGS__); status != CUSPARSE_STATUS_SUCCESS)          \
  return status

template <typename T>
cusparseStatus_t countDense(cusparseHandle_t handle, cusparseDirection_t direction,
                            const DenseSource<T> &a, int *counts, int *total) {
  HEDDLE_REQUIRE(isDirection(direction), INVALID_VALUE);
  return inStreamForResult(handle, [=] {
    int64_t lines = direction == CUSPARSE_DIRECTION_ROW ? a.rows : a.cols;
    std::fill_n(counts, lines, 0);
    int sum = 0;
    for (int64_t column = 0; column < a.cols; ++column)
      for (int64_t row = 0; row < a.rows; ++row) {
        int there = a.values[row + column * a.ld] != T(0);
        counts[direction == CUSPARSE_DIRECTION_ROW ? row : column] += there;
        sum += there;
      }
    give(total, sum);
  });
}

template <typename T>
cusparseStatus_t countCompressed(cusparseHandle_t handle, const CsrSource<T> &a, int *counts,
                                 int *total, T tolerance) {
  HEDDLE_REQUIRE(std::real(tolerance) >= 0 && counts, INVALID_VALUE);
  return inStreamForResult(handle, [=, threshold = double(std::real(tolerance))] {
    give(total, countRows(a, threshold, counts));
  });
}

template <typename T>
cusparseStatus_t compress(cusparseHandle_t handle, const CsrSource<T> &a, const int *counts,
                          T *values, int *indices, int *offsets, T tolerance) {
  HEDDLE_REQUIRE(std::real(tolerance) >= 0 && counts && offsets, INVALID_VALUE);
  return inStream(handle, [=, threshold = double(std::real(tolerance))] {
    std::copy_n(counts, a.rows, offsets + 1);
    makeOffsets(offsets, a.rows, static_cast<int>(a.base));
    writeKept(a, threshold, values, offsets, indices, static_cast<int>(a.base));
  });
}

template <typename T> DenseSource<T> dense(int m, int n, const T *values, int lda) {
  return {m, n, lda, values};
}
template <typename T>
CsrSource<T> csr(int m, const T *values, const int *offsets, const int *indices,
                 const cusparseMatDescr *descr) {
  return {m, values, offsets, indices, descr->base};
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseCreatePruneInfo(pruneInfo_t *info) {
  HEDDLE_REQUIRE(info, INVALID_VALUE);
  *info = new pruneInfo;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroyPruneInfo(pruneInfo_t info) {
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}

#define HEDDLE_COUNTED(p, T)                                                                       \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##nnz(                                                 \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *A, int lda, int *nnzPerRowCol,                     \
      int *nnzTotalDevHostPtr) {                                                                   \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrA);                                                 \
    return countDense(handle, dirA, dense(m, n, native(A), lda), nnzPerRowCol,                     \
                      nnzTotalDevHostPtr);                                                         \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##nnz_compress(                                        \
      cusparseHandle_t handle, int m, const cusparseMatDescr_t descr, const T *csrValA,            \
      const int *csrRowPtrA, int *nnzPerRow, int *nnzC, T tol) {                                   \
    HEDDLE_CHECK_CSR(handle, m, 0, 0, descr, descr);                                               \
    return countCompressed(handle, csr(m, native(csrValA), csrRowPtrA, nullptr, descr), nnzPerRow, \
                           nnzC, *native(&tol));                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csr2csr_compress(                                    \
      cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, const T *csrValA,    \
      const int *csrColIndA, const int *csrRowPtrA, int nnzA, const int *nnzPerRow, T *csrValC,    \
      int *csrColIndC, int *csrRowPtrC, T tol) {                                                   \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrA);                                          \
    return compress(handle, csr(m, native(csrValA), csrRowPtrA, csrColIndA, descrA), nnzPerRow,    \
                    native(csrValC), csrColIndC, csrRowPtrC, *native(&tol));                       \
  }
HEDDLE_FOUR_TYPES(HEDDLE_COUNTED)

#define HEDDLE_PRUNED(p, T)                                                                        \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csr_bufferSizeExt(                        \
      cusparseHandle_t handle, int m, int n, const T *, int lda, const T *threshold,               \
      const cusparseMatDescr_t descrC, const T *, const int *, const int *, size_t *bufferSize) {  \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    return tellBuffer(handle, threshold, bufferSize);                                              \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csrNnz(                                   \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, const T *threshold,              \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *) {         \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    HEDDLE_REQUIRE(threshold, INVALID_VALUE);                                                      \
    return tellKept(handle, dense(m, n, A, lda), given(handle, threshold), descrC, csrRowPtrC,     \
                    nnzTotalDevHostPtr);                                                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csr(                                      \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, const T *threshold,              \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      void *) {                                                                                    \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    HEDDLE_REQUIRE(threshold, INVALID_VALUE);                                                      \
    return keep(handle, dense(m, n, A, lda), given(handle, threshold), descrC, csrValC,            \
                csrRowPtrC, csrColIndC);                                                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csr_bufferSizeExt(                          \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const T *, \
      const int *, const int *, const T *threshold, const cusparseMatDescr_t descrC, const T *,    \
      const int *, const int *, size_t *bufferSize) {                                              \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    return tellBuffer(handle, threshold, bufferSize);                                              \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csrNnz(                                     \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold,          \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, void *) {         \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    HEDDLE_REQUIRE(threshold, INVALID_VALUE);                                                      \
    return tellKept(handle, csr(m, csrValA, csrRowPtrA, csrColIndA, descrA),                       \
                    given(handle, threshold), descrC, csrRowPtrC, nnzTotalDevHostPtr);             \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csr(                                        \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *threshold,          \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      void *) {                                                                                    \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    HEDDLE_REQUIRE(threshold, INVALID_VALUE);                                                      \
    return keep(handle, csr(m, csrValA, csrRowPtrA, csrColIndA, descrA), given(handle, threshold), \
                descrC, csrValC, csrRowPtrC, csrColIndC);                                          \
  }

#define HEDDLE_PRUNED_BY_PERCENTAGE(p, T)                                                          \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csrByPercentage_bufferSizeExt(            \
      cusparseHandle_t handle, int m, int n, const T *, int lda, float percentage,                 \
      const cusparseMatDescr_t descrC, const T *, const int *, const int *, pruneInfo_t info,      \
      size_t *bufferSize) {                                                                        \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    return tellBuffer(handle, isPercentage(percentage) && info, bufferSize);                       \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csrNnzByPercentage(                       \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, float percentage,                \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info, \
      void *) {                                                                                    \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    HEDDLE_REQUIRE(isPercentage(percentage) && info, INVALID_VALUE);                               \
    return tellKept(handle, dense(m, n, A, lda), found(percentage, info), descrC, csrRowPtrC,      \
                    nnzTotalDevHostPtr);                                                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneDense2csrByPercentage(                          \
      cusparseHandle_t handle, int m, int n, const T *A, int lda, float percentage,                \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      pruneInfo_t info, void *) {                                                                  \
    HEDDLE_CHECK_DENSE(handle, m, n, lda, descrC);                                                 \
    HEDDLE_REQUIRE(isPercentage(percentage) && info, INVALID_VALUE);                               \
    return keep(handle, dense(m, n, A, lda), kept(info), descrC, csrValC, csrRowPtrC, csrColIndC); \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csrByPercentage_bufferSizeExt(              \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA, const T *, \
      const int *, const int *, float percentage, const cusparseMatDescr_t descrC, const T *,      \
      const int *, const int *, pruneInfo_t info, size_t *bufferSize) {                            \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    return tellBuffer(handle, isPercentage(percentage) && info, bufferSize);                       \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csrNnzByPercentage(                         \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,            \
      const cusparseMatDescr_t descrC, int *csrRowPtrC, int *nnzTotalDevHostPtr, pruneInfo_t info, \
      void *) {                                                                                    \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    HEDDLE_REQUIRE(isPercentage(percentage) && info, INVALID_VALUE);                               \
    return tellKept(handle, csr(m, csrValA, csrRowPtrA, csrColIndA, descrA),                       \
                    found(percentage, info), descrC, csrRowPtrC, nnzTotalDevHostPtr);              \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##pruneCsr2csrByPercentage(                            \
      cusparseHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,            \
      const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, float percentage,            \
      const cusparseMatDescr_t descrC, T *csrValC, const int *csrRowPtrC, int *csrColIndC,         \
      pruneInfo_t info, void *) {                                                                  \
    HEDDLE_CHECK_CSR(handle, m, n, nnzA, descrA, descrC);                                          \
    HEDDLE_REQUIRE(isPercentage(percentage) && info, INVALID_VALUE);                               \
    return keep(handle, csr(m, csrValA, csrRowPtrA, csrColIndA, descrA), kept(info), descrC,       \
                csrValC, csrRowPtrC, csrColIndC);                                                  \
  }

#define HEDDLE_BOTH_PRUNED(p, T) HEDDLE_PRUNED(p, T) HEDDLE_PRUNED_BY_PERCENTAGE(p, T)
HEDDLE_BOTH_PRUNED(S, float)
HEDDLE_BOTH_PRUNED(D, double)
HEDDLE_BOTH_PRUNED(H, __half)
