// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions on a matrix and vectors (cuBLAS Library, "cuBLAS Level-2 Function Reference"). What
// symmetric and Hermitian matrices have in common has one name: spmv is hpmv where the type is
// complex, since complex symmetric ones exist in dense form alone.
#include "blas/arguments.h"
#include "blas/handle.h"
#include "blas/openblas.h"
#include "support/parallel.h"

namespace heddle::blas {

namespace {

enum Form { Plain, Conjugated };

template <typename T>
cublasStatus_t gemv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                    const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                    const T *beta, T *y, int64_t incy) {
  bool valid =
      isOperation(trans) && m >= 0 && n >= 0 && isLeading(lda, m) && incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {m, n, lda, incx, incy}))
    return bad;
  const bool plain = trans == CUBLAS_OP_N;
  const std::initializer_list<library::MemoryRows> memory = {
      library::columnsOf(A, m, n, lda, sizeof(T)), library::elementsOf(x, plain ? n : m, incx),
      library::written(library::elementsOf(y, plain ? m : n, incy))};
  return submit(handle, memory, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, gemv)(CblasColMajor, transposeOf<T>(trans), m, n, pass(a), A, lda, x, incx,
                         pass(b), y, incy);
  });
}

template <typename T>
cublasStatus_t gbmv(cublasHandle_t handle, cublasOperation_t trans, int64_t m, int64_t n,
                    int64_t kl, int64_t ku, const T *alpha, const T *A, int64_t lda, const T *x,
                    int64_t incx, const T *beta, T *y, int64_t incy) {
  bool valid = isOperation(trans) && m >= 0 && n >= 0 && kl >= 0 && ku >= 0 && lda >= kl + ku + 1 &&
               incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {m, n, kl, ku, lda, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS(T, gbmv)(CblasColMajor, transposeOf<T>(trans), m, n, kl, ku, pass(a), A, lda, x,
                         incx, pass(b), y, incy);
  });
}

bool isTriangular(cublasFillMode_t uplo, cublasOperation_t trans, cublasDiagType_t diag) {
  return isTriangle(uplo) && isOperation(trans) && isDiagonal(diag);
}

// Products with triangular matrices, and solutions: dense, banded, packed.
#define HEDDLE_DENSE(name)                                                                         \
  template <typename T>                                                                            \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,       \
                      cublasDiagType_t diag, int64_t n, const T *A, int64_t lda, T *x,             \
                      int64_t incx) {                                                              \
    bool valid = isTriangular(uplo, trans, diag) && n >= 0 && isLeading(lda, n) && incx;           \
    if (cublasStatus_t bad = check(handle, valid, {n, lda, incx}))                                 \
      return bad;                                                                                  \
    return submit(handle, [=] {                                                                    \
      HEDDLE_BLAS(T, name)(CblasColMajor, triangleOf(uplo), transposeOf<T>(trans),                 \
                           diagonalOf(diag), n, A, lda, x, incx);                                  \
    });                                                                                            \
  }
HEDDLE_DENSE(trmv)
HEDDLE_DENSE(trsv)
#undef HEDDLE_DENSE

#define HEDDLE_BANDED(name)                                                                        \
  template <typename T>                                                                            \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,       \
                      cublasDiagType_t diag, int64_t n, int64_t k, const T *A, int64_t lda, T *x,  \
                      int64_t incx) {                                                              \
    bool valid = isTriangular(uplo, trans, diag) && n >= 0 && k >= 0 && lda >= k + 1 && incx;      \
    if (cublasStatus_t bad = check(handle, valid, {n, k, lda, incx}))                              \
      return bad;                                                                                  \
    return submit(handle, [=] {                                                                    \
      HEDDLE_BLAS(T, name)(CblasColMajor, triangleOf(uplo), transposeOf<T>(trans),                 \
                           diagonalOf(diag), n, k, A, lda, x, incx);                               \
    });                                                                                            \
  }
HEDDLE_BANDED(tbmv)
HEDDLE_BANDED(tbsv)
#undef HEDDLE_BANDED

#define HEDDLE_PACKED(name)                                                                        \
  template <typename T>                                                                            \
  cublasStatus_t name(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,       \
                      cublasDiagType_t diag, int64_t n, const T *AP, T *x, int64_t incx) {         \
    bool valid = isTriangular(uplo, trans, diag) && n >= 0 && incx;                                \
    if (cublasStatus_t bad = check(handle, valid, {n, incx}))                                      \
      return bad;                                                                                  \
    return submit(handle, [=] {                                                                    \
      HEDDLE_BLAS(T, name)(CblasColMajor, triangleOf(uplo), transposeOf<T>(trans),                 \
                           diagonalOf(diag), n, AP, x, incx);                                      \
    });                                                                                            \
  }
HEDDLE_PACKED(tpmv)
HEDDLE_PACKED(tpsv)
#undef HEDDLE_PACKED

template <typename T>
void symmetricProduct(cublasFillMode_t uplo, int n, const T &a, const T *A, int lda, const T *x,
                      int incx, const T &b, T *y, int incy) {
  if constexpr (IsComplex<T>) {
    char letter = triangleLetter(uplo);
    HEDDLE_BLAS_OF(T, csymv, zsymv, csymv, zsymv)
    (&letter, &n, &a, A, &lda, x, &incx, &b, y, &incy);
  } else {
    HEDDLE_BLAS_OF(T, ssymv, dsymv, ssymv, dsymv)
    (CblasColMajor, triangleOf(uplo), n, a, A, lda, x, incx, b, y, incy);
  }
}

template <typename T>
cublasStatus_t symv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                    int64_t incy) {
  bool valid = isTriangle(uplo) && n >= 0 && isLeading(lda, n) && incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {n, lda, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    symmetricProduct<T>(uplo, n, alpha.get(), A, lda, x, incx, beta.get(), y, incy);
  });
}

template <typename T>
cublasStatus_t hemv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *A, int64_t lda, const T *x, int64_t incx, const T *beta, T *y,
                    int64_t incy) {
  bool valid = isTriangle(uplo) && n >= 0 && isLeading(lda, n) && incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {n, lda, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS_OF(T, chemv, zhemv, chemv, zhemv)
    (CblasColMajor, triangleOf(uplo), n, &a, A, lda, x, incx, &b, y, incy);
  });
}

template <typename T>
cublasStatus_t sbmv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t k,
                    const T *alpha, const T *A, int64_t lda, const T *x, int64_t incx,
                    const T *beta, T *y, int64_t incy) {
  bool valid =
      isTriangle(uplo) && n >= 0 && k >= 0 && lda >= k + 1 && incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {n, k, lda, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS_OF(T, ssbmv, dsbmv, chbmv, zhbmv)
    (CblasColMajor, triangleOf(uplo), n, k, pass(a), A, lda, x, incx, pass(b), y, incy);
  });
}

template <typename T>
cublasStatus_t spmv(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *AP, const T *x, int64_t incx, const T *beta, T *y, int64_t incy) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && incy && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    const T a = alpha.get(), b = beta.get();
    HEDDLE_BLAS_OF(T, sspmv, dspmv, chpmv, zhpmv)
    (CblasColMajor, triangleOf(uplo), n, pass(a), AP, x, incx, pass(b), y, incy);
  });
}

template <typename T, Form form>
cublasStatus_t ger(cublasHandle_t handle, int64_t m, int64_t n, const T *alpha, const T *x,
                   int64_t incx, const T *y, int64_t incy, T *A, int64_t lda) {
  bool valid = m >= 0 && n >= 0 && incx && incy && isLeading(lda, m) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {m, n, incx, incy, lda}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    auto &function = form == Plain ? HEDDLE_BLAS_OF(T, sger, dger, cgeru, zgeru)
                                   : HEDDLE_BLAS_OF(T, sger, dger, cgerc, zgerc);
    function(CblasColMajor, m, n, pass(a), x, incx, y, incy, A, lda);
  });
}

template <typename T>
cublasStatus_t syr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                   const T *x, int64_t incx, T *A, int64_t lda) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && isLeading(lda, n) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, lda}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    if constexpr (IsComplex<T>) {
      char letter = triangleLetter(uplo);
      int size = n, step = incx, ld = lda;
      HEDDLE_BLAS_OF(T, csyr, zsyr, csyr, zsyr)(&letter, &size, &a, x, &step, A, &ld);
    } else {
      HEDDLE_BLAS_OF(T, ssyr, dsyr, ssyr, dsyr)
      (CblasColMajor, triangleOf(uplo), n, a, x, incx, A, lda);
    }
  });
}

template <typename T>
cublasStatus_t her(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const Real<T> *alpha,
                   const T *x, int64_t incx, T *A, int64_t lda) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && isLeading(lda, n) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, lda}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    HEDDLE_BLAS_OF(T, cher, zher, cher, zher)
    (CblasColMajor, triangleOf(uplo), n, alpha.get(), x, incx, A, lda);
  });
}

/// sspr, dspr, chpr, zhpr: alpha is real.
template <typename T>
cublasStatus_t spr(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const Real<T> *alpha,
                   const T *x, int64_t incx, T *AP) {
  if (cublasStatus_t bad = check(handle, isTriangle(uplo) && n >= 0 && incx && alpha, {n, incx}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    HEDDLE_BLAS_OF(T, sspr, dspr, chpr, zhpr)
    (CblasColMajor, triangleOf(uplo), n, alpha.get(), x, incx, AP);
  });
}

/// A triangle of A += alpha x y^T + alpha y x^T for complex numbers, for which OpenBLAS has no
/// right function.
template <typename T>
void complexUpdate(cublasFillMode_t uplo, int64_t n, T alpha, const T *x, int64_t incx, const T *y,
                   int64_t incy, T *A, int64_t lda) {
  const T *x0 = incx > 0 ? x : x - (n - 1) * incx, *y0 = incy > 0 ? y : y - (n - 1) * incy;
  library::parallelFor(n, 64, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      const T ofX = alpha * y0[j * incy], ofY = alpha * x0[j * incx];
      bool lower = uplo == CUBLAS_FILL_MODE_LOWER;
      for (int64_t i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
        A[i + j * lda] = A[i + j * lda] + ofX * x0[i * incx] + ofY * y0[i * incy];
    }
  });
}

template <typename T>
cublasStatus_t syr2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && incy && isLeading(lda, n) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, incy, lda}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    if constexpr (IsComplex<T>) {
      complexUpdate(uplo, n, a, x, incx, y, incy, A, lda);
    } else {
      HEDDLE_BLAS_OF(T, ssyr2, dsyr2, ssyr2, dsyr2)
      (CblasColMajor, triangleOf(uplo), n, a, x, incx, y, incy, A, lda);
    }
  });
}

template <typename T>
cublasStatus_t her2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *x, int64_t incx, const T *y, int64_t incy, T *A, int64_t lda) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && incy && isLeading(lda, n) && alpha;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, incy, lda}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    HEDDLE_BLAS_OF(T, cher2, zher2, cher2, zher2)
    (CblasColMajor, triangleOf(uplo), n, &a, x, incx, y, incy, A, lda);
  });
}

/// sspr2, dspr2, chpr2, zhpr2.
template <typename T>
cublasStatus_t spr2(cublasHandle_t handle, cublasFillMode_t uplo, int64_t n, const T *alpha,
                    const T *x, int64_t incx, const T *y, int64_t incy, T *AP) {
  bool valid = isTriangle(uplo) && n >= 0 && incx && incy && alpha;
  if (cublasStatus_t bad = check(handle, valid, {n, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    HEDDLE_BLAS_OF(T, sspr2, dspr2, chpr2, zhpr2)
    (CblasColMajor, triangleOf(uplo), n, pass(a), x, incx, y, incy, AP);
  });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/level2.inc"
#include "blas/define_entries.inc"
