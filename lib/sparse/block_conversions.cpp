// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions to, from and between rows of blocks (cuSPARSE, "cuSPARSE Format Conversion
// Reference").
//
// A matrix that is converted is read element by element (lines.h), whatever its format. A block is
// there if one of its elements is stored, be it zero; its other elements are zeros. Blocks of a row
// are in the order of their columns. Coming from blocks, all their elements are stored. What is
// behind the matrix's last row or column is padding.
#include "sparse/formats.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

struct Shape {
  int64_t high, wide;
  bool byRows;

  int64_t size() const { return high * wide; }
  int64_t place(int64_t i, int64_t j) const { return byRows ? i * wide + j : j * high + i; }
  int64_t blockRows(const cusparseSpMatDescr &matrix) const {
    return (matrix.rows + high - 1) / high;
  }
};

Shape shapeOf(cusparseDirection_t direction, int high, int wide) {
  return {high, wide, direction == CUSPARSE_DIRECTION_ROW};
}

/// Rows of blocks, as the caller has them; `values` may be null.
template <typename T> struct Blocks {
  Shape shape;
  T *values;
  int *offsets, *indices;
  int64_t base;
};

/// The columns of the blocks in a row of blocks, in order.
template <typename L>
void listColumns(const L &lines, const Shape &shape, int64_t blockRow, std::vector<int> &columns) {
  columns.clear();
  int64_t last = std::min(lines.count, (blockRow + 1) * shape.high);
  for (int64_t row = blockRow * shape.high; row < last; ++row)
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k)
      columns.push_back(static_cast<int>(lines.index(k) / shape.wide));
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
}

/// Writes the offsets of the rows of blocks and returns how many blocks there are.
int countBlocks(const cusparseSpMatDescr &matrix, const Shape &shape, int *offsets, int base) {
  int64_t blockRows = shape.blockRows(matrix);
  withLines(matrix, [&](const auto &lines) {
    parallelFor(blockRows, 64, [&](int64_t begin, int64_t end) {
      std::vector<int> columns;
      for (int64_t row = begin; row < end; ++row) {
        listColumns(lines, shape, row, columns);
        offsets[row + 1] = static_cast<int>(columns.size());
      }
    });
  });
  offsets[0] = base;
  for (int64_t row = 0; row < blockRows; ++row)
    offsets[row + 1] += offsets[row];
  return offsets[blockRows] - base;
}

/// The elements of a row of blocks, whose columns are listed, into its blocks, of which `first` is
/// the first.
template <typename L, typename T>
void fillBlocks(const L &lines, const T *values, const Blocks<T> &to, int64_t blockRow,
                int64_t first, const std::vector<int> &columns) {
  const Shape &shape = to.shape;
  std::fill_n(to.values + first * shape.size(), columns.size() * shape.size(), T{});
  int64_t last = std::min(lines.count, (blockRow + 1) * shape.high);
  for (int64_t row = blockRow * shape.high; row < last; ++row)
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k) {
      int64_t column = lines.index(k);
      auto found = std::lower_bound(columns.begin(), columns.end(), column / shape.wide);
      int64_t block = first + (found - columns.begin());
      to.values[block * shape.size() + shape.place(row % shape.high, column % shape.wide)] =
          values[lines.place(k)];
    }
}

template <typename T> void writeBlocks(const cusparseSpMatDescr &matrix, const Blocks<T> &to) {
  withLines(matrix, [&](const auto &lines) {
    parallelFor(to.shape.blockRows(matrix), 64, [&](int64_t begin, int64_t end) {
      std::vector<int> columns;
      for (int64_t row = begin; row < end; ++row) {
        listColumns(lines, to.shape, row, columns);
        int64_t first = to.offsets[row] - to.base;
        for (size_t k = 0; k < columns.size(); ++k)
          to.indices[first + static_cast<int64_t>(k)] = columns[k] + static_cast<int>(to.base);
        if (to.values)
          fillBlocks(lines, static_cast<const T *>(matrix.values), to, row, first, columns);
      }
    });
  });
}

/// Writes CSR; no values where `values` is null.
template <typename T>
void writeRows(const cusparseSpMatDescr &matrix, T *values, int *offsets, int *indices, int base) {
  const T *from = static_cast<const T *>(matrix.values);
  withLines(matrix, [&](const auto &lines) {
    offsets[lines.count] = static_cast<int>(lines.elements()) + base;
    parallelLines(lines, 16384, [&](int64_t first, int64_t last) {
      for (int64_t row = first; row < last; ++row) {
        offsets[row] = static_cast<int>(lines.begin(row)) + base;
        for (int64_t k = lines.begin(row); k < lines.end(row); ++k) {
          indices[k] = static_cast<int>(lines.index(k)) + base;
          if (values)
            values[k] = from[lines.place(k)];
        }
      }
    });
  });
}

/// Rows of blocks to columns of blocks: each block is moved as it is. `pattern` has a block for
/// each element.
template <typename T>
void turnBlocks(const cusparseSpMatDescr &pattern, int64_t blockSize, const T *from, T *values,
                int *rows, int *offsets) {
  withLines(pattern, [&](const auto &lines) {
    OwnLines columns = turned(lines);
    int base = pattern.base;
    for (int64_t column = 0; column <= columns.count; ++column)
      offsets[column] = static_cast<int>(columns.offsets[column]) + base;
    for (size_t k = 0; k < columns.indices.size(); ++k) {
      rows[k] = static_cast<int>(columns.indices[k]) + base;
      if (values)
        std::copy_n(from + columns.order[k] * blockSize, blockSize,
                    values + static_cast<int64_t>(k) * blockSize);
    }
  });
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseDirection_t direction, int rows, int cols,
                       const cusparseMatDescr *from, const cusparseMatDescr *to, int high,
                       int wide) {
  HEDDLE_CHECK_GENERAL(handle, from);
  HEDDLE_CHECK_GENERAL(handle, to);
  HEDDLE_REQUIRE(isDirection(direction) && rows >= 0 && cols >= 0 && high > 0 && wide > 0,
                 INVALID_VALUE);
  return CUSPARSE_STATUS_SUCCESS;
}

#define HEDDLE_CHECK(...)                                                                          \
  if (cusparseStatus_t status = check(__VA_ARGS__); status != CUSPARSE_STATUS_SUCCESS)             \
  return status

cusparseStatus_t tellBlocks(cusparseHandle_t handle, const cusparseSpMatDescr &matrix,
                            const Shape &shape, int *offsets, int base, int *total) {
  HEDDLE_REQUIRE(offsets, INVALID_VALUE);
  return inStreamForResult(handle, [=] { give(total, countBlocks(matrix, shape, offsets, base)); });
}

template <typename T>
cusparseStatus_t toBlocks(cusparseHandle_t handle, const cusparseSpMatDescr &matrix,
                          const Blocks<T> &blocks) {
  return inStream(handle, [=] { writeBlocks(matrix, blocks); });
}

template <typename T>
cusparseStatus_t toRows(cusparseHandle_t handle, const cusparseSpMatDescr &matrix, T *values,
                        int *offsets, int *indices, cusparseIndexBase_t base) {
  return inStream(handle, [=] { writeRows(matrix, values, offsets, indices, base); });
}

} // namespace

HEDDLE_EXPORT cusparseStatus_t
cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                      const cusparseMatDescr_t descrA, const int *csrRowPtrA, const int *csrColIndA,
                      const cusparseMatDescr_t descrC, int *bsrRowPtrC, int rowBlockDim,
                      int colBlockDim, int *nnzTotalDevHostPtr, void *) {
  HEDDLE_CHECK(handle, dirA, m, n, descrA, descrC, rowBlockDim, colBlockDim);
  return tellBlocks(handle, csrMatrix(m, n, csrRowPtrA, csrColIndA, descrA->base),
                    shapeOf(dirA, rowBlockDim, colBlockDim), bsrRowPtrC, descrC->base,
                    nnzTotalDevHostPtr);
}

HEDDLE_EXPORT cusparseStatus_t cusparseXcsr2bsrNnz(cusparseHandle_t handle,
                                                   cusparseDirection_t dirA, int m, int n,
                                                   const cusparseMatDescr_t descrA,
                                                   const int *csrRowPtrA, const int *csrColIndA,
                                                   int blockDim, const cusparseMatDescr_t descrC,
                                                   int *bsrRowPtrC, int *nnzTotalDevHostPtr) {
  return cusparseXcsr2gebsrNnz(handle, dirA, m, n, descrA, csrRowPtrA, csrColIndA, descrC,
                               bsrRowPtrC, blockDim, blockDim, nnzTotalDevHostPtr, nullptr);
}

HEDDLE_EXPORT cusparseStatus_t cusparseXgebsr2gebsrNnz(
    cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
    const cusparseMatDescr_t descrA, const int *bsrRowPtrA, const int *bsrColIndA, int rowBlockDimA,
    int colBlockDimA, const cusparseMatDescr_t descrC, int *bsrRowPtrC, int rowBlockDimC,
    int colBlockDimC, int *nnzTotalDevHostPtr, void *) {
  HEDDLE_CHECK(handle, dirA, mb, nb, descrA, descrC, rowBlockDimA, colBlockDimA);
  HEDDLE_REQUIRE(nnzb >= 0 && rowBlockDimC > 0 && colBlockDimC > 0, INVALID_VALUE);
  return tellBlocks(
      handle,
      bsrMatrix(dirA, mb, nb, rowBlockDimA, colBlockDimA, bsrRowPtrA, bsrColIndA, descrA->base),
      shapeOf(dirA, rowBlockDimC, colBlockDimC), bsrRowPtrC, descrC->base, nnzTotalDevHostPtr);
}

HEDDLE_EXPORT cusparseStatus_t cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA,
                                                  int mb, int nb, const cusparseMatDescr_t descrA,
                                                  const int *bsrRowPtrA, const int *bsrColIndA,
                                                  int rowBlockDim, int colBlockDim,
                                                  const cusparseMatDescr_t descrC, int *csrRowPtrC,
                                                  int *csrColIndC) {
  HEDDLE_CHECK(handle, dirA, mb, nb, descrA, descrC, rowBlockDim, colBlockDim);
  return toRows<float>(
      handle,
      bsrMatrix(dirA, mb, nb, rowBlockDim, colBlockDim, bsrRowPtrA, bsrColIndA, descrA->base),
      nullptr, csrRowPtrC, csrColIndC, descrC->base);
}

#define HEDDLE_FROM_ROWS(p, T)                                                                     \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csr2gebsr(                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, const cusparseMatDescr_t descrC, T *bsrValC, int *bsrRowPtrC,         \
      int *bsrColIndC, int rowBlockDim, int colBlockDim, void *) {                                 \
    HEDDLE_CHECK(handle, dirA, m, n, descrA, descrC, rowBlockDim, colBlockDim);                    \
    return toBlocks(handle, csrMatrix(m, n, csrRowPtrA, csrColIndA, descrA->base, csrValA),        \
                    Blocks{shapeOf(dirA, rowBlockDim, colBlockDim), native(bsrValC), bsrRowPtrC,   \
                           bsrColIndC, descrC->base});                                             \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csr2bsr(                                             \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *csrValA, const int *csrRowPtrA,                    \
      const int *csrColIndA, int blockDim, const cusparseMatDescr_t descrC, T *bsrValC,            \
      int *bsrRowPtrC, int *bsrColIndC) {                                                          \
    return cusparse##p##csr2gebsr(handle, dirA, m, n, descrA, csrValA, csrRowPtrA, csrColIndA,     \
                                  descrC, bsrValC, bsrRowPtrC, bsrColIndC, blockDim, blockDim,     \
                                  nullptr);                                                        \
  }
HEDDLE_FOUR_TYPES(HEDDLE_FROM_ROWS)

#define HEDDLE_FROM_BLOCKS(p, T)                                                                   \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gebsr2csr(                                           \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                           \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC,    \
      T *csrValC, int *csrRowPtrC, int *csrColIndC) {                                              \
    HEDDLE_CHECK(handle, dirA, mb, nb, descrA, descrC, rowBlockDim, colBlockDim);                  \
    return toRows(handle,                                                                          \
                  bsrMatrix(dirA, mb, nb, rowBlockDim, colBlockDim, bsrRowPtrA, bsrColIndA,        \
                            descrA->base, bsrValA),                                                \
                  native(csrValC), csrRowPtrC, csrColIndC, descrC->base);                          \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##bsr2csr(                                             \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,                           \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int blockDim, const cusparseMatDescr_t descrC, T *csrValC,            \
      int *csrRowPtrC, int *csrColIndC) {                                                          \
    return cusparse##p##gebsr2csr(handle, dirA, mb, nb, descrA, bsrValA, bsrRowPtrA, bsrColIndA,   \
                                  blockDim, blockDim, descrC, csrValC, csrRowPtrC, csrColIndC);    \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gebsr2gebsr(                                         \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,                 \
      const cusparseMatDescr_t descrA, const T *bsrValA, const int *bsrRowPtrA,                    \
      const int *bsrColIndA, int rowBlockDimA, int colBlockDimA, const cusparseMatDescr_t descrC,  \
      T *bsrValC, int *bsrRowPtrC, int *bsrColIndC, int rowBlockDimC, int colBlockDimC, void *) {  \
    HEDDLE_CHECK(handle, dirA, mb, nb, descrA, descrC, rowBlockDimA, colBlockDimA);                \
    HEDDLE_REQUIRE(nnzb >= 0 && rowBlockDimC > 0 && colBlockDimC > 0, INVALID_VALUE);              \
    return toBlocks(handle,                                                                        \
                    bsrMatrix(dirA, mb, nb, rowBlockDimA, colBlockDimA, bsrRowPtrA, bsrColIndA,    \
                              descrA->base, bsrValA),                                              \
                    Blocks{shapeOf(dirA, rowBlockDimC, colBlockDimC), native(bsrValC), bsrRowPtrC, \
                           bsrColIndC, descrC->base});                                             \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gebsr2gebsc(                                         \
      cusparseHandle_t handle, int mb, int nb, int nnzb, const T *bsrVal, const int *bsrRowPtr,    \
      const int *bsrColInd, int rowBlockDim, int colBlockDim, T *bscVal, int *bscRowInd,           \
      int *bscColPtr, cusparseAction_t copyValues, cusparseIndexBase_t base, void *) {             \
    HEDDLE_REQUIRE(handle, NOT_INITIALIZED);                                                       \
    bool numeric = copyValues == CUSPARSE_ACTION_NUMERIC;                                          \
    HEDDLE_REQUIRE(mb >= 0 && nb >= 0 && nnzb >= 0 && rowBlockDim > 0 && colBlockDim > 0 &&        \
                       (numeric || copyValues == CUSPARSE_ACTION_SYMBOLIC) && isBase(base),        \
                   INVALID_VALUE);                                                                 \
    return inStream(handle, [=, size = int64_t(rowBlockDim) * colBlockDim] {                       \
      turnBlocks(csrMatrix(mb, nb, bsrRowPtr, bsrColInd, base), size, native(bsrVal),              \
                 numeric ? native(bscVal) : nullptr, bscRowInd, bscColPtr);                        \
    });                                                                                            \
  }
HEDDLE_FOUR_TYPES(HEDDLE_FROM_BLOCKS)

#define HEDDLE_SIZES(p, T, Suffix, S)                                                              \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csr2gebsr_bufferSize##Suffix(                        \
      cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,                             \
      const cusparseMatDescr_t descrA, const T *, const int *, const int *, int rowBlockDim,       \
      int colBlockDim, S *bufferSize) {                                                            \
    HEDDLE_CHECK(handle, dirA, m, n, descrA, descrA, rowBlockDim, colBlockDim);                    \
    return tellBuffer(handle, true, bufferSize);                                                   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gebsr2gebsc_bufferSize##Suffix(                      \
      cusparseHandle_t handle, int mb, int nb, int nnzb, const T *, const int *, const int *,      \
      int rowBlockDim, int colBlockDim, S *bufferSize) {                                           \
    return tellBuffer(handle,                                                                      \
                      mb >= 0 && nb >= 0 && nnzb >= 0 && rowBlockDim > 0 && colBlockDim > 0,       \
                      bufferSize);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gebsr2gebsr_bufferSize##Suffix(                      \
      cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,                 \
      const cusparseMatDescr_t descrA, const T *, const int *, const int *, int rowBlockDimA,      \
      int colBlockDimA, int rowBlockDimC, int colBlockDimC, S *bufferSize) {                       \
    HEDDLE_CHECK(handle, dirA, mb, nb, descrA, descrA, rowBlockDimA, colBlockDimA);                \
    return tellBuffer(handle, nnzb >= 0 && rowBlockDimC > 0 && colBlockDimC > 0, bufferSize);      \
  }
#define HEDDLE_BOTH_SIZES(p, T) HEDDLE_SIZES(p, T, , int) HEDDLE_SIZES(p, T, Ext, size_t)
HEDDLE_FOUR_TYPES(HEDDLE_BOTH_SIZES)
