// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/call.h"

#include <gtest/gtest.h>
#include <thread>

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

} // namespace
