// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions and sorting of indices, and CSR to CSC (cuSPARSE, "cuSPARSE Format Conversion
// Reference"). Sorting is stable, and takes a permutation along that says where each element was.
#include "sparse/formats.h"

#include <memory>
#include <numeric>

using namespace heddle::sparse;
using namespace heddle::library;

/// Where each element of sorted rows was before; null until rows have been sorted.
struct csru2csrInfo {
  std::shared_ptr<std::vector<int>> order;
};

namespace {

/// Puts the elements from `begin` to `end` of each list into the order in which `before` compares
/// their places.
void sortTogether(int64_t begin, int64_t end, const auto &before,
                  std::initializer_list<int *> lists) {
  std::vector<int> order(end - begin), copy(end - begin);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return before(begin + a, begin + b) || (!before(begin + b, begin + a) && a < b);
  });
  for (int *list : lists) {
    if (!list)
      continue;
    std::copy(list + begin, list + end, copy.begin());
    for (size_t i = 0; i < order.size(); ++i)
      list[begin + static_cast<int64_t>(i)] = copy[order[i]];
  }
}

void sortLines(int lines, const int *offsets, int *indices, int *p, int base) {
  parallelFor(lines, 256, [&](int64_t first, int64_t last) {
    for (int64_t line = first; line < last; ++line)
      sortTogether(offsets[line] - base, offsets[line + 1] - base,
                   [&](int64_t a, int64_t b) { return indices[a] < indices[b]; }, {p, indices});
  });
}

cusparseStatus_t sortCompressed(cusparseHandle_t handle, int m, int n, int nnz,
                                const cusparseMatDescr_t descrA, int lines, const int *offsets,
                                int *indices, int *p) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0, INVALID_VALUE);
  return inStream(handle,
                  [=, base = descrA->base] { sortLines(lines, offsets, indices, p, base); });
}

cusparseStatus_t sortCoordinates(cusparseHandle_t handle, int m, int n, int nnz, int *first,
                                 int *second, int *p) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0, INVALID_VALUE);
  return inStream(handle, [=] {
    sortTogether(0, nnz,
                 [&](int64_t a, int64_t b) {
                   return first[a] != first[b] ? first[a] < first[b] : second[a] < second[b];
                 },
                 {first, second, p});
  });
}

template <typename T>
void transposeCsr(int m, int n, const void *values, const int *offsets, const int *indices,
                  void *outValues, int *outOffsets, int *outIndices, bool withValues,
                  cusparseIndexBase_t base) {
  withLines(csrMatrix(m, n, offsets, indices, base), [&](const auto &lines) {
    OwnLines columns = turned(lines);
    for (int64_t i = 0; i <= n; ++i)
      outOffsets[i] = static_cast<int>(columns.offsets[i] + base);
    for (size_t k = 0; k < columns.indices.size(); ++k) {
      outIndices[k] = static_cast<int>(columns.indices[k] + base);
      if (withValues)
        static_cast<T *>(outValues)[k] = static_cast<const T *>(values)[columns.order[k]];
    }
  });
}

/// list[i] becomes what was at order[i]; turned back, list[order[i]] becomes what was at i.
template <typename T> void permute(T *list, const std::vector<int> &order, bool back) {
  std::vector<T> copy(list, list + order.size());
  for (size_t i = 0; i < order.size(); ++i)
    if (back)
      list[order[i]] = copy[i];
    else
      list[i] = copy[order[i]];
}

cusparseStatus_t checkRows(cusparseHandle_t handle, int m, int n, int nnz,
                           const cusparseMatDescr *descrA, const csru2csrInfo *info) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && info, INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}

/// The info's new order is for a matrix of this call; work of earlier calls keeps its own.
template <typename T>
cusparseStatus_t sortRows(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr *descrA,
                          T *values, const int *offsets, int *indices, csru2csrInfo *info) {
  info->order = std::make_shared<std::vector<int>>(nnz);
  return inStream(handle, [=, order = info->order, base = descrA->base] {
    std::iota(order->begin(), order->end(), 0);
    sortLines(m, offsets, indices, order->data(), base);
    if (values)
      permute(values, *order, false);
  });
}

template <typename T>
cusparseStatus_t unsortRows(cusparseHandle_t handle, int nnz, T *values, int *indices,
                            const csru2csrInfo *info) {
  HEDDLE_REQUIRE(info->order && info->order->size() == static_cast<size_t>(nnz), INVALID_VALUE);
  return inStream(handle, [=, order = info->order] {
    permute(indices, *order, true);
    if (values)
      permute(values, *order, true);
  });
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseCreateCsru2csrInfo(csru2csrInfo_t *info) {
  HEDDLE_REQUIRE(info, INVALID_VALUE);
  *info = new csru2csrInfo;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroyCsru2csrInfo(csru2csrInfo_t info) {
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}

#define HEDDLE_SORTED_ROWS(p, T)                                                                   \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csru2csr_bufferSizeExt(                              \
      cusparseHandle_t handle, int m, int n, int nnz, T *, const int *, int *,                     \
      csru2csrInfo_t info, size_t *bufferSize) {                                                   \
    return tellBuffer(handle, m >= 0 && n >= 0 && nnz >= 0 && info, bufferSize);                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csru2csr(                                            \
      cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, T *csrVal,  \
      const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *) {                         \
    cusparseStatus_t status = checkRows(handle, m, n, nnz, descrA, info);                          \
    return status != CUSPARSE_STATUS_SUCCESS                                                       \
               ? status                                                                            \
               : sortRows(handle, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, info);             \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csr2csru(                                            \
      cusparseHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA, T *csrVal,  \
      const int *csrRowPtr, int *csrColInd, csru2csrInfo_t info, void *) {                         \
    cusparseStatus_t status = checkRows(handle, m, n, nnz, descrA, info);                          \
    return status != CUSPARSE_STATUS_SUCCESS ? status                                              \
                                             : unsortRows(handle, nnz, csrVal, csrColInd, info);   \
  }
HEDDLE_FOUR_TYPES(HEDDLE_SORTED_ROWS)

HEDDLE_EXPORT cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *cooRowInd,
                                                int nnz, int m, int *csrRowPtr,
                                                cusparseIndexBase_t base) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(nnz >= 0 && m >= 0 && csrRowPtr && isBase(base), INVALID_VALUE);
  return inStream(handle, [=] {
    for (int row = 0, k = 0; row <= m; ++row) {
      while (k < nnz && cooRowInd[k] - base < row)
        ++k;
      csrRowPtr[row] = k + base;
    }
  });
}

HEDDLE_EXPORT cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *csrRowPtr,
                                                int nnz, int m, int *cooRowInd,
                                                cusparseIndexBase_t base) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(nnz >= 0 && m >= 0 && csrRowPtr && isBase(base), INVALID_VALUE);
  return inStream(handle, [=] {
    parallelFor(m, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row)
        for (int k = csrRowPtr[row] - base; k < csrRowPtr[row + 1] - base; ++k)
          cooRowInd[k] = static_cast<int>(row) + base;
    });
  });
}

HEDDLE_EXPORT cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t handle, int n,
                                                                 int *p) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(n >= 0 && (p || n == 0), INVALID_VALUE);
  return inStream(handle, [=] { std::iota(p, p + n, 0); });
}

HEDDLE_EXPORT cusparseStatus_t cusparseXcoosort_bufferSizeExt(cusparseHandle_t handle, int m, int n,
                                                              int nnz, const int *, const int *,
                                                              size_t *bufferSize) {
  return tellBuffer(handle, m >= 0 && n >= 0 && nnz >= 0, bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t handle, int m, int n, int nnz,
                                                     int *cooRows, int *cooCols, int *p,
                                                     void *buffer) {
  return sortCoordinates(handle, m, n, nnz, cooRows, cooCols, p);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t handle, int m, int n,
                                                        int nnz, int *cooRows, int *cooCols, int *p,
                                                        void *buffer) {
  return sortCoordinates(handle, m, n, nnz, cooCols, cooRows, p);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcsrsort_bufferSizeExt(cusparseHandle_t handle, int m, int n,
                                                              int nnz, const int *, const int *,
                                                              size_t *bufferSize) {
  return tellBuffer(handle, m >= 0 && n >= 0 && nnz >= 0, bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcsrsort(cusparseHandle_t handle, int m, int n, int nnz,
                                                const cusparseMatDescr_t descrA,
                                                const int *csrRowPtr, int *csrColInd, int *p,
                                                void *buffer) {
  return sortCompressed(handle, m, n, nnz, descrA, m, csrRowPtr, csrColInd, p);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcscsort_bufferSizeExt(cusparseHandle_t handle, int m, int n,
                                                              int nnz, const int *, const int *,
                                                              size_t *bufferSize) {
  return tellBuffer(handle, m >= 0 && n >= 0 && nnz >= 0, bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseXcscsort(cusparseHandle_t handle, int m, int n, int nnz,
                                                const cusparseMatDescr_t descrA,
                                                const int *cscColPtr, int *cscRowInd, int *p,
                                                void *buffer) {
  return sortCompressed(handle, m, n, nnz, descrA, n, cscColPtr, cscRowInd, p);
}

HEDDLE_EXPORT cusparseStatus_t cusparseCsr2cscEx2_bufferSize(
    cusparseHandle_t handle, int m, int n, int nnz, const void *, const int *, const int *, void *,
    int *, int *, cudaDataType valType, cusparseAction_t, cusparseIndexBase_t base,
    cusparseCsr2CscAlg_t, size_t *bufferSize) {
  return tellBuffer(
      handle, m >= 0 && n >= 0 && nnz >= 0 && isBase(base) && sizeOfType(valType) != 0, bufferSize);
}
HEDDLE_EXPORT cusparseStatus_t cusparseCsr2cscEx2(
    cusparseHandle_t handle, int m, int n, int nnz, const void *csrVal, const int *csrRowPtr,
    const int *csrColInd, void *cscVal, int *cscColPtr, int *cscRowInd, cudaDataType valType,
    cusparseAction_t copyValues, cusparseIndexBase_t base, cusparseCsr2CscAlg_t alg, void *buffer) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnz >= 0 && isBase(base), INVALID_VALUE);
  HEDDLE_REQUIRE(copyValues == CUSPARSE_ACTION_SYMBOLIC || copyValues == CUSPARSE_ACTION_NUMERIC,
                 INVALID_VALUE);
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_SUPPORTED;
  withElement(valType, [&]<typename T>(Type<T>) {
    status = inStream(handle, [=] {
      transposeCsr<T>(m, n, csrVal, csrRowPtr, csrColInd, cscVal, cscColPtr, cscRowInd,
                      copyValues == CUSPARSE_ACTION_NUMERIC, base);
    });
  });
  return status;
}
