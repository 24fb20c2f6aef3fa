// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Updates of a triangle by matrices whose types are arguments (cuBLAS Library, "cublasCsyrkEx",
// "cublasCherkEx"): complex floats, or complex bytes, which become floats first.
#include "blas/arguments.h"
#include "blas/handle.h"
#include "blas/openblas.h"
#include "blas/product.h"

#include <vector>

namespace heddle::blas {

namespace {

/// A triangle's update: C = alpha op(A) op(A)' + beta C.
struct Update {
  cublasFillMode_t uplo;
  cublasOperation_t trans;
  int64_t n, k, lda, ldc;
};

bool isUpdate(const Update &u) {
  return isTriangle(u.uplo) && u.n >= 0 && u.k >= 0 &&
         isLeading(u.lda, u.trans == CUBLAS_OP_N ? u.n : u.k) && isLeading(u.ldc, u.n);
}

/// A matrix of complex bytes as floats, in columns without gaps.
std::vector<cuComplex> widen(const Update &u, const void *A) {
  int64_t rows = u.trans == CUBLAS_OP_N ? u.n : u.k, columns = u.trans == CUBLAS_OP_N ? u.k : u.n;
  std::vector<cuComplex> wide(rows * columns);
  auto *bytes = static_cast<const signed char *>(A);
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) {
      const signed char *from = bytes + 2 * (i + j * u.lda);
      wide[i + j * rows] = {static_cast<float>(from[0]), static_cast<float>(from[1])};
    }
  return wide;
}

/// Checks what both functions have, and calls work(A, lda) in the stream.
template <typename F>
cublasStatus_t submitUpdate(cublasHandle_t handle, const Update &u, bool valid, const void *A,
                            cudaDataType Atype, cudaDataType Ctype, F work) {
  if (cublasStatus_t bad = check(handle, valid && isUpdate(u), {u.n, u.k, u.lda, u.ldc}))
    return bad;
  if ((Atype != CUDA_C_8I && Atype != CUDA_C_32F) || Ctype != CUDA_C_32F)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return submit(handle, [=] {
    if (Atype == CUDA_C_32F)
      return work(A, u.lda);
    std::vector<cuComplex> wide = widen(u, A);
    work(wide.data(), std::max<int64_t>(1, u.trans == CUBLAS_OP_N ? u.n : u.k));
  });
}

cublasStatus_t syrkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                      int64_t n, int64_t k, const cuComplex *alpha, const void *A,
                      cudaDataType Atype, int64_t lda, const cuComplex *beta, void *C,
                      cudaDataType Ctype, int64_t ldc) {
  Update u{uplo, trans, n, k, lda, ldc};
  bool valid = (trans == CUBLAS_OP_N || trans == CUBLAS_OP_T) && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid))
    return bad;
  auto work = [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)](const void *A,
                                                                              int64_t lda) {
    const cuComplex a = alpha.get(), b = beta.get();
    openblas::csyrk(CblasColMajor, triangleOf(u.uplo), transposeOf<cuComplex>(u.trans), u.n, u.k,
                    &a, A, lda, &b, C, u.ldc);
  };
  return submitUpdate(handle, u, valid, A, Atype, Ctype, work);
}

cublasStatus_t herkEx(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans,
                      int64_t n, int64_t k, const float *alpha, const void *A, cudaDataType Atype,
                      int64_t lda, const float *beta, void *C, cudaDataType Ctype, int64_t ldc) {
  Update u{uplo, trans, n, k, lda, ldc};
  bool valid = (trans == CUBLAS_OP_N || trans == CUBLAS_OP_C) && alpha && beta;
  if (cublasStatus_t bad = check(handle, valid))
    return bad;
  auto work = [=, alpha = Scalar(handle, alpha), beta = Scalar(handle, beta)](const void *A,
                                                                              int64_t lda) {
    openblas::cherk(CblasColMajor, triangleOf(u.uplo), transposeOf<cuComplex>(u.trans), u.n, u.k,
                    alpha.get(), A, lda, beta.get(), C, u.ldc);
  };
  return submitUpdate(handle, u, valid, A, Atype, Ctype, work);
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/special.inc"
#include "blas/define_entries.inc"
