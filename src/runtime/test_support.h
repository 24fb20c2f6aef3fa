// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the tests of the API: which devices the process has must be said before the first call.
#pragma once

#include "cuda_runtime_api.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <vector>

/// Chooses the devices of this test program, at namespace scope.
#define HEDDLE_TEST_DEVICES(list)                                                                  \
  static const bool devicesChosen = [] {                                                           \
    unsetenv("CUDA_VISIBLE_DEVICES");                                                              \
    unsetenv("CUDA_LAUNCH_BLOCKING");                                                              \
    unsetenv("CUDA_DEVICE_ORDER");                                                                 \
    setenv("HEDDLE_MACHINE", "", 1); /* other tests use the same boards */                         \
    return setenv("HEDDLE_DEVICE", list, 1) == 0;                                                  \
  }();

/// The call gives this error and leaves it as the last one; the last error is clear afterwards.
#define EXPECT_CUDA(error, call)                                                                   \
  do {                                                                                             \
    EXPECT_EQ(call, error);                                                                        \
    EXPECT_EQ(cudaGetLastError(), error);                                                          \
  } while (0)
#define EXPECT_OK(call) EXPECT_EQ(call, cudaSuccess)
#define ASSERT_OK(call) ASSERT_EQ(call, cudaSuccess)

/// Device memory that frees itself.
class Buffer {
public:
  explicit Buffer(size_t bytes) { EXPECT_OK(cudaMalloc(&p_, bytes)); }
  ~Buffer() { EXPECT_OK(cudaFree(p_)); }
  Buffer(const Buffer &) = delete;
  unsigned char *get() const { return static_cast<unsigned char *>(p_); }

private:
  void *p_ = nullptr;
};

/// Page-locked memory that frees itself: copies of it are queued and do not wait.
class Pinned {
public:
  explicit Pinned(size_t bytes) { EXPECT_OK(cudaMallocHost(&p_, bytes)); }
  ~Pinned() { EXPECT_OK(cudaFreeHost(p_)); }
  Pinned(const Pinned &) = delete;
  unsigned char *get() const { return static_cast<unsigned char *>(p_); }

private:
  void *p_ = nullptr;
};

using Bytes = std::vector<unsigned char>;

/// 0, 1, 2, ... from `start`, modulo 251.
inline Bytes pattern(size_t count, unsigned start = 0) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<unsigned char>((start + i) % 251);
  return bytes;
}

inline Bytes read(const void *device, size_t count) {
  Bytes bytes(count);
  EXPECT_OK(cudaMemcpy(bytes.data(), device, count, cudaMemcpyDeviceToHost));
  return bytes;
}
