// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lapack/without_pivots.h"

#include "lapack/lapack.h"

namespace heddle::lapack {

namespace {

/// Multiplies by the inverse of a unit lower triangle from the left: b = L^-1 b.
template <typename T> void solveUnitLower(int m, int n, const T *l, int ldl, T *b, int ldb) {
  T one(1);
  HEDDLE_LAPACK_OF(T, trsm)("L", "L", "N", "U", &m, &n, &one, l, &ldl, b, &ldb);
}

/// c = c - a b
template <typename T>
void subtractProduct(int m, int n, int k, const T *a, const T *b, T *c, int ld) {
  T one(1), minusOne(-1);
  HEDDLE_LAPACK_OF(T, gemm)("N", "N", &m, &n, &k, &minusOne, a, &ld, b, &ld, &one, c, &ld);
}

template <typename T> int factorFewColumns(int m, int n, T *a, int lda) {
  int info = 0;
  for (int j = 0; j < std::min(m, n); ++j) {
    T pivot = a[j + j * int64_t(lda)];
    if (pivot == T(0) && info == 0)
      info = j + 1;
    for (int i = j + 1; i < m; ++i)
      a[i + j * int64_t(lda)] /= pivot;
    for (int k = j + 1; k < n; ++k)
      for (int i = j + 1; i < m; ++i)
        a[i + k * int64_t(lda)] -= a[i + j * int64_t(lda)] * a[j + k * int64_t(lda)];
  }
  return info;
}

} // namespace

template <typename T> int factorWithoutPivots(int m, int n, T *a, int lda) {
  constexpr int Few = 16;
  if (std::min(m, n) <= Few)
    return factorFewColumns(m, n, a, lda);
  // [A11 A12; A21 A22] with half of the columns on the left.
  int half = std::min(m, n) / 2;
  T *a12 = a + half * int64_t(lda);
  int left = factorWithoutPivots(m, half, a, lda);
  solveUnitLower(half, n - half, a, lda, a12, lda);
  subtractProduct(m - half, n - half, half, a + half, a12, a12 + half, lda);
  int right = factorWithoutPivots(m - half, n - half, a12 + half, lda);
  return left ? left : right ? right + half : 0;
}
template int factorWithoutPivots(int, int, float *, int);
template int factorWithoutPivots(int, int, double *, int);
template int factorWithoutPivots(int, int, ComplexFloat *, int);
template int factorWithoutPivots(int, int, ComplexDouble *, int);

template <typename T>
void solveWithoutPivots(char trans, int n, int nrhs, const T *a, int lda, T *b, int ldb) {
  T one(1);
  auto &trsm = HEDDLE_LAPACK_OF(T, trsm);
  if (trans == 'N') {
    trsm("L", "L", "N", "U", &n, &nrhs, &one, a, &lda, b, &ldb);
    trsm("L", "U", "N", "N", &n, &nrhs, &one, a, &lda, b, &ldb);
  } else {
    trsm("L", "U", &trans, "N", &n, &nrhs, &one, a, &lda, b, &ldb);
    trsm("L", "L", &trans, "U", &n, &nrhs, &one, a, &lda, b, &ldb);
  }
}

template void solveWithoutPivots(char, int, int, const float *, int, float *, int);
template void solveWithoutPivots(char, int, int, const double *, int, double *, int);
template void solveWithoutPivots(char, int, int, const ComplexFloat *, int, ComplexFloat *, int);
template void solveWithoutPivots(char, int, int, const ComplexDouble *, int, ComplexDouble *, int);

} // namespace heddle::lapack
