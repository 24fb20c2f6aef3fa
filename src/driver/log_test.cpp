// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of errors, and core dumps, which there are none of.
#include "driver/test_support.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

const heddle::driver::Table driver = exportedTable();

/// A call that says on stderr that it is not supported, and a line for the log.
void sayNo() {
  testing::internal::CaptureStderr();
  bool isOn = true;
  size_t bytes = sizeof isOn;
  EXPECT_EQ(driver.cuCoredumpSetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &isOn, &bytes),
            CUDA_ERROR_NOT_SUPPORTED);
  testing::internal::GetCapturedStderr();
}

TEST(Log, lines) {
  std::string heard;
  CUlogsCallbackHandle handle = nullptr;
  CUlogIterator at = 77;
  auto hear = [](void *data, CUlogLevel, char *text, size_t bytes) {
    static_cast<std::string *>(data)->append(text, bytes);
  };
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuLogsRegisterCallback(hear, &heard, &handle), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuLogsCurrent(&at, 0), CUDA_SUCCESS);
  sayNo();
  const std::string line = "heddle: cuCoredumpSetAttributeGlobal: not supported\n";
  EXPECT_EQ(heard, line);
  char text[200], few[8];
  size_t bytes = sizeof few;
  EXPECT_EQ(driver.cuLogsDumpToMemory(&at, few, &bytes, 0), CUDA_SUCCESS); // no room for the line
  EXPECT_EQ(bytes, 0u);
  bytes = sizeof text;
  EXPECT_EQ(driver.cuLogsDumpToMemory(&at, text, &bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(std::string(text, bytes), line);
  bytes = sizeof text;
  EXPECT_EQ(driver.cuLogsDumpToMemory(&at, text, &bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 0u); // the iterator is behind it
  EXPECT_EQ(driver.cuLogsUnregisterCallback(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuLogsUnregisterCallback(handle), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuLogsDumpToFile(nullptr, "", 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuLogsDumpToFile(nullptr, "/dev/null", 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.cuLogsRegisterCallback(nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(Coredump, isOff) {
  CUcontext context = nullptr;
  ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(driver.cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  bool isOn = true;
  size_t bytes = sizeof isOn;
  EXPECT_EQ(driver.cuCoredumpGetAttributeGlobal(CU_COREDUMP_ENABLE_ON_EXCEPTION, &isOn, &bytes),
            CUDA_SUCCESS);
  EXPECT_FALSE(isOn);
  EXPECT_EQ(driver.cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_ON_EXCEPTION, &isOn, &bytes),
            CUDA_SUCCESS);
  bytes = 0;
  EXPECT_EQ(driver.cuCoredumpGetAttribute(CU_COREDUMP_FILE, nullptr, &bytes), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 1u);
  EXPECT_EQ(driver.cuCoredumpGetAttribute(CUcoredumpSettings(99), &isOn, &bytes),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuCtxDestroy_v2(context), CUDA_SUCCESS);
}

} // namespace
