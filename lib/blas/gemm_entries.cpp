// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with types that are arguments, and of halves.
#include "blas/gemm.h"

#include <vector>

namespace heddle::blas {

namespace {

using Op = cublasOperation_t;

cublasStatus_t gemmEx(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n, int64_t k,
                      const void *alpha, const void *A, cudaDataType Atype, int64_t lda,
                      const void *B, cudaDataType Btype, int64_t ldb, const void *beta, void *C,
                      cudaDataType Ctype, int64_t ldc, cublasComputeType_t computeType,
                      cublasGemmAlgo_t) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc},
                    {Atype, Btype, Ctype, computeType}, alpha, beta, oneProduct(A, B, C),
                    {"GEMM_EX "});
}

cublasStatus_t gemmBatchedEx(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                             int64_t k, const void *alpha, const void *const *A, cudaDataType Atype,
                             int64_t lda, const void *const *B, cudaDataType Btype, int64_t ldb,
                             const void *beta, void *const *C, cudaDataType Ctype, int64_t ldc,
                             int64_t count, cublasComputeType_t computeType, cublasGemmAlgo_t) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc},
                    {Atype, Btype, Ctype, computeType}, alpha, beta, pointerBatch(count, A, B, C));
}

cublasStatus_t gemmStridedEx(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                             int64_t k, const void *alpha, const void *A, cudaDataType Atype,
                             int64_t lda, int64_t strideA, const void *B, cudaDataType Btype,
                             int64_t ldb, int64_t strideB, const void *beta, void *C,
                             cudaDataType Ctype, int64_t ldc, int64_t strideC, int64_t count,
                             cublasComputeType_t computeType, cublasGemmAlgo_t) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc},
                    {Atype, Btype, Ctype, computeType}, alpha, beta,
                    stridedBatch(count, A, strideA, B, strideB, C, strideC));
}

template <typename I>
cublasStatus_t gemmGroupedEx(cublasHandle_t handle, const Op *transa, const Op *transb, const I *m,
                             const I *n, const I *k, const void *alpha, const void *const *A,
                             cudaDataType Atype, const I *lda, const void *const *B,
                             cudaDataType Btype, const I *ldb, const void *beta, void *const *C,
                             cudaDataType Ctype, const I *ldc, int64_t groups, const I *sizes,
                             cublasComputeType_t computeType) {
  if (groups < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  std::vector<GemmShape> shapes;
  for (int64_t g = 0; g < groups; ++g)
    shapes.push_back({transa[g], transb[g], m[g], n[g], k[g], lda[g], ldb[g], ldc[g]});
  return submitGroups(handle, shapes, std::vector<int64_t>(sizes, sizes + groups),
                      {Atype, Btype, Ctype, computeType}, alpha, beta, A, B, C);
}

constexpr GemmTypes Halves{CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F};

cublasStatus_t hgemm(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n, int64_t k,
                     const __half *alpha, const __half *A, int64_t lda, const __half *B,
                     int64_t ldb, const __half *beta, __half *C, int64_t ldc) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc}, Halves, alpha, beta,
                    oneProduct(A, B, C));
}

cublasStatus_t hgemmBatched(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                            int64_t k, const __half *alpha, const __half *const *A, int64_t lda,
                            const __half *const *B, int64_t ldb, const __half *beta,
                            __half *const *C, int64_t ldc, int64_t count) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc}, Halves, alpha, beta,
                    pointerBatch(count, reinterpret_cast<const void *const *>(A),
                                 reinterpret_cast<const void *const *>(B),
                                 reinterpret_cast<void *const *>(C)));
}

cublasStatus_t hgemmStrided(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                            int64_t k, const __half *alpha, const __half *A, int64_t lda,
                            int64_t strideA, const __half *B, int64_t ldb, int64_t strideB,
                            const __half *beta, __half *C, int64_t ldc, int64_t strideC,
                            int64_t count) {
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc}, Halves, alpha, beta,
                    stridedBatch(count, A, strideA, B, strideB, C, strideC));
}

/// cublasSgemmEx and its like: computed in the type of the scalars.
template <typename S>
cublasStatus_t gemmTyped(cublasHandle_t handle, Op transa, Op transb, int64_t m, int64_t n,
                         int64_t k, const S *alpha, const void *A, cudaDataType Atype, int64_t lda,
                         const void *B, cudaDataType Btype, int64_t ldb, const S *beta, void *C,
                         cudaDataType Ctype, int64_t ldc) {
  if (handle && isComplexType(Ctype) != isComplexType(typeOf<S>))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  return submitGemm(handle, {transa, transb, m, n, k, lda, ldb, ldc},
                    {Atype, Btype, Ctype, CUBLAS_COMPUTE_32F}, alpha, beta, oneProduct(A, B, C));
}

} // namespace
} // namespace heddle::blas

using namespace heddle::blas;
#define HEDDLE_ENTRIES "heddle/cublas/mixed.inc"
#include "blas/define_entries.inc"
