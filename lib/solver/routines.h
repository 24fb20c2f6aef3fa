// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole problems that several functions of the interface share. All run in place, where the work
// runs, and return LAPACK's info.
#pragma once

#include "lapack/eigenvalues.h"
#include "lapack/without_pivots.h"
#include "solver/handle.h"

namespace heddle::solver {

/// a = U S V^H by QR; the jobs are LAPACK's letters.
template <typename T>
int singularValues(char jobu, char jobvt, int m, int n, T *a, int lda, Real<T> *s, T *u, int ldu,
                   T *vt, int ldvt);

/// The same with V instead of its adjoint; only min(m, n) columns of U and V if `economic`.
template <typename T>
int jacobiValues(bool vectors, bool economic, int m, int n, T *a, int lda, Real<T> *s, T *u,
                 int ldu, T *v, int ldv);

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
