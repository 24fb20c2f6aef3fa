// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptors of the generic functions. Work in a stream takes a copy, so that a descriptor may
// be destroyed or changed behind the call.
#pragma once

#include <cusparse.h>

struct cusparseSpVecDescr {
  int64_t size, nnz;
  void *indices, *values;
  cusparseIndexType_t indexType;
  cusparseIndexBase_t base;
  cudaDataType type;
};

struct cusparseDnVecDescr {
  int64_t size;
  void *values;
  cudaDataType type;
};

struct cusparseDnMatDescr {
  int64_t rows, cols, ld;
  void *values;
  cudaDataType type;
  cusparseOrder_t order;
  int batches = 1;
  int64_t batchStride = 0;
};

/// Sizes are in elements; `offsets` are those of rows (CSR, BSR), columns (CSC) or slices (sliced
/// ELL), and COO's row indices.
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, cols, nnz;
  void *offsets, *indices, *values;
  cusparseIndexType_t offsetType, indexType;
  cusparseIndexBase_t base;
  cudaDataType type;

  // BSR: blocks of so many rows and columns, which lie in this order. Blocked ELL: square blocks,
  // `ellCols` columns.
  int64_t blockRows = 1, blockCols = 1;
  cusparseOrder_t blockOrder = CUSPARSE_ORDER_ROW;
  int64_t ellCols = 0;
  // Sliced ELL: rows of a slice, and all elements with the padding.
  int64_t sliceSize = 0, valuesSize = 0;

  int batches = 1;
  int64_t offsetsStride = 0, indicesStride = 0, valuesStride = 0;

  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};

namespace heddle::sparse {

inline size_t sizeOfIndex(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

inline bool isIndex(cusparseIndexType_t type) {
  return type == CUSPARSE_INDEX_32I || type == CUSPARSE_INDEX_64I;
}

inline bool isBase(cusparseIndexBase_t base) {
  return base == CUSPARSE_INDEX_BASE_ZERO || base == CUSPARSE_INDEX_BASE_ONE;
}

/// Writes through the pointer if the caller wants the value.
template <typename P, typename T> void give(P *pointer, T value) {
  if (pointer)
    *pointer = value;
}

/// The matrix of the batch: the same with its pointers moved.
cusparseSpMatDescr inBatch(const cusparseSpMatDescr &matrix, int batch);
cusparseDnMatDescr inBatch(const cusparseDnMatDescr &matrix, int batch);

} // namespace heddle::sparse
