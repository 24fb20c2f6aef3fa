// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a data type for what is computed in, against those with a compute type; products of
// bytes.
#include "blas/blas_test.h"

#include <algorithm>
#include <cmath>

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

TEST(ComputeTypes, BytesWithBiases) {
  Context context;
  Random random(2);
  for (int trial = 0; trial < 40 && !HasFailure(); ++trial) {
    auto operation = [&] { return random.oneOf({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}); };
    cublasOperation_t ta = operation(), tb = operation(), tc = operation();
    int m = random.integer(1, 9), n = random.integer(1, 9), k = random.integer(0, 9);
    int lda = (ta ? k : m) + 2, ldb = (tb ? n : k) + 1, ldc = (tc ? n : m) + 3;
    int biasA = random.integer(-5, 35), biasB = random.integer(-5, 35);
    int biasC = random.integer(-50, 150), factor = random.integer(-1, 5);
    int shift = random.oneOf({0, 1, 3, 7, 31, 33});
    unsigned char *memory = nullptr;
    ASSERT_EQ(cudaMallocManaged(reinterpret_cast<void **>(&memory), 3 * 256, cudaMemAttachGlobal),
              cudaSuccess);
    unsigned char *A = memory, *B = A + 256, *C = B + 256;
    for (int i = 0; i < 3 * 256; ++i)
      memory[i] = static_cast<unsigned char>(random.integer(0, 255));
    unsigned char before = C[255];
    EXPECT_OK(cublasUint8gemmBias(context, ta, tb, tc, m, n, k, A, biasA, lda, B, biasB, ldb, C,
                                  biasC, ldc, factor, shift));
    ASSERT_EQ(cudaStreamSynchronize(context.stream), cudaSuccess);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        int sum = 0;
        for (int p = 0; p < k; ++p)
          sum += (A[ta ? p + i * lda : i + p * lda] - biasA) *
                 (B[tb ? j + p * ldb : p + j * ldb] - biasB);
        double scaled = std::floor(double(sum + biasC) * factor / (1 << (shift & 31)) + 0.5);
        if (shift == 31)
          scaled = 0;
        EXPECT_EQ(C[tc ? j + i * ldc : i + j * ldc], std::clamp(scaled, 0.0, 255.0));
      }
    EXPECT_EQ(C[255], before);
    cudaFree(memory);
  }
  EXPECT_EQ(cublasUint8gemmBias(context, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 2, nullptr, 0,
                                2, nullptr, 0, 2, nullptr, 0, 4, 1, 0),
            CUBLAS_STATUS_INVALID_VALUE); // lda
}

} // namespace
