// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangular systems: what an analysis makes of a matrix, and the substitution.
//
// A row of op(A) is ready when the rows are that it has elements of. The analysis gives each row a
// level, one more than the highest of those, and sorts the rows by levels. If levels are wide,
// threads share each of them; if they are narrow, as in most factors, the rows go in their natural
// order on one thread, where the cache likes them best.
#pragma once

#include "sparse/lines.h"
#include "sparse/values.h"
#include "support/parallel.h"

#include <cusparse.h>

namespace heddle::sparse {

/// op(A)'s rows without what is on the other side of the diagonal, and the diagonal by itself.
struct TriangleShape {
  int64_t count = 0;
  bool lower = true, unit = false;
  std::vector<int64_t> offsets, indices, places; ///< `places`: where in A's values an element lies
  std::vector<int64_t> diagonalPlaces;           ///< -1 where A has no such element
  std::vector<int64_t> levelRows, levelOffsets;  ///< rows by levels; empty if rows go in order

  virtual ~TriangleShape() = default;
};

template <typename C> struct Triangle final : TriangleShape {
  std::vector<C> values, diagonal;
};

namespace detail {

constexpr int64_t WideLevel = 4096; ///< elements that a level must have on average to be shared

/// Rows by levels, if they are wide.
inline void findLevels(TriangleShape &shape) {
  std::vector<int64_t> level(shape.count);
  int64_t levels = 0;
  for (int64_t i = 0; i < shape.count; ++i) {
    int64_t row = shape.lower ? i : shape.count - 1 - i;
    for (int64_t k = shape.offsets[row]; k < shape.offsets[row + 1]; ++k)
      level[row] = std::max(level[row], level[shape.indices[k]] + 1);
    levels = std::max(levels, level[row] + 1);
  }
  int64_t elements = shape.offsets.back() + shape.count;
  if (levels == 0 || elements / levels < WideLevel || library::loopThreads() == 1)
    return;
  shape.levelOffsets.assign(levels + 1, 0);
  for (int64_t row = 0; row < shape.count; ++row)
    ++shape.levelOffsets[level[row] + 1];
  for (int64_t i = 0; i < levels; ++i)
    shape.levelOffsets[i + 1] += shape.levelOffsets[i];
  std::vector<int64_t> next(shape.levelOffsets.begin(), shape.levelOffsets.end() - 1);
  shape.levelRows.resize(shape.count);
  for (int64_t row = 0; row < shape.count; ++row)
    shape.levelRows[next[level[row]]++] = row;
}

template <typename L> void takeRows(TriangleShape &shape, const L &lines) {
  shape.count = lines.count;
  shape.offsets.assign(1, 0);
  shape.diagonalPlaces.assign(lines.count, -1);
  shape.indices.clear(), shape.places.clear();
  for (int64_t row = 0; row < lines.count; ++row) {
    for (int64_t k = lines.begin(row); k < lines.end(row); ++k) {
      int64_t column = lines.index(k);
      if (column == row) {
        shape.diagonalPlaces[row] = lines.place(k);
      } else if ((column < row) == shape.lower) {
        shape.indices.push_back(column);
        shape.places.push_back(lines.place(k));
      }
    }
    shape.offsets.push_back(static_cast<int64_t>(shape.indices.size()));
  }
}

} // namespace detail

/// Fills the shape from a square matrix, its fill mode and its kind of diagonal.
inline void analyse(TriangleShape &shape, const cusparseSpMatDescr &matrix, bool transposed) {
  shape.lower = (matrix.fill == CUSPARSE_FILL_MODE_LOWER) != transposed;
  shape.unit = matrix.diagonal == CUSPARSE_DIAG_TYPE_UNIT;
  withLines(matrix, [&](const auto &lines) {
    if (lines.byColumns == transposed)
      detail::takeRows(shape, lines);
    else
      detail::takeRows(shape, turned(lines).view());
  });
  detail::findLevels(shape);
}

/// Takes the values of the matrix; a diagonal element that is missing is zero.
template <typename C> void takeValues(Triangle<C> &t, const C *values, bool conjugated) {
  auto value = [&](int64_t place) { return conjugated ? conjugate(values[place]) : values[place]; };
  t.values.resize(t.places.size()), t.diagonal.resize(t.count);
  for (size_t k = 0; k < t.places.size(); ++k)
    t.values[k] = value(t.places[k]);
  for (int64_t row = 0; row < t.count; ++row)
    t.diagonal[row] = t.unit                      ? C(1)
                      : t.diagonalPlaces[row] < 0 ? C(0)
                                                  : value(t.diagonalPlaces[row]);
}

/// Calls solveRow(row) for each row behind those that it needs.
template <typename F>
void forRowsInOrder(const TriangleShape &shape, bool onThreads, F &&solveRow) {
  if (shape.levelRows.empty() || !onThreads) {
    for (int64_t i = 0; i < shape.count; ++i)
      solveRow(shape.lower ? i : shape.count - 1 - i);
    return;
  }
  for (size_t level = 0; level + 1 < shape.levelOffsets.size(); ++level) {
    int64_t first = shape.levelOffsets[level];
    library::parallelFor(shape.levelOffsets[level + 1] - first, 256,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i)
                             solveRow(shape.levelRows[first + i]);
                         });
  }
}

/// x = op(A)^-1 alpha b; x may be b.
template <typename C> void solve(const Triangle<C> &t, C alpha, const C *b, C *x) {
  forRowsInOrder(t, true, [&](int64_t row) {
    C sum = alpha * b[row];
    for (int64_t k = t.offsets[row]; k < t.offsets[row + 1]; ++k)
      sum -= t.values[k] * x[t.indices[k]];
    x[row] = t.unit ? sum : sum / t.diagonal[row];
  });
}

/// The same for `columns` right sides at once, which are x already, by rows.
template <typename C> void solveColumns(const Triangle<C> &t, C *x, int64_t columns) {
  forRowsInOrder(t, false, [&](int64_t row) {
    C *own = x + row * columns;
    for (int64_t k = t.offsets[row]; k < t.offsets[row + 1]; ++k) {
      const C *other = x + t.indices[k] * columns;
      for (int64_t j = 0; j < columns; ++j)
        own[j] -= t.values[k] * other[j];
    }
    for (int64_t j = 0; !t.unit && j < columns; ++j)
      own[j] /= t.diagonal[row];
  });
}

} // namespace heddle::sparse
