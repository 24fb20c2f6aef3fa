// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dense matrices as two strides, and a copy by rows in the type that is computed with: inner loops
// over it are contiguous, whatever order, transposition and type the caller's matrix has.
#pragma once

#include "sparse/descriptors.h"
#include "sparse/values.h"
#include "support/parallel.h"

#include <vector>

namespace heddle::sparse {

/// Element (i, j) of op(matrix) is values[i * rowStride + j * colStride].
template <typename T> struct Strided {
  T *values;
  int64_t rows, cols, rowStride, colStride;

  T &at(int64_t i, int64_t j) const { return values[i * rowStride + j * colStride]; }
};

template <typename T>
Strided<T> strided(const cusparseDnMatDescr &matrix,
                   cusparseOperation_t operation = CUSPARSE_OPERATION_NON_TRANSPOSE) {
  bool byColumns = matrix.order == CUSPARSE_ORDER_COL;
  Strided<T> result{static_cast<T *>(matrix.values), matrix.rows, matrix.cols,
                    byColumns ? 1 : matrix.ld, byColumns ? matrix.ld : 1};
  if (operation != CUSPARSE_OPERATION_NON_TRANSPOSE) {
    std::swap(result.rows, result.cols);
    std::swap(result.rowStride, result.colStride);
  }
  return result;
}

inline int64_t rowsOf(const cusparseDnMatDescr &matrix, cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix.rows : matrix.cols;
}
inline int64_t colsOf(const cusparseDnMatDescr &matrix, cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix.cols : matrix.rows;
}

/// op(matrix) by rows in numbers of type C: the caller's memory if it lies so, else a copy.
template <typename C> class ByRows {
public:
  template <typename T> ByRows(const Strided<const T> &source, bool conjugated) {
    rows = source.rows, cols = source.cols;
    if constexpr (std::is_same_v<T, C>)
      if (source.colStride == 1 && !(conjugated && isComplex<C>)) {
        values = source.values, stride = source.rowStride;
        return;
      }
    copy.resize(rows * cols);
    library::parallelFor(rows, 1 + 65536 / (cols + 1), [&](int64_t begin, int64_t end) {
      // Squares, so that both sides of a transposition stay in the cache.
      for (int64_t i0 = begin; i0 < end; i0 += Square)
        for (int64_t j0 = 0; j0 < cols; j0 += Square)
          copySquare(source, i0, std::min(end, i0 + Square), j0, conjugated);
    });
    values = copy.data(), stride = cols;
  }

  const C *row(int64_t i) const { return values + i * stride; }

  int64_t rows, cols;

private:
  static constexpr int64_t Square = 32;

  template <typename T>
  void copySquare(const Strided<const T> &source, int64_t i0, int64_t i1, int64_t j0,
                  bool conjugated) {
    int64_t j1 = std::min(cols, j0 + Square);
    for (int64_t i = i0; i < i1; ++i)
      for (int64_t j = j0; j < j1; ++j) {
        C value = load<C>(source.at(i, j));
        copy[i * cols + j] = conjugated ? conjugate(value) : value;
      }
  }

  const C *values;
  int64_t stride;
  std::vector<C> copy;
};

} // namespace heddle::sparse
