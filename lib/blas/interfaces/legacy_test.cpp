// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first interface. Most of its functions have the name of one of the second interface, which
// the other tests name; here is what they do with letters, values, results and errors.
#include <cublas.h>

#include <gtest/gtest.h>

#include <vector>

namespace {

class Legacy : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cublasInit(), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasAlloc(256, sizeof(float), reinterpret_cast<void **>(&device)),
              CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cublasFree(device), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cublasShutdown(), CUBLAS_STATUS_SUCCESS);
  }
  float *put(const std::vector<float> &values) {
    float *place = device + used;
    used += values.size();
    EXPECT_EQ(cublasSetVector(values.size(), sizeof(float), values.data(), 1, place, 1),
              CUBLAS_STATUS_SUCCESS);
    return place;
  }
  std::vector<float> get(const float *place, int count) {
    std::vector<float> values(count);
    EXPECT_EQ(cublasGetVector(count, sizeof(float), place, 1, values.data(), 1),
              CUBLAS_STATUS_SUCCESS);
    return values;
  }

  float *device = nullptr;
  int used = 0;
};

TEST_F(Legacy, Results) {
  float *x = put({3, -4, 0}), *y = put({1, 2, 3});
  EXPECT_EQ(cublasIsamax(3, x, 1), 2);
  EXPECT_EQ(cublasIsamin(3, x, 1), 3);
  EXPECT_EQ(cublasSasum(3, x, 1), 7);
  EXPECT_EQ(cublasSnrm2(3, x, 1), 5);
  EXPECT_EQ(cublasSdot(3, x, 1, y, 1), -5);
  cublasSaxpy(3, 2, x, 1, y, 1);
  EXPECT_EQ(get(y, 3), (std::vector<float>{7, -6, 3}));
  cublasSscal(2, -1, y, 1);
  cublasSswap(3, x, 1, y, 1);
  EXPECT_EQ(get(x, 3), (std::vector<float>{-7, 6, 3}));
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Legacy, Complex) {
  float *x = put({1, 2, 0, -1}), *y = put({0, 1, 2, 0});
  auto *a = reinterpret_cast<cuComplex *>(x), *b = reinterpret_cast<cuComplex *>(y);
  cuComplex plain = cublasCdotu(2, a, 1, b, 1), conjugated = cublasCdotc(2, a, 1, b, 1);
  EXPECT_EQ(plain.x, -2);
  EXPECT_EQ(plain.y, -1);
  EXPECT_EQ(conjugated.x, 2);
  EXPECT_EQ(conjugated.y, 3);
  EXPECT_EQ(cublasScasum(2, a, 1), 4);
}

TEST_F(Legacy, Matrices) {
  float *A = put({1, 2, 3, 4}), *B = put({1, 0, 1, 1}), *C = put({10, 10, 10, 10});
  cublasSgemm('n', 'T', 2, 2, 2, 2, A, 2, B, 2, 1, C, 2);
  EXPECT_EQ(get(C, 4), (std::vector<float>{18, 22, 16, 18}));
  cublasSgemv('t', 2, 2, 1, A, 2, B, 1, 0, C, 1);
  EXPECT_EQ(get(C, 2), (std::vector<float>{1, 3}));
  cublasStrsm('L', 'u', 'N', 'n', 2, 1, 1, A, 2, C, 2);
  EXPECT_EQ(get(C, 2), (std::vector<float>{-1.25, 0.75}));
  cublasStrmm('l', 'U', 'n', 'N', 2, 1, 1, A, 2, C, 2);
  EXPECT_EQ(get(C, 2), (std::vector<float>{1, 3}));
  cublasSsymv('l', 2, 1, A, 2, B, 1, 0, C, 1);
  EXPECT_EQ(get(C, 2), (std::vector<float>{1, 2}));
}

TEST_F(Legacy, Errors) {
  float *A = put({1, 2, 3, 4});
  cublasSgemm('x', 'n', 1, 1, 1, 1, A, 1, A, 1, 0, A, 1);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
  void *pointer;
  EXPECT_EQ(cublasAlloc(0, 4, &pointer), CUBLAS_STATUS_INVALID_VALUE);
  int version = 0;
  EXPECT_EQ(cublasGetVersion(&version), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(version, CUBLAS_VERSION);
}

TEST_F(Legacy, Streams) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  float *x = put({1, 2, 3, 4});
  EXPECT_EQ(cublasSetKernelStream(stream), CUBLAS_STATUS_SUCCESS);
  cudaMemsetAsync(x, 0, 4 * sizeof(float), stream);
  EXPECT_EQ(cublasSasum(4, x, 1), 0);
  EXPECT_EQ(cublasSetKernelStream(nullptr), CUBLAS_STATUS_SUCCESS);
  cudaStreamDestroy(stream);
}

TEST(LegacyAlone, NeedsInit) {
  cublasSscal(1, 2, nullptr, 1);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasShutdown(), CUBLAS_STATUS_NOT_INITIALIZED);
}

} // namespace
