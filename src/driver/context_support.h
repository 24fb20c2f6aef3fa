// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For the tests of the driver API's functions for memory: two devices, and a context on the first.
#pragma once

#include "driver/test_support.h"

#include <cstdlib>
#include <vector>

#define EXPECT_OK(call) EXPECT_EQ(call, CUDA_SUCCESS)
#define ASSERT_OK(call) ASSERT_EQ(call, CUDA_SUCCESS)
#define EXPECT_INVALID(call) EXPECT_EQ(call, CUDA_ERROR_INVALID_VALUE)

/// In a function, as each test program has several files.
inline const heddle::driver::Table &driverTable() {
  static const heddle::driver::Table table = [] {
    unsetenv("CUDA_VISIBLE_DEVICES");
    unsetenv("CUDA_LAUNCH_BLOCKING");
    unsetenv("CUDA_DEVICE_ORDER");
    setenv("HEDDLE_MACHINE", "", 1); // other tests use the same boards
    setenv("HEDDLE_DEVICE", "h200,h200", 1);
    return exportedTable();
  }();
  return table;
}
static const heddle::driver::Table &driver = driverTable();

/// A test with a current context.
class WithContext : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(driver.cuInit(0));
    ASSERT_OK(driver.cuCtxCreate_v2(&context, 0, 0));
  }
  void TearDown() override { EXPECT_OK(driver.cuCtxDestroy_v2(context)); }

  CUcontext context = nullptr;
};

using Bytes = std::vector<unsigned char>;

/// 0, 1, 2, ... from `start`, modulo 251.
inline Bytes pattern(size_t count, unsigned start = 0) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<unsigned char>((start + i) % 251);
  return bytes;
}

/// Device memory that frees itself.
class Buffer {
public:
  explicit Buffer(size_t bytes) : bytes_(bytes) { EXPECT_OK(driver.cuMemAlloc_v2(&p_, bytes)); }
  explicit Buffer(const Bytes &bytes) : Buffer(bytes.size()) {
    EXPECT_OK(driver.cuMemcpyHtoD_v2(p_, bytes.data(), bytes_));
  }
  ~Buffer() { EXPECT_OK(driver.cuMemFree_v2(p_)); }
  Buffer(const Buffer &) = delete;
  CUdeviceptr get() const { return p_; }
  Bytes read() const {
    Bytes bytes(bytes_);
    EXPECT_OK(driver.cuCtxSynchronize());
    EXPECT_OK(driver.cuMemcpyDtoH_v2(bytes.data(), p_, bytes_));
    return bytes;
  }

private:
  CUdeviceptr p_ = 0;
  size_t bytes_;
};

inline CUdeviceptr addressOf(void *p) { return reinterpret_cast<CUdeviceptr>(p); }
inline const CUstream OwnStream = reinterpret_cast<CUstream>(2); ///< CU_STREAM_PER_THREAD
