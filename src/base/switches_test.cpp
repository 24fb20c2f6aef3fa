// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/switches.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Switches, WholeNamesOnly) {
  EXPECT_TRUE(isEnabled("rows", ""));
  EXPECT_TRUE(isEnabled("rows", "strength-reduce-addresses,version-guards,row"));
  EXPECT_TRUE(isEnabled("rows", "rows-too,,"));
  EXPECT_FALSE(isEnabled("rows", "rows"));
  EXPECT_FALSE(isEnabled("rows", "version-guards,rows"));
  EXPECT_FALSE(isEnabled("rows", "rows,version-guards"));
}

} // namespace
} // namespace heddle
