// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha A + beta B in CSR, and colours of a matrix's rows (cuSPARSE, "cusparse<t>csrgeam2()",
// "cusparse<t>csrcolor()"). The columns of each row are in order, as documented.
#include "sparse/formats.h"

#include <numeric>

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

using Rows = Lines<int, int>;

Rows rowsOf(int m, int n, const int *offsets, const int *indices, int base) {
  return {m, n, offsets, indices, base, nullptr, false};
}

/// Calls f(column, k in A or -1, k in B or -1) for the columns of a row of either, in their order.
template <typename F> void mergeRow(const Rows &a, const Rows &b, int64_t row, F &&f) {
  int64_t i = a.begin(row), endA = a.end(row), j = b.begin(row), endB = b.end(row);
  while (i < endA || j < endB) {
    int64_t columnA = i < endA ? a.index(i) : INT64_MAX;
    int64_t columnB = j < endB ? b.index(j) : INT64_MAX;
    int64_t column = std::min(columnA, columnB);
    f(column, columnA == column ? i++ : -1, columnB == column ? j++ : -1);
  }
}

template <typename T>
void addRows(const Rows &a, const Rows &b, const T *aValues, const T *bValues, T alpha, T beta,
             int base, T *values, const int *offsets, int *columns) {
  parallelFor(a.count, 1024, [&](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row) {
      int64_t k = offsets[row] - base;
      mergeRow(a, b, row, [&](int64_t column, int64_t i, int64_t j) {
        columns[k] = static_cast<int>(column) + base;
        values[k++] = (i < 0 ? T(0) : alpha * aValues[i]) + (j < 0 ? T(0) : beta * bValues[j]);
      });
    }
  });
}

/// Each row gets the lowest colour that no row has which it is connected with. Returns how many
/// there are.
int colourRows(const Rows &rows, int *colours) {
  OwnLines columns = turned(rows);
  std::fill(colours, colours + rows.count, -1);
  std::vector<int64_t> usedBy(rows.count + 1, -1);
  int count = 0;
  auto use = [&](int64_t row, int64_t other) {
    if (other != row && other < rows.count && colours[other] >= 0)
      usedBy[colours[other]] = row;
  };
  for (int64_t row = 0; row < rows.count; ++row) {
    for (int64_t k = rows.begin(row); k < rows.end(row); ++k)
      use(row, rows.index(k));
    for (int64_t k = columns.offsets[row]; k < columns.offsets[row + 1]; ++k)
      use(row, columns.indices[k]);
    int colour = 0;
    while (usedBy[colour] == row)
      ++colour;
    colours[row] = colour;
    count = std::max(count, colour + 1);
  }
  return count;
}

/// Rows of one colour beside each other: reordering[row] is a row's new place.
void orderByColour(int m, const int *colours, int *reordering) {
  std::vector<int> rows(m);
  std::iota(rows.begin(), rows.end(), 0);
  std::sort(rows.begin(), rows.end(), [&](int a, int b) {
    return colours[a] != colours[b] ? colours[a] < colours[b] : a < b;
  });
  for (int i = 0; i < m; ++i)
    reordering[rows[i]] = i;
}

cusparseStatus_t colour(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                        const int *offsets, const int *indices, const void *fraction, int *ncolors,
                        int *coloring, int *reordering, const void *info) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_REQUIRE(m >= 0 && nnz >= 0 && fraction && ncolors && info, INVALID_VALUE);
  return inStreamAndWait(handle, [=, base = descrA->base] {
    *ncolors = colourRows(rowsOf(m, m, offsets, indices, base), coloring);
    if (reordering)
      orderByColour(m, coloring, reordering);
  });
}

} // namespace

struct cusparseColorInfo {};

HEDDLE_EXPORT cusparseStatus_t cusparseCreateColorInfo(cusparseColorInfo_t *info) {
  HEDDLE_REQUIRE(info, INVALID_VALUE);
  *info = new cusparseColorInfo;
  return CUSPARSE_STATUS_SUCCESS;
}
HEDDLE_EXPORT cusparseStatus_t cusparseDestroyColorInfo(cusparseColorInfo_t info) {
  delete info;
  return CUSPARSE_STATUS_SUCCESS;
}

HEDDLE_EXPORT cusparseStatus_t cusparseXcsrgeam2Nnz(
    cusparseHandle_t handle, int m, int n, const cusparseMatDescr_t descrA, int nnzA,
    const int *csrRowPtrA, const int *csrColIndA, const cusparseMatDescr_t descrB, int nnzB,
    const int *csrRowPtrB, const int *csrColIndB, const cusparseMatDescr_t descrC, int *csrRowPtrC,
    int *nnzTotalDevHostPtr, void *workspace) {
  HEDDLE_CHECK_GENERAL(handle, descrA);
  HEDDLE_CHECK_GENERAL(handle, descrB);
  HEDDLE_CHECK_GENERAL(handle, descrC);
  HEDDLE_REQUIRE(m >= 0 && n >= 0 && nnzA >= 0 && nnzB >= 0 && csrRowPtrC, INVALID_VALUE);
  Rows a = rowsOf(m, n, csrRowPtrA, csrColIndA, descrA->base);
  Rows b = rowsOf(m, n, csrRowPtrB, csrColIndB, descrB->base);
  return inStreamForResult(handle, [=, base = descrC->base] {
    csrRowPtrC[0] = base;
    for (int row = 0; row < m; ++row) {
      int count = 0;
      mergeRow(a, b, row, [&](int64_t, int64_t, int64_t) { ++count; });
      csrRowPtrC[row + 1] = csrRowPtrC[row] + count;
    }
    if (nnzTotalDevHostPtr)
      *nnzTotalDevHostPtr = csrRowPtrC[m] - base;
  });
}

#define HEDDLE_SUMS(p, T)                                                                          \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csrgeam2_bufferSizeExt(                              \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA,      \
      int nnzA, const T *, const int *, const int *, const T *beta,                                \
      const cusparseMatDescr_t descrB, int nnzB, const T *, const int *, const int *,              \
      const cusparseMatDescr_t descrC, const T *, const int *, const int *, size_t *bufferSize) {  \
    return tellBuffer(handle,                                                                      \
                      m >= 0 && n >= 0 && alpha && beta && nnzA >= 0 && nnzB >= 0 && descrA &&     \
                          descrB && descrC,                                                        \
                      bufferSize);                                                                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csrgeam2(                                            \
      cusparseHandle_t handle, int m, int n, const T *alpha, const cusparseMatDescr_t descrA,      \
      int nnzA, const T *csrValA, const int *csrRowPtrA, const int *csrColIndA, const T *beta,     \
      const cusparseMatDescr_t descrB, int nnzB, const T *csrValB, const int *csrRowPtrB,          \
      const int *csrColIndB, const cusparseMatDescr_t descrC, T *csrValC, int *csrRowPtrC,         \
      int *csrColIndC, void *) {                                                                   \
    HEDDLE_CHECK_GENERAL(handle, descrA);                                                          \
    HEDDLE_CHECK_GENERAL(handle, descrB);                                                          \
    HEDDLE_CHECK_GENERAL(handle, descrC);                                                          \
    HEDDLE_REQUIRE(m >= 0 && n >= 0 && alpha && beta && nnzA >= 0 && nnzB >= 0, INVALID_VALUE);    \
    using Native = std::remove_cvref_t<decltype(*native(csrValC))>;                                \
    return inStream(handle, [=, base = descrC->base,                                               \
                             a = rowsOf(m, n, csrRowPtrA, csrColIndA, descrA->base),               \
                             b = rowsOf(m, n, csrRowPtrB, csrColIndB, descrB->base),               \
                             fa = scalar(handle, alpha, TypeOf<Native>),                           \
                             fb = scalar(handle, beta, TypeOf<Native>)] {                          \
      addRows(a, b, native(csrValA), native(csrValB), fa.get<Native>(), fb.get<Native>(), base,    \
              native(csrValC), csrRowPtrC, csrColIndC);                                            \
    });                                                                                            \
  }
HEDDLE_FOUR_TYPES(HEDDLE_SUMS)

#define HEDDLE_COLOUR(p, T, R)                                                                     \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##csrcolor(                                            \
      cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T *,         \
      const int *csrRowPtrA, const int *csrColIndA, const R *fractionToColor, int *ncolors,        \
      int *coloring, int *reordering, const cusparseColorInfo_t info) {                            \
    return colour(handle, m, nnz, descrA, csrRowPtrA, csrColIndA, fractionToColor, ncolors,        \
                  coloring, reordering, info);                                                     \
  }
HEDDLE_COLOUR(S, float, float)
HEDDLE_COLOUR(D, double, double)
HEDDLE_COLOUR(C, cuComplex, float)
HEDDLE_COLOUR(Z, cuDoubleComplex, double)
