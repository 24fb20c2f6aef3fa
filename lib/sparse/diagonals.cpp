// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems of three and of five diagonals (cuSPARSE, "cusparse<t>gtsv2()" to
// "cusparse<t>gpsvInterleavedBatch()"): Gauss's elimination in a band, with partial pivots unless
// the function is one without. Batches and right sides are spread over threads.
#include "sparse/formats.h"
#include "support/parallel.h"

using namespace heddle::sparse;
using namespace heddle::library;

namespace {

/// A band of K diagonals on each side: row i has the columns from i - K to i + 2K, where pivots
/// move elements to.
template <typename T, int K> class Band {
public:
  explicit Band(int64_t count) : count(count), elements(count * Width) {}

  T &at(int64_t row, int64_t column) { return elements[row * Width + column - row + K]; }

  /// Solves for the right sides: b(i, j), j < columns. They become the solutions.
  template <typename B> void solve(B &&b, int64_t columns, bool pivots) {
    for (int64_t i = 0; i < count; ++i)
      eliminate(i, b, columns, pivots);
    for (int64_t i = count - 1; i >= 0; --i)
      for (int64_t j = 0; j < columns; ++j) {
        T sum = b(i, j);
        for (int64_t c = i + 1; c < std::min(count, i + 2 * K + 1); ++c)
          sum -= at(i, c) * b(c, j);
        b(i, j) = sum / at(i, i);
      }
  }

private:
  static constexpr int Width = 3 * K + 1;

  template <typename B> void eliminate(int64_t i, B &&b, int64_t columns, bool pivots) {
    int64_t lastRow = std::min(count - 1, i + K), lastColumn = std::min(count - 1, i + 2 * K);
    int64_t best = i;
    for (int64_t row = i + 1; pivots && row <= lastRow; ++row)
      if (std::abs(at(row, i)) > std::abs(at(best, i)))
        best = row;
    if (best != i) {
      for (int64_t c = i; c <= lastColumn; ++c)
        std::swap(at(i, c), at(best, c));
      for (int64_t j = 0; j < columns; ++j)
        std::swap(b(i, j), b(best, j));
    }
    for (int64_t row = i + 1; row <= lastRow; ++row) {
      T factor = at(row, i) / at(i, i);
      for (int64_t c = i + 1; c <= lastColumn && c <= row + 2 * K; ++c)
        at(row, c) -= factor * at(i, c);
      for (int64_t j = 0; j < columns; ++j)
        b(row, j) -= factor * b(i, j);
    }
  }

  int64_t count;
  std::vector<T> elements;
};

/// Fills a band of three diagonals from arrays whose elements lie `stride` apart.
template <typename T>
Band<T, 1> threeDiagonals(int64_t m, const T *dl, const T *d, const T *du, int64_t stride) {
  Band<T, 1> band(m);
  for (int64_t i = 0; i < m; ++i) {
    band.at(i, i) = d[i * stride];
    if (i > 0)
      band.at(i, i - 1) = dl[i * stride];
    if (i + 1 < m)
      band.at(i, i + 1) = du[i * stride];
  }
  return band;
}

/// One matrix and n right sides by columns.
template <typename T>
cusparseStatus_t solveColumns(cusparseHandle_t handle, int m, int n, const T *dl, const T *d,
                              const T *du, T *b, int ldb, bool pivots) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 3 && n >= 0 && ldb >= m && dl && d && du && (b || n == 0), INVALID_VALUE);
  return inStream(handle, [=] {
    parallelFor(n, 64, [&](int64_t begin, int64_t end) {
      threeDiagonals(m, dl, d, du, 1)
          .solve([&](int64_t i, int64_t j) -> T & { return b[i + (begin + j) * ldb]; }, end - begin,
                 pivots);
    });
  });
}

/// `count` systems: element i of system s at i * stride + s * step.
template <typename T>
cusparseStatus_t solveBatch(cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du,
                            T *x, int count, int64_t stride, int64_t step) {
  return inStream(handle, [=] {
    parallelFor(count, 1 + 4096 / m, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s)
        threeDiagonals(m, dl + s * step, d + s * step, du + s * step, stride)
            .solve([&](int64_t i, int64_t) -> T & { return x[i * stride + s * step]; }, 1, true);
    });
  });
}

template <typename T>
cusparseStatus_t solveStrided(cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du,
                              T *x, int count, int batchStride) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(m >= 3 && count >= 0 && batchStride >= m && dl && d && du && x, INVALID_VALUE);
  return solveBatch(handle, m, dl, d, du, x, count, 1, batchStride);
}

/// `algorithm` is 0, 1 or 2: Thomas, LU with pivots, QR. All are answered by the second.
template <typename T>
cusparseStatus_t solveInterleaved(cusparseHandle_t handle, int algorithm, int m, const T *dl,
                                  const T *d, const T *du, T *x, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(algorithm >= 0 && algorithm <= 2 && m >= 1 && count >= 0, INVALID_VALUE);
  HEDDLE_REQUIRE(dl && d && du && x, INVALID_VALUE);
  return solveBatch(handle, m, dl, d, du, x, count, count, 1);
}

template <typename T>
cusparseStatus_t solveFive(cusparseHandle_t handle, int algorithm, int m, const T *ds, const T *dl,
                           const T *d, const T *du, const T *dw, T *x, int count) {
  HEDDLE_REQUIRE(handle, NOT_INITIALIZED);
  HEDDLE_REQUIRE(algorithm == 0 && m >= 1 && count >= 0, INVALID_VALUE);
  HEDDLE_REQUIRE(ds && dl && d && du && dw && x, INVALID_VALUE);
  return inStream(handle, [=] {
    parallelFor(count, 1 + 4096 / m, [&](int64_t begin, int64_t end) {
      for (int64_t s = begin; s < end; ++s) {
        Band<T, 2> band(m);
        const T *diagonals[] = {ds, dl, d, du, dw};
        for (int64_t i = 0; i < m; ++i)
          for (int64_t c = std::max<int64_t>(0, i - 2); c <= std::min<int64_t>(m - 1, i + 2); ++c)
            band.at(i, c) = diagonals[c - i + 2][i * count + s];
        band.solve([&](int64_t i, int64_t) -> T & { return x[i * count + s]; }, 1, true);
      }
    });
  });
}

} // namespace

#define HEDDLE_DIAGONALS(p, T)                                                                     \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2_bufferSizeExt(                                 \
      cusparseHandle_t handle, int m, int n, const T *, const T *, const T *, const T *, int ldb,  \
      size_t *bufferSize) {                                                                        \
    return tellBuffer(handle, m >= 3 && n >= 0 && ldb >= m, bufferSize);                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2(cusparseHandle_t handle, int m, int n,         \
                                                    const T *dl, const T *d, const T *du, T *B,    \
                                                    int ldb, void *) {                             \
    return solveColumns(handle, m, n, native(dl), native(d), native(du), native(B), ldb, true);    \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2_nopivot_bufferSizeExt(                         \
      cusparseHandle_t handle, int m, int n, const T *, const T *, const T *, const T *, int ldb,  \
      size_t *bufferSize) {                                                                        \
    return tellBuffer(handle, m >= 3 && n >= 0 && ldb >= m, bufferSize);                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2_nopivot(cusparseHandle_t handle, int m, int n, \
                                                            const T *dl, const T *d, const T *du,  \
                                                            T *B, int ldb, void *) {               \
    return solveColumns(handle, m, n, native(dl), native(d), native(du), native(B), ldb, false);   \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2StridedBatch_bufferSizeExt(                     \
      cusparseHandle_t handle, int m, const T *, const T *, const T *, const T *, int batchCount,  \
      int batchStride, size_t *bufferSize) {                                                       \
    return tellBuffer(handle, m >= 3 && batchCount >= 0 && batchStride >= m, bufferSize);          \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsv2StridedBatch(                                   \
      cusparseHandle_t handle, int m, const T *dl, const T *d, const T *du, T *x, int batchCount,  \
      int batchStride, void *) {                                                                   \
    return solveStrided(handle, m, native(dl), native(d), native(du), native(x), batchCount,       \
                        batchStride);                                                              \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsvInterleavedBatch_bufferSizeExt(                  \
      cusparseHandle_t handle, int algo, int m, const T *, const T *, const T *, const T *,        \
      int batchCount, size_t *bufferSize) {                                                        \
    return tellBuffer(handle, algo >= 0 && algo <= 2 && m >= 1 && batchCount >= 0, bufferSize);    \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gtsvInterleavedBatch(                                \
      cusparseHandle_t handle, int algo, int m, T *dl, T *d, T *du, T *x, int batchCount,          \
      void *) {                                                                                    \
    return solveInterleaved(handle, algo, m, native(dl), native(d), native(du), native(x),         \
                            batchCount);                                                           \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gpsvInterleavedBatch_bufferSizeExt(                  \
      cusparseHandle_t handle, int algo, int m, const T *, const T *, const T *, const T *,        \
      const T *, const T *, int batchCount, size_t *bufferSize) {                                  \
    return tellBuffer(handle, algo == 0 && m >= 1 && batchCount >= 0, bufferSize);                 \
  }                                                                                                \
  HEDDLE_EXPORT cusparseStatus_t cusparse##p##gpsvInterleavedBatch(                                \
      cusparseHandle_t handle, int algo, int m, T *ds, T *dl, T *d, T *du, T *dw, T *x,            \
      int batchCount, void *) {                                                                    \
    return solveFive(handle, algo, m, native(ds), native(dl), native(d), native(du), native(dw),   \
                     native(x), batchCount);                                                       \
  }
HEDDLE_FOUR_TYPES(HEDDLE_DIAGONALS)
