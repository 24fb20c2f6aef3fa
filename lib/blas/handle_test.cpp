// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "blas/blas_test.h"

#include <cstdio>
#include <string>

using namespace heddle::blas::test;

namespace {

TEST(Handle, Settings) {
  cublasHandle_t handle;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  cudaStream_t stream, found;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cublasGetStream(handle, &found), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(cublasSetStream(handle, stream), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetStream(handle, &found), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found, stream);

  cublasPointerMode_t pointers;
  EXPECT_EQ(cublasGetPointerMode(handle, &pointers), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(pointers, CUBLAS_POINTER_MODE_HOST);
  EXPECT_EQ(cublasSetPointerMode(handle, static_cast<cublasPointerMode_t>(5)),
            CUBLAS_STATUS_INVALID_VALUE);

  cublasAtomicsMode_t atomics;
  EXPECT_EQ(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetAtomicsMode(handle, &atomics), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(atomics, CUBLAS_ATOMICS_ALLOWED);

  cublasMath_t math,
      wanted = static_cast<cublasMath_t>(CUBLAS_TF32_TENSOR_OP_MATH |
                                         CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  EXPECT_EQ(cublasSetMathMode(handle, wanted), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetMathMode(handle, &math), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(math, wanted);
  EXPECT_EQ(cublasSetMathMode(handle, static_cast<cublasMath_t>(9)), CUBLAS_STATUS_INVALID_VALUE);

  int count = -1;
  EXPECT_EQ(cublasSetSmCountTarget(handle, 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetSmCountTarget(handle, &count), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cublasSetSmCountTarget(handle, 1 << 30), CUBLAS_STATUS_INVALID_VALUE);

  char *workspace;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void **>(&workspace), 1024), cudaSuccess);
  EXPECT_EQ(cublasSetWorkspace(handle, workspace, 1024), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetWorkspace(handle, workspace + 1, 512), CUBLAS_STATUS_INVALID_VALUE);
  cudaFree(workspace);
  EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
  cudaStreamDestroy(stream);
}

TEST(Handle, None) {
  int value;
  EXPECT_EQ(cublasCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasDestroy(nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSetStream(nullptr, nullptr), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasGetSmCountTarget(nullptr, &value), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST(Handle, VersionsAndStatuses) {
  int version = 0, major = 0;
  EXPECT_EQ(cublasGetVersion(nullptr, &version), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(version, CUBLAS_VERSION);
  EXPECT_EQ(cublasGetProperty(MAJOR_VERSION, &major), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(major, 12);
  EXPECT_EQ(cublasGetProperty(static_cast<libraryPropertyType>(7), &major),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetCudartVersion(), size_t(CUDART_VERSION));
  EXPECT_STREQ(cublasGetStatusName(CUBLAS_STATUS_MAPPING_ERROR), "CUBLAS_STATUS_MAPPING_ERROR");
  EXPECT_STREQ(cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED),
               "the functionality requested is not supported");
  EXPECT_STREQ(cublasGetStatusName(static_cast<cublasStatus_t>(99)), "CUBLAS_STATUS_UNKNOWN");
}

std::string logged;

TEST(Handle, Logger) {
  cublasLogCallback callback = nullptr;
  EXPECT_EQ(cublasSetLoggerCallback([](const char *line) { logged += line; }),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetLoggerCallback(&callback), CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(callback, nullptr);
  EXPECT_EQ(cublasLoggerConfigure(1, 0, 0, nullptr), CUBLAS_STATUS_SUCCESS);
  Context context;
  EXPECT_NE(logged.find("cublasCreate"), logged.npos);
  EXPECT_EQ(cublasLoggerConfigure(1, 0, 0, "/no/such/folder/log"), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLoggerConfigure(0, 0, 0, nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSetLoggerCallback(nullptr), CUBLAS_STATUS_SUCCESS);
}

TEST(Handle, Xerbla) {
  testing::internal::CaptureStdout();
  cublasXerbla("SGEMM ", 8);
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            " ** On entry to SGEMM  parameter number 8 had an illegal value\n");
}

/// To the device and back with other increments, in both widths and both ways to wait.
template <typename Set, typename Get, typename... Stream>
void testVector(Set set, Get get, cudaStream_t stream, Stream... more) {
  Random random(3);
  Array<double> device(random, 90);
  std::vector<double> from(60), to(90, -1), expected = to;
  for (double &value : from)
    value = random.real();
  ASSERT_EQ(set(20, sizeof(double), from.data(), 3, device.data(), 2, more...),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(get(20, sizeof(double), device.data(), 2, to.data(), 4, more...),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (int i = 0; i < 20; ++i)
    expected[4 * i] = from[3 * i];
  EXPECT_EQ(to, expected);
  EXPECT_EQ(set(20, 0, from.data(), 1, device.data(), 1, more...), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(get(20, 8, device.data(), 0, to.data(), 1, more...), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(set(0, 8, from.data(), 1, device.data(), 1, more...), CUBLAS_STATUS_SUCCESS);
}

template <typename Set, typename Get, typename... Stream>
void testMatrix(Set set, Get get, cudaStream_t stream, Stream... more) {
  Random random(4);
  Array<float> device(random, 200);
  std::vector<float> from(100), to(200, -1), expected = to;
  for (float &value : from)
    value = random.real();
  ASSERT_EQ(set(7, 9, sizeof(float), from.data(), 10, device.data(), 8, more...),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(get(7, 9, sizeof(float), device.data(), 8, to.data(), 11, more...),
            CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  for (int j = 0; j < 9; ++j)
    for (int i = 0; i < 7; ++i)
      expected[i + 11 * j] = from[i + 10 * j];
  EXPECT_EQ(to, expected);
  EXPECT_EQ(set(7, 9, 4, from.data(), 6, device.data(), 8, more...), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(get(7, 9, 4, device.data(), 8, to.data(), 0, more...), CUBLAS_STATUS_INVALID_VALUE);
}

TEST(Handle, Copies) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  testVector(cublasSetVector, cublasGetVector, nullptr);
  testVector(cublasSetVector_64, cublasGetVector_64, nullptr);
  testVector(cublasSetVectorAsync, cublasGetVectorAsync, stream, stream);
  testVector(cublasSetVectorAsync_64, cublasGetVectorAsync_64, stream, stream);
  testMatrix(cublasSetMatrix, cublasGetMatrix, nullptr);
  testMatrix(cublasSetMatrix_64, cublasGetMatrix_64, nullptr);
  testMatrix(cublasSetMatrixAsync, cublasGetMatrixAsync, stream, stream);
  testMatrix(cublasSetMatrixAsync_64, cublasGetMatrixAsync_64, stream, stream);
  cudaStreamDestroy(stream);
}

} // namespace
