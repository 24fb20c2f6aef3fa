// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

#include <string>
#include <thread>

HEDDLE_TEST_DEVICES("cpu")

namespace {

TEST(Error, namesAndStrings) {
#define HEDDLE_ERROR(name, value, text)                                                            \
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(value)), #name);                          \
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(value)), text);
#include "base/messages/runtime_errors.def"
#undef HEDDLE_ERROR
  const auto unknown = static_cast<cudaError_t>(12345);
  EXPECT_STREQ(cudaGetErrorName(unknown), "unrecognized error code");
  EXPECT_STREQ(cudaGetErrorString(unknown), "unrecognized error code");
}

TEST(Error, lastErrorIsKeptUntilAsked) {
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  int count;
  EXPECT_OK(cudaGetDeviceCount(&count));
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(Error, lastErrorIsTheThreads) {
  EXPECT_EQ(cudaSetDevice(-5), cudaErrorInvalidDevice);
  cudaError_t other = cudaErrorUnknown;
  std::thread([&] { other = cudaPeekAtLastError(); }).join();
  EXPECT_EQ(other, cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

TEST(Error, versions) {
  int version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, CUDART_VERSION);
  EXPECT_OK(cudaDriverGetVersion(&version));
  EXPECT_EQ(version, 13000); // it serves all runtimes
  EXPECT_CUDA(cudaErrorInvalidValue, cudaRuntimeGetVersion(nullptr));
}

} // namespace
