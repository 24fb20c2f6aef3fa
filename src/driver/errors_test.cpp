// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda.h"

#include <gtest/gtest.h>

namespace {

TEST(Errors, everyCodeHasNameAndText) {
  struct Row {
    const char *name;
    int value;
    const char *text;
  };
  const Row rows[] = {
#define HEDDLE_RESULT(name, value, text) {#name, value, text},
#include "driver/errors.def"
  };
  for (const Row &row : rows) {
    const char *name = nullptr, *text = nullptr;
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(row.value), &name), CUDA_SUCCESS);
    EXPECT_STREQ(name, row.name);
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(row.value), &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, row.text);
  }
}

TEST(Errors, numbersThatAreNoCodes) {
  for (int number : {-1, 9, 203, 10000}) {
    const char *text = "";
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(number), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
    text = "";
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(number), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
  }
  EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
