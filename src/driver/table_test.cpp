// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

struct Row {
  std::string symbol, twin, needs;
  bool isDone;
};

const std::vector<Row> rows = {
#define HEDDLE_Done true
#define HEDDLE_Old true
#define HEDDLE_Unsupported false
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  {#symbol, #twin, #needs, HEDDLE_##state},
#include "driver/driver.def"
};

/// Functions with their right types would need arguments; the conventions of calling let them have
/// none where nothing is done with them.
CUresult callWithout(const std::string &symbol) {
  auto function = reinterpret_cast<CUresult (*)()>(dlsym(RTLD_DEFAULT, symbol.c_str()));
  return function ? function() : CUDA_ERROR_UNKNOWN;
}

TEST(Table, everySymbolAndTwinExists) {
  ASSERT_GT(rows.size(), 540u);
  for (const Row &row : rows) {
    EXPECT_NE(dlsym(RTLD_DEFAULT, row.symbol.c_str()), nullptr) << row.symbol;
    std::string twin = row.symbol + "_" + row.twin;
    EXPECT_EQ(dlsym(RTLD_DEFAULT, twin.c_str()) != nullptr, row.twin != "None") << twin;
  }
}

TEST(Table, unsupportedFunctionsSaySoOnce) {
  for (const Row &row : rows) {
    if (row.isDone)
      continue;
    testing::internal::CaptureStderr();
    EXPECT_EQ(callWithout(row.symbol), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(callWithout(row.symbol), CUDA_ERROR_NOT_SUPPORTED);
    if (row.twin != "None")
      EXPECT_EQ(callWithout(row.symbol + "_" + row.twin), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "heddle: " + row.symbol + ": not supported\n");
  }
}

} // namespace
