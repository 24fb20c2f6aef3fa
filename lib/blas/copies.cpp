// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of vectors and matrices between host and device: the runtime's two-dimensional copies.
#include <cublas_api.h>

namespace heddle::blas {

namespace {

/// Runs a copy of `rows` runs of `width` bytes, `from` and `to` bytes apart.
template <typename F>
cublasStatus_t copyRuns(size_t width, size_t rows, size_t from, size_t to, F copy) {
  if (width == 0 || rows == 0)
    return CUBLAS_STATUS_SUCCESS;
  return copy(to, from, width, rows) == cudaSuccess ? CUBLAS_STATUS_SUCCESS
                                                    : CUBLAS_STATUS_MAPPING_ERROR;
}

template <typename F>
cublasStatus_t vectorRuns(int64_t n, int64_t size, int64_t incx, int64_t incy, F copy) {
  if (n < 0 || size <= 0 || incx <= 0 || incy <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (incx == 1 && incy == 1)
    return copyRuns(n * size, 1, n * size, n * size, copy);
  return copyRuns(size, n, incx * size, incy * size, copy);
}

template <typename F>
cublasStatus_t matrixRuns(int64_t rows, int64_t columns, int64_t size, int64_t lda, int64_t ldb,
                          F copy) {
  if (rows < 0 || columns < 0 || size <= 0 || lda <= 0 || ldb <= 0 || lda < rows || ldb < rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  return copyRuns(rows * size, columns, lda * size, ldb * size, copy);
}

auto copyNow(cudaMemcpyKind kind, const void *from, void *to) {
  return [=](size_t toPitch, size_t fromPitch, size_t width, size_t rows) {
    return cudaMemcpy2D(to, toPitch, from, fromPitch, width, rows, kind);
  };
}

auto copyLater(cudaMemcpyKind kind, const void *from, void *to, cudaStream_t stream) {
  return [=](size_t toPitch, size_t fromPitch, size_t width, size_t rows) {
    return cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, rows, kind, stream);
  };
}

cublasStatus_t copyVector(cudaMemcpyKind kind, int64_t n, int64_t size, const void *x, int64_t incx,
                          void *y, int64_t incy) {
  return vectorRuns(n, size, incx, incy, copyNow(kind, x, y));
}

cublasStatus_t copyVectorAsync(cudaMemcpyKind kind, int64_t n, int64_t size, const void *x,
                               int64_t incx, void *y, int64_t incy, cudaStream_t stream) {
  return vectorRuns(n, size, incx, incy, copyLater(kind, x, y, stream));
}

cublasStatus_t copyMatrix(cudaMemcpyKind kind, int64_t rows, int64_t columns, int64_t size,
                          const void *A, int64_t lda, void *B, int64_t ldb) {
  return matrixRuns(rows, columns, size, lda, ldb, copyNow(kind, A, B));
}

cublasStatus_t copyMatrixAsync(cudaMemcpyKind kind, int64_t rows, int64_t columns, int64_t size,
                               const void *A, int64_t lda, void *B, int64_t ldb,
                               cudaStream_t stream) {
  return matrixRuns(rows, columns, size, lda, ldb, copyLater(kind, A, B, stream));
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/copies.inc"
#include "blas/define_entries.inc"
