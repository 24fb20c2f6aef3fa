// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a data type for what is computed in, against those with a compute type.
#include "blas/blas_test.h"

using namespace heddle::blas::test;

namespace {

TEST(ComputeTypes, FromDataTypes) {
  Context context;
  cublasComputeType_t type = CUBLAS_COMPUTE_32I;
  EXPECT_OK(cublasMigrateComputeType(context, CUDA_C_64F, &type));
  EXPECT_EQ(type, CUBLAS_COMPUTE_64F);
  EXPECT_OK(cublasSetMathMode(context, CUBLAS_PEDANTIC_MATH));
  EXPECT_OK(cublasMigrateComputeType(context, CUDA_R_16F, &type));
  EXPECT_EQ(type, CUBLAS_COMPUTE_16F_PEDANTIC);
  EXPECT_EQ(cublasMigrateComputeType(context, CUDA_R_8I, &type), CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST(ComputeTypes, Products) {
  Context context;
  Random random(1);
  constexpr int n = 20;
  Matrix<float> A(random, n, n, n), B(random, n, n, n), C(random, n, n, n), D(random, n, n, n);
  const float one = 1, zero = 0;
  constexpr auto N = CUBLAS_OP_N;
  constexpr auto F = CUDA_R_32F;
  constexpr auto Algo = CUBLAS_GEMM_DEFAULT;
  EXPECT_OK(
      cublasSgemm(context, N, N, n, n, n, &one, A.data(), n, B.data(), n, &zero, C.data(), n));
  std::vector<Wide> expected;
  for (float value : C.now(context.stream))
    expected.push_back(value);
  expected.pop_back(); // the place behind the matrix
  EXPECT_OK(cublasGemmEx(context, N, N, n, n, n, &one, A.data(), F, n, B.data(), F, n, &zero,
                         D.data(), F, n, F, Algo));
  expectArray(context, D, expected, 1e-5);
  D.put();
  EXPECT_OK(cublasGemmStridedBatchedEx(context, N, N, n, n, n, &one, A.data(), F, n, 0, B.data(), F,
                                       n, 0, &zero, D.data(), F, n, 0, 1, F, Algo));
  expectArray(context, D, expected, 1e-5);
  D.put();
  void **pointers = nullptr;
  ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&pointers), 3 * sizeof(void *),
                              cudaMemAttachGlobal),
            cudaSuccess);
  pointers[0] = A.data(), pointers[1] = B.data(), pointers[2] = D.data();
  EXPECT_OK(cublasGemmBatchedEx(context, N, N, n, n, n, &one, pointers, F, n, pointers + 1, F, n,
                                &zero, pointers + 2, F, n, 1, F, Algo));
  expectArray(context, D, expected, 1e-5);
  cudaFree(pointers);
  EXPECT_EQ(cublasGemmEx(context, N, N, n, n, n, &one, A.data(), F, n, B.data(), F, n, &zero,
                         D.data(), F, n, CUDA_R_8U, Algo),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
