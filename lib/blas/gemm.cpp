// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries that lead to product.h: batches, strided batches, groups, and types that are
// arguments (cuBLAS Library, "cublas<t>gemmBatched", "cublasGemmEx" and what is like them).
#include "blas/gemm.h"

#include "blas/handle.h"

#include <vector>

namespace heddle::blas {

namespace {

/// In what a compute type computes for results of type C.
bool computeTypeOf(cublasComputeType_t compute, cudaDataType C, cudaDataType &type,
                   cudaDataType &scale) {
  bool isComplex = isComplexType(C);
  switch (compute) {
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC:
    type = CUDA_R_32F;
    scale = CUDA_R_16F;
    return true;
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
  case CUBLAS_COMPUTE_32F_FAST_16F:
  case CUBLAS_COMPUTE_32F_FAST_16BF:
  case CUBLAS_COMPUTE_32F_FAST_TF32:
    type = scale = isComplex ? CUDA_C_32F : CUDA_R_32F;
    return true;
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
    type = scale = isComplex ? CUDA_C_64F : CUDA_R_64F;
    return true;
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC:
    type = scale = CUDA_R_32I;
    return true;
  }
  return false;
}

/// Whether cublasGemmEx's table has the types ("cublasGemmEx", supported types).
bool isSupported(cublasComputeType_t compute, cudaDataType A, cudaDataType B, cudaDataType C) {
  if (A != B)
    return false;
  switch (compute) {
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC:
    return A == CUDA_R_16F && C == CUDA_R_16F;
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC:
    return A == CUDA_R_8I && C == CUDA_R_32I;
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
    return A == C && (A == CUDA_R_64F || A == CUDA_C_64F);
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
    if (A == CUDA_C_8I || A == CUDA_C_32F)
      return C == CUDA_C_32F;
    if (A == CUDA_R_8I || A == CUDA_R_32F)
      return C == CUDA_R_32F;
    return (A == CUDA_R_16F || A == CUDA_R_16BF) && (C == A || C == CUDA_R_32F);
  default:
    return A == C && (A == CUDA_R_32F || A == CUDA_C_32F);
  }
}

Product productOf(const GemmShape &s, const GemmTypes &types, cudaDataType type, AnyScalar alpha,
                  AnyScalar beta) {
  return {s.m,
          s.n,
          s.k,
          {types.A, s.lda, s.transa},
          {types.B, s.ldb, s.transb},
          {types.C, s.ldc},
          {types.C, s.ldc},
          type,
          alpha,
          beta};
}

using Memory = std::vector<library::MemoryRows>;

/// What a batch accesses; of arrays of pointers, which are the device's, nothing.
Memory memoryOf(const GemmShape &s, const GemmTypes &types, const Batch &batch) {
  if (batch.arrayA || batch.arrayB || batch.arrayD || s.m <= 0 || s.n <= 0)
    return {};
  auto matrix = [](const void *first, int64_t elements, cudaDataType type, int64_t rows,
                   int64_t columns, int64_t leading) {
    return library::columnsOf(static_cast<const char *>(first) + elements * sizeOf(type), rows,
                              columns, leading, sizeOf(type));
  };
  const bool plainA = s.transa == CUBLAS_OP_N, plainB = s.transb == CUBLAS_OP_N;
  Memory memory;
  for (int64_t i = 0; i < batch.count; ++i) {
    memory.push_back(matrix(batch.first.A, i * batch.strideA, types.A, plainA ? s.m : s.k,
                            plainA ? s.k : s.m, s.lda));
    memory.push_back(matrix(batch.first.B, i * batch.strideB, types.B, plainB ? s.k : s.n,
                            plainB ? s.n : s.k, s.ldb));
    memory.push_back(
        library::written(matrix(batch.first.D, i * batch.strideD, types.C, s.m, s.n, s.ldc)));
  }
  return memory;
}

} // namespace

cublasStatus_t checkGemm(cublasHandle_t handle, const GemmShape &s, const GemmName &name,
                         bool isRestThere) {
  const Argument arguments[] = {{1, isOperation(s.transa)},
                                {2, isOperation(s.transb)},
                                {3, s.m >= 0},
                                {4, s.n >= 0},
                                {5, s.k >= 0},
                                {name.lda, isLeading(s.lda, s.transa == CUBLAS_OP_N ? s.m : s.k)},
                                {name.ldb, isLeading(s.ldb, s.transb == CUBLAS_OP_N ? s.k : s.n)},
                                {name.ldc, isLeading(s.ldc, s.m)}};
  return check(handle, name.name, arguments, isRestThere, {s.m, s.n, s.k, s.lda, s.ldb, s.ldc});
}

cublasStatus_t submitGemm(cublasHandle_t handle, const GemmShape &shape, const GemmTypes &types,
                          const void *alpha, const void *beta, const Batch &batch,
                          const GemmName &name) {
  if (cublasStatus_t bad = checkGemm(handle, shape, name, batch.count >= 0 && alpha && beta))
    return bad;
  const void *result = batch.arrayD ? static_cast<const void *>(batch.arrayD) : batch.first.D;
  if (batch.count > 0 && !isThere(result, shape.m, shape.n))
    return CUBLAS_STATUS_INVALID_VALUE;
  cudaDataType type, scale;
  if (!computeTypeOf(types.compute, types.C, type, scale))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!isSupported(types.compute, types.A, types.B, types.C))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  bool device = handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE;
  Product product = productOf(shape, types, type, {alpha, scale, device}, {beta, scale, device});
  Memory memory = library::isLookedAt() ? memoryOf(shape, types, batch) : Memory();
  if (!library::mayAccess(memory))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  return submit(handle, [=] { multiply(product, batch); }, library::toTell(memory));
}

cublasStatus_t submitGroups(cublasHandle_t handle, const std::vector<GemmShape> &shapes,
                            const std::vector<int64_t> &sizes, const GemmTypes &types,
                            const void *alpha, const void *beta, const void *const *A,
                            const void *const *B, void *const *C) {
  if (!alpha || !beta)
    return check(handle, false);
  cudaDataType type, scale;
  if (!computeTypeOf(types.compute, types.C, type, scale))
    return check(handle, false);
  if (!isSupported(types.compute, types.A, types.B, types.C))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  for (size_t g = 0; g < shapes.size(); ++g)
    if (cublasStatus_t bad = checkGemm(handle, shapes[g], {}, sizes[g] >= 0 && alpha && beta))
      return bad;
  bool device = handle->pointerMode == CUBLAS_POINTER_MODE_DEVICE;
  int64_t done = 0;
  for (size_t g = 0; g < shapes.size(); ++g) {
    auto at = [&](const void *scalars) {
      return AnyScalar(static_cast<const char *>(scalars) + g * sizeOf(scale), scale, device);
    };
    Product product = productOf(shapes[g], types, type, at(alpha), at(beta));
    Batch batch{sizes[g]};
    batch.arrayA = A + done, batch.arrayB = B + done, batch.arrayD = C + done;
    batch.arrayC = batch.arrayD;
    done += sizes[g];
    if (cublasStatus_t bad = submit(handle, [=] { multiply(product, batch); }))
      return bad;
  }
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace heddle::blas
