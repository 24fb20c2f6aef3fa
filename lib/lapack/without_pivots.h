// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU without pivots, which LAPACK has no routine for: in halves of the columns, so that most of it
// is products.
#pragma once

namespace heddle::lapack {

/// LU factors of an m x n matrix without pivots, in place. Returns the number of the first zero
/// pivot, or 0.
template <typename T> int factorWithoutPivots(int m, int n, T *a, int lda);

/// op(A) x = b for such factors.
template <typename T>
void solveWithoutPivots(char trans, int n, int nrhs, const T *a, int lda, T *b, int ldb);

} // namespace heddle::lapack
