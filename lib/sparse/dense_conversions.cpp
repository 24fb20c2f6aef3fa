// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between sparse and dense matrices (cuSPARSE, "cusparseSparseToDense()",
// "cusparseDenseToSparse()").
//
// The analysis of a dense matrix counts the elements that are not zero, writes the offsets of CSR
// and CSC, and tells the descriptor how many there are; it waits for that, since the caller asks
// the descriptor next.
#include "sparse/dense.h"
#include "sparse/handle.h"
#include "sparse/lines.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

template <typename T> bool isZero(const T &value) {
  if constexpr (isComplexElement<T> && !isComplex<T>)
    return float(value.real) == 0 && float(value.imaginary) == 0;
  else
    return value == T(0);
}

/// The element of a line: its column in a row, its row in a column.
template <typename T>
T &elementOf(const Strided<T> &dense, bool byColumns, int64_t line, int64_t i) {
  return byColumns ? dense.at(i, line) : dense.at(line, i);
}

template <typename T>
void writeDense(const cusparseSpMatDescr &sparse, const cusparseDnMatDescr &matrix) {
  Strided<T> dense = strided<T>(matrix);
  parallelFor(dense.rows, 1 + 16384 / (dense.cols + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < dense.cols; ++j)
        dense.at(i, j) = T{};
  });
  const T *values = static_cast<const T *>(sparse.values);
  withLines(sparse, [&](const auto &lines) {
    parallelLines(lines, 16384, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line)
        for (int64_t k = lines.begin(line); k < lines.end(line); ++k)
          elementOf(dense, lines.byColumns, line, lines.index(k)) = values[lines.place(k)];
    });
  });
}

/// How many elements are before each line: one number more than lines.
template <typename T>
std::vector<int64_t> countElements(const cusparseDnMatDescr &matrix, bool byColumns) {
  Strided<T> dense = strided<T>(matrix);
  int64_t count = byColumns ? dense.cols : dense.rows, width = byColumns ? dense.rows : dense.cols;
  std::vector<int64_t> offsets(count + 1);
  parallelFor(count, 1 + 16384 / (width + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line)
      for (int64_t i = 0; i < width; ++i)
        offsets[line + 1] += !isZero(elementOf(dense, byColumns, line, i));
  });
  for (int64_t line = 0; line < count; ++line)
    offsets[line + 1] += offsets[line];
  return offsets;
}

/// Writes numbers into an array of either index type, from the base on.
void writeIndices(void *array, cusparseIndexType_t type, int64_t base,
                  const std::vector<int64_t> &values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (type == CUSPARSE_INDEX_64I)
      static_cast<int64_t *>(array)[i] = values[i] + base;
    else
      static_cast<int32_t *>(array)[i] = static_cast<int32_t>(values[i] + base);
}

template <typename T>
int64_t analyse(const cusparseDnMatDescr &dense, const cusparseSpMatDescr &sparse) {
  std::vector<int64_t> offsets = countElements<T>(dense, sparse.format == CUSPARSE_FORMAT_CSC);
  if (sparse.format != CUSPARSE_FORMAT_COO)
    writeIndices(sparse.offsets, sparse.offsetType, sparse.base, offsets);
  return offsets.back();
}

/// Writes the elements' places and values of CSR, CSC and COO.
template <typename T, typename I>
void writeElements(const cusparseDnMatDescr &matrix, const cusparseSpMatDescr &sparse) {
  bool byColumns = sparse.format == CUSPARSE_FORMAT_CSC;
  std::vector<int64_t> offsets = countElements<T>(matrix, byColumns);
  Strided<T> dense = strided<T>(matrix);
  T *values = static_cast<T *>(sparse.values);
  I *indices = static_cast<I *>(sparse.indices);
  I *rows = sparse.format == CUSPARSE_FORMAT_COO ? static_cast<I *>(sparse.offsets) : nullptr;
  int64_t count = static_cast<int64_t>(offsets.size()) - 1;
  int64_t width = byColumns ? dense.rows : dense.cols;
  parallelFor(count, 1 + 16384 / (width + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line)
      for (int64_t i = 0, k = offsets[line]; i < width; ++i) {
        const T &value = elementOf(dense, byColumns, line, i);
        if (isZero(value))
          continue;
        if (rows)
          rows[k] = static_cast<I>(line + sparse.base);
        indices[k] = static_cast<I>(i + sparse.base);
        values[k++] = value;
      }
  });
}

/// Blocked ELL has its blocks' places already.
template <typename T>
void writeBlocks(const cusparseDnMatDescr &matrix, const cusparseSpMatDescr &sparse) {
  Strided<T> dense = strided<T>(matrix);
  T *values = static_cast<T *>(sparse.values);
  OwnLines lines = listElements(sparse);
  for (int64_t row = 0; row < lines.count; ++row)
    for (int64_t k = lines.offsets[row]; k < lines.offsets[row + 1]; ++k)
      values[lines.order[k]] = dense.at(row, lines.indices[k]);
}

template <typename T>
void convert(const cusparseDnMatDescr &dense, const cusparseSpMatDescr &sparse) {
  if (sparse.format == CUSPARSE_FORMAT_BLOCKED_ELL)
    writeBlocks<T>(dense, sparse);
  else if (sparse.indexType == CUSPARSE_INDEX_64I)
    writeElements<T, int64_t>(dense, sparse);
  else
    writeElements<T, int32_t>(dense, sparse);
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                       cusparseConstDnMatDescr_t dense) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(sparse && dense, INVALID_VALUE);
  HEDDLE_REQUIRE(sparse->rows == dense->rows && sparse->cols == dense->cols &&
                     sparse->type == dense->type,
                 INVALID_VALUE);
  bool known = sparse->format == CUSPARSE_FORMAT_CSR || sparse->format == CUSPARSE_FORMAT_CSC ||
               sparse->format == CUSPARSE_FORMAT_COO ||
               sparse->format == CUSPARSE_FORMAT_BLOCKED_ELL;
  HEDDLE_REQUIRE(known, NOT_SUPPORTED);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t tellNoBuffer(cusparseHandle_t handle, cusparseConstSpMatDescr_t sparse,
                              cusparseConstDnMatDescr_t dense, size_t *bufferSize) {
  cusparseStatus_t status = check(handle, sparse, dense);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  HEDDLE_REQUIRE(bufferSize, INVALID_VALUE);
  *bufferSize = 0;
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t handle,
                                                                cusparseConstSpMatDescr_t matA,
                                                                cusparseDnMatDescr_t matB,
                                                                cusparseSparseToDenseAlg_t alg,
                                                                size_t *bufferSize) {
  return tellNoBuffer(handle, matA, matB, bufferSize);
}

HEDDLE_EXPORT cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle,
                                                     cusparseConstSpMatDescr_t matA,
                                                     cusparseDnMatDescr_t matB,
                                                     cusparseSparseToDenseAlg_t alg, void *buffer) {
  cusparseStatus_t status = check(handle, matA, matB);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  withElement(matA->type, [&]<typename T>(Type<T>) {
    status = inStream(handle, [a = *matA, b = *matB] { writeDense<T>(a, b); });
  });
  return status;
}

HEDDLE_EXPORT cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t handle,
                                                                cusparseConstDnMatDescr_t matA,
                                                                cusparseSpMatDescr_t matB,
                                                                cusparseDenseToSparseAlg_t alg,
                                                                size_t *bufferSize) {
  return tellNoBuffer(handle, matB, matA, bufferSize);
}

HEDDLE_EXPORT cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle,
                                                              cusparseConstDnMatDescr_t matA,
                                                              cusparseSpMatDescr_t matB,
                                                              cusparseDenseToSparseAlg_t alg,
                                                              void *buffer) {
  cusparseStatus_t status = check(handle, matB, matA);
  if (status != CUSPARSE_STATUS_SUCCESS || matB->format == CUSPARSE_FORMAT_BLOCKED_ELL)
    return status;
  withElement(matA->type, [&]<typename T>(Type<T>) {
    status = inStreamAndWait(handle, [dense = *matA, sparse = *matB, nnz = &matB->nnz] {
      *nnz = analyse<T>(dense, sparse);
    });
  });
  return status;
}

HEDDLE_EXPORT cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle,
                                                             cusparseConstDnMatDescr_t matA,
                                                             cusparseSpMatDescr_t matB,
                                                             cusparseDenseToSparseAlg_t alg,
                                                             void *buffer) {
  cusparseStatus_t status = check(handle, matB, matA);
  if (status != CUSPARSE_STATUS_SUCCESS)
    return status;
  withElement(matA->type, [&]<typename T>(Type<T>) {
    status = inStream(handle, [dense = *matA, sparse = *matB] { convert<T>(dense, sparse); });
  });
  return status;
}
