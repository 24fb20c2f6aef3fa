// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/coverage.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace heddle {
namespace {

TEST(Coverage, WritesEachLineOnceIfAFileIsNamed) {
  auto file = std::filesystem::temp_directory_path() / ("coverage." + std::to_string(getpid()));
  unsetenv("HEDDLE_COVERAGE");
  logCovered("pass unwanted 8");
  EXPECT_FALSE(logsCoverage());
  setenv("HEDDLE_COVERAGE", file.c_str(), 1);
  EXPECT_TRUE(logsCoverage());
  logCovered("pass rows 8");
  logCovered("pass rows 16");
  logCovered("pass rows 8");
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  EXPECT_EQ(text.str(), "pass rows 8\npass rows 16\n");
  unsetenv("HEDDLE_COVERAGE");
  std::filesystem::remove(file);
}

} // namespace
} // namespace heddle
