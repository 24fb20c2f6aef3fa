// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of products and solutions whose types are in the function's name.
#include "blas/arguments.h"
#include "blas/gemm.h"
#include "blas/handle.h"
#include "blas/openblas.h"
#include "support/parallel.h"

#include <vector>

namespace heddle::blas {

namespace {

using Op = cublasOperation_t;

template <typename T> constexpr GemmTypes typesOf() {
  bool isDouble = std::is_same_v<Real<T>, double>;
  return {typeOf<T>, typeOf<T>, typeOf<T>, isDouble ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F};
}

template <typename T> const void *const *untyped(const T *const *pointers) {
  return reinterpret_cast<const void *const *>(pointers);
}
template <typename T> void *const *untyped(T *const *pointers) {
  return reinterpret_cast<void *const *>(const_cast<T **>(pointers));
}

template <typename T>
cublasStatus_t gemmBatched(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                           int64_t k, const T *alpha, const T *const *A, int64_t lda,
                           const T *const *B, int64_t ldb, const T *beta, T *const *C, int64_t ldc,
                           int64_t count) {
  return submitGemm(
      handle, {transa, transb, m, n, k, lda, ldb, ldc}, typesOf<T>(), alpha, beta,
      pointerBatch(count, untyped(A), untyped(B), reinterpret_cast<void *const *>(C)));
}

template <typename T>
cublasStatus_t gemmStrided(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                           int64_t k, const T *alpha, const T *A, int64_t lda, int64_t strideA,
                           const T *B, int64_t ldb, int64_t strideB, const T *beta, T *C,
                           int64_t ldc, int64_t strideC, int64_t count) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc}, typesOf<T>(), alpha, beta,
                    stridedBatch(count, A, strideA, B, strideB, C, strideC));
}

template <typename T, typename I>
cublasStatus_t gemmGrouped(cublasHandle_t handle, const Op *transa, const Op *transb, const I *m,
                           const I *n, const I *k, const T *alpha, const T *const *A, const I *lda,
                           const T *const *B, const I *ldb, const T *beta, T *const *C,
                           const I *ldc, int64_t groups, const I *sizes) {
  if (groups < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<GemmShape> shapes;
  for (int64_t g = 0; g < groups; ++g)
    shapes.push_back({transa[g], transb[g], m[g], n[g], k[g], lda[g], ldb[g], ldc[g]});
  return submitGroups(handle, shapes, std::vector<int64_t>(sizes, sizes + groups), typesOf<T>(),
                      alpha, beta, untyped(A), untyped(B), reinterpret_cast<void *const *>(C));
}

/// y = alpha op(A) x + beta y for matrices of T and results of R, computed in S.
template <typename T, typename R, typename S> struct VectorProduct {
  Op op;
  int64_t m, n, lda, incx, incy;
  S alpha, beta;

  void run(const T *A, const T *x, R *y) const {
    int64_t rows = op == CUBLAS_OP_N ? m : n, columns = op == CUBLAS_OP_N ? n : m;
    if (rows == 0)
      return;
    if constexpr (std::is_same_v<T, S>) {
      HEDDLE_BLAS(T, gemv)(CblasColMajor, transposeOf<T>(op), m, n, pass(alpha), A, lda, x, incx,
                           pass(beta), y, incy);
    } else {
      std::vector<float> sums(rows);
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          bool plain = op == CUBLAS_OP_N;
          int64_t at = plain ? j : i;
          float factor = x[incx > 0 ? at * incx : (at - columns + 1) * incx];
          sums[plain ? i : j] += static_cast<float>(A[i + j * lda]) * factor;
        }
      for (int64_t i = 0; i < rows; ++i) {
        R &to = y[incy > 0 ? i * incy : (i - rows + 1) * incy];
        to = R(alpha * sums[i] + (beta == 0 ? 0 : beta * static_cast<float>(to)));
      }
    }
  }
};

/// `operands(i)` gives the addresses of the i-th product.
template <typename T, typename R, typename S, typename F>
cublasStatus_t gemvAll(cublasHandle_t handle, Op op, int64_t m, int64_t n, const S *alpha,
                       int64_t lda, int64_t incx, const S *beta, int64_t incy, int64_t count,
                       F run) {
  bool valid = isOperation(op) && m >= 0 && n >= 0 && isLeading(lda, m) && incx && incy &&
               count >= 0 && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid, {m, n, lda, incx, incy}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)] {
    VectorProduct<T, R, S> product{op, m, n, lda, incx, incy, alpha.get(), beta.get()};
    OneThreadEach single;
    int64_t grain = std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(m * n, 1));
    library::parallelFor(count, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        run(product, i);
    });
  });
}

template <typename T, typename R, typename S>
cublasStatus_t gemvBatched(cublasHandle_t handle, Op op, int64_t m, int64_t n, const S *alpha,
                           const T *const *A, int64_t lda, const T *const *x, int64_t incx,
                           const S *beta, R *const *y, int64_t incy, int64_t count) {
  return gemvAll<T, R, S>(handle, op, m, n, alpha, lda, incx, beta, incy, count,
                          [=](const auto &product, int64_t i) { product.run(A[i], x[i], y[i]); });
}

template <typename T, typename R, typename S>
cublasStatus_t gemvStrided(cublasHandle_t handle, Op op, int64_t m, int64_t n, const S *alpha,
                           const T *A, int64_t lda, int64_t strideA, const T *x, int64_t incx,
                           int64_t stridex, const S *beta, R *y, int64_t incy, int64_t stridey,
                           int64_t count) {
  return gemvAll<T, R, S>(handle, op, m, n, alpha, lda, incx, beta, incy, count,
                          [=](const auto &product, int64_t i) {
                            product.run(A + i * strideA, x + i * stridex, y + i * stridey);
                          });
}

template <typename T>
cublasStatus_t trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                           Op trans, cublasDiagType_t diag, int64_t m, int64_t n, const T *alpha,
                           const T *const *A, int64_t lda, T *const *B, int64_t ldb,
                           int64_t count) {
  bool valid = isSide(side) && isTriangle(uplo) && isOperation(trans) && isDiagonal(diag) &&
               m >= 0 && n >= 0 && isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n) &&
               isLeading(ldb, m) && count >= 0 && alpha;
  if (cublasStatus_t bad = check(handle, valid, {m, n, lda, ldb}))
    return bad;
  return submit(handle, [=, alpha = Scalar(handle, alpha)] {
    const T a = alpha.get();
    OneThreadEach single;
    library::parallelFor(count, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        HEDDLE_BLAS(T, trsm)(CblasColMajor, sideOf(side), triangleOf(uplo), transposeOf<T>(trans),
                             diagonalOf(diag), m, n, pass(a), A[i], lda, B[i], ldb);
    });
  });
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/batched.inc"
#include "blas/define_entries.inc"
