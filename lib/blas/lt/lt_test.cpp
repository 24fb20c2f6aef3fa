// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/blas_test.h"

#include <cublasLt.h>
#include <cuda_fp8.h>

#include <cmath>

using namespace heddle::blas::test;

namespace {

#define LT(call) ASSERT_EQ(call, CUBLAS_STATUS_SUCCESS)

template <typename T> constexpr cudaDataType TypeOf = CUDA_R_32F;
template <> inline constexpr cudaDataType TypeOf<__half> = CUDA_R_16F;
template <> inline constexpr cudaDataType TypeOf<__nv_fp8_e4m3> = CUDA_R_8F_E4M3;

/// A matrix in one of the two orders.
template <typename T> struct LtMatrix : Array<T> {
  LtMatrix(Random &random, int64_t rows, int64_t columns, bool rowOrder, int batch = 1)
      : Array<T>(random, batch * ((rowOrder ? columns : rows) + 3) * (rowOrder ? rows : columns)),
        rowOrder(rowOrder), ld((rowOrder ? columns : rows) + 3),
        stride(ld * (rowOrder ? rows : columns)) {
    EXPECT_EQ(cublasLtMatrixLayoutCreate(&layout, TypeOf<T>, rows, columns, ld),
              CUBLAS_STATUS_SUCCESS);
    int32_t order = rowOrder ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                               sizeof order),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                               sizeof batch),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                               &stride, sizeof stride),
              CUBLAS_STATUS_SUCCESS);
  }
  ~LtMatrix() { EXPECT_EQ(cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS); }

  int64_t place(int64_t i, int64_t j, int64_t b) const {
    return b * stride + (rowOrder ? i * ld + j : i + j * ld);
  }
  double at(bool across, int64_t i, int64_t j, int64_t b) const {
    return (*this)[across ? place(j, i, b) : place(i, j, b)].real();
  }

  bool rowOrder;
  int64_t ld, stride;
  cublasLtMatrixLayout_t layout;
};

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

class Lt : public testing::Test {
protected:
  void SetUp() override {
    LT(cublasLtCreate(&handle));
    LT(cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    LT(cublasLtMatmulPreferenceCreate(&preference));
  }
  void TearDown() override {
    LT(cublasLtMatmulPreferenceDestroy(preference));
    LT(cublasLtMatmulDescDestroy(matmul));
    LT(cublasLtDestroy(handle));
  }
  template <typename V> void set(cublasLtMatmulDescAttributes_t attribute, V value) {
    EXPECT_EQ(cublasLtMatmulDescSetAttribute(matmul, attribute, &value, sizeof value),
              CUBLAS_STATUS_SUCCESS);
  }

  /// The heuristic's answer, and the product with it.
  template <typename T, typename R>
  cublasStatus_t multiply(LtMatrix<T> &A, LtMatrix<T> &B, LtMatrix<R> &C, LtMatrix<R> &D,
                          float alpha, float beta) {
    cublasLtMatmulHeuristicResult_t result;
    int count = 0;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle, matmul, A.layout, B.layout, C.layout, D.layout, preference, 1, &result, &count);
    EXPECT_EQ(count, status == CUBLAS_STATUS_SUCCESS);
    if (status != CUBLAS_STATUS_SUCCESS)
      return status;
    return cublasLtMatmul(handle, matmul, &alpha, A.data(), A.layout, B.data(), B.layout, &beta,
                          C.data(), C.layout, D.data(), D.layout, &result.algo, nullptr, 0,
                          context.stream);
  }

  Context context;
  cublasLtHandle_t handle;
  cublasLtMatmulDesc_t matmul;
  cublasLtMatmulPreference_t preference;
};

/// A random product with the epilogue; `expected(sum, i, j)` of the scaled sum.
TEST_F(Lt, Epilogues) {
  for (int trial = 0; trial < 60 && !HasFailure(); ++trial) {
    Random random(trial);
    int64_t m = random.oneOf<int64_t>({1, 5, 33}), n = random.oneOf<int64_t>({1, 4, 29}),
            k = random.oneOf<int64_t>({1, 7, 40});
    int batch = random.integer(1, 3);
    bool acrossA = random.coin(), acrossB = random.coin(), rows = random.coin();
    auto epilogue = random.oneOf(
        {CUBLASLT_EPILOGUE_DEFAULT, CUBLASLT_EPILOGUE_RELU, CUBLASLT_EPILOGUE_BIAS,
         CUBLASLT_EPILOGUE_RELU_BIAS, CUBLASLT_EPILOGUE_GELU, CUBLASLT_EPILOGUE_GELU_BIAS,
         CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_RELU_AUX_BIAS});
    SCOPED_TRACE(testing::Message() << "trial " << trial << " epilogue " << epilogue);
    LtMatrix<float> A(random, acrossA ? k : m, acrossA ? m : k, random.coin(), batch);
    LtMatrix<float> B(random, acrossB ? n : k, acrossB ? k : n, random.coin(), batch);
    LtMatrix<float> C(random, m, n, rows, batch), D(random, m, n, rows, batch);
    Array<float> bias(random, m), aux(random, 128 * 40 * batch);
    set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t(acrossA ? CUBLAS_OP_T : CUBLAS_OP_N));
    set(CUBLASLT_MATMUL_DESC_TRANSB, int32_t(acrossB ? CUBLAS_OP_C : CUBLAS_OP_N));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(epilogue));
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data());
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.data());
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(128));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE, int64_t(128 * 40));
    float alpha = random.factor<float>(), beta = random.factor<float>();
    EXPECT_OK(multiply(A, B, C, D, alpha, beta));
    std::vector<Wide> expected = valuesOf(D);
    std::vector<float> kept = aux.now(context.stream);
    for (int64_t b = 0; b < batch; ++b)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t i = 0; i < m; ++i) {
          double sum = 0;
          for (int64_t p = 0; p < k; ++p)
            sum += A.at(acrossA, i, p, b) * B.at(acrossB, p, j, b);
          sum = alpha * sum + beta * C.at(false, i, j, b);
          if (epilogue & CUBLASLT_EPILOGUE_BIAS)
            sum += bias[i].real();
          int64_t auxPlace = b * 128 * 40 + (rows ? j + i * 128 : i + j * 128);
          if (epilogue == CUBLASLT_EPILOGUE_GELU_AUX_BIAS)
            EXPECT_NEAR(kept[auxPlace], sum, 1e-4);
          if (epilogue == CUBLASLT_EPILOGUE_RELU_AUX_BIAS && std::abs(sum) > 1e-4)
            EXPECT_EQ(reinterpret_cast<unsigned char *>(kept.data())[auxPlace / 8] >> auxPlace % 8 &
                          1,
                      sum > 0);
          if (epilogue & CUBLASLT_EPILOGUE_RELU)
            sum = std::max(sum, 0.0);
          if (epilogue & CUBLASLT_EPILOGUE_GELU)
            sum = gelu(sum);
          expected[D.place(i, j, b)] = sum;
        }
    expectArray(context, D, expected, 1e-4);
  }
}

/// The gradients of a layer: by the slope of gelu, by the mask of relu, and of the bias.
TEST_F(Lt, Gradients) {
  Random random(7);
  constexpr int M = 20, N = 9, K = 12;
  LtMatrix<float> A(random, M, K, false), B(random, K, N, false), C(random, M, N, false),
      D(random, M, N, false);
  Array<float> bias(random, M + N), aux(random, 128 * N);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.data());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(128));
  auto sum = [&](int i, int j) {
    double all = 0;
    for (int p = 0; p < K; ++p)
      all += A.at(false, i, p, 0) * B.at(false, p, j, 0);
    return all;
  };
  for (auto epilogue : {CUBLASLT_EPILOGUE_DGELU, CUBLASLT_EPILOGUE_DGELU_BGRAD,
                        CUBLASLT_EPILOGUE_DRELU, CUBLASLT_EPILOGUE_DRELU_BGRAD}) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(epilogue));
    EXPECT_OK(multiply(A, B, C, D, 1, 0));
    std::vector<Wide> expected = valuesOf(D), sums = valuesOf(bias);
    for (int i = 0; i < M; ++i) {
      double line = 0;
      for (int j = 0; j < N; ++j) {
        int place = i + 128 * j;
        double x = aux[place].real(), h = 1e-5;
        const auto *bits = reinterpret_cast<const unsigned char *>(aux.host.data());
        double slope = epilogue & 64 ? (gelu(x + h) - gelu(x - h)) / (2 * h)
                                     : bits[place / 8] >> place % 8 & 1;
        expected[D.place(i, j, 0)] = sum(i, j) * slope;
        line += sum(i, j) * slope;
      }
      sums[i] = line;
    }
    expectArray(context, D, expected, 1e-4);
    if (epilogue & 16)
      expectArray(context, bias, sums, 1e-3);
    bias.put();
  }
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BGRADA));
  EXPECT_OK(multiply(A, B, C, D, 1, 0));
  std::vector<Wide> sums = valuesOf(bias);
  for (int i = 0; i < M; ++i) {
    sums[i] = 0;
    for (int p = 0; p < K; ++p)
      sums[i] += A.at(false, i, p, 0);
  }
  expectArray(context, bias, sums, 1e-4);
  bias.put();
  set(CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BGRADB));
  EXPECT_OK(multiply(A, B, C, D, 1, 0));
  sums = valuesOf(bias);
  for (int j = 0; j < N; ++j) {
    sums[j] = 0;
    for (int p = 0; p < K; ++p)
      sums[j] += B.at(false, p, j, 0);
  }
  expectArray(context, bias, sums, 1e-4);
}

/// Eight-bit floats with scales, a half result, and the largest magnitude.
TEST_F(Lt, EightBitFloats) {
  Random random(8);
  constexpr int M = 16, N = 32, K = 48;
  LtMatrix<__nv_fp8_e4m3> A(random, K, M, false), B(random, K, N, false);
  LtMatrix<__half> C(random, M, N, false), D(random, M, N, false);
  Array<float> scales(random, 4);
  scales.host = {2, 0.5f, 4, 0, 0};
  scales.put();
  set(CUBLASLT_MATMUL_DESC_TRANSA, int32_t(CUBLAS_OP_T));
  set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t(1));
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales.data());
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales.data() + 1);
  set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales.data() + 2);
  set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, scales.data() + 3);
  EXPECT_OK(multiply(A, B, C, D, 1, 0));
  std::vector<Wide> expected = valuesOf(D);
  double largest = 0;
  for (int j = 0; j < N; ++j)
    for (int i = 0; i < M; ++i) {
      double sum = 0;
      for (int p = 0; p < K; ++p)
        sum += A.at(true, i, p, 0) * B.at(false, p, j, 0);
      largest = std::max(largest, std::abs(sum));
      expected[D.place(i, j, 0)] = 4 * sum;
    }
  expectArray(context, D, expected, 0.05);
  EXPECT_NEAR(scales.now(context.stream)[3], largest, 1e-4);
  set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F));
  EXPECT_OK(multiply(A, B, C, D, 1, 0));
  set(CUBLASLT_MATMUL_DESC_A_SCALE_MODE, int32_t(CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0));
  EXPECT_EQ(multiply(A, B, C, D, 1, 0), CUBLAS_STATUS_NOT_SUPPORTED);
}

/// A factor for each row, in both orders and in batches; D may be C.
TEST_F(Lt, VectorsOfScalars) {
  constexpr int M = 21, N = 10, K = 8, Batch = 2;
  for (int trial = 0; trial < 24 && !HasFailure(); ++trial) {
    Random random(trial + 30);
    bool rows = random.coin(), inPlace = random.coin();
    auto mode = random.oneOf({CUBLASLT_POINTER_MODE_DEVICE_VECTOR,
                              CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO,
                              CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST});
    int64_t stride = mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST ? M : 0;
    LtMatrix<float> A(random, M, K, random.coin(), Batch), B(random, K, N, random.coin(), Batch);
    LtMatrix<float> C(random, M, N, rows, Batch), other(random, M, N, rows, Batch);
    LtMatrix<float> &D = inPlace ? C : other;
    Array<float> alpha(random, M * Batch), betas(random, M);
    float number = 0.5f;
    set(CUBLASLT_MATMUL_DESC_POINTER_MODE, int32_t(mode));
    set(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, stride);
    const void *beta = mode == CUBLASLT_POINTER_MODE_DEVICE_VECTOR ? betas.data() : &number;
    if (mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
      beta = nullptr;
    LT(cublasLtMatmul(handle, matmul, alpha.data(), A.data(), A.layout, B.data(), B.layout, beta,
                      C.data(), C.layout, D.data(), D.layout, nullptr, nullptr, 0, context.stream));
    std::vector<Wide> expected = valuesOf(D);
    for (int b = 0; b < Batch; ++b)
      for (int j = 0; j < N; ++j)
        for (int i = 0; i < M; ++i) {
          double sum = 0, factor = beta == &number ? 0.5 : beta ? betas[i].real() : 0;
          for (int p = 0; p < K; ++p)
            sum += A.at(false, i, p, b) * B.at(false, p, j, b);
          expected[D.place(i, j, b)] =
              alpha[b * stride + i].real() * sum + factor * C.at(false, i, j, b);
        }
    expectArray(context, D, expected, 1e-4);
  }
}

TEST_F(Lt, Attributes) {
  cublasLtMatrixLayoutOpaque_t layout;
  EXPECT_EQ(cublasLtMatrixLayoutInit_internal(&layout, 8, CUDA_R_32F, 2, 3, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  LT(cublasLtMatrixLayoutInit(&layout, CUDA_R_16F, 2, 3, 4));
  uint64_t rows = 0;
  size_t written = 0;
  LT(cublasLtMatrixLayoutGetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, sizeof rows,
                                      &written));
  EXPECT_EQ(rows, 2u);
  EXPECT_EQ(written, sizeof rows);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(&layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 4),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatrixLayoutSetAttribute(
                &layout, static_cast<cublasLtMatrixLayoutAttribute_t>(77), &rows, 8),
            CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatmulDescOpaque_t desc;
  EXPECT_EQ(cublasLtMatmulDescInit_internal(&desc, 8, CUBLAS_COMPUTE_32F, CUDA_R_32F),
            CUBLAS_STATUS_INVALID_VALUE);
  LT(cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_64F, CUDA_R_64F));
  int32_t type = 0;
  LT(cublasLtMatmulDescGetAttribute(&desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, &type, sizeof type,
                                    nullptr));
  EXPECT_EQ(type, CUBLAS_COMPUTE_64F);
  cublasLtMatmulPreferenceOpaque_t wishes;
  EXPECT_EQ(cublasLtMatmulPreferenceInit_internal(&wishes, 8), CUBLAS_STATUS_INVALID_VALUE);
  LT(cublasLtMatmulPreferenceInit(&wishes));
  uint64_t bytes = 1 << 20, found = 0;
  LT(cublasLtMatmulPreferenceSetAttribute(&wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                          sizeof bytes));
  LT(cublasLtMatmulPreferenceGetAttribute(&wishes, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &found,
                                          sizeof found, nullptr));
  EXPECT_EQ(found, bytes);
  EXPECT_EQ(cublasLtGetVersion(), size_t(CUBLAS_VERSION));
  EXPECT_EQ(cublasLtGetCudartVersion(), size_t(CUDART_VERSION));
  int minor = 0;
  LT(cublasLtGetProperty(MINOR_VERSION, &minor));
  EXPECT_EQ(minor, CUBLAS_VER_MINOR);
  EXPECT_STREQ(cublasLtGetStatusName(CUBLAS_STATUS_SUCCESS), "CUBLAS_STATUS_SUCCESS");
  EXPECT_STREQ(cublasLtGetStatusString(CUBLAS_STATUS_SUCCESS), "success");
}

TEST_F(Lt, Errors) {
  Random random(9);
  LtMatrix<float> A(random, 4, 5, false), B(random, 6, 3, false), C(random, 4, 3, false),
      D(random, 4, 3, false);
  EXPECT_EQ(multiply(A, B, C, D, 1, 0), CUBLAS_STATUS_INVALID_VALUE); // 5 terms and 6
  LtMatrix<float> right(random, 5, 3, false);
  int32_t order = CUBLASLT_ORDER_COL32;
  LT(cublasLtMatrixLayoutSetAttribute(C.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                      sizeof order));
  EXPECT_EQ(multiply(A, right, C, D, 1, 0), CUBLAS_STATUS_INVALID_VALUE); // too close
  int64_t leading = 128;
  LT(cublasLtMatrixLayoutSetAttribute(C.layout, CUBLASLT_MATRIX_LAYOUT_LD, &leading,
                                      sizeof leading));
  EXPECT_EQ(multiply(A, right, C, D, 1, 0), CUBLAS_STATUS_NOT_SUPPORTED); // not bytes
  order = CUBLASLT_ORDER_COL;
  LT(cublasLtMatrixLayoutSetAttribute(C.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                      sizeof order));
  EXPECT_EQ(multiply(A, right, C, D, 1, 0), CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE, int32_t(5));
  EXPECT_EQ(multiply(A, right, C, D, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
      int32_t(CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO));
  set(CUBLASLT_MATMUL_DESC_ALPHA_VECTOR_BATCH_STRIDE, int64_t(4));
  EXPECT_EQ(multiply(A, right, C, D, 1, 0), CUBLAS_STATUS_INVALID_VALUE);
  float one = 1;
  EXPECT_EQ(cublasLtMatmul(nullptr, matmul, &one, A.data(), A.layout, right.data(), right.layout,
                           &one, C.data(), C.layout, D.data(), D.layout, nullptr, nullptr, 0,
                           nullptr),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasLtMatmul(handle, nullptr, &one, A.data(), A.layout, right.data(), right.layout,
                           &one, C.data(), C.layout, D.data(), D.layout, nullptr, nullptr, 0,
                           nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
}

} // namespace
