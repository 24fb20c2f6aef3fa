// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <unistd.h>

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

/// The first argument is a process where one is asked for, and the others are there; the conventions
/// of calling let functions have fewer or more where nothing is done with them.
CUresult callWithFew(const std::string &symbol) {
  static char place[64];
  auto function = reinterpret_cast<CUresult (*)(intptr_t, void *, void *, void *, void *)>(
      dlsym(RTLD_DEFAULT, symbol.c_str()));
  return function ? function(getpid(), place, place, place, place) : CUDA_ERROR_UNKNOWN;
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
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  for (const Row &row : rows) {
    if (row.isDone)
      continue;
    testing::internal::CaptureStderr();
    EXPECT_EQ(callWithFew(row.symbol), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(callWithFew(row.symbol), CUDA_ERROR_NOT_SUPPORTED);
    if (row.twin != "None")
      EXPECT_EQ(callWithFew(row.symbol + "_" + row.twin), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "heddle: " + row.symbol + ": not supported\n");
  }
  EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
}

} // namespace
