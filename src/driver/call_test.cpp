// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/call.h"

#include <gtest/gtest.h>
#include <thread>

#include <unistd.h>

using heddle::PerThreadScope;

namespace {

TEST(Call, theScopeOfATwinIsItsThreads) {
  EXPECT_FALSE(PerThreadScope::isActive());
  {
    PerThreadScope outer;
    {
      PerThreadScope inner;
    }
    EXPECT_TRUE(PerThreadScope::isActive());
    std::thread([] { EXPECT_FALSE(PerThreadScope::isActive()); }).join();
  }
  EXPECT_FALSE(PerThreadScope::isActive());
}

TEST(Call, looksAtArgumentsFirst) {
  using namespace heddle::driver;
  int object = 0;
  const int *none = nullptr;
  EXPECT_EQ((Needs::Current | given(&object, none)).first, CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ((Needs::Current | handle(none)).first, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ((Needs::Current | given(&object) | handle(none)).first, CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ((Needs::Always | livingProcess(getpid())).first, CUDA_SUCCESS);
  EXPECT_EQ((Needs::Always | livingProcess(0)).first, CUDA_ERROR_OPERATING_SYSTEM);
  const Start start = Needs::Current | handleOnce(none);
  EXPECT_EQ(start.first, CUDA_SUCCESS);
  EXPECT_EQ(start.once, CUDA_ERROR_INVALID_HANDLE);
}

} // namespace
