// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS's enumerators as OpenBLAS takes them.
#pragma once

#include "blas/element.h"

#include <cublas_api.h>

#include <cblas.h>

namespace heddle::blas {

/// For real numbers the conjugate transpose is the transpose.
template <typename T> CBLAS_TRANSPOSE transposeOf(cublasOperation_t op) {
  if (op == CUBLAS_OP_N)
    return CblasNoTrans;
  return op == CUBLAS_OP_C && IsComplex<T> ? CblasConjTrans : CblasTrans;
}
inline CBLAS_UPLO triangleOf(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
inline CBLAS_DIAG diagonalOf(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE sideOf(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
/// As LAPACK says it.
inline char triangleLetter(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

} // namespace heddle::blas
