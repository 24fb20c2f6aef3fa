// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eigenvalues, for both of cuSOLVER's libraries.
#pragma once

#include "lapack/lapack.h"

namespace heddle::lapack {

/// Eigenvalues in rising order, and the vectors in place of a symmetric (Hermitian) matrix.
template <typename T> int eigenvalues(char jobz, char uplo, int n, T *a, int lda, Real<T> *w);

} // namespace heddle::lapack
