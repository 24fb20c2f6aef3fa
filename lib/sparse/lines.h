// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One form for the sparse matrices of all formats: lines, which are rows or columns, with the
// places and the values of their elements.
//
// CSR and CSC are in it as they are. COO that is sorted by rows needs its offsets counted; the
// others (unsorted COO, blocks, ELL) are written out element by element, and `order` says where
// each value lies, so that a function that writes values finds its way back. The operations are
// written for lines only: one loop over an operation's lines for every format. This is right for
// all and fast for CSR and COO; the formats of blocks pay the list of their elements.
#pragma once

#include "sparse/descriptors.h"
#include "sparse/parts.h"
#include "sparse/values.h"

#include <algorithm>
#include <vector>

namespace heddle::sparse {

/// Line i has the elements from offsets[i] to offsets[i + 1], counted from `base` as the indices
/// are.
template <typename O, typename I> struct Lines {
  using Offset = O;
  using Index = I;

  int64_t count; ///< of lines: rows, or columns if byColumns
  int64_t width; ///< the number of columns, or of rows
  const O *offsets;
  const I *indices;
  int64_t base;
  const int64_t
      *order; ///< where in the matrix's values an element's lies; null if they are in order
  bool byColumns;

  int64_t begin(int64_t line) const { return static_cast<int64_t>(offsets[line]) - base; }
  int64_t end(int64_t line) const { return begin(line + 1); }
  int64_t index(int64_t element) const { return static_cast<int64_t>(indices[element]) - base; }
  int64_t place(int64_t element) const { return order ? order[element] : element; }
  int64_t elements() const { return count ? end(count - 1) : 0; }
};

/// Lines that own their lists.
struct OwnLines {
  int64_t count = 0, width = 0;
  std::vector<int64_t> offsets, indices, order;
  bool byColumns = false;

  Lines<int64_t, int64_t> view() const {
    return {count, width, offsets.data(), indices.data(), 0, order.data(), byColumns};
  }
};

/// The elements of a matrix in blocks, in ELL, or of unsorted COO, by rows.
OwnLines listElements(const cusparseSpMatDescr &matrix);

/// The same elements by the other kind of lines; `order` leads to the same values.
template <typename O, typename I> OwnLines turned(const Lines<O, I> &lines) {
  OwnLines result;
  result.count = lines.width, result.width = lines.count, result.byColumns = !lines.byColumns;
  int64_t elements = lines.elements();
  result.offsets.assign(lines.width + 1, 0);
  result.indices.resize(elements), result.order.resize(elements);
  for (int64_t k = 0; k < elements; ++k)
    ++result.offsets[lines.index(k) + 1];
  for (int64_t i = 0; i < lines.width; ++i)
    result.offsets[i + 1] += result.offsets[i];
  std::vector<int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (int64_t line = 0; line < lines.count; ++line)
    for (int64_t k = lines.begin(line); k < lines.end(line); ++k) {
      int64_t to = next[lines.index(k)]++;
      result.indices[to] = line, result.order[to] = lines.place(k);
    }
  return result;
}

namespace detail {

/// Offsets of COO's rows if they are sorted, counted from the matrix's base; empty if they are not.
template <typename I>
std::vector<I> offsetsOfRows(const I *rows, int64_t nnz, int64_t count, int64_t base) {
  if (!std::is_sorted(rows, rows + nnz))
    return {};
  std::vector<I> offsets(count + 1);
  int64_t k = 0;
  for (int64_t row = 0; row <= count; ++row) {
    while (k < nnz && static_cast<int64_t>(rows[k]) - base < row)
      ++k;
    offsets[row] = static_cast<I>(k + base);
  }
  return offsets;
}

template <typename I, typename F> void withCooLines(const cusparseSpMatDescr &matrix, F &&f) {
  int64_t base = matrix.base;
  std::vector<I> offsets =
      offsetsOfRows(static_cast<const I *>(matrix.offsets), matrix.nnz, matrix.rows, base);
  if (offsets.empty())
    return f(listElements(matrix).view());
  f(Lines<I, I>{matrix.rows, matrix.cols, offsets.data(), static_cast<const I *>(matrix.indices),
                base, nullptr, false});
}

template <typename O, typename I, typename F>
void withCompressedLines(const cusparseSpMatDescr &matrix, const O *offsets, F &&f) {
  bool byColumns = matrix.format == CUSPARSE_FORMAT_CSC;
  f(Lines<O, I>{byColumns ? matrix.cols : matrix.rows, byColumns ? matrix.rows : matrix.cols,
                offsets, static_cast<const I *>(matrix.indices), matrix.base, nullptr, byColumns});
}

} // namespace detail

/// Calls f(Lines<O, I>) with the matrix's lines: rows, but for CSC. They live as long as the call.
template <typename F> void withLines(const cusparseSpMatDescr &matrix, F &&f) {
  bool wideOffsets = matrix.offsetType == CUSPARSE_INDEX_64I;
  bool wideIndices = matrix.indexType == CUSPARSE_INDEX_64I;
  if (matrix.format == CUSPARSE_FORMAT_COO)
    return wideIndices ? detail::withCooLines<int64_t>(matrix, f)
                       : detail::withCooLines<int32_t>(matrix, f);
  if (matrix.format != CUSPARSE_FORMAT_CSR && matrix.format != CUSPARSE_FORMAT_CSC) {
    OwnLines own = listElements(matrix);
    return f(own.view());
  }
  if (wideOffsets) {
    const int64_t *offsets = static_cast<const int64_t *>(matrix.offsets);
    return wideIndices ? detail::withCompressedLines<int64_t, int64_t>(matrix, offsets, f)
                       : detail::withCompressedLines<int64_t, int32_t>(matrix, offsets, f);
  }
  const int32_t *offsets = static_cast<const int32_t *>(matrix.offsets);
  if (!wideIndices)
    return detail::withCompressedLines<int32_t, int32_t>(matrix, offsets, f);
  int64_t count = matrix.format == CUSPARSE_FORMAT_CSC ? matrix.cols : matrix.rows;
  std::vector<int64_t> widened(offsets, offsets + count + 1);
  detail::withCompressedLines<int64_t, int64_t>(matrix, widened.data(), f);
}

/// The values of lines' elements in their order: the matrix's own, or a copy.
template <typename T> class ValuesInOrder {
public:
  template <typename O, typename I>
  ValuesInOrder(const Lines<O, I> &lines, const void *values)
      : pointer(static_cast<const T *>(values)) {
    if (!lines.order)
      return;
    copy.resize(lines.elements());
    for (size_t k = 0; k < copy.size(); ++k)
      copy[k] = pointer[lines.order[k]];
    pointer = copy.data();
  }
  const T *get() const { return pointer; }

private:
  const T *pointer;
  std::vector<T> copy;
};

/// The line where part `part` of `parts` begins, where a line costs one and each of its elements
/// another.
template <typename O, typename I>
int64_t firstLineOf(const Lines<O, I> &lines, int part, int parts) {
  int64_t wanted = (lines.elements() + lines.count) * part / parts;
  int64_t low = 0, high = lines.count;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (lines.begin(middle) + middle < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Calls body(first, last) for parts of the lines that cost about the same; `grain`: elements that
/// a part should have.
template <typename O, typename I, typename F>
void parallelLines(const Lines<O, I> &lines, int64_t grain, F &&body) {
  int parts = partsOf(lines.elements() + lines.count, grain);
  parallelParts(parts, [&](int part) {
    body(firstLineOf(lines, part, parts),
         part + 1 == parts ? lines.count : firstLineOf(lines, part + 1, parts));
  });
}

} // namespace heddle::sparse
