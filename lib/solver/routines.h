// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole problems that several functions of the interface share. All run in place, where the work runs, and return
// LAPACK's info.
#pragma once

#include "solver/handle.h"

namespace heddle::solver {

/// LU factors of an m x n matrix without pivots, in place. Returns the number of the first zero pivot, or 0.
template <typename T> int factorWithoutPivots(int m, int n, T *a, int lda);

/// op(A) x = b for such factors.
template <typename T>
void solveWithoutPivots(char trans, int n, int nrhs, const T *a, int lda, T *b, int ldb);

/// a = U S V^H by QR; the jobs are LAPACK's letters.
template <typename T>
int singularValues(char jobu, char jobvt, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu,
                   T *vt, int ldvt);

/// The same with V instead of its adjoint; only min(m, n) columns of U and V if `economic`.
template <typename T>
int jacobiValues(bool vectors, bool economic, int m, int n, T *a, int lda, Real<T> *s, T *u,
                 int ldu, T *v, int ldv);

/// Eigenvalues in rising order, and the vectors in place of a symmetric (Hermitian) matrix.
template <typename T> int eigenvalues(char jobz, char uplo, int n, T *a, int lda, Real<T> *w);

/// Which eigenvalues: all, those in (low, high], or the first-th to the last-th from 1 on.
template <typename R> struct EigenRange {
  char which; ///< 'A', 'V' or 'I'
  R low, high;
  int first, last;
};

/// Some of them, `found` many; their vectors are the first columns of the matrix.
template <typename T>
int eigenvaluesIn(const EigenRange<Real<T>> &range, char jobz, char uplo, int n, T *a, int lda,
                  int *found, Real<T> *w);

} // namespace heddle::solver
