// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The elements of the formats that are not compressed by lines (cuSPARSE, "cuSPARSE Storage
// Formats").
#include "sparse/lines.h"

namespace heddle::sparse {

namespace {

/// An index of either width.
int64_t indexAt(const void *indices, cusparseIndexType_t type, int64_t i) {
  return type == CUSPARSE_INDEX_64I ? static_cast<const int64_t *>(indices)[i]
                                    : static_cast<const int32_t *>(indices)[i];
}

int64_t offsetOf(const cusparseSpMatDescr &matrix, int64_t i) {
  return indexAt(matrix.offsets, matrix.offsetType, i) - matrix.base;
}
int64_t indexOf(const cusparseSpMatDescr &matrix, int64_t i) {
  return indexAt(matrix.indices, matrix.indexType, i) - matrix.base;
}

OwnLines ofCoo(const cusparseSpMatDescr &matrix) {
  OwnLines lines;
  lines.offsets.assign(matrix.rows + 1, 0);
  lines.indices.resize(matrix.nnz), lines.order.resize(matrix.nnz);
  for (int64_t k = 0; k < matrix.nnz; ++k)
    ++lines.offsets[offsetOf(matrix, k) + 1];
  for (int64_t i = 0; i < matrix.rows; ++i)
    lines.offsets[i + 1] += lines.offsets[i];
  std::vector<int64_t> next(lines.offsets.begin(), lines.offsets.end() - 1);
  for (int64_t k = 0; k < matrix.nnz; ++k) {
    int64_t to = next[offsetOf(matrix, k)]++;
    lines.indices[to] = indexOf(matrix, k), lines.order[to] = k;
  }
  return lines;
}

OwnLines ofBlocks(const cusparseSpMatDescr &matrix) {
  OwnLines lines;
  lines.offsets.push_back(0);
  int64_t high = matrix.blockRows, wide = matrix.blockCols;
  bool byRows = matrix.blockOrder == CUSPARSE_ORDER_ROW;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    int64_t i = row % high;
    for (int64_t b = offsetOf(matrix, row / high); b < offsetOf(matrix, row / high + 1); ++b)
      for (int64_t j = 0; j < wide; ++j) {
        lines.indices.push_back(indexOf(matrix, b) * wide + j);
        lines.order.push_back(b * high * wide + (byRows ? i * wide + j : j * high + i));
      }
    lines.offsets.push_back(static_cast<int64_t>(lines.indices.size()));
  }
  return lines;
}

/// Blocks of equally many columns; one of index -1 is not there. The values are a matrix by rows of
/// `ellCols` columns.
OwnLines ofBlockedEll(const cusparseSpMatDescr &matrix) {
  OwnLines lines;
  lines.offsets.push_back(0);
  int64_t size = matrix.blockRows, blocks = matrix.ellCols / size;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    for (int64_t b = 0; b < blocks; ++b) {
      int64_t column = indexOf(matrix, row / size * blocks + b);
      for (int64_t j = 0; column >= 0 && j < size && column * size + j < matrix.cols; ++j) {
        lines.indices.push_back(column * size + j);
        lines.order.push_back(row * matrix.ellCols + b * size + j);
      }
    }
    lines.offsets.push_back(static_cast<int64_t>(lines.indices.size()));
  }
  return lines;
}

/// Slices of rows, each by columns and as wide as its widest row; a padded place has the column -1.
OwnLines ofSlicedEll(const cusparseSpMatDescr &matrix) {
  OwnLines lines;
  lines.offsets.push_back(0);
  int64_t size = matrix.sliceSize;
  for (int64_t row = 0; row < matrix.rows; ++row) {
    int64_t slice = row / size;
    for (int64_t k = offsetOf(matrix, slice) + row % size; k < offsetOf(matrix, slice + 1);
         k += size) {
      int64_t column = indexOf(matrix, k);
      if (column < 0)
        continue;
      lines.indices.push_back(column);
      lines.order.push_back(k);
    }
    lines.offsets.push_back(static_cast<int64_t>(lines.indices.size()));
  }
  return lines;
}

OwnLines ofFormat(const cusparseSpMatDescr &matrix) {
  switch (matrix.format) {
  case CUSPARSE_FORMAT_COO:
    return ofCoo(matrix);
  case CUSPARSE_FORMAT_BLOCKED_ELL:
    return ofBlockedEll(matrix);
  case CUSPARSE_FORMAT_SLICED_ELLPACK:
    return ofSlicedEll(matrix);
  default:
    return ofBlocks(matrix);
  }
}

} // namespace

OwnLines listElements(const cusparseSpMatDescr &matrix) {
  OwnLines lines = ofFormat(matrix);
  lines.count = matrix.rows, lines.width = matrix.cols;
  return lines;
}

} // namespace heddle::sparse
