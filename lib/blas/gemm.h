// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of matrices as the functions of cuBLAS take them.
#pragma once

#include "blas/product.h"

#include <vector>

namespace heddle::blas {

struct GemmShape {
  cublasOperation_t transa, transb;
  int64_t m, n, k, lda, ldb, ldc;
};

struct GemmTypes {
  cudaDataType A, B, C;
  cublasComputeType_t compute;
};

/// cuBLAS tells of arguments that are not valid by this name, where it has one; in this place is lda,
/// with types behind the matrices.
struct GemmName {
  const char *name = nullptr;
  int lda = 9, ldb = 12, ldc = 16;
};

/// Checks a product's arguments in the order in which cuBLAS tells of them; `isRestThere`: what is not
/// named, such as scalars and counts, is right.
cublasStatus_t checkGemm(cublasHandle_t handle, const GemmShape &shape, const GemmName &name,
                         bool isRestThere);

/// Checks a product's arguments and puts it into the handle's stream. `alpha` and `beta` are of the
/// compute type's type of scalars, where the pointer mode says.
cublasStatus_t submitGemm(cublasHandle_t handle, const GemmShape &shape, const GemmTypes &types,
                          const void *alpha, const void *beta, const Batch &batch,
                          const GemmName &name = {});

/// The same for groups: `sizes[g]` matrices with `shapes[g]` and the g-th scalars. The pointers are
/// one array for all.
cublasStatus_t submitGroups(cublasHandle_t handle, const std::vector<GemmShape> &shapes,
                            const std::vector<int64_t> &sizes, const GemmTypes &types,
                            const void *alpha, const void *beta, const void *const *A,
                            const void *const *B, void *const *C);

/// One product, or matrices that lie a stride apart.
inline Batch oneProduct(const void *A, const void *B, void *C) {
  Batch batch;
  batch.first = {A, B, C, C};
  return batch;
}
inline Batch stridedBatch(int64_t count, const void *A, int64_t strideA, const void *B,
                          int64_t strideB, void *C, int64_t strideC) {
  Batch batch = oneProduct(A, B, C);
  batch.count = count;
  batch.strideA = strideA, batch.strideB = strideB, batch.strideC = batch.strideD = strideC;
  return batch;
}
inline Batch pointerBatch(int64_t count, const void *const *A, const void *const *B,
                          void *const *C) {
  Batch batch;
  batch.count = count;
  batch.arrayA = A, batch.arrayB = B, batch.arrayC = C, batch.arrayD = C;
  return batch;
}

} // namespace heddle::blas
